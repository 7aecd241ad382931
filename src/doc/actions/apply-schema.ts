import { AppError, invalid } from "../../errors.ts";
import { quote } from "../../sqlite/quote.ts";
import { isReserved } from "../identifiers.ts";
import { checkColumnCount } from "../limits.ts";
import { addColumnSql, columnDefinition, createTableSql } from "../table-sql.ts";
import { contentOf } from "./apply-data.ts";
import { type CatalogColumn, type CatalogTable, columnOf } from "./catalog.ts";
import { type ColumnSpec, type DocAction, isMetadataTable } from "./doc-action.ts";
import { readRows, sameCell, updateRows } from "./rows.ts";
import type { Work } from "./work.ts";

/**
 * Actions on tables and columns, applied to the SQL tables; the records of the metadata are not their business. Each
 * gives back the action as it took effect.
 */

export function addTable(work: Work, id: string, columns: readonly ColumnSpec[]): DocAction {
  checkNewTable(work, id);
  checkColumnCount(id, columns.length);
  checkColumnIds(id, columns);
  const specs = columns.map((column) => specOf(column.id, column));
  work.db.exec(createTableSql(id, specs));
  work.catalog.put(id, specs);
  work.undoBy(["RemoveTable", id]);
  return ["AddTable", id, specs];
}

export function removeTable(work: Work, id: string): DocAction {
  const table = userTable(work, id);
  const { ids, values } = contentOf(work, table);
  if (ids.length > 0) work.undoBy(["BulkAddRecord", id, ids, values]);
  work.undoBy(["AddTable", id, [...table.columns.values()].map((column) => specOf(column.id, column))]);
  work.db.exec(`drop table ${quote(id)}`);
  work.catalog.remove(id);
  work.touched.tableRemoved(id);
  return ["RemoveTable", id];
}

/** Where SQLite keeps a table between two names that differ in case only, and while its columns are made anew. */
const INTERIM = "_quern_interim";

export function renameTable(work: Work, from: string, to: string): DocAction {
  const table = userTable(work, from);
  if (from.toLowerCase() === to.toLowerCase()) {
    work.db.exec(`alter table ${quote(from)} rename to ${quote(INTERIM)}`);
    work.db.exec(`alter table ${quote(INTERIM)} rename to ${quote(to)}`);
  } else {
    checkNewTable(work, to);
    work.db.exec(`alter table ${quote(from)} rename to ${quote(to)}`);
  }
  work.catalog.remove(from);
  work.catalog.put(to, table.columns.values());
  work.touched.tableRenamed(from, to);
  work.undoBy(["RenameTable", to, from]);
  return ["RenameTable", from, to];
}

export function addColumn(work: Work, tableId: string, id: string, given: Partial<ColumnSpec>): DocAction {
  const table = userTable(work, tableId);
  checkNewColumn(table, id);
  checkColumnCount(tableId, table.columns.size + 1);
  const spec = specOf(id, given);
  work.db.exec(addColumnSql(tableId, spec));
  work.catalog.put(tableId, [...table.columns.values(), spec]);
  work.touched.columnChanged(tableId, id);
  work.undoBy(["RemoveColumn", tableId, id]);
  return ["AddColumn", tableId, id, withoutId(spec)];
}

export function removeColumn(work: Work, tableId: string, id: string): DocAction {
  const table = userTable(work, tableId);
  const column = columnOf(table, id);
  if (column.isStored) {
    const { ids, cells } = readRows(work.db, tableId, [column]);
    const values = cells[0] ?? [];
    const told = ids.flatMap((_, r) => (sameCell(values[r] ?? null, column.kind.defaultValue) ? [] : [r]));
    const lost = { ids: told.map((r) => ids[r] ?? 0), values: { [id]: told.map((r) => values[r] ?? null) } };
    if (told.length > 0) work.undoBy(["BulkUpdateRecord", tableId, lost.ids, lost.values]);
    dropIndexes(work, tableId, id);
    work.db.exec(`alter table ${quote(tableId)} drop column ${quote(id)}`);
  }
  work.undoBy(["AddColumn", tableId, id, withoutId(specOf(id, column))]);
  work.catalog.put(
    tableId,
    [...table.columns.values()].filter((other) => other.id !== id),
  );
  work.touched.columnRemoved(tableId, id);
  return ["RemoveColumn", tableId, id];
}

export function renameColumn(work: Work, tableId: string, from: string, to: string): DocAction {
  const table = userTable(work, tableId);
  const column = columnOf(table, from);
  if (from.toLowerCase() !== to.toLowerCase()) checkNewColumn(table, to);
  if (column.isStored) work.db.exec(`alter table ${quote(tableId)} rename column ${quote(from)} to ${quote(to)}`);
  work.catalog.put(
    tableId,
    [...table.columns.values()].map((other) => (other.id === from ? { ...other, id: to } : other)),
  );
  work.touched.columnRenamed(tableId, from, to);
  work.undoBy(["RenameColumn", tableId, to, from]);
  return ["RenameColumn", tableId, from, to];
}

