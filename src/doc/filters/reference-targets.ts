import { frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import type { CellValue } from "../../values/cell.ts";
import { findCandidates, idsCondition } from "../read/index-reads.ts";
import type { ReadField } from "../read/read-table.ts";
import { RowScan } from "../read/row-scan.ts";
import { createVisibleRows } from "../read/visible-rows.ts";
import { listCondition, numberCondition } from "./cell-conditions.ts";
import type { Condition, Truth } from "./condition.ts";
import type { FilterTable } from "./filter-table.ts";
import { allOf, MATCH_ALL } from "./sql-condition.ts";

/** Rows of a table that references point to, by a condition on them. */
export interface Targets {
  readonly matching: ReadonlySet<number>;
  /** Rows for which the condition depends on cells that are hidden from the caller. */
  readonly unknown: ReadonlySet<number>;
}

export const NO_TARGETS: Targets = { matching: new Set(), unknown: new Set() };

/** Returns the table that a column refers to; null when it refers to none, or the table is hidden from the caller. */
export function targetTable(table: FilterTable, { type }: ReadField): FilterTable | null {
  if (type.target === undefined) return null;
  const visible = table.visible.readTarget(type.target);
  return visible && { ...table, visible };
}

/** How many rows are read at once. */
const BATCH_SIZE = 10_000;

/** Finds the rows of a table that match, among the rows that the caller sees. */
export function findTargets({ document, visible, budget }: FilterTable, condition: Condition): Targets {
  const { table, rows } = visible;
  if (!table.isStored) return NO_TARGETS;
  const matching = new Set<number>();
  const unknown = new Set<number>();
  const test = {
    key: "",
    columns: [...condition.columns],
    isExact: false,
    budget,
    matches: (cells: (column: string) => CellValue | undefined): boolean => {
      const truth = condition.matches(cells);
      if (truth !== false) (truth ? matching : unknown).add(Number(cells("id")));
      return truth === true;
    },
  };
  // SQLite sees hidden cells: it must not decide which rows are unknown.
  const candidates = rows ? null : findCandidates(document, table, condition.lookups);
  const where = rows ? MATCH_ALL : allOf([condition.upper, candidates ? idsCondition(candidates) : MATCH_ALL]);
  const selection = {
    where,
    order: { kind: "id", descending: false },
    limit: Number.POSITIVE_INFINITY,
    visibleRows: createVisibleRows(visible, test),
  } as const;
  const scan = new RowScan({ db: document.db }, { table, columns: [], selection });
  while (scan.take(BATCH_SIZE).length > 0);
  return { matching, unknown };
}

/** Returns the condition that a cell refers to one of the rows. */
export function refersTo(field: ReadField, { matching, unknown }: Targets): Condition {
  if (field.type.base === "Ref") return numberCondition(field, { values: matching, intervals: [], unknown });
  return listCondition(field, (items): Truth => {
    if (items.some((item) => matching.has(item as number))) return true;
    return items.some((item) => unknown.has(item as number)) ? undefined : false;
  });
}

/** The refusal of a column that does not exist, or that the caller does not see. */
export const unknownColumn = (column: string): Error => frozenError(FROZEN.invalidColumn, column);

/**
 * Returns the column of the target table that a reference displays, as the caller sees that table. `id`: the reference
 * displays row ids. `hidden`: the caller does not see the column.
 */
export function displayedColumn(
  table: FilterTable,
  field: ReadField,
): { table: FilterTable; field: ReadField } | "id" | "hidden" {
  const { schema } = table.document;
  const info = schema.tableById.get(table.visible.table.id)?.columnById.get(field.id);
  const shown = schema.columnByRef.get(info?.visibleCol ?? 0);
  if (!shown || schema.tableByRef.get(shown.tableRef)?.id !== field.type.target) return "id";
  const target = targetTable(table, field);
  const shownField = target?.visible.table.fieldById.get(shown.id);
  return target && shownField ? { table: target, field: shownField } : "hidden";
}
