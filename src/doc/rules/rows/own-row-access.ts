import type { RuleContext } from "../predicates/compile-predicate.ts";
import type { RowCells, RowView } from "../access-types.ts";
import type { Effect } from "../permissions.ts";
import type { PermissionEvaluator } from "../permission-evaluator.ts";

/** A decision about reading, with the columns that it applies to. */
export interface ReadPart {
  readonly evaluator: PermissionEvaluator;
  readonly columns: readonly string[];
}

/** The visibility filter of a table's own rules. */
export class OwnRowAccess {
  readonly needsRows: boolean;
  readonly columns: readonly string[];
  readonly #parts: readonly ReadPart[];
  readonly #context: RuleContext;
  /** Interned views: equal sets of columns are the same object. */
  readonly #views = new Map<string, RowView>();

  /** @param context a context without a row */
  constructor(parts: readonly ReadPart[], context: RuleContext) {
    this.#parts = parts;
    this.#context = context;
    this.needsRows = parts.some(({ evaluator }) => evaluator.decision === "mixed");
    this.columns = [...new Set(parts.flatMap(({ evaluator }) => evaluator.columns))].filter((id) => id !== "id");
  }

  view(cells: RowCells): RowView {
    const rowContext = { ...this.#context, rec: cells, newRec: cells };
    const effects = this.#parts.map(({ evaluator }) => evaluator.forRow(rowContext));
    const key = effects.join();
    let view = this.#views.get(key);
    if (!view) this.#views.set(key, (view = this.#viewOf(effects)));
    return view;
  }

  #viewOf(effects: readonly Effect[]): RowView {
    if (effects.every((effect) => effect === "deny")) return "hidden";
    const censored = this.#parts.flatMap(({ evaluator, columns }, at) => {
      if (effects[at] !== "deny") return [];
      // Columns denied for all rows are dropped from the result; `manualSort` never is, so it is censored by cell.
      return evaluator.decision === "mixed" ? columns : columns.filter((id) => id === "manualSort");
    });
    return censored.length === 0 ? "whole" : new Set(censored);
  }
}