/** Gives a column another type or formula. Its cells keep their values, stored as the new type stores them. */
export function modifyColumn(work: Work, tableId: string, id: string, given: Partial<ColumnSpec>): DocAction | null {
  const table = userTable(work, tableId);
  const column = columnOf(table, id);
  const spec = specOf(id, { ...column, ...given });
  const changed = (["type", "isFormula", "formula"] as const).filter((key) => column[key] !== spec[key]);
  if (changed.length === 0) return null;
  const columns = [...table.columns.values()].map((other) =>
    other.id === id ? { ...spec, isStored: column.isStored } : other,
  );
  work.catalog.put(tableId, columns);
  const after = columnOf(work.catalog.table(tableId), id);
  if (column.isStored && column.kind.base !== after.kind.base) storeAs(work, table, column, after);
  work.touched.columnChanged(tableId, id);
  work.undoBy(["ModifyColumn", tableId, id, only(column, changed)]);
  return ["ModifyColumn", tableId, id, only(spec, changed)];
}

/**
 * Makes the table anew with another SQL type for one column, which SQLite cannot change in place. The other columns
 * stay as the file has them declared: older files declare no types, and SQLite would convert what it copies.
 */
function storeAs(work: Work, table: CatalogTable, from: CatalogColumn, to: CatalogColumn): void {
  const { db } = work;
  const before = readRows(db, table.id, [from]);
  const indexes = db.values(
    "select sql from sqlite_master where type = 'index' and tbl_name = ? and sql is not null",
    table.id,
  );
  const others = db
    .values("select name, type, dflt_value from pragma_table_info(?)", table.id)
    .map(([name, type, dflt]) => ({ name: quote(String(name)), type: String(type), dflt }))
    .filter(({ name }) => name.toLowerCase() !== quote(to.id).toLowerCase());
  const definitions = others.map(({ name, type, dflt }) =>
    name.toLowerCase() === quote("id") ? "id INTEGER PRIMARY KEY" : `${name} ${type} DEFAULT ${String(dflt ?? "NULL")}`,
  );
  const names = others.map(({ name }) => name).join(", ");
  db.exec(`create table ${quote(INTERIM)} (${[...definitions, columnDefinition(to)].join(", ")})`);
  db.exec(`insert into ${quote(INTERIM)} (${names}) select ${names} from ${quote(table.id)}`);
  db.exec(`drop table ${quote(table.id)}`);
  db.exec(`alter table ${quote(INTERIM)} rename to ${quote(table.id)}`);
  for (const [sql] of indexes) db.exec(String(sql));
  updateRows(db, { id: table.id, columns: new Map([[to.id, to]]) }, before.ids, { [to.id]: before.cells[0] ?? [] });
}

/** SQLite refuses to drop a column that stands in an index. */
function dropIndexes(work: Work, table: string, column: string): void {
  const found = work.db.values(
    `select distinct l.name from pragma_index_list(?) l, pragma_index_info(l.name) i
     where lower(i.name) = lower(?) and l.origin = 'c'`,
    table,
    column,
  );
  for (const [name] of found) work.db.exec(`drop index ${quote(String(name))}`);
}

function userTable(work: Work, id: string): CatalogTable {
  if (isMetadataTable(id)) throw invalid(`The table ${JSON.stringify(id)} cannot be changed in shape`);
  return work.catalog.table(id);
}

function checkNewTable(work: Work, id: string): void {
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(id) || isReserved(id)) {
    throw invalid(`${JSON.stringify(id)} cannot be the id of a table`);
  }
  const taken = work.db.get("select 1 from sqlite_master where lower(name) = lower(?)", id);
  if (taken) throw new AppError("table.exists", `There is a table ${JSON.stringify(id)} already`);
}

function checkNewColumn(table: CatalogTable, id: string): void {
  checkColumnIds(table.id, [{ id }], table.columns.keys());
}

function checkColumnIds(table: string, added: readonly { id: string }[], present: Iterable<string> = []): void {
  const taken = new Set([...present].map((id) => id.toLowerCase())).add("id");
  for (const { id } of added) {
    // A leading # is what documents of the established program call columns that nobody is to see.
    if (!/^[A-Za-z#][A-Za-z0-9_#]*$/.test(id)) throw invalid(`${JSON.stringify(id)} cannot be the id of a column`);
    const name = id.toLowerCase();
    if (taken.has(name))
      throw new AppError("column.exists", `Table ${JSON.stringify(table)} has a column ${JSON.stringify(id)} already`);
    taken.add(name);
  }
}

const specOf = (id: string, { type = "Text", isFormula = false, formula = "" }: Partial<ColumnSpec>): ColumnSpec => ({
  id,
  type,
  isFormula,
  formula,
});

const withoutId = ({ type, isFormula, formula }: ColumnSpec): Omit<ColumnSpec, "id"> => ({ type, isFormula, formula });

const only = (spec: ColumnSpec, keys: readonly ("type" | "isFormula" | "formula")[]): Partial<ColumnSpec> =>
  Object.fromEntries(keys.map((key) => [key, spec[key]]));
