import type { ComputedCell } from "../../formula/compute-cell.ts";
import type { FormulaRow } from "../../formula/formula-row.ts";
import { type CellSource, Evaluation } from "./evaluation.ts";
import type { ColumnNode } from "./nodes.ts";
import type { FormulaTimings } from "./formula-timings.ts";

/** Measures how long formulas take: a class of its own, so that it costs nothing where nobody asked for it. */
export class TimedEvaluation extends Evaluation {
  readonly #timings: FormulaTimings;
  /** What formulas took that ran within the present one. */
  #innerMs = 0;

  constructor(cells: CellSource, timings: FormulaTimings) {
    super(cells);
    this.#timings = timings;
  }

  protected override runFormula(column: ColumnNode, view: FormulaRow): ComputedCell {
    const outerMs = this.#innerMs;
    this.#innerMs = 0;
    const start = performance.now();
    let isDone = false;
    try {
      const computed = super.runFormula(column, view);
      isDone = true;
      return computed;
    } finally {
      const totalMs = performance.now() - start;
      this.#timings.record(column.table.id, column.id, { ms: Math.max(totalMs - this.#innerMs, 0), isDone });
      this.#innerMs = outerMs + totalMs;
    }
  }
}
