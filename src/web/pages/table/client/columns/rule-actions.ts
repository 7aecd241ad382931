/** User actions that change conditional styles. */
import { COLOUR_KEYS, FONT_KEYS } from "../cells/cell-styles.ts";
import type { StyleRule } from "../cells/conditional-styles.ts";
import type { RuleInput } from "./merge-rules.ts";

type UserAction = readonly [name: string, ...args: unknown[]];

export interface RuleOwner {
  readonly table: string;
  /** The ref of a column; 0 for rules of rows. */
  readonly ref: number;
  /** Ids of all columns of the table, hidden ones included. */
  readonly columnIds: readonly string[];
}

/**
 * Returns the actions for other rules. Hidden columns stay in their order and take the formulas of the rules at their
 * places, so that no references of columns have to be known.
 */
export function ruleActions(
  { table, ref, columnIds }: RuleOwner,
  before: readonly StyleRule[],
  now: readonly RuleInput[],
): UserAction[] {
  const taken = [...columnIds];
  const added = now.slice(before.length).flatMap(({ formula }): UserAction[] => {
    const id = newRuleId(ref, taken);
    taken.push(id);
    return [
      ["AddEmptyRule", table, 0, ref],
      ["ModifyColumn", table, id, { formula }],
    ];
  });
  const kept = before.flatMap(({ columnId, formula }, at): UserAction[] => {
    const rule = now[at];
    if (columnId === null || rule?.formula === formula) return [];
    return [rule ? ["ModifyColumn", table, columnId, { formula: rule.formula }] : ["RemoveColumn", table, columnId]];
  });
  return [...added, ...kept];
}

/** The id that the server gives to the column of a new rule. */
function newRuleId(ref: number, taken: readonly string[]): string {
  const used = new Set(taken.map((id) => id.toLowerCase()));
  const name = ref === 0 ? "gristHelper_RowConditionalRule" : "gristHelper_ConditionalRule";
  let id = name;
  for (let number = 2; used.has(id.toLowerCase()); number++) id = `${name}${number}`;
  return id;
}

/** Returns the styles of rules as they are stored; undefined without rules. */
export function storedStyles(rules: readonly RuleInput[]): unknown[] | undefined {
  if (rules.length === 0) return undefined;
  const known = new Set<string>([...COLOUR_KEYS, ...FONT_KEYS]);
  return rules.map(({ stored, style }) => {
    const others = typeof stored === "object" && stored !== null ? Object.entries(stored) : [];
    return { ...Object.fromEntries(others.filter(([key]) => !known.has(key))), ...style };
  });
}
