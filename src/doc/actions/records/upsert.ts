import { invalid, frozenError } from "../../../errors.ts";
import { FROZEN } from "../../../errors/frozen-messages.ts";
import { quote } from "../../../sqlite/quote.ts";
import { type CellValue, isCoded } from "../../../values/cell.ts";
import { columnType } from "../../../values/column-type.ts";
import { type CatalogColumn, type CatalogTable, columnOf } from "../catalog.ts";
import { isMetadataTable } from "../doc-action.ts";
import { asCell, prepareCells } from "../prepare-cells.ts";
import type { Change } from "../change.ts";
import { lookupKey } from "../record-lookups.ts";
import { addAnyRecords, updateAnyRecords } from "./any-records.ts";
import type { InputValues } from "./records.ts";

/** Upsert: finds records by the values of some columns, updates the ones found and adds the missing ones. */

export interface UpsertOptions {
  /** The records to update when several match. */
  readonly onMany: "first" | "none" | "all";
  readonly add: boolean;
  readonly update: boolean;
  readonly allowEmptyRequire: boolean;
}

/** The result, with the field names of the API. */
export interface UpsertResult {
  /** For each requested record: the ids of the updated records, or of the added one. */
  readonly recordIds: number[][];
  readonly addRecordIds: number[];
  readonly updateRecordIds: number[][];
}

export interface UpsertRequest {
  readonly table: string;
  /** The values to match: `count` values by column, which may include `id`. */
  readonly require: InputValues;
  /** The values to set, by column. */
  readonly values: InputValues;
  readonly count: number;
  readonly options: UpsertOptions;
}

/**
 * Looks up all records first, then adds, then updates. In a summary, values for group-by columns are refused for
 * updates only.
 */
export function addOrUpdate(change: Change, { table, require, values, count, options }: UpsertRequest): UpsertResult {
  if (require.size === 0 && !options.allowEmptyRequire) throw frozenError(FROZEN.emptyRequire);
  const matches = findRecords(change, { table, require, count });
  const toAdd = matches.flatMap((ids, i) => (ids.length === 0 && options.add ? [i] : []));
  const recordIds = matches.map((ids): number[] => {
    if (!options.update) return [];
    if (ids.length > 1 && options.onMany !== "all") return options.onMany === "none" ? [] : ids.slice(0, 1);
    return ids;
  });
  const updateRecordIds = recordIds.filter((ids) => ids.length > 0);
  const updates = recordIds.flatMap((ids, i) => ids.map((id) => ({ id, i })));
  const addRecordIds = addMissing(change, { table, require, values, rows: toAdd });
  for (const [k, i] of toAdd.entries()) recordIds[i] = addRecordIds.slice(k, k + 1);
  if (updates.length > 0 || toAdd.length === 0) {
    const ids = updates.map(({ id }) => id);
    const rows = updates.map(({ i }) => i);
    updateAnyRecords(change, table, ids, pickRows(values, rows));
  }
  return { recordIds, addRecordIds, updateRecordIds };
}

function addMissing(
  change: Change,
  {
    table,
    require,
    values,
    rows,
  }: { table: string; require: InputValues; values: InputValues; rows: readonly number[] },
): number[] {
  if (rows.length === 0) return [];
  const { columns } = change.catalog.table(table);
  const newValues = new Map(
    [...require].filter(([name]) => {
      const column = columns.get(name);
      return name !== "id" && !(column?.isFormula && column.formula !== "");
    }),
  );
  for (const [name, list] of values) newValues.set(name, list);
  const ids = require.get("id");
  return addAnyRecords(
    change,
    table,
    rows.map((i) => (ids ? Number(ids[i]) : null)),
    pickRows(newValues, rows),
  );
}

const pickRows = (values: InputValues, rows: readonly number[]): InputValues =>
  new Map([...values].map(([name, list]) => [name, rows.map((i) => list[i] ?? null)]));

const ID_COLUMN: CatalogColumn = {
  id: "id",
  type: "Id",
  isFormula: false,
  formula: "",
  kind: columnType("Id"),
  isStored: true,
};

