import { findOptional } from "../../../../base/client/dom.ts";
import type { KeyGroup } from "../../../../base/client/grid/grid-keys.ts";
import { commandOf } from "../../../../base/client/keys/key-table.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { errorContent } from "../../../../base/client/api.ts";
import { PAGE_KEY_GROUP } from "./page-keys.ts";

type KeyGroups = readonly KeyGroup<string, string>[];

/**
 * Opens the list of shortcuts by its keys, wherever the focus is.
 * @param own the keys that only this page has
 */
export function attachShortcuts(own: KeyGroups = []): void {
  document.addEventListener(
    "keydown",
    (event) => {
      if (commandOf(PAGE_KEY_GROUP.keys, event, "page") !== "shortcuts") return;
      event.preventDefault();
      event.stopPropagation();
      if (!findOptional("dialog:modal")) void openShortcuts(own);
    },
    true,
  );
}

/** Loads the list on first use. */
async function openShortcuts(own: KeyGroups): Promise<void> {
  try {
    const { showShortcuts } = await import("./shortcuts.ts");
    showShortcuts(own);
  } catch (error) {
    showToast(errorContent(error), { problem: true });
  }
}
