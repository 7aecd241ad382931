import type { Decision, Permission } from "./contract.ts";
import { type Condition, NeedsRow, type Question, RuleError } from "./compile-predicate.ts";
import type { Effect, Effects } from "./permissions.ts";

/** One rule, ready to be applied. */
export interface Rule {
  /** Null where it always applies. */
  readonly condition: Condition | null;
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
type Applies = "yes" | "no" | "some" | RuleError;

function applies({ condition }: Rule, question: Question): Applies {
  if (!condition) return "yes";
  try {
    return condition(question) ? "yes" : "no";
  } catch (error) {
    if (error instanceof NeedsRow) return "some";
    if (error instanceof RuleError) return error;
    throw error;
  }
}

/** A rule whose condition failed denies what it would deny, and allows nothing. */
const decides = (applied: Applies, effect: Effect): boolean =>
  applied === "yes" || (applied instanceof RuleError && effect === "deny");

/**
 * What a list of rules says about one permission of one caller: the rules that depend on the row, in order, and what
 * holds where none of them decides. Everything that can be decided without rows was, so that little is left for them.
 */
export class Verdict {
  readonly #pending: readonly { readonly rule: Rule; readonly effect: Effect }[];
  readonly #final: Effect;
  readonly decision: Decision;

  /** @param question about no row; `fallback` holds where no rule says anything */
  constructor(rules: Iterable<Rule>, about: { permission: Permission; question: Question; fallback: Effect }) {
    const pending: { rule: Rule; effect: Effect }[] = [];
    let final: Effect | undefined;
    for (const rule of rules) {
      const effect = rule.effects.get(about.permission);
      if (!effect) continue;
      const applied = applies(rule, about.question);
      if (applied === "some") pending.push({ rule, effect });
      else if (decides(applied, effect)) {
        final = effect;
        break;
      }
    }
    this.#pending = pending;
    this.#final = final ?? about.fallback;
    this.decision = pending.every(({ effect }) => effect === this.#final) ? this.#final : "mixed";
  }

  /** The columns that have to be known of a row. */
  get columns(): string[] {
    return this.decision === "mixed" ? this.#pending.flatMap(({ rule }) => [...rule.columns]) : [];
  }

  /** What holds for a row. */
  forRow(question: Question): Effect {
    if (this.decision !== "mixed") return this.decision;
    for (const { rule, effect } of this.#pending) {
      if (decides(applies(rule, question), effect)) return effect;
    }
    return this.#final;
  }
}

/** What several decisions come to together. */
export function joined(decisions: Iterable<Decision>): Decision {
  const found = new Set(decisions);
  const [first = "mixed"] = found;
  return found.size === 1 ? first : "mixed";
}

/** What is left when all of several decisions have to hold. */
export function strictest(decisions: readonly Decision[]): Decision {
  if (decisions.includes("deny")) return "deny";
  return decisions.includes("mixed") ? "mixed" : "allow";
}

/** What the rules that had a part in a refusal say of themselves, each once. */
export function memosOf(rules: Iterable<Rule>, permission: Permission, question: Question): Memo[] {
  const memos = new Map<string, Memo>();
  const add = (kind: Memo["kind"], text: string) => text !== "" && memos.set(`${kind} ${text}`, { kind, text });
  for (const rule of rules) {
    const effect = rule.effects.get(permission);
    if (!effect) continue;
    const applied = applies(rule, question);
    if (applied instanceof RuleError) add("reason", `A rule could not be evaluated: ${applied.message}`);
    if (effect === "deny" && applied !== "no") add("reason", rule.memo);
    if (effect === "allow" && applied !== "yes") add("remedy", rule.memo);
    if (decides(applied, effect)) break;
  }
  return [...memos.values()];
}
