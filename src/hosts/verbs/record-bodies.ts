import { AppError, invalidPayload } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import { parseJson } from "../../payload.ts";

/**
 * Request bodies with records, validated by hand in one pass and converted to columns: with many thousands of cells a
 * schema validator would cost more than the write itself. `wire/tables/record-writes.ts` describes them.
 */

/** Values by column; each list has one item per record. */
export type ColumnLists = Record<string, unknown[]>;

export interface AddedRows {
  readonly count: number;
  readonly columns: ColumnLists;
}

/** Parses records to add. Columns that a record does not name are null. */
export function parseAddedRecords(bytes: Uint8Array | null, { flat }: { flat: boolean }): AddedRows {
  const body = parseJson(bytes);
  const isList = Array.isArray(body);
  if (isList && !flat) throw invalidBody("body", "must be an object with records");
  return collectAddedRecords(recordList(isList ? { records: body } : body), { flat });
}

/** As `parseAddedRecords`, for records that are parsed. */
export function collectAddedRecords(
  records: readonly Record<string, unknown>[],
  { flat }: { flat: boolean },
): AddedRows {
  const table = new ColumnBuilder(records.length);
  for (const [r, record] of records.entries()) {
    const isPlain = flat && (typeof record["fields"] !== "object" || record["fields"] === null);
    const fields = isPlain ? withoutId(record) : record["fields"];
    if (fields !== undefined)
      table.put(
        r,
        objectAt(fields, () => `${recordPath(r)}.fields`),
        "fields",
      );
  }
  return { count: records.length, columns: table.columns };
}

export interface ModifiedRows {
  readonly ids: number[];
  readonly columns: ColumnLists;
}

/** Parses records to update; all must name the same fields. */
export function parseModifiedRecords(bytes: Uint8Array | null): ModifiedRows {
  const body = parseJson(bytes);
  if ("fields" in body && !("records" in body)) throw fieldsWithoutFilter();
  return readModifiedRecords(body);
}

/** As `parseModifiedRecords`, for a parsed body. */
export function readModifiedRecords(body: object): ModifiedRows {
  const records = recordList(body);
  const table = new ColumnBuilder(records.length);
  const ids: number[] = [];
  let names: ReadonlySet<string> | undefined;
  for (const [r, record] of records.entries()) {
    const { id } = record;
    if (!isRowId(id)) throw invalidBody(`${recordPath(r)}.id`, "must be a row id");
    ids.push(id);
    const fields = objectAt(record["fields"], () => `${recordPath(r)}.fields`);
    const known = (names ??= new Set(Object.keys(fields)));
    if (!hasKeys(fields, known)) {
      const { code, message } = FROZEN.fieldsDiffer;
      throw new AppError(code, message(), { details: { userError: `Error: ${recordPath(r)}.fields differs` } });
    }
    table.put(r, fields, "fields");
  }
  return { ids, columns: table.columns };
}

/** Existing programs match the sentence; the code says that the body is valid by its schema. */
const fieldsWithoutFilter = (): AppError =>
  new AppError("request.invalid", FROZEN.invalidPayload.message(), {
    details: { userError: "Error: body.records is missing; a body with fields needs the parameter filter" },
  });

/** Parses the update of one record, which the path names. */
export function parseModifiedRecord(bytes: Uint8Array | null): { readonly fields: Record<string, unknown> } {
  const body = parseJson(bytes) as Readonly<Record<string, unknown>>;
  const fields = objectAt(body["fields"], () => "body.fields");
  for (const [name, value] of Object.entries(fields)) {
    if (!isCell(value)) throw invalidBody(`body.fields.${name}`, "is not a valid cell value");
  }
  return { fields };
}

function hasKeys(fields: object, known: ReadonlySet<string>): boolean {
  let count = 0;
  for (const name in fields) {
    if (!known.has(name)) return false;
    count++;
  }
  return count === known.size;
}

export interface UpsertGroup {
  /** Indexes of the group's records in the request. */
  readonly members: number[];
  readonly require: ColumnLists;
  readonly fields: ColumnLists;
}

export interface UpsertedRows {
  readonly count: number;
  /** Groups of records with the same columns, in the order of execution. */
  readonly groups: readonly UpsertGroup[];
}

/** Parses records to add or update, grouped by the columns they name. */
export const parseUpsertedRecords = (bytes: Uint8Array | null): UpsertedRows =>
  collectUpsertedRecords(recordList(parseJson(bytes)));

