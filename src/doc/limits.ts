import { AppError, invalid } from "../errors.ts";

/** How much a document takes at a time. `docs/limits.md` tells it to people. */
export const LIMITS = {
  /** Actions of one request. */
  actions: 10_000,
  /** Rows of all actions of one request that are added, changed or removed by number. */
  rows: 200_000,
  /** Bytes of one cell: of a text in UTF-8, of anything else as JSON. */
  cellBytes: 4_194_304,
  /** Columns of a table, its hidden ones and `id` among them: SQLite takes no more. */
  columns: 2000,
  /** Groups of a summary that one record belongs to by the combined items of several lists. */
  groupsOfRecord: 10_000,
  /** The same for all records of a table together. */
  groupsOfTable: 2_000_000,
  /** Characters of a name that the id of a table or column is made of. */
  nameLength: 1000,
  /** Characters of a formula. */
  formulaLength: 100_000,
  /** Characters of a column's label, description and options, each. */
  textLength: 1_000_000,
} as const;

/** @throws AppError `tooLarge` when a request asks for too much at once */
export function checkRequestSize(actions: readonly (readonly unknown[])[]): void {
  if (actions.length > LIMITS.actions) {
    throw tooLarge(`${actions.length} actions are more than the ${LIMITS.actions} of one request`);
  }
  let rows = 0;
  for (const [i, action] of actions.entries()) {
    rows += rowsOf(action);
    if (rows > LIMITS.rows) {
      throw tooLarge(
        `With action ${i} (${String(action[0])}) there are more than the ${LIMITS.rows} rows of one request`,
      );
    }
  }
}

/** @throws AppError `tooLarge` when a value is more than a cell takes; `where` says which it is */
export function checkCellSize(value: unknown, describeCell: () => string): void {
  if (value === null || (typeof value !== "string" && typeof value !== "object")) return;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // A character has three bytes at most for each of its units.
  if (text.length * 3 <= LIMITS.cellBytes) return;
  const bytes = Buffer.byteLength(text);
  if (bytes > LIMITS.cellBytes)
    throw tooLarge(`${describeCell()}: ${bytes} bytes are more than the ${LIMITS.cellBytes} of a cell`);
}

/** @throws AppError `invalid` when a table would have too many columns; `count` is without `id` */
export function checkColumnCount(table: string, count: number): void {
  if (count + 1 <= LIMITS.columns) return;
  throw limitExceeded(
    `Table ${JSON.stringify(table)} would have more than the ${LIMITS.columns} columns that a table can have`,
  );
}

/** @throws AppError `invalid` when lists put a record into too many groups */
export function checkGroupsOfRecord(count: number): void {
  if (count <= LIMITS.groupsOfRecord) return;
  throw limitExceeded(
    `By the combined items of its lists a record belongs to more than ${LIMITS.groupsOfRecord} groups`,
  );
}

/** @throws AppError `invalid` when lists put the records of a table into too many groups */
export function checkGroupsOfTable(table: string, count: number): void {
  if (count <= LIMITS.groupsOfTable) return;
  throw limitExceeded(
    `By the combined items of their lists the records of ${JSON.stringify(table)} belong to more than ` +
      `${LIMITS.groupsOfTable} groups`,
  );
}

/** @throws AppError `invalid` when a text about a table or column is too long, or has unpaired surrogates */
export function checkText(fieldName: string, text: string, maxLength: number): void {
  if (!text.isWellFormed()) throw invalid(`${JSON.stringify(fieldName)} must not contain unpaired surrogates`);
  if (text.length <= maxLength) return;
  throw limitExceeded(
    `${JSON.stringify(fieldName)} has ${text.length} characters, more than the ${maxLength} that it may have`,
  );
}

const tooLarge = (message: string) => new AppError("tooLarge", message);

/** How many rows an action names, by their ids or by the longest list of values. */
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
