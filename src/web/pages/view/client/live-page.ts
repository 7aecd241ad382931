/** Applies changes of other users to a page: rows of the right sections, and the page itself. */
import type { DocumentChange } from "../../../base/client/events.ts";
import { followDocument, throttle } from "../../table/client/live-updates.ts";
import type { PageView } from "./page-view.ts";

/** The metadata that a page is made of; that of columns is reported as a change of the schema, too. */
const PAGE_TABLES = new Set(["_grist_Pages", "_grist_Views", "_grist_Views_section", "_grist_Views_section_field"]);
const FILTERS = "_grist_Filters";

export interface LivePageOptions {
  readonly page: PageView;
  /** Shows when live updates are interrupted. */
  readonly container: HTMLElement;
  /** Tables or pages were added, deleted or renamed. */
  readonly listsChanged: () => void;
}

export function followPage({ page, container, listsChanged }: LivePageOptions): void {
  const refreshers = new Map<number, () => void>();
  const refresherOf = (section: number): (() => void) => {
    const known = refreshers.get(section);
    if (known) return known;
    const refresh = throttle(async () => page.controllerOf(section)?.refreshFromRemote());
    refreshers.set(section, refresh);
    return refresh;
  };
  const reload = throttle(async () => {
    try {
      await page.reload();
    } catch (error) {
      page.showError(error, reload);
    }
  });
  const reset = (): void => {
    reload();
    listsChanged();
    for (const section of page.controllers.keys()) refresherOf(section)();
  };
  followDocument({
    docId: page.data.docId,
    eventId: page.data.eventId,
    container,
    ready() {
      for (const controller of page.controllers.values()) controller.retryFailedLoad();
    },
    reset,
    change({ schema, tables }: DocumentChange) {
      const changed = new Set(tables.map(({ table }) => table));
      if (schema || [...PAGE_TABLES, FILTERS].some((table) => changed.has(table))) reload();
      for (const { ref, table } of page.data.sections) if (table !== null && changed.has(table)) refresherOf(ref)();
      const isListed = tables.some(({ isNew, isGone, renamedFrom }) => isNew || isGone || renamedFrom !== undefined);
      if (isListed || changed.has("_grist_Pages") || changed.has("_grist_Views")) listsChanged();
    },
  });
}
