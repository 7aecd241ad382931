import { must } from "../../lib/assert.ts";
import type { Database, SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { CellValue } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import { METADATA_TABLE_BY_ID, METADATA_TABLES, type MetadataTable } from "../metadata-tables.ts";
import { addColumnSql, createTableSql } from "../table-sql.ts";
import { hasTable, storedColumns } from "./stored-tables.ts";

/** A row of a metadata table by column id. */
export type MetadataRow = { readonly id: number } & Readonly<Record<string, CellValue>>;

/**
 * The metadata tables of a file during its upgrade, as rows of decoded values. Columns missing from the file read as
 * null.
 */
export class MetadataRows {
  readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  /** Returns all rows by id; empty if the table does not exist. */
  all(tableId: string): MetadataRow[] {
    const stored = new Set(storedColumns(this.db, tableId).map((column) => column.id.toLowerCase()));
    const columns = known(tableId).columns.filter((column) => stored.has(column.id.toLowerCase()));
    if (!hasTable(this.db, tableId)) return [];
    const list = ["id", ...columns.map((column) => quote(column.id))].join(", ");
    const types = columns.map((column) => columnType(column.type));
    // Not cached as a prepared statement: the next step may alter the table.
    using statement = this.db.prepareUncached(`select ${list} from ${quote(tableId)} order by id`);
    return (statement.values() as SqlValue[][]).map(([id, ...cells]) => {
      const row: Record<string, CellValue> = {};
      columns.forEach((column, index) => {
        row[column.id] = must(types[index]).decodeRaw(cells[index] ?? null);
      });
      return { ...row, id: Number(id) };
    });
  }

  /** Adds a row and returns its id, the next free one; omitted columns get their default. */
  add(tableId: string, values: Readonly<Record<string, CellValue>>): number {
    const next = Number(
      this.db.get<{ id: number }>(`select coalesce(max(id), 0) + 1 as id from ${quote(tableId)}`)?.id,
    );
    const columns = Object.keys(values);
    this.db.run(
      `insert into ${quote(tableId)} (${["id", ...columns.map(quote)].join(", ")}) values (?${", ?".repeat(columns.length)})`,
      next,
      ...columns.map((column) => encode(tableId, column, values[column])),
    );
    return next;
  }

  update(tableId: string, id: number, values: Readonly<Record<string, CellValue>>): void {
    const columns = Object.keys(values);
    this.db.run(
      `update ${quote(tableId)} set ${columns.map((column) => `${quote(column)} = ?`).join(", ")} where id = ?`,
      ...columns.map((column) => encode(tableId, column, values[column])),
      id,
    );
  }

  remove(tableId: string, ids: Iterable<number>): void {
    for (const id of ids) this.db.run(`delete from ${quote(tableId)} where id = ?`, id);
  }

  /** Creates missing tables and columns, with defaults for existing rows. Returns those added. */
  addMissing(): AddedMetadata {
    const added = { tables: new Set<string>(), columns: new Set<string>() };
    for (const table of METADATA_TABLES) {
      if (!hasTable(this.db, table.id)) {
        this.db.exec(createTableSql(table.id, table.columns));
        added.tables.add(table.id);
        for (const column of table.columns) added.columns.add(`${table.id}.${column.id}`);
        continue;
      }
      const stored = new Set(storedColumns(this.db, table.id).map((column) => column.id.toLowerCase()));
      for (const column of table.columns) {
        if (stored.has(column.id.toLowerCase())) continue;
        this.db.exec(addColumnSql(table.id, column));
        added.columns.add(`${table.id}.${column.id}`);
      }
    }
    this.db.clearStatements();
    return added;
  }

  /**
   * Rewrites marshalled values of old files for which a plain form exists now, so that SQL on metadata finds `isFormula
   * = 1` and JSON lists whatever the age of the file.
   */
  storeUnmarshalled(): void {
    for (const table of METADATA_TABLES) {
      const stored = new Set(storedColumns(this.db, table.id).map((column) => column.id.toLowerCase()));
      for (const column of table.columns) {
        if (stored.has(column.id.toLowerCase())) this.#storeColumnUnmarshalled(table.id, column.id);
      }
    }
  }

  #storeColumnUnmarshalled(tableId: string, columnId: string): void {
    const name = quote(columnId);
    const cells = this.db.values(`select id, ${name} from ${quote(tableId)} where typeof(${name}) = 'blob'`);
    for (const [id, cell] of cells) {
      const type = typeOf(tableId, columnId);
      this.db.run(
        `update ${quote(tableId)} set ${name} = ? where id = ?`,
        type.encode(type.decodeRaw(cell ?? null)),
        id ?? null,
      );
    }
  }
}

/**
 * Tables and columns that `addMissing` added: `_grist_Pages`, `_grist_Pages.options`. Includes the columns of added
 * tables.
 */
export interface AddedMetadata {
  readonly tables: ReadonlySet<string>;
  readonly columns: ReadonlySet<string>;
}

/** Returns the cell if it is text; empty otherwise. */
export const text = (value: CellValue | undefined): string => (typeof value === "string" ? value : "");

/** Returns the cell if it is a number such as a row id; 0 otherwise. */
export const integer = (value: CellValue | undefined): number =>
  typeof value === "number" && Number.isFinite(value) ? value : 0;

/** Returns the cell as a sort position; Infinity if it is not a number. */
export const position = (value: CellValue | undefined): number => (typeof value === "number" ? value : Infinity);

export const flag = (value: CellValue | undefined): boolean => value === true || value === 1;

/** Returns the row ids of a list of references. */
export const refs = (value: CellValue | undefined): number[] =>
  Array.isArray(value) ? value.slice(1).filter((item) => typeof item === "number") : [];

/** Parses the cell as a JSON object; undefined for anything else. */
export function jsonObject(value: CellValue | undefined): Record<string, unknown> | undefined {
  if (typeof value !== "string" || !value.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(value) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

const known = (tableId: string): MetadataTable => must(METADATA_TABLE_BY_ID.get(tableId), tableId);

const typeOf = (tableId: string, columnId: string) =>
  columnType(
    must(
      known(tableId).columns.find((column) => column.id === columnId),
      columnId,
    ).type,
  );

const encode = (tableId: string, columnId: string, value: CellValue | undefined): SqlValue =>
  typeOf(tableId, columnId).encode(value ?? null);
