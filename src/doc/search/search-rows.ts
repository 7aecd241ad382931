import type { SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import { wordsOf } from "../../lib/text/word-matcher.ts";
import type { ReadConnection } from "../cursors.ts";
import { findCandidates, findTextRows, idsCondition } from "../read/index-reads.ts";
import { MATCH_ALL, type SqlCondition } from "../filters/sql-condition.ts";
import { type Row, RowScan } from "../read/row-scan.ts";
import type { VisibilityFilter } from "../read/visibility-filter.ts";
import { createVisibleRows } from "../read/visible-rows.ts";
import { excerptOf } from "./excerpt.ts";
import { type FieldTest, type Needle, type RowMatch, rowMatcher, type TableTests, tableTests } from "./match-rows.ts";
import { type SearchedTable, searchedTables, shownText } from "./searched-tables.ts";

export interface SearchResult {
  readonly table: string;
  readonly tableTitle: string;
  readonly row: number;
  /** The column with the best match. */
  readonly column: string;
  readonly columnLabel: string;
  /** The first text of the row. */
  readonly label: string;
  readonly excerpt: string;
  readonly score: number;
}

export interface SearchQuery {
  readonly query: string;
  readonly limit: number;
}

const BATCH_SIZE = 2048;
const MAX_MS = 10_000;
/** With more rows that have a number or date of the query, the table is read. */
const MAX_VALUE_ROWS = 4096;

/**
 * Yields the chunks of `{"results": […], "isComplete"}`; empty ones while rows are read. A row's score depends on its own
 * visible cells alone: statistics over all rows would tell what hidden rows contain.
 */
export function* searchChunks(
  visibility: VisibilityFilter,
  source: ReadConnection,
  { query, limit }: SearchQuery,
): Generator<string, void> {
  const { clock } = visibility.document;
  const deadline = clock.elapsed() + MAX_MS;
  const needle = { text: query.trim(), words: wordsOf(query) };
  const best = new BestResults(limit);
  let isComplete = true;
  // Before the first yield: later, indexes may already be those of a later commit.
  const searches = searchedTables(visibility).map((table): TableSearch => {
    const search = { table, needle, tests: tableTests(table, needle) };
    return { ...search, ids: candidates(visibility, search) };
  });
  for (const search of searches) {
    const match = rowMatcher(search.table, needle, search.tests);
    const batches = search.ids ? listedRows(source, search.table, search.ids) : allRows(source, search);
    for (const rows of batches) {
      for (const row of rows) best.add(search.table, match(row));
      isComplete = clock.elapsed() < deadline;
      yield "";
      if (!isComplete) break;
    }
  }
  yield JSON.stringify({ results: best.sorted().map(toResult), isComplete });
}

interface TableSearch {
  readonly table: SearchedTable;
  readonly needle: Needle;
  readonly tests: TableTests;
  /** As `candidates`. */
  readonly ids: readonly number[] | null;
}

/**
 * Returns the ids of rows among which are all results of a table, ascending; null when all rows have to be read. Under
 * rules on rows there is no index: its time would depend on what hidden rows contain.
 */
function candidates(
  visibility: VisibilityFilter,
  { table: { visibleTable, fields, sources }, needle, tests }: Omit<TableSearch, "ids">,
): number[] | null {
  if (createVisibleRows(visibleTable) !== null) return null;
  const texts = sources.filter((source) => fields.some((field) => field.source === source && field.hasTexts));
  if (texts.length === 0) return null;
  const found = findTextRows(visibility.document, visibleTable.table, { fields: texts, words: needle.words });
  if (found === null) return null;
  const ids = new Set(found);
  // Rows without a value of the query have all words in their texts.
  for (const test of [...tests.ofAll, ...[...tests.byWord.values()].flat()]) {
    const rows = findValueRows(visibility, visibleTable.table, test);
    if (rows === null) return null;
    for (const id of rows) ids.add(id);
  }
  return [...ids].toSorted((a, b) => a - b);
}

/** Returns the ids of rows whose value may be that of a test; null for too many. */
function findValueRows(
  { document }: VisibilityFilter,
  table: SearchedTable["visibleTable"]["table"],
  { field: { source }, test: { lower, upper } }: FieldTest,
): readonly number[] | null {
  const bound = (value: number) => ({ value, inclusive: true });
  const range = { kind: "number", lower: bound(lower), upper: bound(upper) } as const;
  const indexed = findCandidates(document, table, [{ field: source, lookup: { kind: "range", range } }]);
  if (indexed) return indexed.length > MAX_VALUE_ROWS ? null : indexed;
  const sql = `select id from ${table.from} where ${quote(source.id)} between ? and ? limit ?`;
  const ids = document.db.values(sql, lower, upper, MAX_VALUE_ROWS + 1).map(([id]) => Number(id));
  return ids.length > MAX_VALUE_ROWS ? null : ids;
}

/** Yields the rows with the ids, as far as they exist. */
function* listedRows(
  source: ReadConnection,
  { visibleTable, sources }: SearchedTable,
  ids: readonly number[],
): Generator<Row[]> {
  const columns = ["id", ...sources.map(({ id }) => quote(id))].join(", ");
  for (let at = 0; at < ids.length; at += BATCH_SIZE) {
    const { sql, args } = idsCondition(ids.slice(at, at + BATCH_SIZE));
    yield source.db.values(`select ${columns} from ${visibleTable.table.from} where ${sql} order by id`, ...args);
  }
}

/** Yields all rows that the caller sees and in which the words are likely to occur. */
function* allRows(source: ReadConnection, search: TableSearch): Generator<Row[]> {
  const { visibleTable, sources } = search.table;
  const order = { kind: "id", descending: false } as const;
  const visibleRows = createVisibleRows(visibleTable);
  // Under rules, the time of a search must not depend on what hidden rows contain.
  const where = visibleRows === null ? likelyRows(search) : MATCH_ALL;
  const selection = { where, order, limit: Number.POSITIVE_INFINITY, visibleRows };
  const scan = new RowScan(source, { table: visibleTable.table, columns: sources.map(({ id }) => id), selection });
  for (let rows = scan.take(BATCH_SIZE); rows.length > 0; rows = scan.take(BATCH_SIZE)) yield rows;
}

/** Words that occur in a text only if SQLite finds them, or the text has other characters than ASCII. */
const PLAIN_WORD = /^[a-z0-9.@-]+$/;

/** Returns a condition that all rows meet in which the words occur. */
function likelyRows({ table: { fields }, needle, tests }: TableSearch): SqlCondition {
  const plain = needle.words.filter((word) => PLAIN_WORD.test(word));
  if (plain.length === 0) return MATCH_ALL;
  const texts = fields.filter(({ hasTexts }) => hasTexts).map(({ source }) => source);
  const args: SqlValue[] = [];
  const valueSql = ({ field, test }: FieldTest): string => {
    args.push(test.lower, test.upper);
    return `${quote(field.source.id)} between ? and ?`;
  };
  const wordSql = (word: string): string => {
    const terms = texts.map(({ id, type }) => {
      args.push(`%${word}%`);
      return `(${quote(id)} like ? or ${unreadableSql(quote(id), type.base)})`;
    });
    return `(${[...terms, ...(tests.byWord.get(word) ?? []).map(valueSql), "0"].join(" or ")})`;
  };
  const words = plain.map(wordSql).join(" and ");
  return { sql: `(${[`(${words})`, ...tests.ofAll.map(valueSql)].join(" or ")})`, args };
}

/** Values that SQLite cannot search: bytes, letters with accents, and lists, which are JSON that escapes characters. */
const unreadableSql = (column: string, base: string): string =>
  `typeof(${column}) = 'blob' or octet_length(${column}) > length(${column})${base === "ChoiceList" ? ` or instr(${column}, '\\') > 0` : ""}`;

interface TableMatch extends RowMatch {
  readonly table: SearchedTable;
}

/** Keeps the results with the highest scores; of equal ones, the first ones added. */
class BestResults {
  readonly #limit: number;
  #results: TableMatch[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(table: SearchedTable, match: RowMatch | null): void {
    if (match === null) return;
    this.#results.push({ ...match, table });
    if (this.#results.length >= 8 * this.#limit) this.#results = this.sorted();
  }

  sorted(): TableMatch[] {
    return this.#results.toSorted((a, b) => b.score - a.score).slice(0, this.#limit);
  }
}

function toResult({ table, row, field, excerpt, score }: TableMatch): SearchResult {
  const { visibleTable, title, fields } = table;
  return {
    table: visibleTable.table.id,
    tableTitle: title,
    row: Number(row[0]),
    column: field.id,
    columnLabel: field.label,
    label: excerptOf(fields.map((each) => shownText(each, row)).find((text) => text.trim() !== "") ?? "", 0),
    excerpt,
    score,
  };
}
