import { sleep } from "../../../base/client/api.ts";
import { replaceChildren, h } from "../../../base/client/dom.ts";
import { type DocumentEventHandlers, subscribeToEvents } from "../../../base/client/events.ts";
import { isNavigating } from "./navigation.ts";
import type { Sheet } from "./sheet.ts";

/** However much happens elsewhere, rows in view are not read anew oftener than this. */
const MIN_REFRESH_INTERVAL_MS = 250;
const JITTER_MS = 150;
/** A connection that is back sooner than this was not worth mentioning. */
const DISCONNECT_NOTICE_DELAY_MS = 4000;

const END_MESSAGES: Readonly<Record<string, string>> = {
  access: "You may not see this document any more.",
  signedOut: "You were signed out. Sign in again to go on; what you typed is still here.",
  removed: "The document was deleted.",
};

export interface LiveUpdateOptions {
  readonly sheet: Sheet;
  /** Of the last event that the page knows of. */
  readonly eventId: string;
  /** Where it is said that the page is not kept up to date just now. */
  readonly container: HTMLElement;
  /** Tables came, went, or are called otherwise. */
  readonly tablesChanged: () => void;
}

/** Keeps the page up to date with what others change, without moving what the person looks at. */
export function subscribeToChanges({ sheet, eventId, container, tablesChanged }: LiveUpdateOptions): void {
  const refresh = throttle(() => sheet.refreshFromRemote());
  const reload = throttle(() => sheet.reloadColumns().catch((error: unknown) => sheet.showError(error)));
  let lost: ReturnType<typeof setTimeout> | undefined;
  const handlers: DocumentEventHandlers = {
    ready() {
      clearTimeout(lost);
      lost = undefined;
      replaceChildren(container);
    },
    reset() {
      reload();
      tablesChanged();
    },
    change({ schema, tables }) {
      if (isNavigating()) return;
      const renamed = tables.find(({ renamedFrom }) => renamedFrom === sheet.table);
      if (renamed) return location.replace(sheet.tableUrl(renamed.table));
      const own = tables.find(({ table }) => table === sheet.table);
      if (own?.isGone) showMessage("This table was deleted.");
      else if (schema) reload();
      else if (own) refresh();
      if (tables.some(({ isNew, isGone, renamedFrom }) => isNew || isGone || renamedFrom !== undefined))
        tablesChanged();
    },
    lost() {
      lost ??= setTimeout(
        () => showMessage("Not connected. What others change is shown when the connection is back."),
        DISCONNECT_NOTICE_DELAY_MS,
      );
    },
    end(reason) {
      clearTimeout(lost);
      showMessage(END_MESSAGES[reason] ?? "The document cannot be followed any more.");
    },
  };
  // What happened between the making of the page and now is told as well.
  subscribeToEvents(sheet.docId, handlers, eventId);
  const showMessage = (text: string) =>
    replaceChildren(container, h("p", { class: "note warning", role: "status" }, text));
}

/**
 * The work soon, then not before a pause, which is longer where the work takes long: all who follow the document hear of
 * a change at the same moment, and must not leave the server no time for whoever makes it.
 */
function throttle(work: () => Promise<void>): () => void {
  let isWaiting = false;
  let isPending = false;
  const run = async () => {
    isPending = isWaiting;
    if (isWaiting) return;
    isWaiting = true;
    await sleep(Math.random() * JITTER_MS);
    isPending = false;
    const start = performance.now();
    await work();
    await sleep(Math.max(MIN_REFRESH_INTERVAL_MS, 2 * (performance.now() - start)));
    isWaiting = false;
    if (isPending) void run();
  };
  return () => void run();
}
