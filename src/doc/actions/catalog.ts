import { AppError, invalid, frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import { columnType, type ColumnType } from "../../values/column-type.ts";
import { METADATA_TABLES } from "../metadata-tables.ts";
import type { Schema, TableInfo } from "../schema.ts";
import { type ColumnSpec, isMetadataTable } from "./doc-action.ts";

/** A column as it really lies in the file while a change is under way. */
export interface CatalogColumn extends ColumnSpec {
  readonly kind: ColumnType;
  /** False where the file has no such SQL column: nothing is written to it. */
  readonly isStored: boolean;
}

export interface CatalogTable {
  readonly id: string;
  readonly columns: ReadonlyMap<string, CatalogColumn>;
}

/**
 * Which tables and columns the file has, step by step through a change: it follows the actions on tables and columns,
 * not the records of the metadata, which may be ahead or behind until the change is complete. At its end both must
 * say the same.
 */
export class Catalog {
  readonly #schema: Schema;
  /** User tables as they were found or changed; null for those that are gone. */
  readonly #tables = new Map<string, CatalogTable | null>();
  readonly #changed = new Set<string>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  find(id: string): CatalogTable | undefined {
    const known = this.#tables.get(id);
    if (known !== undefined) return known ?? undefined;
    const found = isMetadataTable(id) ? metadataTable(this.#schema, id) : userTable(this.#schema.tableById.get(id));
    if (found) this.#tables.set(id, found);
    return found;
  }

  /** @throws AppError `invalid` when there is no such table. */
  table(id: string): CatalogTable {
    const table = this.find(id);
    if (!table) throw unknownTable(id);
    return table;
  }

  /** @throws AppError `invalid` when there is no such table or column. */
  column(tableId: string, id: string): CatalogColumn {
    return columnOf(this.table(tableId), id);
  }

  set(id: string, columns: Iterable<ColumnSpec & { isStored?: boolean }>): void {
    this.#tables.set(id, tableOf(id, columns));
    this.#changed.add(id);
  }

  remove(id: string): void {
    this.#tables.set(id, null);
    this.#changed.add(id);
  }

  /** All user tables as they are now. */
  userTables(): CatalogTable[] {
    const ids = new Set([...this.#schema.tableById.keys(), ...this.#tables.keys()]);
    return [...ids].flatMap((id) => (isMetadataTable(id) ? [] : (this.find(id) ?? [])));
  }

  /**
   * Holds what the metadata says now against what was done. What an imported file had wrong before is left alone.
   * @throws AppError `invalid` naming the first table or column on which they differ
   */
  compareWith(metadata: Schema): void {
    for (const info of metadata.tables) {
      const table = this.#changed.has(info.id) ? this.find(info.id) : this.#schema.tableById.get(info.id);
      compareColumns(info, table && [...table.columns.values()]);
    }
    const before = new Set([...this.#schema.tableById.keys(), ...this.#changed]);
    for (const id of before) {
      const exists = this.#changed.has(id) ? this.find(id) !== undefined : true;
      if (exists && !metadata.tableById.has(id)) throw inconsistent(id);
    }
  }
}

/** 400 for an action that names a table that does not exist. */
export const unknownTable = (id: string): AppError =>
  new AppError("table.unknown", `There is no table ${JSON.stringify(id)}`);

/** @throws AppError `invalid` when the table has no such column. */
export function columnOf(table: CatalogTable, id: string): CatalogColumn {
  const column = table.columns.get(id);
  if (!column) throw frozenError(FROZEN.invalidColumn, id);
  return column;
}

const userTableCache = new WeakMap<TableInfo, CatalogTable>();

function userTable(info: TableInfo | undefined): CatalogTable | undefined {
  if (!info?.isStored) return undefined;
  let table = userTableCache.get(info);
  if (!table) {
    const columns = info.columns.map((column) => [column.id, { ...column, kind: columnType(column.type) }] as const);
    userTableCache.set(info, (table = { id: info.id, columns: new Map(columns) }));
  }
  return table;
}

const METADATA = new Map(METADATA_TABLES.map((table) => [table.id, table]));

function metadataTable(schema: Schema, id: string): CatalogTable | undefined {
  const known = METADATA.get(id);
  const stored = schema.stored.get(id.toLowerCase());
  if (!known || !stored) return undefined;
  const columns = known.columns.map(({ id: column, type }): [string, CatalogColumn] => [
    column,
    {
      id: column,
      type,
      isFormula: false,
      formula: "",
      kind: columnType(type),
      isStored: stored.has(column.toLowerCase()),
    },
  ]);
  return { id, columns: new Map(columns) };
}

function tableOf(id: string, columns: Iterable<ColumnSpec & { isStored?: boolean }>): CatalogTable {
  const entries = [...columns].map(({ id: column, type, isFormula, formula, isStored = true }) => {
    const entry: CatalogColumn = { id: column, type, isFormula, formula, kind: columnType(type), isStored };
    return [column, entry] as const;
  });
  return { id, columns: new Map(entries) };
}

function compareColumns(info: TableInfo, columns: readonly ColumnSpec[] | undefined): void {
  const known = new Map(columns?.map((column) => [column.id, column]));
  if (!columns || columns.length !== info.columns.length) throw inconsistent(info.id);
  for (const { id, type, isFormula, formula } of info.columns) {
    const column = known.get(id);
    if (column?.type !== type || column.isFormula !== isFormula || column.formula !== formula) {
      throw inconsistent(`${info.id}.${id}`);
    }
  }
}

const inconsistent = (name: string) =>
  invalid(`The records of the metadata and the tables would no longer agree about ${JSON.stringify(name)}`);
