import type { Decision, Permission } from "./access-types.ts";
import { type RuleCondition, RowRequiredError, type RuleContext, RuleError } from "./predicates/compile-predicate.ts";
import type { Effect, Effects } from "./permissions.ts";

/** One rule, ready to be applied. */
export interface Rule {
  /** Null where it always applies. */
  readonly condition: RuleCondition | null;
  /** The columns its condition reads of the row. */
  readonly columns: ReadonlySet<string>;
  readonly effects: Effects;
  /** Said to whoever is refused; empty for nothing. */
  readonly memo: string;
}

/** Why something is refused: what a denying rule says of itself, or one that would have allowed it. */
export interface Memo {
  readonly kind: "reason" | "remedy";
  readonly text: string;
}

/** Whether a rule applies: for some rows perhaps, or nobody knows since its condition fails. */
type Applicability = "yes" | "no" | "some" | RuleError;

function applicabilityOf({ condition }: Rule, context: RuleContext): Applicability {
  if (!condition) return "yes";
  try {
    return condition(context) ? "yes" : "no";
  } catch (error) {
    if (error instanceof RowRequiredError) return "some";
    if (error instanceof RuleError) return error;
    throw error;
  }
}

/** A rule whose condition failed denies what it would deny, and allows nothing. */
const decides = (applied: Applicability, effect: Effect): boolean =>
  applied === "yes" || (applied instanceof RuleError && effect === "deny");

/**
 * What a list of rules says about one permission of one caller: the rules that depend on the row, in order, and what
 * holds where none of them decides. Everything that can be decided without rows was, so that little is left for them.
 */
export class PermissionEvaluator {
  readonly #pending: readonly { readonly rule: Rule; readonly effect: Effect }[];
  readonly #finalEffect: Effect;
  readonly decision: Decision;

  /** @param question about no row; `fallback` holds where no rule says anything */
  constructor(rules: Iterable<Rule>, options: { permission: Permission; context: RuleContext; fallback: Effect }) {
    const pending: { rule: Rule; effect: Effect }[] = [];
    let finalEffect: Effect | undefined;
    for (const rule of rules) {
      const effect = rule.effects.get(options.permission);
      if (!effect) continue;
      const applied = applicabilityOf(rule, options.context);
      if (applied === "some") pending.push({ rule, effect });
      else if (decides(applied, effect)) {
        finalEffect = effect;
        break;
      }
    }
    this.#pending = pending;
    this.#finalEffect = finalEffect ?? options.fallback;
    this.decision = pending.every(({ effect }) => effect === this.#finalEffect) ? this.#finalEffect : "mixed";
  }

  /** The columns that have to be known of a row. */
  get columns(): string[] {
    return this.decision === "mixed" ? this.#pending.flatMap(({ rule }) => [...rule.columns]) : [];
  }

  /** What holds for a row. */
  forRow(context: RuleContext): Effect {
    if (this.decision !== "mixed") return this.decision;
    for (const { rule, effect } of this.#pending) {
      if (decides(applicabilityOf(rule, context), effect)) return effect;
    }
    return this.#finalEffect;
  }
}

/** What several decisions come to together. */
export function combineDecisions(decisions: Iterable<Decision>): Decision {
  const found = new Set(decisions);
  const [first = "mixed"] = found;
  return found.size === 1 ? first : "mixed";
}

/** What is left when all of several decisions have to hold. */
export function strictestDecision(decisions: readonly Decision[]): Decision {
  if (decisions.includes("deny")) return "deny";
  return decisions.includes("mixed") ? "mixed" : "allow";
}

/** What the rules that had a part in a refusal say of themselves, each once. */
export function collectMemos(rules: Iterable<Rule>, permission: Permission, context: RuleContext): Memo[] {
  const memos = new Map<string, Memo>();
  const add = (kind: Memo["kind"], text: string) => text !== "" && memos.set(`${kind} ${text}`, { kind, text });
  for (const rule of rules) {
    const effect = rule.effects.get(permission);
    if (!effect) continue;
    const applied = applicabilityOf(rule, context);
    if (applied instanceof RuleError) add("reason", `A rule could not be evaluated: ${applied.message}`);
    if (effect === "deny" && applied !== "no") add("reason", rule.memo);
    if (effect === "allow" && applied !== "yes") add("remedy", rule.memo);
    if (decides(applied, effect)) break;
  }
  return [...memos.values()];
}
