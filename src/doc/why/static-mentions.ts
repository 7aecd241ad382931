import type { Calculation } from "../formulas/calculation.ts";
import type { ColumnNode } from "../formulas/nodes.ts";
import { isHiddenColumn } from "../schema.ts";
import type { ReadableCells } from "./readable-cells.ts";
import type { CellRead } from "./trace.ts";

/**
 * Returns the readable cells that the text of a formula names: columns of its row, and what chains of references lead
 * to. For callers from whom a part of what the formula reads is hidden.
 */
export function readableMentions(
  { column: { formula, table }, row }: CellRead,
  cells: ReadableCells,
  calculation: Calculation,
): CellRead[] {
  const found: CellRead[] = [];
  const add = (column: ColumnNode | undefined, id: number): number | undefined => {
    const cell = column && !isHiddenColumn(column.id) ? cells.cell(column.table.id, id, column.id) : undefined;
    if (!column || cell === undefined) return undefined;
    found.push({ column, row: id });
    return typeof cell === "number" ? cell : undefined;
  };
  for (const name of formula?.reads.columns ?? []) add(table.columns.get(name), row);
  for (const chain of formula?.reads.chains ?? []) {
    let at: { column: ColumnNode | undefined; row: number } | undefined = {
      column: table.columns.get(chain[0] ?? ""),
      row,
    };
    for (const name of chain.slice(1)) {
      const target: number | undefined = at && add(at.column, at.row);
      const next: string | undefined = at?.column?.kind.base === "Ref" ? at.column.kind.target : undefined;
      if (!at || target === undefined || next === undefined) break;
      at = { column: calculation.tables.get(next)?.columns.get(name), row: target };
      add(at.column, at.row);
    }
  }
  return found;
}
