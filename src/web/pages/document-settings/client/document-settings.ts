/** The settings of a document: each is saved separately. */
import { find } from "../../../base/client/dom.ts";
import { deleteHistory, moveToTrash, reloadDocument, transferAttachments } from "./commands.ts";
import { saveSetting, showSample } from "./saving.ts";
import { refreshTiming, startTiming, stopTiming } from "./timing.ts";
import { showUsage } from "./usage.ts";
import { initDocumentSidebar } from "../../../base/client/pages/document-sidebar.ts";

initDocumentSidebar();

const COMMANDS: Readonly<Record<string, (button: HTMLButtonElement) => Promise<unknown>>> = {
  transfer: transferAttachments,
  "delete-history": deleteHistory,
  "start-timing": startTiming,
  "refresh-timing": refreshTiming,
  "stop-timing": stopTiming,
  reload: reloadDocument,
  remove: moveToTrash,
};

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>("button[data-do]") : null;
  if (button) void COMMANDS[button.dataset["do"] ?? ""]?.(button);
});

find("#settings").addEventListener("change", ({ target }) => {
  const isField = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
  if (isField && target.dataset["setting"] !== undefined) void saveSetting(target);
});

showSample();
void showUsage();
void refreshTiming();
