import { AppError, invalid } from "../errors.ts";

/** Limits of requests and documents, documented in `docs/limits.md`. */
export const LIMITS = {
  /** Actions per request. */
  actions: 10_000,
  /** Rows added, changed or removed by id in all actions of a request. */
  rows: 200_000,
  /** Bytes per cell: of text in UTF-8, of any other value as JSON. */
  cellBytes: 4_194_304,
  /** Columns per table, including hidden ones and `id`: SQLite's limit. */
  columns: 2000,
  /** Summary groups of one record, by the combinations of its list items. */
  groupsOfRecord: 10_000,
  /** The same for all records of a table together. */
  groupsOfTable: 2_000_000,
  /** Characters of a name that are used for the id of a table or column. */
  nameLength: 1000,
  /** Characters per formula. */
  formulaLength: 100_000,
  /** Characters in each of a column's label, description and options. */
  textLength: 1_000_000,
} as const;

/** @throws AppError `tooLarge` when a request exceeds the limits */
export function checkRequestSize(actions: readonly (readonly unknown[])[]): void {
  if (actions.length > LIMITS.actions) throw tooManyActions(`this one has ${actions.length}`);
  const check = createSizeCheck();
  for (const action of actions) check(action);
}

/** Returns a function that checks the size of a request with each of its actions, and throws as `checkRequestSize`. */
export function createSizeCheck(): (action: readonly unknown[]) => void {
  let count = 0;
  let rows = 0;
  return (action) => {
    const index = count++;
    if (index >= LIMITS.actions) throw tooManyActions("this one has more");
    rows += rowsOf(action);
    if (rows <= LIMITS.rows) return;
    throw tooLarge(
      `A request can write at most ${LIMITS.rows} rows; action ${index} (${String(action[0])}) exceeds this`,
    );
  };
}

const tooManyActions = (which: string) => tooLarge(`A request can have at most ${LIMITS.actions} actions; ${which}`);

/** @throws AppError `tooLarge` when a value exceeds the cell limit; `describeCell` names the cell */
export function checkCellSize(value: unknown, describeCell: () => string): void {
  if (value === null || (typeof value !== "string" && typeof value !== "object")) return;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  if (text.length * 3 <= LIMITS.cellBytes) return;
  const bytes = Buffer.byteLength(text);
  if (bytes > LIMITS.cellBytes)
    throw tooLarge(`${describeCell()}: a cell can have at most ${LIMITS.cellBytes} bytes; this value has ${bytes}`);
}

/** @throws AppError `invalid` when a table would have too many columns; `count` excludes `id` */
export function checkColumnCount(table: string, count: number): void {
  if (count + 1 <= LIMITS.columns) return;
  throw limitExceeded(`Table ${JSON.stringify(table)} would have more than ${LIMITS.columns} columns`);
}

/** @throws AppError `invalid` when lists put a record into too many groups */
export function checkGroupsOfRecord(count: number): void {
  if (count <= LIMITS.groupsOfRecord) return;
  throw limitExceeded(`A record's list items combine to more than ${LIMITS.groupsOfRecord} groups`);
}

/** @throws AppError `invalid` when lists put the records of a table into too many groups */
export function checkGroupsOfTable(table: string, count: number): void {
  if (count <= LIMITS.groupsOfTable) return;
  throw limitExceeded(
    `The list items of the records of ${JSON.stringify(table)} combine to more than ${LIMITS.groupsOfTable} groups`,
  );
}

/** @throws AppError `invalid` when a text property of a table or column is too long or has unpaired surrogates */
export function checkText(fieldName: string, text: string, maxLength: number): void {
  if (!text.isWellFormed()) throw invalid(`${JSON.stringify(fieldName)} must not contain unpaired surrogates`);
  if (text.length <= maxLength) return;
  throw limitExceeded(`${JSON.stringify(fieldName)} must have at most ${maxLength} characters; it has ${text.length}`);
}

const tooLarge = (message: string) => new AppError("tooLarge", message);

/** Returns how many rows an action names, by ids or by its longest list of values. */
function rowsOf([name, , ...args]: readonly unknown[]): number {
  const [first, second] = args;
  if (Array.isArray(first)) return String(name).endsWith("Table") ? 1 : first.length;
  if (name !== "BulkAddOrUpdateRecord") return 1;
  const lists = [first, second].flatMap((columns): unknown[] =>
    typeof columns === "object" && columns !== null ? Object.values(columns) : [],
  );
  return Math.max(1, ...lists.map((list) => (Array.isArray(list) ? list.length : 0)));
}
const limitExceeded = (message: string) => new AppError("limit.exceeded", message);