/** As `parseUpsertedRecords`, for records that are parsed. */
export function collectUpsertedRecords(records: readonly Record<string, unknown>[]): UpsertedRows {
  const byKeys = new Map<string, { require: object; fields: object; index: number }[]>();
  for (const [r, record] of records.entries()) {
    const require = objectAt(record["require"], () => `${recordPath(r)}.require`);
    const fields = record["fields"] === undefined ? {} : objectAt(record["fields"], () => `${recordPath(r)}.fields`);
    const keys = [require, fields].map((part) => Object.keys(part).toSorted().join(",")).join(":");
    const group = byKeys.get(keys);
    if (group) group.push({ require, fields, index: r });
    else byKeys.set(keys, [{ require, fields, index: r }]);
  }
  const groups = [...byKeys]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, members]) => {
      const require = new ColumnBuilder(members.length);
      const fields = new ColumnBuilder(members.length);
      for (const [k, member] of members.entries()) {
        require.put(k, member.require, "require", member.index);
        fields.put(k, member.fields, "fields", member.index);
      }
      return { members: members.map(({ index }) => index), require: require.columns, fields: fields.columns };
    });
  return { count: records.length, groups };
}

/** Parses the ids of rows to delete. */
export const parseRowIds = (bytes: Uint8Array | null): number[] => readRowIds(parseJson(bytes));

/** As `parseRowIds`, for a parsed body. */
export function readRowIds(body: object): number[] {
  if (!Array.isArray(body)) throw invalidBody("body", "must be a list of row ids");
  const invalidIndex = body.findIndex((id) => !Number.isSafeInteger(id));
  if (invalidIndex >= 0) throw invalidBody(`body[${invalidIndex}]`, "must be a row id");
  return body as number[];
}

/** Parses rows to add, given as columns: at least one column, all of the same length. */
export function parseAddedData(bytes: Uint8Array | null): AddedRows {
  const columns = dataColumns(parseJson(bytes));
  const lengths = new Set(Object.values(columns).map((list) => list.length));
  const [count] = lengths;
  if (count === undefined) throw invalidBody("body", "must name a column");
  if (lengths.size > 1) throw differentLengths("body must have lists of the same length");
  return { count, columns };
}

/** Parses rows to update, given as columns with row ids; lists longer than that of the ids are truncated. */
export function parseModifiedData(bytes: Uint8Array | null): ModifiedRows {
  const { id: ids, ...columns } = dataColumns(parseJson(bytes));
  if (!ids?.every(isRowId)) throw invalidBody("body.id", "must be a list of row ids");
  for (const [name, list] of Object.entries(columns)) {
    if (list.length < ids.length) throw differentLengths(`body.${name} must have ${ids.length} values`);
    list.length = ids.length;
  }
  return { ids, columns };
}

function dataColumns(body: object): ColumnLists {
  const columns = columnMap();
  if (Array.isArray(body)) throw invalidBody("body", "must be an object of lists");
  for (const [name, list] of Object.entries(body)) {
    if (!Array.isArray(list)) throw invalidBody(`body.${name}`, "must be a list");
    if (!list.every((value) => isShallow(value, MAX_DEPTH))) throw invalidBody(`body.${name}`, "is nested too deeply");
    columns[name] = list;
  }
  return columns;
}

/** Collects records into columns. */
class ColumnBuilder {
  readonly columns: ColumnLists = columnMap();
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  put(row: number, values: object, part: string, index = row): void {
    // Objects from JSON.parse have own properties only; Object.entries for each record would cost more than everything
    // else.
    for (const name in values) {
      const value: unknown = (values as Readonly<Record<string, unknown>>)[name];
      if (!isCell(value)) throw invalidBody(`${recordPath(index)}.${part}.${name}`, "is not a valid cell value");
      const column = (this.columns[name] ??= Array.from({ length: this.#count }, () => null));
      column[row] = value;
    }
  }
}

/** Without a prototype: columns may have names such as `constructor`. */
const columnMap = (): ColumnLists => Object.create(null) as ColumnLists;

function recordList(body: object): Record<string, unknown>[] {
  const records: unknown = "records" in body ? body.records : undefined;
  if (!Array.isArray(records) || records.length === 0) throw invalidBody("body.records", "must be a non-empty list");
  const invalidIndex = records.findIndex(
    (record) => typeof record !== "object" || record === null || Array.isArray(record),
  );
  if (invalidIndex >= 0) throw invalidBody(recordPath(invalidIndex), "must be an object");
  return records as Record<string, unknown>[];
}

function objectAt(value: unknown, path: () => string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw invalidBody(path(), "must be an object");
}

const recordPath = (index: number): string => `body.records[${index}]`;

function withoutId(record: Record<string, unknown>): Record<string, unknown> {
  const { id: _, ...fields } = record;
  return fields;
}

/** First items of lists in cells. */
const LIST_CODES: ReadonlySet<unknown> = new Set("LlODdSCRrEPUV");
/** Maximum nesting of lists in a cell. */
const MAX_DEPTH = 100;

function isCell(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Array.isArray(value) && LIST_CODES.has(value[0]) && isShallow(value, MAX_DEPTH);
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((item) => isShallow(item, depth - 1));
}

const isRowId = (id: unknown): id is number => Number.isSafeInteger(id) && (id as number) >= 1;

/** Errors beyond schema validation have their own code. */
const differentLengths = (problem: string) =>
  new AppError("record.lengths_differ", "Invalid payload", { details: { userError: `Error: ${problem}` } });

const invalidBody = (path: string, problem: string) => invalidPayload(`Error: ${path} ${problem}`);
