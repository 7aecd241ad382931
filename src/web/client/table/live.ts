import { pause } from "../base/api.ts";
import { fill, h } from "../base/dom.ts";
import { type EventHandlers, followDocument } from "../base/events.ts";
import { isOnTheWay } from "./leaving.ts";
import type { Sheet } from "./sheet.ts";

/** However much happens elsewhere, rows in view are not read anew oftener than this. */
const PAUSE_MS = 250;
const SPREAD_MS = 150;
/** A connection that is back sooner than this was not worth mentioning. */
const PATIENCE_MS = 4000;

const ENDINGS: Readonly<Record<string, string>> = {
  access: "You may not see this document any more.",
  signedOut: "You were signed out. Sign in again to go on; what you typed is still here.",
  removed: "The document was deleted.",
};

export interface LiveOptions {
  readonly sheet: Sheet;
  /** Of the last event that the page knows of. */
  readonly eventId: string;
  /** Where it is said that the page is not kept up to date just now. */
  readonly place: HTMLElement;
  /** Tables came, went, or are called otherwise. */
  readonly tablesChanged: () => void;
}

/** Keeps the page up to date with what others change, without moving what the person looks at. */
export function follow({ sheet, eventId, place, tablesChanged }: LiveOptions): void {
  const refresh = paced(() => sheet.follow());
  const reload = paced(() => sheet.reloadColumns().catch((error: unknown) => sheet.fail(error)));
  let lost: ReturnType<typeof setTimeout> | undefined;
  const handlers: EventHandlers = {
    ready() {
      clearTimeout(lost);
      lost = undefined;
      fill(place);
    },
    reset() {
      reload();
      tablesChanged();
    },
    change({ schema, tables }) {
      if (isOnTheWay()) return;
      const renamed = tables.find(({ renamedFrom }) => renamedFrom === sheet.table);
      if (renamed) return location.replace(sheet.addressOf(renamed.table));
      const own = tables.find(({ table }) => table === sheet.table);
      if (own?.isGone) say("This table was deleted.");
      else if (schema) reload();
      else if (own) refresh();
      if (tables.some(({ isNew, isGone, renamedFrom }) => isNew || isGone || renamedFrom !== undefined))
        tablesChanged();
    },
    lost() {
      lost ??= setTimeout(
        () => say("Not connected. What others change is shown when the connection is back."),
        PATIENCE_MS,
      );
    },
    end(reason) {
      clearTimeout(lost);
      say(ENDINGS[reason] ?? "The document cannot be followed any more.");
    },
  };
  // What happened between the making of the page and now is told as well.
  followDocument(sheet.docId, handlers, eventId);
  const say = (text: string) => fill(place, h("p", { class: "note warning", role: "status" }, text));
}

/**
 * The work soon, then not before a pause, which is longer where the work takes long: all who follow the document hear of
 * a change at the same moment, and must not leave the server no time for whoever makes it.
 */
function paced(work: () => Promise<void>): () => void {
  let isWaiting = false;
  let isWanted = false;
  const run = async () => {
    isWanted = isWaiting;
    if (isWaiting) return;
    isWaiting = true;
    await pause(Math.random() * SPREAD_MS);
    isWanted = false;
    const start = performance.now();
    await work();
    await pause(Math.max(PAUSE_MS, 2 * (performance.now() - start)));
    isWaiting = false;
    if (isWanted) void run();
  };
  return () => void run();
}
