/** Migration steps of filters, access rules, webhooks, comments and the document's settings. */
import { ACCESS_ROWS } from "../create-document.ts";
import { type AddedMetadata, integer, jsonObject, type MetadataRow, type MetadataRows, text } from "./metadata-rows.ts";

/** 14: adds the rows that every document has in the tables of access rules; they have no effect. */
export function addAccessRows(metadata: MetadataRows): void {
  const empty = new Set(ACCESS_ROWS.map((row) => row.table).filter((table) => metadata.all(table).length === 0));
  for (const { table, id: _, ...row } of ACCESS_ROWS) if (empty.has(table)) metadata.add(table, row.values);
}

/** 15: moves the filters of a section to its fields. */
export function moveFiltersToFields(metadata: MetadataRows): void {
  const filters = new Map(
    metadata.all("_grist_Views_section").map((section) => [section.id, jsonObject(section["filterSpec"])]),
  );
  for (const field of metadata.all("_grist_Views_section_field")) {
    const filter = filters.get(integer(field["parentId"]))?.[String(integer(field["colRef"]))];
    if (filter !== undefined && text(field["filter"]) === "") {
      metadata.update("_grist_Views_section_field", field.id, { filter: JSON.stringify(filter) });
    }
  }
}

/** 25: moves filters from fields to a table. */
export function moveFiltersToTable(metadata: MetadataRows, added: AddedMetadata): void {
  if (!added.tables.has("_grist_Filters")) return;
  for (const field of metadata.all("_grist_Views_section_field")) {
    const filter = text(field["filter"]);
    if (filter === "") continue;
    metadata.add("_grist_Filters", {
      viewSectionRef: integer(field["parentId"]),
      colRef: integer(field["colRef"]),
      filter,
    });
  }
}

/** 34: filters that were always displayed become pinned. */
export function pinFilters(metadata: MetadataRows, added: AddedMetadata): void {
  if (!added.columns.has("_grist_Filters.pinned")) return;
  const shown = new Set(metadata.all("_grist_Tables").map((table) => integer(table["rawViewSectionRef"])));
  for (const section of metadata.all("_grist_Views_section")) {
    if (jsonObject(section["options"])?.["filterBar"]) shown.add(section.id);
  }
  for (const filter of metadata.all("_grist_Filters")) {
    const section = integer(filter["viewSectionRef"]);
    if (section !== 0 && shown.has(section)) metadata.update("_grist_Filters", filter.id, { pinned: true });
  }
}

/** 35: the comment of a rule's formula becomes its memo. */
export function takeMemosFromFormulas(metadata: MetadataRows, added: AddedMetadata): void {
  if (!added.columns.has("_grist_ACLRules.memo")) return;
  for (const rule of metadata.all("_grist_ACLRules")) {
    const memo = comment(text(rule["aclFormulaParsed"]));
    if (memo !== undefined) metadata.update("_grist_ACLRules", rule.id, { memo });
  }
}

/** Returns the text of `["Comment", formula, text]`. */
function comment(parsed: string): string | undefined {
  if (!parsed.startsWith("[")) return undefined;
  try {
    const [kind, , memo] = JSON.parse(parsed) as unknown[];
    return kind === "Comment" && typeof memo === "string" ? memo : undefined;
  } catch {
    return undefined;
  }
}

/** 39: webhooks could not be disabled before. */
export function enableTriggers(metadata: MetadataRows, added: AddedMetadata): void {
  if (!added.columns.has("_grist_Triggers.enabled")) return;
  for (const trigger of metadata.all("_grist_Triggers")) {
    metadata.update("_grist_Triggers", trigger.id, { enabled: true });
  }
}

/** 45: the time of a comment and whether it is resolved move out of its content. */
export function moveCommentTimes(metadata: MetadataRows, added: AddedMetadata): void {
  if (!added.columns.has("_grist_Cells.timeCreated")) return;
  for (const cell of metadata.all("_grist_Cells")) {
    const content = jsonObject(cell["content"]);
    if (!content) continue;
    const { timeCreated, timeUpdated, resolved, ...others } = content;
    metadata.update("_grist_Cells", cell.id, {
      timeCreated: wholeSeconds(timeCreated),
      timeUpdated: wholeSeconds(timeUpdated),
      resolved: resolved === true,
      content: JSON.stringify(others),
    });
  }
}

const wholeSeconds = (ms: unknown): number => (typeof ms === "number" ? Math.floor(ms / 1000) : 0);

/** 18: documents had no time zone before; this was the server's. */
export function setTimezone(metadata: MetadataRows): void {
  updateInfo(metadata, (info) => (text(info["timezone"]) === "" ? { timezone: "America/New_York" } : {}));
}

/** 23: documents had no locale before; this was the format in use. */
export function setLocale(metadata: MetadataRows): void {
  updateInfo(metadata, (info) =>
    text(info["documentSettings"]) === "" ? { documentSettings: JSON.stringify({ locale: "en-US" }) } : {},
  );
}

function updateInfo(metadata: MetadataRows, change: (info: MetadataRow) => Record<string, string>): void {
  for (const info of metadata.all("_grist_DocInfo")) {
    const values = change(info);
    if (Object.keys(values).length > 0) metadata.update("_grist_DocInfo", info.id, values);
  }
}
