import { AppError } from "../../errors.ts";
import type { SqlValue } from "../../sqlite/database.ts";
import { allIds, existingIds } from "../actions/row-storage.ts";
import type { OpenDocument } from "../document.ts";
import { MATCH_ALL } from "../filters/sql-condition.ts";
import { storedFieldIds } from "../read/cell-format.ts";
import type { ReadField } from "../read/read-table.ts";
import { RowScan, type Row } from "../read/row-scan.ts";
import type { VisibilityFilter, VisibleTable } from "../read/visibility-filter.ts";
import { createVisibleRows } from "../read/visible-rows.ts";

/** Rows of a table in one state of a document, as the caller reads them. */
export interface TableRows {
  readonly visible: VisibleTable;
  /** Columns that the caller can read, without hidden ones; in the order of the rows' cells, which follow the id. */
  readonly fields: readonly ReadField[];
  /** Rows that exist, whether or not the caller can read them. */
  readonly existing: ReadonlySet<number>;
  /** Rows that the caller can read. Censored cells are `["C"]`. */
  readonly rows: ReadonlyMap<number, Row>;
}

interface RowsToRead {
  readonly table: string;
  /** `all`: all rows of the table. */
  readonly ids: ReadonlySet<number> | "all";
  /** Called between batches of rows. */
  readonly checkTime: () => void;
}

const BATCH_ROWS = 2000;

/** Reads rows of a table as the caller sees them; null when they cannot read the table. */
export function readRowsOf(
  document: OpenDocument,
  visibility: VisibilityFilter,
  { table: name, ids, checkTime }: RowsToRead,
): TableRows | null {
  const visible = findVisible(visibility, name);
  if (!visible) return null;
  const { table } = visible;
  const fields = table.fields.filter(({ isHidden }) => !isHidden);
  if (!table.isStored) return { visible, fields, existing: new Set(), rows: new Map() };
  const { db } = document;
  const requested = ids === "all" ? allIds(db, table.id) : [...ids].toSorted((a, b) => a - b);
  const existing = ids === "all" ? new Set(requested) : new Set<number>();
  const rows = new Map<number, Row>();
  const visibleRows = createVisibleRows(visible);
  for (let at = 0; at < requested.length; at += BATCH_ROWS) {
    checkTime();
    const batch = requested.slice(at, at + BATCH_ROWS);
    if (ids !== "all") for (const id of existingIds(db, table.id, batch)) existing.add(id);
    const found = batch.filter((id) => existing.has(id));
    const order = { kind: "list", ids: found } as const;
    const selection = { where: MATCH_ALL, order, limit: found.length, visibleRows };
    const scan = new RowScan({ db }, { table, columns: storedFieldIds(fields), selection });
    for (let read = scan.take(BATCH_ROWS); read.length > 0; read = scan.take(BATCH_ROWS)) {
      for (const row of read) rows.set(Number(row[0]), row);
    }
  }
  return { visible, fields, existing, rows };
}

function findVisible(visibility: VisibilityFilter, name: string): VisibleTable | null {
  try {
    return visibility.readTable(name);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Returns a function that finds the stored cell of a field in a row; undefined for fields that the rows lack. */
export function cellPositions(fields: readonly ReadField[]): ReadonlyMap<ReadField, (row: Row) => SqlValue> {
  const stored = fields.filter(({ absent }) => absent === undefined);
  return new Map(stored.map((field, at) => [field, (row: Row) => row[at + 1] ?? null] as const));
}
