import { AppError, invalid } from "../../errors.ts";
import { quote } from "../../sqlite/quote.ts";
import { isReserved } from "../identifiers.ts";
import { checkColumnCount } from "../limits.ts";
import { rowChangeListener } from "../indexes/row-changes.ts";
import { addColumnSql, columnDefinition, createTableSql } from "../table-sql.ts";
import { readContent } from "./apply-data.ts";
import { type CatalogColumn, type CatalogTable, columnOf } from "./catalog.ts";
import { type ColumnSpec, type DocAction, isMetadataTable } from "./doc-action.ts";
import { firstIds, readRows, sameCell, updateRows } from "./row-storage.ts";
import type { ApplyContext } from "./apply-context.ts";

/**
 * Applies actions on tables and columns to the SQL tables, without changing metadata records. Each function returns the
 * action as it took effect.
 */

export function applyAddTable(context: ApplyContext, id: string, columns: readonly ColumnSpec[]): DocAction {
  checkNewTable(context, id);
  checkColumnCount(id, columns.length);
  checkColumnIds(id, columns);
  const specs = columns.map((column) => specOf(column.id, column));
  context.db.exec(createTableSql(id, specs));
  context.catalog.set(id, specs);
  context.addUndo(["RemoveTable", id]);
  return ["AddTable", id, specs];
}

export function applyRemoveTable(context: ApplyContext, id: string): DocAction {
  const table = userTable(context, id);
  const { ids, values } = readContent(context, table);
  if (ids.length > 0) context.addUndo(["BulkAddRecord", id, ids, values]);
  context.addUndo(["AddTable", id, [...table.columns.values()].map((column) => specOf(column.id, column))]);
  context.db.exec(`drop table ${quote(id)}`);
  context.catalog.remove(id);
  context.dirty.tableRemoved(id);
  return ["RemoveTable", id];
}

/** Temporary name of a table while its name changes in case only, or while the table is rebuilt. */
const INTERIM_TABLE = "_quern_interim";

export function applyRenameTable(context: ApplyContext, from: string, to: string): DocAction {
  const table = userTable(context, from);
  if (from.toLowerCase() === to.toLowerCase()) {
    context.db.exec(`alter table ${quote(from)} rename to ${quote(INTERIM_TABLE)}`);
    context.db.exec(`alter table ${quote(INTERIM_TABLE)} rename to ${quote(to)}`);
  } else {
    checkNewTable(context, to);
    context.db.exec(`alter table ${quote(from)} rename to ${quote(to)}`);
  }
  context.catalog.remove(from);
  context.catalog.set(to, table.columns.values());
  context.dirty.tableRenamed(from, to);
  context.addUndo(["RenameTable", to, from]);
  return ["RenameTable", from, to];
}

export function applyAddColumn(
  context: ApplyContext,
  tableId: string,
  id: string,
  input: Partial<ColumnSpec>,
): DocAction {
  const table = userTable(context, tableId);
  checkNewColumn(table, id);
  checkColumnCount(tableId, table.columns.size + 1);
  const spec = specOf(id, input);
  context.db.exec(addColumnSql(tableId, spec));
  context.catalog.set(tableId, [...table.columns.values(), spec]);
  context.dirty.columnChanged(tableId, id);
  context.addUndo(["RemoveColumn", tableId, id]);
  return ["AddColumn", tableId, id, withoutId(spec)];
}

export function applyRemoveColumn(context: ApplyContext, tableId: string, id: string): DocAction {
  const table = userTable(context, tableId);
  const column = columnOf(table, id);
  if (column.isStored) {
    // Results of formulas are computed again when the column is restored.
    const recorded = column.isFormula ? firstIds(context.db, tableId, context.recordedCells) : undefined;
    const { ids, cells } = readRows(context.db, tableId, [column], recorded);
    const values = cells[0] ?? [];
    const nonDefaultIndexes = ids.flatMap((_, r) => (sameCell(values[r] ?? null, column.kind.defaultValue) ? [] : [r]));
    const removedCells = {
      ids: nonDefaultIndexes.map((r) => ids[r] ?? 0),
      values: { [id]: nonDefaultIndexes.map((r) => values[r] ?? null) },
    };
    if (nonDefaultIndexes.length > 0)
      context.addUndo(["BulkUpdateRecord", tableId, removedCells.ids, removedCells.values]);
    dropIndexes(context, tableId, id);
    context.db.exec(`alter table ${quote(tableId)} drop column ${quote(id)}`);
  }
  context.addUndo(["AddColumn", tableId, id, withoutId(specOf(id, column))]);
  context.catalog.set(
    tableId,
    [...table.columns.values()].filter((other) => other.id !== id),
  );
  context.dirty.columnRemoved(tableId, id);
  return ["RemoveColumn", tableId, id];
}

