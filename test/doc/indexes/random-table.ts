import { expect } from "bun:test";
import { applyUserActions, type UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { OpenDocument } from "../../../src/doc/document.ts";
import { IndexBudget } from "../../../src/doc/indexes/index-budget.ts";
import type { CellRange } from "../../../src/doc/indexes/cell-range.ts";
import type { TextIndexOptions } from "../../../src/doc/indexes/text-index.ts";
import type { DocumentIndexes } from "../../../src/doc/indexes/document-indexes.ts";
import { must } from "../../../src/lib/assert.ts";
import { exportedSection, type SectionOverrides } from "../../../src/doc/read/exported-section.ts";
import { findCandidates } from "../../../src/doc/read/index-reads.ts";
import { quote } from "../../../src/sqlite/quote.ts";
import { parseFilterValue } from "../../../src/doc/filters/parse-filter.ts";
import { parseSort, splitSort } from "../../../src/doc/read/parse-sort.ts";
import { visibilityFor } from "../../../src/doc/read/visibility-filter.ts";
import { selectRows, type RowQuery } from "../../../src/doc/read/row-query.ts";
import { RowScan } from "../../../src/doc/read/row-scan.ts";
import { AppError } from "../../../src/errors.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import type { Random } from "../../helpers/random.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { ANN } from "../actions/scratch.ts";
import { grantOf, sampleDocument } from "../read/sample.ts";
import { randomSearch, search } from "./random-search.ts";

const COLUMNS = {
  Text: "Text",
  Int: "Int",
  Numeric: "Numeric",
  Bool: "Bool",
  Date: "Date",
  Choice: "Choice",
  List: "ChoiceList",
  Any: "Any",
  Ref: "Ref:T",
  Refs: "RefList:T",
};
type ColumnId = keyof typeof COLUMNS;
const COLUMN_IDS = Object.keys(COLUMNS) as ColumnId[];

const LONG_TEXTS = ["Desk lamp", "headlamps", "ÅNGSTRÖM", '"quoted" lamp', "😀😁😂", "ΟΔΟΣ Ab", "green\namber"];
const TEXTS = [
  "",
  "a",
  "A",
  "ä",
  "Ä",
  "b",
  "a b",
  "a-b",
  "a10",
  "a9",
  "10",
  "9",
  "é",
  "e\u0301",
  "дом",
  "zoo",
  " x",
  ...LONG_TEXTS,
];
const NUMBERS = [0, -0, 1, 2, 3, -7.25, 0.5, 1e20, 86_400, 2 ** 53, -1, 10, 9];
const OTHERS: CellValue[] = [null, true, false, ["E", "ValueError"], ["d", 86_400], ["O", { a: 1 }]];
const LISTS: CellValue[] = [null, ["L", "lamp", "Desk"], ["L", "a"], ["L", "a", "b"], ["L", 1], ["L", 2, 1], ["L"]];

function randomCell(random: Random, column: ColumnId): CellValue {
  const kinds: Record<ColumnId, readonly CellValue[]> = {
    Text: TEXTS,
    Int: NUMBERS,
    Numeric: NUMBERS,
    Bool: [true, false],
    Date: [0, 86_400, -86_400, 172_800],
    Choice: ["red", "amber", "green", "other", ""],
    List: LISTS,
    Any: [...TEXTS, ...NUMBERS, ...OTHERS, ...LISTS],
    Ref: [0, 1, 2, 3, 50],
    Refs: LISTS,
  };
  if (random.oneIn(8)) return random.pick([...TEXTS, ...NUMBERS, ...OTHERS]);
  return random.pick(kinds[column]);
}

const randomCells = (random: Random, columns: readonly ColumnId[], count: number): Record<string, CellValue[]> =>
  Object.fromEntries(columns.map((id) => [id, Array.from({ length: count }, () => randomCell(random, id))]));

/** A document with indexes for every table, and a second connection to its file that has none. */
export class RandomTable implements Disposable {
  readonly random: Random;
  readonly indexed: OpenDocument;
  readonly plain: OpenDocument;
  readonly temporary: TextIndexOptions;
  columns: ColumnId[] = [...COLUMN_IDS];
  #lastUndo: readonly unknown[] = [];

  constructor(random: Random) {
    this.random = random;
    this.temporary = {
      folder: tempFolder(),
      maxBytes: 1e9,
      logLength: random.pick([0, 20, 100]),
      changedRows: random.pick([0, 50, 1000]),
    };
    const choices = { choices: ["red", "amber", "green"] };
    const table = { id: "T", columns: COLUMNS, widgetOptions: { Choice: choices } };
    this.indexed = sampleDocument([table], {
      indexes: { minRows: 0, temporary: this.temporary },
    });
    this.plain = new OpenDocument(this.indexed.path, { indexes: { budget: new IndexBudget(0) } });
    const { ref } = must(this.indexed.schema.tableById.get("T"));
    this.indexed.db.run("insert into _grist_Views_section (id, tableRef) values (?, ?)", WIDGET, ref);
    this.apply([["BulkAddRecord", "T", Array.from({ length: 60 }, () => null), this.#newCells(60)]]);
  }

  #newCells(count: number): Record<string, CellValue[]> {
    return randomCells(this.random, this.columns, count);
  }

  apply(actions: readonly UserAction[]): void {
    try {
      const { undo } = applyUserActions(this.indexed, actions, {
        parse: false,
        user: ANN,
        nowMs: 0,
      });
      this.#lastUndo = undo;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
    this.plain.counter.refresh();
    this.plain.invalidateSchema();
  }

  /** The indexes of the document's own connection. */
  get own(): DocumentIndexes {
    return must(this.indexed.ownIndexes);
  }

  ids(): number[] {
    return this.indexed.db.values("select id from T").map(([id]) => Number(id));
  }

  change(): void {
    const { random } = this;
    const ids = random.some(this.ids(), random.pick([2, 10, 30]));
    const columns = random.some(this.columns, 3);
    const update: UserAction = ["BulkUpdateRecord", "T", ids, randomCells(random, columns, ids.length)];
    switch (random.below(10)) {
      case 0:
        return this.apply([["BulkAddRecord", "T", [null, null, null], this.#newCells(3)]]);
      case 1:
        return this.apply([["BulkRemoveRecord", "T", ids]]);
      case 2:
        return this.apply([["ApplyUndoActions", [...this.#lastUndo]]]);
      case 3:
        // Rolled back as a whole.
        return this.apply([update, ["BulkRemoveRecord", "T", ids], ["RemoveTable", "Missing"]]);
      case 4:
        return this.#changeSchema();
      case 5:
        return this.apply([["BulkUpdateRecord", "T", ids, { manualSort: ids.map(() => random.below(50)) }]]);
      case 6:
        return this.apply([update, ["BulkAddRecord", "T", [null], this.#newCells(1)], ["BulkRemoveRecord", "T", ids]]);
      default:
        return this.apply([update]);
    }
  }

  #changeSchema(): void {
    const { random } = this;
    const column = random.pick(this.columns);
    switch (random.below(4)) {
      case 0:
        return this.apply([["ModifyColumn", "T", column, { type: random.pick(Object.values(COLUMNS)) }]]);
      case 1:
        return this.apply([
          ["RenameColumn", "T", column, "Renamed"],
          ["RenameColumn", "T", "Renamed", column],
        ]);
      case 2: {
        const ids = [1, 5, 9];
        return this.apply([["ReplaceTableData", "T", ids, this.#newCells(3)]]);
      }
      default:
        return this.apply([["ModifyColumn", "T", "Choice", { widgetOptions: '{"choices":["green","red"]}' }]]);
    }
  }

  randomQuery(): { filter: RowQuery["filter"]; sort: string; limit: number; offset: number; total: boolean } {
    const { random } = this;
    const column = random.pick(this.columns);
    const options = random.pick(["", "", ":naturalSort", ":emptyLast", ":blanksLast", ":orderByChoice"]);
    const first = `${random.pick(["", "-"])}${random.pick([column, "Text", "id"])}${options}`;
    const sort = random.pick(["", first, first, `${first},-${random.pick(this.columns)}`]);
    const cells = Array.from({ length: 1 + random.below(2) }, () => {
      const cell = randomCell(random, column);
      return Array.isArray(cell) && cell[0] === "L" ? cell.slice(1) : cell;
    });
    const other = random.pick(this.columns);
    const [low, high] = [random.pick(NUMBERS), random.pick(NUMBERS)];
    const filters = [
      {},
      {},
      { [column]: cells },
      { [column]: cells, [other]: [randomCell(random, other)] },
      { Int: { gte: low, lt: high } },
      { Numeric: { gt: low }, [other]: { empty: false } },
      { Text: { eq: "a", contains: "A" }, or: [{ Int: { ne: low } }, { not: { Numeric: { in: [low, high] } } }] },
    ];
    const limit = random.pick([1, 5, 20, Number.POSITIVE_INFINITY]);
    return {
      filter: parseFilterValue(random.pick(filters)),
      sort,
      limit,
      offset: random.pick([0, 0, 3, 30]),
      total: random.oneIn(3),
    };
  }

  compareReads(): void {
    const query = this.randomQuery();
    expect({ query, ...readIds(this.indexed, query) }).toEqual({ query, ...readIds(this.plain, query) });
  }

  /** The export of a widget with filters, links and a sort of its own. */
  randomSection(): SectionOverrides {
    const { random } = this;
    const { columns } = must(this.indexed.schema.tableById.get("T"));
    const bound = (): number | undefined => (random.oneIn(4) ? undefined : random.pick(NUMBERS));
    const filterOf = (id: ColumnId): object => {
      const cells = [randomCell(random, id), randomCell(random, id)];
      const kinds = [{ min: bound() ?? null, max: bound() }, { min: bound() ?? null }, { included: cells }];
      return random.oneIn(6) ? { excluded: cells } : random.pick(kinds);
    };
    const filtered = random.some(columns, 2).filter(({ id }) => this.columns.includes(id as ColumnId));
    const filters = filtered.map(({ ref, id }) => ({ colRef: ref, filter: JSON.stringify(filterOf(id as ColumnId)) }));
    const linked = random.pick(this.columns);
    const link = { filters: { [linked]: [randomCell(random, linked), randomCell(random, linked)] } };
    const sort = random.pick(columns).ref;
    return {
      filters: JSON.stringify(filters),
      ...(random.oneIn(3) && { linkingFilter: JSON.stringify(link) }),
      ...(random.oneIn(2) && { activeSortSpec: JSON.stringify([random.oneIn(2) ? sort : -sort]) }),
    };
  }

  compareSections(): void {
    const overrides = this.randomSection();
    const rows = readSection(this.indexed, overrides);
    expect({ overrides, rows }).toEqual({ overrides, rows: readSection(this.plain, overrides) });
  }

  /** Compares what the index of a column finds in a range with all its cells. */
  compareRanges(): void {
    const { random } = this;
    const bound = <T>(values: readonly T[]) =>
      random.oneIn(5) ? null : { value: random.pick(values), inclusive: random.oneIn(2) };
    const range: CellRange = random.oneIn(2)
      ? { kind: "number", lower: bound([...NUMBERS, Number.NaN]), upper: bound([...NUMBERS, Number.NaN]) }
      : { kind: "text", lower: bound(TEXTS), upper: bound(TEXTS) };
    const column = random.pick([...this.columns, "Any", "Numeric", "Text"]);
    const table = visibilityFor(this.indexed, grantOf("sample")).readTable("T").table;
    const field = must(table.fieldById.get(column));
    const found = findCandidates(this.indexed, table, [{ field, lookup: { kind: "range", range } }]);
    if (!found) return;
    const expected = this.indexed.db
      .values(`select id, ${quote(column)} from T order by id`)
      .filter(([, cell]) => isBetween(range, field.type.decodeRaw(cell ?? null)))
      .map(([id]) => id);
    expect({ range, column, found }).toEqual({ range, column, found: expected as number[] });
  }

  compareSearches(): void {
    const query = randomSearch(this.random);
    expect({ query, found: search(this.indexed, query) }).toEqual({ query, found: search(this.plain, query) });
  }

  /** Finds records by the values of one or two columns, and the records that texts refer to. */
  compareMatches(): void {
    const { random } = this;
    const columns = [...new Set([random.pick(this.columns), random.pick(this.columns)])];
    const require = Object.fromEntries(columns.map((id) => [id, randomCell(random, id)]));
    const actions: UserAction[] = [
      ["AddOrUpdateRecord", "T", require, {}, { on_many: "all", add: false }],
      ["AddRecord", "T", null, { Ref: ["l", random.pick(TEXTS), { column: "Text" }] }],
    ];
    const outcomes = [this.indexed, this.plain].map((document) => outcomeOf(document, actions));
    expect({ require, outcome: outcomes[0] }).toEqual({ require, outcome: outcomes[1] });
  }

  [Symbol.dispose](): void {
    this.plain.closeWithoutCheckpoint();
    this.indexed.close();
  }
}

interface ReadOutcome {
  readonly ids: number[];
  readonly total: number | undefined;
  /** Why the filter was refused: a change of types can make operators and operands invalid. */
  readonly refusal?: string;
}

/** Returns the ids of the rows of a query, and their number if it is requested. */
export function readIds(document: OpenDocument, query: ReturnType<RandomTable["randomQuery"]>): ReadOutcome {
  try {
    return readValidIds(document, query);
  } catch (error) {
    if (error instanceof AppError && error.reason.startsWith("filter."))
      return { ids: [], total: undefined, refusal: error.message };
    throw error;
  }
}

function readValidIds(document: OpenDocument, { sort, ...query }: ReturnType<RandomTable["randomQuery"]>): ReadOutcome {
  const visible = visibilityFor(document, grantOf("sample")).readTable("T");
  const selection = selectRows(document, visible, { ...query, sort: parseSort(visible.table, splitSort(sort)) });
  const scan = new RowScan({ db: document.db }, { table: visible.table, columns: [], selection });
  const ids: number[] = [];
  for (let rows = scan.take(1000); rows.length > 0; rows = scan.take(1000)) ids.push(...rows.map(([id]) => Number(id)));
  return { ids, total: selection.total };
}

/** The id of a widget of the table. */
const WIDGET = 99;

/** Returns the ids of the rows of a widget's export. */
export function readSection(document: OpenDocument, overrides: SectionOverrides): number[] {
  const visibility = visibilityFor(document, grantOf("sample"));
  const exported = exportedSection(visibility, { db: document.db }, String(WIDGET), overrides);
  return [...exported.batches()].flat().map(([id]) => Number(id));
}

const collator = new Intl.Collator("en-US");

/** Says by the definition whether a cell is in a range. */
function isBetween({ kind, lower, upper }: CellRange, cell: CellValue): boolean {
  if (typeof cell !== (kind === "number" ? "number" : "string") || Number.isNaN(cell)) return false;
  if (typeof cell === "number") {
    const isAbove = lower === null || cell > Number(lower.value) || (lower.inclusive && cell === lower.value);
    return isAbove && (upper === null || cell < Number(upper.value) || (upper.inclusive && cell === upper.value));
  }
  const compare = (bound: { value: unknown }): number => collator.compare(String(cell), String(bound.value));
  const isAbove = lower === null || compare(lower) > 0 || (lower.inclusive && compare(lower) === 0);
  return isAbove && (upper === null || compare(upper) < 0 || (upper.inclusive && compare(upper) === 0));
}

/** Returns the results of actions, and the references of new rows, and rolls them back. */
function outcomeOf(document: OpenDocument, actions: readonly UserAction[]): unknown {
  let outcome: unknown;
  const rollback = new Error("rolled back");
  try {
    document.db.transaction(() => {
      const options = { parse: true, user: ANN, nowMs: 0 };
      const results = actions.map((action) => {
        try {
          return applyUserActions(document, [action], options).retValues;
        } catch (error) {
          return String(error);
        }
      });
      outcome = { results, last: document.db.values("select id, Ref from T order by id desc limit 1") };
      throw rollback;
    });
  } catch (error) {
    if (error !== rollback) throw error;
  }
  return outcome;
}
