import { AppError, invalid, frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import { columnType, type ColumnType } from "../../values/column-type.ts";
import { METADATA_TABLES } from "../metadata-tables.ts";
import type { Schema, TableInfo } from "../schema.ts";
import { type ColumnSpec, isMetadataTable } from "./doc-action.ts";

/** A column as the file has it during a change. */
export interface CatalogColumn extends ColumnSpec {
  readonly kind: ColumnType;
  /** False when the file has no such SQL column: writes to it are dropped. */
  readonly isStored: boolean;
}

export interface CatalogTable {
  readonly id: string;
  readonly columns: ReadonlyMap<string, CatalogColumn>;
}

/**
 * The tables and columns of the file at each step of a change. It follows the actions on tables and columns, not the
 * metadata records, which may be ahead or behind until the change is complete. At the end both must agree.
 */
export class Catalog {
  readonly #schema: Schema;
  /** User tables as loaded or changed; null for removed tables. */
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

  /** @throws AppError `invalid` when the table does not exist. */
  table(id: string): CatalogTable {
    const table = this.find(id);
    if (!table) throw unknownTable(id);
    return table;
  }

  /** @throws AppError `invalid` when the table or column does not exist. */
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

  /** Returns the current user tables. */
  userTables(): CatalogTable[] {
    const ids = new Set([...this.#schema.tableById.keys(), ...this.#tables.keys()]);
    return [...ids].flatMap((id) => (isMetadataTable(id) ? [] : (this.find(id) ?? [])));
  }

  /**
   * Compares the metadata with the changes made to the tables. Inconsistencies that an imported file already had are
   * tolerated.
   * @throws AppError `invalid` naming the first table or column that differs
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

/** Returns the error (400) for an action on a table that does not exist. */
export const unknownTable = (id: string): AppError =>
  new AppError("table.unknown", `Table ${JSON.stringify(id)} does not exist`);

/** Returns a column of the table. @throws AppError `invalid` when it does not exist */
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
  invalid(`The metadata records and the tables would no longer agree about ${JSON.stringify(name)}`);
