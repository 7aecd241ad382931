/** Migration steps that create tabs, pages, raw data sections and record cards. */
import { type AddedMetadata, integer, type MetadataRow, type MetadataRows, position, text } from "./metadata-rows.ts";

/** 1: records which tables a view shows. */
export function addTabItems(metadata: MetadataRows, added: AddedMetadata): void {
  if (!added.tables.has("_grist_TabItems")) return;
  const seen = new Set<string>();
  for (const section of metadata.all("_grist_Views_section")) {
    const item = { tableRef: integer(section["tableRef"]), viewRef: integer(section["parentId"]) };
    const key = `${item.tableRef}.${item.viewRef}`;
    if (!seen.has(key)) metadata.add("_grist_TabItems", item);
    seen.add(key);
  }
}

/**
 * 2: the first list section of a table determines its primary view; all views get a tab, those without a table nested
 * under another.
 */
export function addPrimaryViews(metadata: MetadataRows, added: AddedMetadata): void {
  const views = new Set(metadata.all("_grist_Views").map((view) => view.id));
  const sections = metadata.all("_grist_Views_section").filter((section) => views.has(integer(section["parentId"])));
  const primary = new Set<number>();
  for (const table of metadata.all("_grist_Tables")) {
    const first = sections.find(
      (section) => section["tableRef"] === table.id && text(section["parentKey"]) === "record",
    );
    const view = integer(table["primaryViewId"]) || integer(first?.["parentId"]);
    if (view === 0) continue;
    primary.add(view);
    metadata.update("_grist_Tables", table.id, { primaryViewId: view });
  }
  const firstSections = new Map<number, MetadataRow>();
  for (const section of sections) {
    const view = integer(section["parentId"]);
    if (!firstSections.has(view)) firstSections.set(view, section);
  }
  for (const [viewRef, section] of [...firstSections].sort(([a], [b]) => a - b)) {
    if (added.tables.has("_grist_TabBar")) metadata.add("_grist_TabBar", { viewRef });
    if (added.tables.has("_grist_TableViews") && !primary.has(viewRef)) {
      metadata.add("_grist_TableViews", { viewRef, tableRef: integer(section["tableRef"]) });
    }
  }
}

/** 4: orders tabs by creation. */
export function orderTabs(metadata: MetadataRows, added: AddedMetadata): void {
  if (!added.columns.has("_grist_TabBar.tabPos")) return;
  for (const tab of metadata.all("_grist_TabBar")) metadata.update("_grist_TabBar", tab.id, { tabPos: tab.id });
}

/** 20: every view gets a page; further views of a table are indented under its primary view. */
export function addPages(metadata: MetadataRows): void {
  const tables = new Map(metadata.all("_grist_Tables").map((table) => [table.id, text(table["tableId"])]));
  const placed = new Map(
    metadata
      .all("_grist_TableViews")
      .map((entry) => [integer(entry["viewRef"]), tables.get(integer(entry["tableRef"])) ?? ""]),
  );
  const paged = new Set(metadata.all("_grist_Pages").map((page) => integer(page["viewRef"])));
  const pages = metadata
    .all("_grist_Views")
    .filter((view) => !paged.has(view.id))
    .map((view) => ({
      viewRef: view.id,
      name: placed.get(view.id) ?? text(view["name"]),
      // A table's primary view precedes its other views.
      rank: placed.has(view.id) ? view.id : -1,
    }))
    .sort((a, b) => compareText(a.name, b.name) || a.rank - b.rank);
  let pagePos = paged.size;
  for (const { viewRef } of pages) {
    pagePos++;
    metadata.add("_grist_Pages", { viewRef, pagePos, indentation: placed.has(viewRef) ? 1 : 0 });
  }
}

/** 26: every table with a primary view gets a raw data section. */
export function addRawSections(metadata: MetadataRows): void {
  const names = new Map(metadata.all("_grist_Views").map((view) => [view.id, text(view["name"])]));
  for (const table of tablesByName(metadata)) {
    const title = names.get(integer(table["primaryViewId"]));
    if (title !== undefined && integer(table["rawViewSectionRef"]) === 0) addRawSection(metadata, table, title);
  }
}

/** 30: summaries get raw data sections as well. */
export function addRawSectionsOfSummaries(metadata: MetadataRows): void {
  for (const table of tablesByName(metadata)) {
    if (integer(table["summarySourceTable"]) !== 0 && integer(table["rawViewSectionRef"]) === 0) {
      addRawSection(metadata, table, "");
    }
  }
}

/** 40: all tables except summaries get a record card. */
export function addRecordCards(metadata: MetadataRows): void {
  for (const table of tablesByName(metadata)) {
    if (integer(table["summarySourceTable"]) !== 0 || integer(table["rawViewSectionRef"]) === 0) continue;
    if (integer(table["recordCardViewSectionRef"]) !== 0) continue;
    const recordCardViewSectionRef = addSection(metadata, table, { parentKey: "single", title: "" });
    metadata.update("_grist_Tables", table.id, { recordCardViewSectionRef });
  }
}

function addRawSection(metadata: MetadataRows, table: MetadataRow, title: string): void {
  const rawViewSectionRef = addSection(metadata, table, { parentKey: "record", title });
  metadata.update("_grist_Tables", table.id, { rawViewSectionRef });
}

/** Adds a section outside of views, with a field for each visible column. */
function addSection(metadata: MetadataRows, table: MetadataRow, section: { parentKey: string; title: string }): number {
  const ref = metadata.add("_grist_Views_section", {
    tableRef: table.id,
    parentId: 0,
    defaultWidth: 100,
    borderWidth: 1,
    ...section,
  });
  const columns = metadata
    .all("_grist_Tables_column")
    .filter((column) => column["parentId"] === table.id && isVisible(text(column["colId"])))
    .sort((a, b) => position(a["parentPos"]) - position(b["parentPos"]) || a.id - b.id);
  for (const column of columns) {
    const place = { parentId: ref, parentPos: position(column["parentPos"]) };
    metadata.add("_grist_Views_section_field", { ...place, colRef: column.id });
  }
  return ref;
}

const isVisible = (columnId: string): boolean =>
  columnId !== "id" && columnId !== "manualSort" && !columnId.startsWith("gristHelper_") && !columnId.startsWith("#");

const tablesByName = (metadata: MetadataRows): MetadataRow[] =>
  metadata.all("_grist_Tables").sort((a, b) => compareText(text(a["tableId"]), text(b["tableId"])));

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
