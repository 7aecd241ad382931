/** How changes of a view are saved, for the chips that show it. */
import type { Child } from "../../../../base/client/dom.ts";
import type { MenuItem } from "../../../../base/client/menu.ts";
import { t } from "../../../../base/client/texts.ts";
import type { Part } from "./filter-model.ts";

export interface ViewSaving {
  /** Ids of columns whose filters stay when they have no value. */
  readonly pinned: readonly string[];
  setPinned(columnId: string, isPinned: boolean): void;
  /** Differs when `controls` does. */
  readonly key: string;
  /** Says what is not saved, with the commands for it. Buttons have the class `clear`. */
  controls(): readonly Child[];
  /** Notes below the builder of filters. */
  notes(): readonly string[];
  /** Subscribes to changes of the above. */
  onChange(listener: () => void): void;
}

/** The column of a condition that can be pinned; null for others. */
export const pinnedColumnOf = (part: Part): string | null =>
  part.type === "condition" && !part.path.includes(".") ? part.path : null;

/** Returns the command that pins the filter of a column, or ends that. */
export function pinItems(saving: ViewSaving | undefined, part: Part): MenuItem[] {
  const column = pinnedColumnOf(part);
  if (!saving || column === null) return [];
  const isPinned = saving.pinned.includes(column);
  return [
    {
      label: t(isPinned ? "view.saving.unpin" : "view.saving.pin"),
      icon: isPinned ? "pin-off" : "pin",
      run: () => saving.setPinned(column, !isPinned),
    },
  ];
}
