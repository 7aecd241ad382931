import { AppError, invalid } from "../errors.ts";
import type { TypedTable } from "../exchange/infer-tables.ts";
import { stagedRows } from "../exchange/staging.ts";
import { cellFormatter } from "../values/cell-formatter.ts";
import type { CellValue } from "../values/cell.ts";
import type { UserAction } from "./actions/apply-user-actions.ts";
import type { Change } from "./actions/change.ts";
import { parseSettings, prepareCells } from "./actions/prepare-cells.ts";
import { findRecords, keyOf } from "./actions/records/upsert.ts";
import type { AppendReaders, ColumnReader, ImportActions } from "./import-actions.ts";
import { quoteName } from "./import-columns.ts";
import { adoptsFileType, type PlannedAppend } from "./import-plan.ts";
import { findDifferences, type Difference, type MergeColumn, updateActions } from "./import-updates.ts";

/** How an import matches the rows of a file with those of a table. */
export interface MergeOptions {
  /** Ids of columns of the table. */
  readonly key: readonly string[];
  readonly onMatch: "update" | "skip";
  readonly onNew: "add" | "skip";
}

/** What an import does with the rows of a file; together these are all rows, except `emptyKeys`. */
export interface RowCounts {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly skipped: number;
  /** Rows that a later row of the file with the same key replaces. */
  readonly duplicates: number;
  /** The keys of the first of them. */
  readonly duplicateExamples: readonly (readonly string[])[];
  /** Rows without a key, which match no row of the table. */
  readonly emptyKeys: number;
}

/** The actions of an import that updates rows. */
export interface MergeActions extends ImportActions {
  readonly counts: RowCounts;
  /** The cells that are overwritten. */
  readonly replaced: readonly Difference[];
}

/** The counts of an import that only adds rows. */
export const addedOnly = (rows: number): RowCounts => ({
  added: rows,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  duplicates: 0,
  duplicateExamples: [],
  emptyKeys: 0,
});

const MAX_EXAMPLES = 5;
const MAX_TEXT_LENGTH = 100;
const ROWS_PER_ACTION = 1000;

/**
 * Returns the actions that update the rows of a table that have the key of a row of the file, and add the others. Values
 * are compared after their conversion to the types of the columns, as stored values are.
 * @param change as it is applied later: with `parse` and `keepsTexts`
 * @throws AppError `invalid` for a key that cannot be used, `import.ambiguous_key`; `forbidden` under access rules unless
 *   the caller can read the columns of all rows: counts and refusals would reveal hidden rows
 */
export function mergeActions(
  plan: PlannedAppend,
  appended: AppendReaders,
  options: MergeOptions,
  change: Change,
): MergeActions {
  const { table, staged, matched } = plan;
  change.writeAccess?.checkLookups(
    table.id,
    matched.map(({ column }) => column.id),
  );
  const keys = keyPositions(plan, options.key, change);
  const { readers, types, additions } = appended;
  const { columns, raw } = readColumns(plan, readers, { keys, change });
  const keyCells = keys.map((at) => columns[at]?.prepared ?? []);
  const texts = (row: number) => keyTexts(plan, { keys, keyCells, raw, row, change });
  const rows = groupByKey(staged.rowCount, { keyCells, raw, texts });
  const keyed = [...rows.lastByKey.values()];
  const require = new Map(options.key.map((id, k) => [id, keyed.map((row) => keyCells[k]?.[row] ?? null)]));
  const found = keyed.length === 0 ? [] : findRecords(change, { table: table.id, require, count: keyed.length });
  const isUpdating = options.onMatch === "update";
  const matches = new Map<number, number>();
  for (const [i, ids] of found.entries()) {
    const row = keyed[i] ?? 0;
    if (ids.length > 1 && isUpdating) throw ambiguousKey(texts(row), ids.length);
    if (ids[0] !== undefined) matches.set(row, ids[0]);
  }
  const differences = isUpdating ? findDifferences(change, table.id, { columns, matches }) : [];
  const newRows = [...rows.unkeyed, ...keyed.filter((row) => !matches.has(row))].sort((a, b) => a - b);
  const addedRows = options.onNew === "add" ? newRows : [];
  return {
    actions: [
      ...(addedRows.length + differences.length > 0 ? additions : []),
      ...updateActions(table.id, columns, differences),
      ...addActions(table.id, columns, addedRows),
    ],
    types,
    cells: readers.map(({ counter }) => counter.counts),
    replaced: differences,
    counts: {
      added: addedRows.length,
      updated: differences.length,
      unchanged: isUpdating ? matches.size - differences.length : 0,
      skipped: (isUpdating ? 0 : matches.size) + newRows.length - addedRows.length,
      duplicates: rows.duplicates,
      duplicateExamples: rows.examples,
      emptyKeys: rows.unkeyed.length,
    },
  };
}

