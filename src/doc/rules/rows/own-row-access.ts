import type { RuleContext } from "../predicates/compile-predicate.ts";
import { predicateSql, type PredicateSqlOptions } from "../predicates/predicate-sql.ts";
import type { RowCells, RowView, StoredType, WholeRows } from "../access-types.ts";
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

  /** As `RowAccess.wholeRows`. */
  wholeRows(typeOf: PredicateSqlOptions["typeOf"]): WholeRows | null {
    const mixed = this.#parts.filter(({ evaluator }) => evaluator.decision === "mixed");
    const others = this.#parts.filter((part) => !mixed.includes(part));
    const [part] = mixed;
    // Otherwise cells of visible rows are censored.
    const isAllOrNothing = others.every(
      ({ evaluator, columns }) => evaluator.decision === "deny" && !columns.includes("manualSort"),
    );
    if (!part || mixed.length > 1 || !isAllOrNothing) return null;
    const excluded = new Map<string, Set<StoredType>>();
    const where = part.evaluator.allowedRows((predicate) => {
      const translated = predicateSql(predicate, { context: this.#context, typeOf });
      for (const [column, types] of translated?.excluded ?? []) {
        const all = excluded.get(column) ?? new Set();
        for (const type of types) excluded.set(column, all.add(type));
      }
      return translated?.condition ?? null;
    });
    return where && { where, excluded };
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
