import { fold, matchWord } from "../../lib/text/word-matcher.ts";
import type { SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { ReadConnection } from "../cursors.ts";
import { findTextRows, idsCondition } from "../read/index-reads.ts";
import { MATCH_ALL, type SqlCondition } from "../filters/sql-condition.ts";
import type { ReadField } from "../read/read-table.ts";
import { type Row, RowScan } from "../read/row-scan.ts";
import type { VisibilityFilter, VisibleTable } from "../read/visibility-filter.ts";
import { createVisibleRows } from "../read/visible-rows.ts";
import { excerptOf } from "./excerpt.ts";
import { cellText } from "./searched-text.ts";

export interface SearchResult {
  readonly table: string;
  readonly row: number;
  /** The column with the best match. */
  readonly column: string;
  readonly excerpt: string;
  readonly score: number;
}

export interface SearchQuery {
  /** Folded; each has to occur in the row. */
  readonly words: readonly string[];
  readonly limit: number;
}

const TEXT_TYPES: ReadonlySet<string> = new Set(["Text", "Choice", "ChoiceList", "Any"]);
const BATCH_SIZE = 2048;
const MAX_MS = 10_000;

/**
 * Yields the chunks of `{"results": […], "isComplete"}`; empty ones while rows are read. A row's score depends on its own
 * visible cells alone: statistics over all rows would tell what hidden rows contain.
 */
export function* searchChunks(
  visibility: VisibilityFilter,
  source: ReadConnection,
  { words, limit }: SearchQuery,
): Generator<string, void> {
  const { clock } = visibility.document;
  const deadline = clock.elapsed() + MAX_MS;
  const best = new BestResults(limit);
  let isComplete = true;
  // Before the first yield: later, indexes may already be those of a later commit.
  const tables = searchedTables(visibility).map((table) => ({ ...table, ids: candidates(visibility, table, words) }));
  for (const { visibleTable, fields, ids } of tables) {
    const match = rowMatcher(visibleTable, fields, words);
    const batches = ids
      ? listedRows(source, { visibleTable, fields, ids })
      : allRows(source, { visibleTable, fields, words });
    for (const rows of batches) {
      for (const row of rows) best.add(match(row));
      isComplete = clock.elapsed() < deadline;
      yield "";
      if (!isComplete) break;
    }
  }
  yield JSON.stringify({ results: best.sorted(), isComplete });
}

interface SearchedTable {
  readonly visibleTable: VisibleTable;
  readonly fields: readonly ReadField[];
}

/** Returns the tables that the caller sees, without summaries, which repeat what is in other tables. */
const searchedTables = (visibility: VisibilityFilter): SearchedTable[] =>
  visibility
    .tables()
    .filter(({ summarySourceTable, isStored }) => summarySourceTable === 0 && isStored)
    .map(({ id }) => {
      const visibleTable = visibility.readTable(id);
      const fields = visibleTable.table.fields.filter(
        ({ type, isHidden, absent }) => !isHidden && absent === undefined && TEXT_TYPES.has(type.base),
      );
      return { visibleTable, fields };
    })
    .filter(({ fields }) => fields.length > 0);

/**
 * Returns the ids of rows among which are all results of a table, ascending; null when all rows have to be read. Under
 * rules on rows there is no index: its time would depend on what hidden rows contain.
 */
const candidates = (
  { document }: VisibilityFilter,
  { visibleTable, fields }: SearchedTable,
  words: readonly string[],
): number[] | null =>
  createVisibleRows(visibleTable) === null ? findTextRows(document, visibleTable.table, { fields, words }) : null;

/** Yields the rows with the ids, as far as they exist. */
function* listedRows(
  source: ReadConnection,
  { visibleTable, fields, ids }: SearchedTable & { readonly ids: readonly number[] },
): Generator<Row[]> {
  const columns = ["id", ...fields.map(({ id }) => quote(id))].join(", ");
  for (let at = 0; at < ids.length; at += BATCH_SIZE) {
    const { sql, args } = idsCondition(ids.slice(at, at + BATCH_SIZE));
    yield source.db.values(`select ${columns} from ${visibleTable.table.from} where ${sql} order by id`, ...args);
  }
}

/** Yields all rows that the caller sees and in which the words are likely to occur. */
function* allRows(
  source: ReadConnection,
  { visibleTable, fields, words }: SearchedTable & { readonly words: readonly string[] },
): Generator<Row[]> {
  const scan = new RowScan(source, scanOptions(visibleTable, fields, words));
  for (let rows = scan.take(BATCH_SIZE); rows.length > 0; rows = scan.take(BATCH_SIZE)) yield rows;
}

function scanOptions(visibleTable: VisibleTable, fields: readonly ReadField[], words: readonly string[]) {
  const { table } = visibleTable;
  const columns = fields.map(({ id }) => id);
  const order = { kind: "id", descending: false } as const;
  const visibleRows = createVisibleRows(visibleTable);
  // Under rules, the time of a search must not depend on what hidden rows contain.
  const where = visibleRows === null ? likelyRows(columns, words) : MATCH_ALL;
  return { table, columns, selection: { where, order, limit: Number.POSITIVE_INFINITY, visibleRows } };
}

/** SQLite ignores the case of ASCII letters only, and lists are stored as JSON, which escapes other characters. */
const PLAIN_WORD = /^[a-z0-9.@-]+$/;

/** Returns a condition that all rows meet in which the words occur. */
function likelyRows(columns: readonly string[], words: readonly string[]): SqlCondition {
  const plain = words.filter((word) => PLAIN_WORD.test(word));
  // Values that are stored as bytes are looked at in any case.
  const terms = columns.map((id) => `${quote(id)} like ? or typeof(${quote(id)}) = 'blob'`).join(" or ");
  const args = plain.flatMap((word) => columns.map((): SqlValue => `%${word}%`));
  return { sql: plain.map(() => `(${terms})`).join(" and "), args };
}

/** Returns a function that rates a row; null where not all words occur. */
function rowMatcher(
  { table }: VisibleTable,
  fields: readonly ReadField[],
  words: readonly string[],
): (row: Row) => SearchResult | null {
  return (row) => {
    const texts = fields.map((field, at) => cellText(field, row[at + 1] ?? null));
    const folded = texts.map(fold);
    let score = 0;
    let shown: { column: number; at: number; score: number } | null = null;
    for (const word of words) {
      let found: { column: number; at: number; score: number } | null = null;
      for (const [column, text] of folded.entries()) {
        const match = matchWord(text, word);
        if (match && (found === null || match.score > found.score)) found = { column, ...match };
      }
      if (!found) return null;
      score += found.score;
      if (shown === null || found.score > shown.score) shown = found;
    }
    if (!shown) return null;
    const [text = "", length = 0] = [texts[shown.column], folded[shown.column]?.length];
    const excerpt = excerptOf(text, text.length === length ? shown.at : 0);
    return { table: table.id, row: Number(row[0]), column: fields[shown.column]?.id ?? "", excerpt, score };
  };
}

/** Keeps the results with the highest scores; of equal ones, the first ones added. */
class BestResults {
  readonly #limit: number;
  #results: SearchResult[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(result: SearchResult | null): void {
    if (result === null) return;
    this.#results.push(result);
    if (this.#results.length >= 8 * this.#limit) this.#results = this.sorted();
  }

  sorted(): SearchResult[] {
    return this.#results.toSorted((a, b) => b.score - a.score).slice(0, this.#limit);
  }
}
