import type { StyleRule } from "../cells/conditional-styles.ts";
import type { CellStyle } from "../cells/cell-styles.ts";

export interface RuleInput {
  /** The hidden column of its formula; null of a new rule. */
  readonly columnId: string | null;
  readonly formula: string;
  readonly style: CellStyle;
  /** The style as it is stored, which can have further keys; undefined of a new rule. */
  readonly stored: unknown;
}

/**
 * Combines the rules of a panel with what other windows have changed since it was opened: their new rules follow the stored ones, and
 * rules that this panel has not changed are theirs.
 * @param base the rules when the panel was opened
 * @param mine the rules of the panel
 * @param current the stored rules
 */
export function mergeRules(
  base: readonly StyleRule[],
  mine: readonly RuleInput[],
  current: readonly StyleRule[],
): RuleInput[] {
  const baseById = byId(base);
  const currentById = byId(current);
  const kept = mine.flatMap((rule): RuleInput[] => {
    if (rule.columnId === null) return [rule];
    const before = baseById.get(rule.columnId);
    const now = currentById.get(rule.columnId);
    const hasFormula = rule.formula !== before?.formula;
    const hasStyle = JSON.stringify(rule.style) !== JSON.stringify(before?.style);
    // Removed elsewhere: it stays only if it was changed here.
    if (!now) return hasFormula || hasStyle ? [{ ...rule, columnId: null }] : [];
    return [
      {
        columnId: rule.columnId,
        formula: hasFormula ? rule.formula : now.formula,
        style: hasStyle ? rule.style : now.style,
        stored: now.stored,
      },
    ];
  });
  const added = current.filter(({ columnId }) => columnId !== null && !baseById.has(columnId));
  const end = kept.findLastIndex(({ columnId }) => columnId !== null) + 1;
  return kept.toSpliced(end, 0, ...added);
}

const byId = (rules: readonly StyleRule[]): ReadonlyMap<string, StyleRule> =>
  new Map(rules.flatMap((rule) => (rule.columnId === null ? [] : [[rule.columnId, rule]])));
