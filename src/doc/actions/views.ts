import type { Change } from "./change.ts";
import { metadataIds, removeMetadata, updateMetadata } from "./metadata.ts";
import { IN_IDS } from "./rows.ts";

/** Removing sections, views and pages with what belongs to them. */

/** Removes sections, and the views that show nothing without them. */
export function removeSectionsAndEmptiedViews(change: Change, sections: readonly number[]): void {
  const find = (sql: string, ids: readonly number[]) => metadataIds(change, sql, JSON.stringify(ids));
  const views = find(
    `select distinct parentId from _grist_Views_section where id ${IN_IDS} and parentId > 0`,
    sections,
  );
  removeSections(change, sections);
  const alive = new Set(find(`select distinct parentId from _grist_Views_section where parentId ${IN_IDS}`, views));
  removeViews(
    change,
    views.filter((view) => !alive.has(view)),
  );
}

/** Removes sections with their fields and filters; what was linked to them is linked to nothing. */
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
  for (const table of ["_grist_TabBar", "_grist_Pages", "_grist_TabItems", "_grist_TableViews"]) {
    removeMetadata(change, table, find(`select id from ${table} where viewRef ${IN_IDS}`));
  }
  updateMetadata(change, "_grist_Tables", find(`select id from _grist_Tables where primaryViewId ${IN_IDS}`), {
    primaryViewId: 0,
  });
  removeMetadata(change, "_grist_Views", views);
}
