import type { ComputedCell } from "../../formula/compute-cell.ts";
import type { FormulaRow } from "../../formula/formula-row.ts";
import { type CellSource, Evaluation } from "./evaluation.ts";
import type { ColumnNode } from "./nodes.ts";
import type { FormulaTimings } from "./formula-timings.ts";

/** Measures evaluation times. A subclass, so that it has no cost while timing is inactive. */
export class TimedEvaluation extends Evaluation {
  readonly #timings: FormulaTimings;
  /** Time spent in evaluations nested in the current one. */
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
