import type { Change } from "../change.ts";
import { metadataIds, removeMetadata, updateMetadata } from "../metadata.ts";
import { IN_IDS } from "../row-storage.ts";

/** Removes sections, views and pages with their dependent records. */

/** Removes sections, and all views without sections, including views that had none before. */
export function removeSectionsAndEmptyViews(change: Change, sections: readonly number[]): void {
  removeSections(change, sections);
  const empty = "select id from _grist_Views where id not in (select parentId from _grist_Views_section)";
  removeViews(change, metadataIds(change, empty));
}

/** Removes sections with their fields and filters, and unlinks sections that were linked to them. */
export function removeSections(change: Change, sections: readonly number[]): void {
  if (sections.length === 0) return;
  const list = JSON.stringify(sections);
  const find = (sql: string) => metadataIds(change, sql, list);
  removeMetadata(
    change,
    "_grist_Views_section_field",
    find(`select id from _grist_Views_section_field where parentId ${IN_IDS}`),
  );
  removeMetadata(change, "_grist_Filters", find(`select id from _grist_Filters where viewSectionRef ${IN_IDS}`));
  const linked = find(`select id from _grist_Views_section where linkSrcSectionRef ${IN_IDS}`);
  updateMetadata(change, "_grist_Views_section", linked, {
    linkSrcSectionRef: 0,
    linkSrcColRef: 0,
    linkTargetColRef: 0,
  });
  for (const column of ["rawViewSectionRef", "recordCardViewSectionRef"]) {
    updateMetadata(change, "_grist_Tables", find(`select id from _grist_Tables where ${column} ${IN_IDS}`), {
      [column]: 0,
    });
  }
  removeMetadata(change, "_grist_Views_section", sections);
}

/** Removes views with their sections, pages and tabs. */
export function removeViews(change: Change, views: readonly number[]): void {
  if (views.length === 0) return;
  const list = JSON.stringify(views);
  const find = (sql: string) => metadataIds(change, sql, list);
  removeSections(change, find(`select id from _grist_Views_section where parentId ${IN_IDS}`));
  for (const table of ["_grist_TabBar", "_grist_TabItems", "_grist_TableViews"]) {
    removeMetadata(change, table, find(`select id from ${table} where viewRef ${IN_IDS}`));
  }
  removePageRecords(change, find(`select id from _grist_Pages where viewRef ${IN_IDS}`));
  updateMetadata(change, "_grist_Tables", find(`select id from _grist_Tables where primaryViewId ${IN_IDS}`), {
    primaryViewId: 0,
  });
  removeMetadata(change, "_grist_Views", views);
}

/**
 * Removes page records. Reduces the indentation of the following pages to at most one level below their predecessor.
 */
export function removePageRecords(change: Change, pages: readonly number[]): void {
  if (pages.length === 0) return;
  const removed = new Set(pages);
  let deepest = 0;
  for (const [id, depth] of change.db.values("select id, indentation from _grist_Pages order by pagePos, id")) {
    if (removed.has(Number(id))) continue;
    const indentation = Math.min(Number(depth), deepest);
    if (indentation !== Number(depth)) updateMetadata(change, "_grist_Pages", Number(id), { indentation });
    deepest = indentation + 1;
  }
  removeMetadata(change, "_grist_Pages", pages);
}
