import type { Decision, Permission } from "./access-types.ts";
import { type RuleCondition, RowRequiredError, type RuleContext, RuleError } from "./predicates/compile-predicate.ts";
import type { SqlCondition } from "../filters/sql-condition.ts";
import type { Predicate } from "./predicates/predicate.ts";
import type { Effect, Effects } from "./permissions.ts";
import type { StoredRule } from "./stored-rules.ts";

/** A compiled rule. */
export interface Rule {
  /** Null for a rule that always applies. */
  readonly condition: RuleCondition | null;
  /** The condition as a tree; absent for rules that always apply, that cannot be parsed, or that the server adds. */
  readonly predicate?: Predicate;
  /** The row's columns that the condition reads. */
  readonly columns: ReadonlySet<string>;
  readonly effects: Effects;
  /** Shown to callers whom the rule refuses; empty for none. */
  readonly memo: string;
  /** The rule as it is stored; absent for rules that the server adds. */
  readonly stored?: StoredRule;
}

/** The reason of a refusal: the memo of a rule that denied, or of a rule that would have allowed. */
export interface Memo {
  readonly kind: "reason" | "remedy";
  readonly text: string;
}

/** Whether a rule applies: `some` where it depends on the row, an error when its condition failed. */
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

/** A rule whose condition failed still denies what it denies, but allows nothing. */
const decides = (applied: Applicability, effect: Effect): boolean =>
  applied === "yes" || (applied instanceof RuleError && effect === "deny");

/**
 * A list of rules evaluated for one permission and one caller: the rules that depend on the row, in order, and the
 * effect where none of them decides. Everything that does not depend on rows is evaluated in the constructor, which
 * leaves little to do per row.
 */
export class PermissionEvaluator {
  readonly #pending: readonly { readonly rule: Rule; readonly effect: Effect }[];
  readonly #finalEffect: Effect;
  readonly decision: Decision;

  /** @param options `context` is without a row; `fallback` applies where no rule decides */
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

  /** The columns of a row that the remaining conditions read. */
  get columns(): string[] {
    return this.decision === "mixed" ? this.#pending.flatMap(({ rule }) => [...rule.columns]) : [];
  }

  /**
   * Returns the condition that exactly the rows satisfy for which the effect is "allow"; null where a rule cannot be translated.
   */
  allowedRows(translate: (predicate: Predicate) => SqlCondition | null): SqlCondition | null {
    const cases: SqlCondition[] = [];
    for (const { rule, effect } of this.#pending) {
      const condition = rule.predicate ? translate(rule.predicate) : null;
      if (!condition) return null;
      const { sql, args } = condition;
      cases.push({ sql: `when ${sql === "" ? "1" : sql} then ${effect === "allow" ? 1 : 0}`, args });
    }
    const final = this.#finalEffect === "allow" ? 1 : 0;
    return {
      sql: `case ${cases.map(({ sql }) => sql).join(" ")} else ${final} end`,
      args: cases.flatMap(({ args }) => args),
    };
  }

  /** Returns the effect for a row. */
  forRow(context: RuleContext): Effect {
    if (this.decision !== "mixed") return this.decision;
    for (const { rule, effect } of this.#pending) {
      if (decides(applicabilityOf(rule, context), effect)) return effect;
    }
    return this.#finalEffect;
  }
}

/** Returns the first rule that decides about a permission in a context with a row; undefined where the default applies. */
export function decidingRule(rules: Iterable<Rule>, permission: Permission, context: RuleContext): Rule | undefined {
  for (const rule of rules) {
    const effect = rule.effects.get(permission);
    if (effect && decides(applicabilityOf(rule, context), effect)) return rule;
  }
  return undefined;
}

/** Combines alternative decisions: `mixed` unless all are equal. */
export function combineDecisions(decisions: Iterable<Decision>): Decision {
  const found = new Set(decisions);
  const [first = "mixed"] = found;
  return found.size === 1 ? first : "mixed";
}

/** Combines decisions that must all hold. */
export function strictestDecision(decisions: readonly Decision[]): Decision {
  if (decisions.includes("deny")) return "deny";
  return decisions.includes("mixed") ? "mixed" : "allow";
}

/** Returns the memos of the rules that contributed to a refusal, each once. */
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
