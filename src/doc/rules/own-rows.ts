import type { Question } from "./compile-predicate.ts";
import type { RowCells, RowView } from "./contract.ts";
import type { Effect } from "./permissions.ts";
import type { Verdict } from "./verdict.ts";

/** A verdict about reading, with the columns it decides about. */
export interface Part {
  readonly verdict: Verdict;
  readonly columns: readonly string[];
}

/** The visibility filter that follows from the rules of a table alone. */
export class OwnRows {
  readonly needsRows: boolean;
  readonly columns: readonly string[];
  readonly #parts: readonly Part[];
  readonly #question: Question;
  /** Equal sets of columns are the same object. */
  readonly #views = new Map<string, RowView>();

  /** @param question about no row */
  constructor(parts: readonly Part[], question: Question) {
    this.#parts = parts;
    this.#question = question;
    this.needsRows = parts.some(({ verdict }) => verdict.decision === "mixed");
    this.columns = [...new Set(parts.flatMap(({ verdict }) => verdict.columns))].filter((id) => id !== "id");
  }

  view(cells: RowCells): RowView {
    const question = { ...this.#question, rec: cells, newRec: cells };
    const effects = this.#parts.map(({ verdict }) => verdict.forRow(question));
    const key = effects.join();
    let view = this.#views.get(key);
    if (!view) this.#views.set(key, (view = this.#viewOf(effects)));
    return view;
  }

  #viewOf(effects: readonly Effect[]): RowView {
    if (effects.every((effect) => effect === "deny")) return "hidden";
    const censored = this.#parts.flatMap(({ verdict, columns }, at) => {
      if (effects[at] !== "deny") return [];
      // Columns that are denied for all rows are left out altogether; only the position never is.
      return verdict.decision === "mixed" ? columns : columns.filter((id) => id === "manualSort");
    });
    return censored.length === 0 ? "whole" : new Set(censored);
  }
}
