import { tableUrl } from "./tables/table-url.ts";
import { sleep } from "../../../base/client/api.ts";
import { announce } from "../../../base/client/announce.ts";
import { replaceChildren, h, icon } from "../../../base/client/dom.ts";
import { type DocumentEventHandlers, subscribeToEvents } from "../../../base/client/events.ts";
import { t } from "../../../base/client/texts.ts";
import type { LabelKey } from "../../../texts/texts.ts";
import { isNavigating } from "./navigation.ts";
import type { Sheet } from "./sheet.ts";

/** Minimum interval between reloads of the rows in view. */
const MIN_REFRESH_INTERVAL_MS = 250;
const JITTER_MS = 150;
/** Shorter interruptions of the connection are not shown. */
const DISCONNECT_NOTICE_DELAY_MS = 4000;

const END_MESSAGES: Readonly<Record<string, LabelKey>> = {
  access: "table.live.noAccess",
  signedOut: "table.live.signedOut",
  removed: "table.live.documentDeleted",
};

/** The metadata that the list of pages shows. */
const PAGE_TABLES: ReadonlySet<string> = new Set(["_grist_Pages", "_grist_Views"]);

export interface LiveUpdateOptions {
  readonly sheet: Sheet;
  /** The id of the last processed event. */
  readonly eventId: string;
  /** The part of the status line that shows when live updates are interrupted. */
  readonly container: HTMLElement;
  /** Tables were added, deleted or renamed. */
  readonly tablesChanged: () => void;
  /** Pages were added, deleted, renamed or moved. */
  readonly pagesChanged: () => Promise<void>;
}

/** Applies changes of other users to the page of a table, without moving the rows in view. */
export function subscribeToChanges({
  sheet,
  eventId,
  container,
  tablesChanged,
  pagesChanged,
}: LiveUpdateOptions): void {
  const refresh = throttle(() => sheet.refreshFromRemote());
  const reload = throttle(() => sheet.reloadFromRemote());
  const refreshPages = throttle(pagesChanged);
  const showMessage = followDocument({
    docId: sheet.docId,
    eventId,
    container,
    ready: () => sheet.retryFailedLoad(),
    reset() {
      reload();
      tablesChanged();
      refreshPages();
    },
    change({ schema, tables }) {
      const renamed = tables.find(({ renamedFrom }) => renamedFrom === sheet.table);
      if (renamed) return location.replace(tableUrl(sheet.docId, renamed.table));
      const own = tables.find(({ table }) => table === sheet.table);
      // A deletion was undone.
      if (own?.isNew) replaceChildren(container);
      if (own?.isGone) showMessage(t("table.live.tableDeleted"));
      else if (schema) reload();
      else if (own) refresh();
      if (tables.some(({ isNew, isGone, renamedFrom }) => isNew || isGone || renamedFrom !== undefined))
        tablesChanged();
      if (tables.some(({ table }) => PAGE_TABLES.has(table))) refreshPages();
    },
  });
}

export interface DocumentFollower extends Pick<DocumentEventHandlers, "reset" | "change"> {
  readonly docId: string;
  readonly eventId: string;
  /** Shows when live updates are interrupted. */
  readonly container: HTMLElement;
  /** Called when the connection is open, also again. */
  readonly ready: () => void;
}

/** Follows the changes of a document, and shows interruptions. Returns a function that shows another message. */
export function followDocument(follower: DocumentFollower): (text: string) => void {
  const { docId, eventId, container, ready, reset, change } = follower;
  let lost: ReturnType<typeof setTimeout> | undefined;
  const showMessage = (text: string) => {
    replaceChildren(container, icon("triangle-alert"), h("span", {}, text));
    announce(text);
  };
  const handlers: DocumentEventHandlers = {
    ready() {
      clearTimeout(lost);
      lost = undefined;
      replaceChildren(container);
      ready();
    },
    reset,
    change: (event) => isNavigating() || change(event),
    lost() {
      lost ??= setTimeout(() => showMessage(t("table.live.lost")), DISCONNECT_NOTICE_DELAY_MS);
    },
    end(reason) {
      clearTimeout(lost);
      showMessage(t(END_MESSAGES[reason] ?? "table.live.ended"));
    },
  };
  // Includes the events between the rendering of the page and now.
  subscribeToEvents(docId, handlers, eventId);
  return showMessage;
}

/**
 * Throttles the work, with longer intervals when it is slow: all subscribers of a document receive a change
 * simultaneously, and their reloads must leave the server capacity for the writer.
 */
export function throttle(work: () => Promise<void>): () => void {
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
