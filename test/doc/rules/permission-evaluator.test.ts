import { expect, test } from "bun:test";
import { RowRequiredError, type RuleContext, RuleError } from "../../../src/doc/rules/predicates/compile-predicate.ts";
import type { Effect } from "../../../src/doc/rules/permissions.ts";
import { RuleObject } from "../../../src/doc/rules/predicates/rule-values.ts";
import {
  combineDecisions,
  collectMemos,
  type Rule,
  PermissionEvaluator,
} from "../../../src/doc/rules/permission-evaluator.ts";

const user = new RuleObject(() => undefined);
/** Rows differ only by their number. */
const rowOf = (number: number): RuleContext => ({ user, rec: () => number, newRec: () => number });

/** The result of a condition: per row, or without a row. */
type Outcomes = readonly (boolean | "error")[] | boolean | "error";

function ruleOf(effect: Effect, outcomes: Outcomes, memo = ""): Rule {
  const outcome = (value: boolean | "error" | undefined): boolean => {
    if (value === "error") throw new RuleError("it failed");
    return value ?? false;
  };
  const condition = ({ rec }: RuleContext): boolean => {
    if (typeof outcomes === "boolean" || outcomes === "error") return outcome(outcomes);
    if (!rec) throw new RowRequiredError("a row is needed");
    return outcome(outcomes[Number(rec("id"))]);
  };
  return { condition, columns: new Set(["id"]), effects: new Map([["read", effect]]), memo };
}

/** Evaluates the rules one by one for a row: the expected result of an evaluator. */
function plainly(rules: readonly { effect: Effect; outcomes: Outcomes }[], row: number, fallback: Effect): Effect {
  for (const { effect, outcomes } of rules) {
    const outcome = typeof outcomes === "object" ? outcomes[row] : outcomes;
    if (outcome === true || (outcome === "error" && effect === "deny")) return effect;
  }
  return fallback;
}

/** A deterministic sequence of pseudo-random numbers. */
function* chance(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648;
  }
}

test("evaluating ahead and per row agrees with evaluating rule by rule", () => {
  const ROWS = 4;
  const numbers = chance(20);
  const pick = <T>(...list: readonly [T, ...T[]]): T => list[Math.floor(numbers.next().value * list.length)] ?? list[0];
  const single = () => pick<boolean | "error">(true, false, false, "error");
  let mixed = 0;
  for (let turn = 0; turn < 3000; turn++) {
    const rules = Array.from({ length: pick(0, 1, 2, 3, 4) }, () => ({
      effect: pick<Effect>("allow", "deny"),
      outcomes: pick<Outcomes>(single(), Array.from({ length: ROWS }, single)),
    }));
    const fallback = pick<Effect>("allow", "deny");
    const about = { permission: "read", context: { user }, fallback } as const;
    const verdict = new PermissionEvaluator(
      rules.map(({ effect, outcomes }) => ruleOf(effect, outcomes)),
      about,
    );
    const effects = Array.from({ length: ROWS }, (_, row) => plainly(rules, row, fallback));
    expect(Array.from({ length: ROWS }, (_, row) => verdict.forRow(rowOf(row)))).toEqual(effects);
    if (verdict.decision === "mixed") mixed++;
    else expect(new Set(effects)).toEqual(new Set([verdict.decision]));
    expect(verdict.columns.length > 0).toBe(verdict.decision === "mixed");
  }
  expect(mixed).toBeGreaterThan(300);
});

test("combined decisions are mixed unless all are equal", () => {
  expect(combineDecisions(["allow", "allow"])).toBe("allow");
  expect(combineDecisions(["deny"])).toBe("deny");
  expect(combineDecisions(["deny", "allow"])).toBe("mixed");
  expect(combineDecisions(["mixed", "mixed"])).toBe("mixed");
});

test("collects the memos of rules up to the deciding one", () => {
  const rules = [
    ruleOf("allow", [false], "unless you are quick"),
    ruleOf("deny", [false], "not this one"),
    ruleOf("allow", "error", "if it worked"),
    ruleOf("deny", "error", "because"),
    ruleOf("deny", [true], "never reached"),
  ];
  expect(collectMemos(rules, "read", rowOf(0))).toEqual([
    { kind: "remedy", text: "unless you are quick" },
    { kind: "reason", text: "A rule could not be evaluated: it failed" },
    { kind: "remedy", text: "if it worked" },
    { kind: "reason", text: "because" },
  ]);
  expect(collectMemos(rules, "update", rowOf(0))).toEqual([]);
});
