/** Sends changes of conditional styles, which other windows may change at the same time. */
import { ApiError } from "../../../../base/client/api.ts";
import { t } from "../../../../base/client/texts.ts";
import type { Sheet } from "../sheet.ts";
import type { UndoManager, UserAction } from "../undo-manager.ts";

/** More attempts would need more windows that add rules at the same moment. */
const MAX_ATTEMPTS = 3;

export interface RuleChange {
  /** Returns the actions for the present columns, at each attempt. */
  readonly actions: () => readonly UserAction[];
  /** Whether the stored rules are the ones that the actions were made for, each with its style. */
  readonly isComplete: () => boolean;
  readonly savesFirst?: boolean;
}

/**
 * Applies actions that change rules. The list of styles is written as a whole: if another window has changed the rules
 * between reading and writing, the change is undone at once, and applied to the present rules.
 * @throws Failure also when other windows add rules at each attempt; nothing is changed then
 */
export async function applyRules(
  { sheet, changes }: { readonly sheet: Sheet; readonly changes: UndoManager },
  { actions, isComplete, savesFirst = false }: RuleChange,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await sheet.reloadColumns();
    const sent = actions();
    const results = await changes.apply(sent, { savesFirst });
    await sheet.reloadColumns();
    const { latestState } = changes;
    const isLast = attempt === MAX_ATTEMPTS;
    if (latestState === null || (haveExpectedIds(sent, results) && (isLast || isComplete()))) return;
    await changes.undo(latestState);
    if (isLast) throw new ApiError("refused", t("table.rules.changing"), {});
  }
}

const haveExpectedIds = (sent: readonly UserAction[], results: readonly unknown[]): boolean =>
  sent.every(([name], at) => {
    if (name !== "AddEmptyRule") return true;
    return (results[at] as { colId?: string } | null)?.colId === sent[at + 1]?.[2];
  });
