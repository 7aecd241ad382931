import { invalid, frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import type { CellValue } from "../../values/cell.ts";
import { columnType, type ColumnType } from "../../values/column-type.ts";
import { quote } from "../../sqlite/quote.ts";
import { METADATA_TABLES } from "../metadata-tables.ts";
import type { ColumnInfo, Schema, TableInfo } from "../schema.ts";

/** A column as reading needs it, of a user table or a metadata table. */
export interface ReadField {
  readonly id: string;
  readonly type: ColumnType;
  /** What all cells hold where the file has no such SQL column; undefined where it has. */
  readonly absent: CellValue | undefined;
  readonly isHidden: boolean;
  /** JSON text, or empty. */
  readonly widgetOptions: string;
}

/** A table that records can be read from. */
export interface ReadTable {
  readonly id: string;
  /** Without `id`, in the order of listings. */
  readonly fields: readonly ReadField[];
  readonly fieldById: ReadonlyMap<string, ReadField>;
  /** By the numbers of user columns. */
  readonly fieldByRef: ReadonlyMap<number, ReadField>;
  /** False where the file has no such SQL table: it reads as empty. */
  readonly isStored: boolean;
  /** What stands after `from` in SQL: the table's name, or a query with the same columns. */
  readonly from: string;
}

/** What was looked up stays as long as the schema it comes from. */
const readTableCache = new WeakMap<Schema, Map<string, ReadTable>>();

/**
 * The table with an id, or with a number where no table has that id.
 * @throws AppError `notFound`
 */
export function findReadTable(schema: Schema, name: string): ReadTable {
  let tables = readTableCache.get(schema);
  if (!tables) {
    tables = new Map();
    readTableCache.set(schema, tables);
  }
  let table = tables.get(name);
  if (!table) {
    table = createReadTable(schema, name);
    tables.set(name, table);
  }
  return table;
}

/**
 * The user table with an id or number.
 * @throws AppError `notFound`, or `invalid` for a metadata table.
 */
export function findUserTable(schema: Pick<Schema, "tableById" | "tableByRef">, name: string): TableInfo {
  const table =
    schema.tableById.get(name) ?? (/^\d{1,15}$/.test(name) ? schema.tableByRef.get(Number(name)) : undefined);
  if (table) return table;
  if (METADATA_TABLES.some(({ id }) => id === name)) throw invalid(`${name} is not a table of the document's user`);
  throw frozenError(FROZEN.tableNotFound, name);
}

/** Tables without some of their columns, by those: the same people ask for the same again and again. */
const reducedTableCache = new WeakMap<ReadTable, Map<string, ReadTable>>();
/** How many a table may have; rules may make a set of its own for everybody. */
const MAX_REDUCED_TABLES = 64;

/** The table as if it did not have these columns. */
export function withoutFields(table: ReadTable, hidden: ReadonlySet<string>): ReadTable {
  if (hidden.size === 0) return table;
  const name = JSON.stringify([...hidden].toSorted());
  let cache = reducedTableCache.get(table);
  if (!cache || cache.size >= MAX_REDUCED_TABLES) reducedTableCache.set(table, (cache = new Map<string, ReadTable>()));
  let reduced = cache.get(name);
  if (!reduced) {
    reduced = {
      ...table,
      fields: table.fields.filter(({ id }) => !hidden.has(id)),
      fieldById: new Map([...table.fieldById].filter(([id]) => !hidden.has(id))),
      fieldByRef: new Map([...table.fieldByRef].filter(([, { id }]) => !hidden.has(id))),
    };
    cache.set(name, reduced);
  }
  return reduced;
}

function createReadTable(schema: Schema, name: string): ReadTable {
  const metadata = METADATA_TABLES.find(({ id }) => id === name);
  if (!metadata || schema.tableById.has(name)) return userTable(findUserTable(schema, name));
  const stored = schema.stored.get(name.toLowerCase());
  const fields = metadata.columns.map(({ id, type: text }): ReadField => {
    const type = columnType(text);
    const absent = stored?.has(id.toLowerCase()) ? undefined : type.defaultValue;
    return { id, type, absent, isHidden: false, widgetOptions: "" };
  });
  return readTable(name, fields, { refs: [], isStored: stored !== undefined });
}

function userTable(table: TableInfo): ReadTable {
  const fields = table.columns.map((column) => userField(column));
  return readTable(table.id, fields, { refs: table.columns.map(({ ref }) => ref), isStored: table.isStored });
}

function userField({ id, type, isStored, isHidden, widgetOptions }: ColumnInfo): ReadField {
  return { id, type: columnType(type), absent: isStored ? undefined : null, isHidden, widgetOptions };
}

function readTable(id: string, fields: ReadField[], rest: { refs: number[]; isStored: boolean }): ReadTable {
  return {
    id,
    fields,
    fieldById: new Map(fields.map((field) => [field.id, field])),
    fieldByRef: new Map(fields.flatMap((field, at) => (rest.refs[at] === undefined ? [] : [[rest.refs[at], field]]))),
    isStored: rest.isStored,
    from: quote(id),
  };
}
