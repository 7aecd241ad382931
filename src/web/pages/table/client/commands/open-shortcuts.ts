import { findOptional } from "../../../../base/client/dom.ts";
import { commandOf } from "../../../../base/client/keys/key-table.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { errorContent } from "../../../../base/client/api.ts";
import { PAGE_KEY_GROUP } from "./page-keys.ts";

/** Opens the list of shortcuts by its keys, wherever the focus is. */
export function attachShortcuts(): void {
  document.addEventListener(
    "keydown",
    (event) => {
      if (commandOf(PAGE_KEY_GROUP.keys, event, "page") !== "shortcuts") return;
      event.preventDefault();
      event.stopPropagation();
      if (!findOptional("dialog:modal")) void openShortcuts();
    },
    true,
  );
}

/** Loads the list on first use. */
export async function openShortcuts(): Promise<void> {
  try {
    const { showShortcuts } = await import("./shortcuts.ts");
    showShortcuts();
  } catch (error) {
    showToast(errorContent(error), { problem: true });
  }
}