/** Returns the ids of the matching records, lowest first, for each requested record. */
export function findRecords(
  change: Change,
  { table, require, count }: { table: string; require: InputValues; count: number },
): number[][] {
  const catalogTable = change.catalog.table(table);
  const columns = [...require.keys()].map((name) => (name === "id" ? ID_COLUMN : columnOf(catalogTable, name)));
  const requiredByColumn = columns.map((column) => requiredCells(change, table, column, require.get(column.id) ?? []));
  const found = new Map<string, number[]>();
  for (let i = 0; i < count; i++) {
    const key = keyOf(requiredByColumn.map((cells) => cells[i] ?? null));
    if (found.has(key)) throw invalid('Two records have the same "require" values');
    found.set(key, []);
  }
  for (const row of candidates(change, catalogTable, columns, requiredByColumn)) {
    const cells = columns.map((column, c) => column.kind.decodeRaw(row[c + 1] ?? null));
    found.get(keyOf(cells))?.push(Number(row[0]));
  }
  return [...found.values()];
}

/** Returns equal keys for records with the same values. */
export const keyOf = (cells: readonly CellValue[]): string => JSON.stringify(cells.map(lookupKey));

function requiredCells(change: Change, table: string, column: CatalogColumn, values: readonly unknown[]): CellValue[] {
  if (column === ID_COLUMN) {
    if (values.some((id) => typeof id !== "number")) throw invalid('"id" in "require" must be a number');
    return values.map(asCell);
  }
  const cells = prepareCells(change, { table, column, values });
  if (cells.some((cell) => isCoded(cell) && cell[0] === "L")) {
    throw invalid(`Records cannot be matched by lists, as in column ${JSON.stringify(column.id)}`);
  }
  return cells;
}

/**
 * Returns candidate rows with the given columns: all rows of the table, or fewer if SQLite can compare one of the
 * columns. Always a single query, regardless of the number of requested records.
 */
function candidates(
  change: Change,
  table: CatalogTable,
  columns: readonly CatalogColumn[],
  requiredByColumn: readonly CellValue[][],
) {
  const found = findByIndex(change, table, { columns, requiredByColumn });
  const names = ["id", ...columns.map((column) => (column.isStored ? quote(column.id) : "null"))].join(", ");
  const from = `select ${names} from ${quote(table.id)}`;
  if (found) {
    return change.db.values(`${from} where id in (select value from json_each(?)) order by id`, JSON.stringify(found));
  }
  const c = columns.findIndex((column, i) => column.isStored && isComparableInSql(column, requiredByColumn[i] ?? []));
  const column = columns[c];
  if (!column) return change.db.values(`${from} order by id`);
  const name = quote(column.id);
  // A BLOB may hold any value, regardless of the column's type.
  const orBlob = column === ID_COLUMN ? "" : `or typeof(${name}) = 'blob'`;
  return change.db.values(
    `${from} where ${name} in (select value from json_each(?)) ${orBlob} order by id`,
    JSON.stringify(requiredByColumn[c]),
  );
}

/** Returns a superset of the matching rows, found by indexes; null without an index. */
function findByIndex(
  { document, writeAccess }: Change,
  table: CatalogTable,
  { columns, requiredByColumn }: { columns: readonly CatalogColumn[]; requiredByColumn: readonly CellValue[][] },
): number[] | null {
  // A lookup would take longer where rows match that the caller may not see.
  if (writeAccess && !writeAccess.canReadAll(table.id)) return null;
  // The primary key is as fast.
  if (columns.includes(ID_COLUMN) || isMetadataTable(table.id)) return null;
  let found: number[] | null = null;
  for (const [c, { id, kind, isStored }] of columns.entries()) {
    const required = requiredByColumn[c] ?? [];
    if (!isStored || required.length > MAX_INDEX_LOOKUPS) continue;
    const rows = document.indexes.findRows(table.id, { id, type: kind }, required);
    if (rows && (found === null || rows.length < found.length)) found = rows;
  }
  return found;
}

/** More records are matched in one pass over the table. */
const MAX_INDEX_LOOKUPS = 1000;

const TEXTS: ReadonlySet<string> = new Set(["Text", "Choice"]);
const NUMBERS: ReadonlySet<string> = new Set(["Id", "Int", "Numeric", "Ref", "Date", "DateTime"]);

/** Returns true if SQLite compares stored cells with these values exactly as `lookupKey` does. */
function isComparableInSql({ kind }: CatalogColumn, required: readonly CellValue[]): boolean {
  if (TEXTS.has(kind.base)) return required.every((value) => typeof value === "string");
  return NUMBERS.has(kind.base) && required.every((value) => typeof value === "number" && Number.isFinite(value));
}
