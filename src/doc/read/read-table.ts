import { invalid, frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import type { CellValue } from "../../values/cell.ts";
import { columnType, type ColumnType } from "../../values/column-type.ts";
import { quote } from "../../sqlite/quote.ts";
import { METADATA_TABLES } from "../metadata-tables.ts";
import type { ColumnInfo, Schema, TableInfo } from "../schema.ts";

/** A readable column of a user or metadata table. */
export interface ReadField {
  readonly id: string;
  readonly type: ColumnType;
  /** The value of all cells where the SQL column does not exist; undefined where it does. */
  readonly absent: CellValue | undefined;
  readonly isHidden: boolean;
  /** JSON text, or empty. */
  readonly widgetOptions: string;
}

/** A readable table. */
export interface ReadTable {
  readonly id: string;
  /** Without `id`, in the order of listings. */
  readonly fields: readonly ReadField[];
  readonly fieldById: ReadonlyMap<string, ReadField>;
  /** By the refs of user columns. */
  readonly fieldByRef: ReadonlyMap<number, ReadField>;
  /** False where the SQL table does not exist: the table then reads as empty. */
  readonly isStored: boolean;
  /** The source after `from` in SQL: the table's name, or a query with the same columns. */
  readonly from: string;
}

/** Cached as long as the schema. */
const readTableCache = new WeakMap<Schema, Map<string, ReadTable>>();

/** Returns the table with an id, or with a ref where no table has that id. @throws AppError `notFound` */
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

/** Returns the user table with an id or ref. @throws AppError `notFound`, or `invalid` for a metadata table */
export function findUserTable(schema: Pick<Schema, "tableById" | "tableByRef">, name: string): TableInfo {
  const table =
    schema.tableById.get(name) ?? (/^\d{1,15}$/.test(name) ? schema.tableByRef.get(Number(name)) : undefined);
  if (table) return table;
  if (METADATA_TABLES.some(({ id }) => id === name)) throw invalid(`${name} is not a user table`);
  throw frozenError(FROZEN.tableNotFound, name);
}

/** Tables without some of their columns, cached by those columns, since the same callers repeat the same requests. */
const reducedTableCache = new WeakMap<ReadTable, Map<string, ReadTable>>();
/** The cache size per table; rules may result in a different set of columns for each caller. */
const MAX_REDUCED_TABLES = 64;

/** Returns the table without these columns. */
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

/** Not a possible table id. */
const UNNAMED = "_";

/** Returns the table with references to all but the given tables as ids of an unnamed table. */
export function withoutTargets(table: ReadTable, tables: readonly string[]): ReadTable {
  const known = [...tables, "_grist_Attachments"];
  const reduced = (field: ReadField): ReadField => {
    const { base, target } = field.type;
    return target === undefined || known.includes(target)
      ? field
      : { ...field, type: columnType(`${base}:${UNNAMED}`) };
  };
  return {
    ...table,
    fields: table.fields.map(reduced),
    fieldById: new Map([...table.fieldById].map(([id, field]) => [id, reduced(field)])),
    fieldByRef: new Map([...table.fieldByRef].map(([ref, field]) => [ref, reduced(field)])),
  };
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