export function applyRenameColumn(context: ApplyContext, tableId: string, from: string, to: string): DocAction {
  const table = userTable(context, tableId);
  const column = columnOf(table, from);
  if (from.toLowerCase() !== to.toLowerCase()) checkNewColumn(table, to);
  if (column.isStored) context.db.exec(`alter table ${quote(tableId)} rename column ${quote(from)} to ${quote(to)}`);
  context.catalog.set(
    tableId,
    [...table.columns.values()].map((other) => (other.id === from ? { ...other, id: to } : other)),
  );
  context.dirty.columnRenamed(tableId, from, to);
  context.addUndo(["RenameColumn", tableId, to, from]);
  return ["RenameColumn", tableId, from, to];
}

/** Changes the type or formula of a column. Cells keep their values, stored in the encoding of the new type. */
export function applyModifyColumn(
  context: ApplyContext,
  tableId: string,
  id: string,
  changes: Partial<ColumnSpec>,
): DocAction | null {
  const table = userTable(context, tableId);
  const column = columnOf(table, id);
  const spec = specOf(id, { ...column, ...changes });
  const changed = (["type", "isFormula", "formula"] as const).filter((key) => column[key] !== spec[key]);
  if (changed.length === 0) return null;
  const columns = [...table.columns.values()].map((other) =>
    other.id === id ? { ...spec, isStored: column.isStored } : other,
  );
  context.catalog.set(tableId, columns);
  const after = columnOf(context.catalog.table(tableId), id);
  if (column.isStored && column.kind.base !== after.kind.base) changeStoredType(context, table, column, after);
  context.dirty.columnChanged(tableId, id);
  context.addUndo(["ModifyColumn", tableId, id, pickFields(column, changed)]);
  return ["ModifyColumn", tableId, id, pickFields(spec, changed)];
}

/**
 * Rebuilds the table with another SQL type for one column, because SQLite cannot change a type in place. The other
 * columns keep their declarations: older files declare no types, and SQLite would convert the copied values.
 */
function changeStoredType(context: ApplyContext, table: CatalogTable, from: CatalogColumn, to: CatalogColumn): void {
  const { db } = context;
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
  db.exec(`create table ${quote(INTERIM_TABLE)} (${[...definitions, columnDefinition(to)].join(", ")})`);
  db.exec(`insert into ${quote(INTERIM_TABLE)} (${names}) select ${names} from ${quote(table.id)}`);
  db.exec(`drop table ${quote(table.id)}`);
  db.exec(`alter table ${quote(INTERIM_TABLE)} rename to ${quote(table.id)}`);
  for (const [sql] of indexes) db.exec(String(sql));
  updateRows(db, { id: table.id, columns: new Map([[to.id, to]]) }, before.ids, { [to.id]: before.cells[0] ?? [] });
}

/** SQLite refuses to drop an indexed column. */
function dropIndexes(context: ApplyContext, table: string, column: string): void {
  const found = context.db.values(
    `select distinct l.name from pragma_index_list(?) l, pragma_index_info(l.name) i
     where lower(i.name) = lower(?) and l.origin = 'c'`,
    table,
    column,
  );
  for (const [name] of found) context.db.exec(`drop index ${quote(String(name))}`);
}

/** Returns a table that is about to change, which invalidates its indexes. */
function userTable(context: ApplyContext, id: string): CatalogTable {
  if (isMetadataTable(id)) throw invalid(`The columns of the metadata table ${JSON.stringify(id)} cannot be changed`);
  const table = context.catalog.table(id);
  rowChangeListener(context.db)?.tableChanged(id);
  return table;
}

function checkNewTable(context: ApplyContext, id: string): void {
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(id) || isReserved(id)) {
    throw invalid(`${JSON.stringify(id)} is not a valid table id`);
  }
  const taken = context.db.get("select 1 from sqlite_master where lower(name) = lower(?)", id);
  if (taken) throw new AppError("table.exists", `Table ${JSON.stringify(id)} already exists`);
}

function checkNewColumn(table: CatalogTable, id: string): void {
  checkColumnIds(table.id, [{ id }], table.columns.keys());
}

function checkColumnIds(table: string, added: readonly { id: string }[], existingIds: Iterable<string> = []): void {
  const taken = new Set([...existingIds].map((id) => id.toLowerCase())).add("id");
  for (const { id } of added) {
    // Documents of the established program name hidden columns with a leading #.
    if (!/^[A-Za-z#][A-Za-z0-9_#]*$/.test(id)) throw invalid(`${JSON.stringify(id)} is not a valid column id`);
    const name = id.toLowerCase();
    if (taken.has(name))
      throw new AppError("column.exists", `Table ${JSON.stringify(table)} already has a column ${JSON.stringify(id)}`);
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

const pickFields = (spec: ColumnSpec, keys: readonly ("type" | "isFormula" | "formula")[]): Partial<ColumnSpec> =>
  Object.fromEntries(keys.map((key) => [key, spec[key]]));