/** Returns the positions of the key columns among the matched ones. */
function keyPositions({ table, matched }: PlannedAppend, key: readonly string[], change: Change): number[] {
  if (new Set(key).size < key.length) throw invalid("key names a column twice");
  return key.map((id) => {
    const at = matched.findIndex(({ column }) => column.id === id);
    if (at < 0) throw invalid(`The file has no values for the column ${quoteName(id)} of the key`);
    if (LISTS.has(change.catalog.column(table.id, id).kind.base))
      throw invalid(`Rows cannot be matched by lists, as in column ${quoteName(id)}`);
    return at;
  });
}

const LISTS: ReadonlySet<string> = new Set(["ChoiceList", "RefList", "Attachments"]);

/** Reads all values, and what the file has in the key columns. */
function readColumns(
  { table, staged, matched, added }: PlannedAppend,
  readers: readonly ColumnReader[],
  { keys, change }: { keys: readonly number[]; change: Change },
): { columns: MergeColumn[]; raw: CellValue[][] } {
  const values = readers.map((): CellValue[] => []);
  const raw = keys.map((): CellValue[] => []);
  for (const rows of stagedRows(staged satisfies TypedTable)) {
    for (const row of rows) {
      for (const [c, { at, counter, isEmpty }] of readers.entries())
        if (!isEmpty) values[c]?.push(counter.read(row[at] ?? null));
      for (const [k, c] of keys.entries()) raw[k]?.push(row[readers[c]?.at ?? -1] ?? null);
    }
  }
  const columns = readers.map(({ id, isEmpty }, c): MergeColumn => {
    const cells = values[c] ?? [];
    const pair = matched[c];
    if (!pair)
      return { id, isEmpty, values: cells, prepared: cells, fillsType: added[c - matched.length]?.type ?? "Any" };
    if (adoptsFileType(pair)) return { id, isEmpty, values: cells, prepared: cells, fillsType: pair.source.type };
    const column = change.catalog.column(table.id, id);
    const prepared = prepareCells(change, { table: table.id, column, values: cells });
    return { id, isEmpty, values: cells, prepared, fillsType: column.isFormula ? column.type : null };
  });
  return { columns, raw };
}

const isBlank = (value: CellValue | undefined): boolean =>
  value === undefined || value === null || (typeof value === "string" && value.trim() === "");

interface GroupOptions {
  readonly keyCells: readonly (readonly CellValue[])[];
  readonly raw: readonly (readonly CellValue[])[];
  /** Returns the key of a row as the user knows it. */
  readonly texts: (row: number) => string[];
}

/** Finds the last row of the file with each key. */
function groupByKey(count: number, { keyCells, raw, texts }: GroupOptions) {
  const lastByKey = new Map<string, number>();
  const unkeyed: number[] = [];
  const examples = new Map<string, string[]>();
  let duplicates = 0;
  for (let row = 0; row < count; row++) {
    if (raw.every((cells, k) => isBlank(cells[row]) || isBlank(keyCells[k]?.[row]))) {
      unkeyed.push(row);
      continue;
    }
    const key = keyOf(keyCells.map((cells) => cells[row] ?? null));
    if (lastByKey.has(key)) {
      duplicates++;
      if (examples.size < MAX_EXAMPLES && !examples.has(key)) examples.set(key, texts(row));
    }
    lastByKey.set(key, row);
  }
  return { lastByKey, unkeyed, duplicates, examples: [...examples.values()] };
}

interface TextOptions {
  readonly keys: readonly number[];
  readonly keyCells: readonly (readonly CellValue[])[];
  readonly raw: readonly (readonly CellValue[])[];
  readonly row: number;
  readonly change: Change;
}

/** Returns the key of a row: texts as in the file, other values as the table shows them. */
const keyTexts = ({ table, matched }: PlannedAppend, { keys, keyCells, raw, row, change }: TextOptions): string[] =>
  keys.map((at, k) => {
    const inFile = raw[k]?.[row] ?? null;
    if (typeof inFile === "string") return inFile.slice(0, MAX_TEXT_LENGTH);
    const column = change.catalog.column(table.id, matched[at]?.column.id ?? "");
    const format = cellFormatter(column.kind, parseSettings(change, { table: table.id, column }));
    return format(keyCells[k]?.[row] ?? null).slice(0, MAX_TEXT_LENGTH);
  });

const ambiguousKey = (texts: readonly string[], count: number): AppError =>
  new AppError(
    "import.ambiguous_key",
    `${count} rows of the table have the key ${texts.map(quoteName).join(", ")}; choose a key that is unique, or remove the others`,
  );

function addActions(table: string, columns: readonly MergeColumn[], rows: readonly number[]): UserAction[] {
  const filled = columns.filter(({ isEmpty }) => !isEmpty);
  const actions: UserAction[] = [];
  for (let at = 0; at < rows.length; at += ROWS_PER_ACTION) {
    const batch = rows.slice(at, at + ROWS_PER_ACTION);
    const values = filled.map(({ id, values: cells }) => [id, batch.map((row) => cells[row] ?? null)] as const);
    actions.push(["BulkAddRecord", table, batch.map(() => null), Object.fromEntries(values)]);
  }
  return actions;
}
