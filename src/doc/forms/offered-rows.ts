import type { CellValue } from "../../values/cell.ts";
import { isCoded, isList } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import { MATCH_ALL } from "../filters/sql-condition.ts";
import { RowScan } from "../read/row-scan.ts";
import { createVisibleRows } from "../read/visible-rows.ts";
import type { VisibilityFilter } from "../read/visibility-filter.ts";
import type { ColumnInfo, TableInfo } from "../schema.ts";

export type OfferedRow = readonly [id: number, shown: CellValue];

/** Bounds of the rows that a form lists: the address of a form is public. */
export interface OfferLimits {
  /** Of one question. */
  readonly maxRows: number;
  /** Of all questions: rows, also ones that display nothing, and the characters of their texts. */
  readonly maxRowsRead: number;
  readonly maxCharacters: number;
}

export const OFFER_LIMITS: OfferLimits = { maxRows: 10_000, maxRowsRead: 100_000, maxCharacters: 4_000_000 };

/** What the questions of one form have used of the limits. */
export class OfferBudget {
  readonly #limits: OfferLimits;
  #rows = 0;
  #characters = 0;

  constructor(limits: OfferLimits = OFFER_LIMITS) {
    this.#limits = limits;
  }

  /** Returns the first rows that a reference offers, within the limits. */
  list(visibility: VisibilityFilter, table: TableInfo, column: ColumnInfo): OfferedRows {
    const { maxRows, maxRowsRead, maxCharacters } = this.#limits;
    const rows: OfferedRow[] = [];
    for (const [id, value] of readRows(visibility, table, column)) {
      const size = sizeOf(value);
      const isWithin = rows.length < maxRows && this.#rows < maxRowsRead && this.#characters + size <= maxCharacters;
      if (!isWithin) return { rows, hasMore: true };
      this.#rows++;
      this.#characters += size;
      if (!isBlank(value)) rows.push([id, value]);
    }
    return { rows, hasMore: false };
  }
}

interface OfferedRows {
  readonly rows: readonly OfferedRow[];
  /** True if there may be more. */
  readonly hasMore: boolean;
}

function sizeOf(value: CellValue): number {
  if (typeof value === "string") return value.length;
  return Array.isArray(value) ? JSON.stringify(value).length : 1;
}

const SCAN_SIZE = 1000;

/** Yields the rows that a reference offers, in the order of their ids, without rows that display nothing. */
export function* offeredRows(
  visibility: VisibilityFilter,
  table: TableInfo,
  column: ColumnInfo,
  where = MATCH_ALL,
): Generator<OfferedRow> {
  for (const row of readRows(visibility, table, column, where)) if (!isBlank(row[1])) yield row;
}

function* readRows(
  visibility: VisibilityFilter,
  table: TableInfo,
  column: ColumnInfo,
  where = MATCH_ALL,
): Generator<OfferedRow> {
  const { target } = columnType(column.type);
  const seen = target === undefined ? null : visibility.readTable(table.id).readTarget(target);
  if (!seen) return;
  const shown = seen.table.fieldByRef.get(column.visibleCol);
  const stored = shown && shown.absent === undefined ? [shown.id] : [];
  const order = { kind: "id", descending: false } as const;
  const selection = { where, order, limit: Number.POSITIVE_INFINITY, visibleRows: createVisibleRows(seen) };
  const scan = new RowScan({ db: visibility.document.db }, { table: seen.table, columns: stored, selection });
  for (let rows = scan.take(SCAN_SIZE); rows.length > 0; rows = scan.take(SCAN_SIZE)) {
    for (const [id, cell] of rows) {
      const value = shown ? (shown.absent ?? (stored.length > 0 ? shown.type.decode(cell ?? null) : null)) : Number(id);
      yield [Number(id), value];
    }
  }
}

/** True for cells that display nothing that a visitor could choose: empty ones, errors, and hidden ones. */
function isBlank(value: CellValue): boolean {
  if (value === null || value === "") return true;
  return isList(value) ? value.length === 1 : isCoded(value) && !isShownCode(value[0]);
}

const SHOWN_CODES: ReadonlySet<string> = new Set(["d", "D", "O", "R", "r"]);
const isShownCode = (code: string): boolean => SHOWN_CODES.has(code);
