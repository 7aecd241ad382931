/** Checks pages, sections, fields, filters and shares: what a document shows, and how. */
import { integer, jsonObject, type MetadataRow, position, text } from "./migrations/metadata-rows.ts";

/** Returns the rows of a metadata table, in the order of their ids. */
export type ReadRows = (table: string) => readonly MetadataRow[];

/** Finds records that contradict each other, or miss what they belong to. */
export function findViewProblems(rows: ReadRows): string[] {
  return [
    ...findBuiltInSectionProblems(rows),
    ...findFieldProblems(rows),
    ...findPageProblems(rows),
    ...findShareProblems(rows),
  ];
}

/** Finds settings that programs ignore, or that they read in different ways. A document with them is valid. */
export function findViewNotices(rows: ReadRows): string[] {
  return [
    ...findPageNotices(rows),
    ...findLayoutNotices(rows),
    ...findSectionNotices(rows),
    ...findLinkNotices(rows),
    ...findFilterNotices(rows),
  ];
}

const SECTIONS = "_grist_Views_section";
const FIELDS = "_grist_Views_section_field";

const byId = (list: readonly MetadataRow[]): ReadonlyMap<number, MetadataRow> =>
  new Map(list.map((row) => [row.id, row]));

function findBuiltInSectionProblems(rows: ReadRows): string[] {
  const problems: string[] = [];
  const sections = byId(rows(SECTIONS));
  for (const table of rows("_grist_Tables")) {
    for (const kind of ["rawViewSectionRef", "recordCardViewSectionRef"]) {
      const section = sections.get(integer(table[kind]));
      if (section && section["tableRef"] !== table.id) {
        problems.push(`Table ${text(table["tableId"])}: ${kind} is a section of another table.`);
      }
    }
  }
  return problems;
}

function findFieldProblems(rows: ReadRows): string[] {
  return findForeignColumns(rows, { table: FIELDS, owner: "parentId" }).map(
    ({ id }) => `${FIELDS} ${id}: its column is of another table than its section.`,
  );
}

/** Returns the records whose section and column exist, and belong to different tables. */
function findForeignColumns(
  rows: ReadRows,
  { table, owner }: { readonly table: string; readonly owner: string },
): MetadataRow[] {
  const sections = byId(rows(SECTIONS));
  const columns = byId(rows("_grist_Tables_column"));
  return rows(table).filter((row) => {
    const section = sections.get(integer(row[owner]));
    const column = columns.get(integer(row["colRef"]));
    return section && column && column["parentId"] !== section["tableRef"];
  });
}

function findPageProblems(rows: ReadRows): string[] {
  const problems: string[] = [];
  const paged = new Set<number>();
  for (const page of rows("_grist_Pages")) {
    const view = integer(page["viewRef"]);
    if (view > 0 && paged.has(view)) problems.push(`_grist_Pages ${page.id}: another page shows the same view.`);
    paged.add(view);
  }
  return problems;
}

/** A link id is that of one share, and options decide whether the link works. */
function findShareProblems(rows: ReadRows): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const share of rows("_grist_Shares")) {
    const link = text(share["linkId"]);
    if (seen.has(link)) problems.push(`_grist_Shares ${share.id}: another share has the same linkId.`);
    seen.add(link);
    if (!isEmptyOrObject(share["options"]))
      problems.push(`_grist_Shares ${share.id}: its options are not a JSON object.`);
  }
  return problems;
}

function findPageNotices(rows: ReadRows): string[] {
  const notices: string[] = [];
  const pages = rows("_grist_Pages").toSorted((a, b) => {
    const [first, second] = [position(a["pagePos"]), position(b["pagePos"])];
    return first === second ? a.id - b.id : first - second;
  });
  let deepest = 0;
  for (const page of pages) {
    if (integer(page["viewRef"]) === 0) notices.push(`_grist_Pages ${page.id}: it has no view.`);
    const depth = integer(page["indentation"]);
    if (depth < 0 || depth > deepest) {
      notices.push(`_grist_Pages ${page.id}: its indentation is ${depth}; at most ${deepest} is possible there.`);
    }
    deepest = Math.max(0, Math.min(depth, deepest)) + 1;
  }
  return notices;
}

/** Leaves of a page's layout are its sections; leaves of a card or form are its fields. */
function findLayoutNotices(rows: ReadRows): string[] {
  const notices: string[] = [];
  const check = (table: string, members: ReadonlyMap<number, readonly MetadataRow[]>, kind: string): void => {
    for (const row of rows(table)) {
      if (!isEmptyOrObject(row["layoutSpec"])) {
        notices.push(`${table} ${row.id}: its layoutSpec is not a JSON object.`);
        continue;
      }
      const known = new Set((members.get(row.id) ?? []).map(({ id }) => id));
      const foreign = leavesOf(jsonObject(row["layoutSpec"]) ?? {}).filter((leaf) => !known.has(leaf));
      for (const leaf of new Set(foreign)) {
        notices.push(`${table} ${row.id}: its layoutSpec contains ${leaf}, which is not a ${kind} of it.`);
      }
    }
  };
  const sections = Map.groupBy(rows(SECTIONS), (section) => integer(section["parentId"]));
  const fields = Map.groupBy(rows(FIELDS), (field) => integer(field["parentId"]));
  check("_grist_Views", sections, "section");
  check(SECTIONS, fields, "field");
  return notices;
}

/** Returns all leaves of a layout, also of its tray. Layouts of forms have boxes of the same form. */
function leavesOf(layout: Readonly<Record<string, unknown>>): number[] {
  const leaves: number[] = [];
  // A file may nest boxes deeper than the stack of calls.
  const pending: unknown[] = [layout];
  for (let box = pending.pop(); box !== undefined; box = pending.pop()) {
    if (typeof box !== "object" || box === null) continue;
    const { leaf, children, collapsed } = box as Record<string, unknown>;
    if (typeof leaf === "number") leaves.push(leaf);
    for (const inner of [children, collapsed]) if (Array.isArray(inner)) for (const item of inner) pending.push(item);
  }
  return leaves.toSorted((a, b) => a - b);
}

function findSectionNotices(rows: ReadRows): string[] {
  const notices: string[] = [];
  const columns = byId(rows("_grist_Tables_column"));
  for (const section of rows(SECTIONS)) {
    const report = (notice: string) => notices.push(`${SECTIONS} ${section.id}: ${notice}.`);
    if (text(section["parentKey"]) === "") report("it has no kind");
    if (!isEmptyOrObject(section["options"])) report("its options are not a JSON object");
    if (!isEmptyOrObject(section["shareOptions"])) report("its shareOptions are not a JSON object");
    const order = sortedColumns(section["sortColRefs"]);
    if (!order) report("its sortColRefs are not a JSON list of columns");
    for (const ref of order ?? []) {
      if (columns.get(ref)?.["parentId"] !== section["tableRef"])
        report(`it is sorted by ${ref}, which is not a column of its table`);
    }
  }
  return notices;
}

/** Returns the columns of a sort order; undefined if it cannot be read. */
function sortedColumns(value: MetadataRow[string] | undefined): number[] | undefined {
  const order = text(value).trim() === "" ? [] : parseJson(text(value));
  if (!Array.isArray(order)) return undefined;
  const refs = order.map((entry) => /^-?(\d+)(?::|$)/.exec(String(entry))?.[1]);
  return refs.every((ref) => ref !== undefined) ? refs.map(Number) : undefined;
}

function findLinkNotices(rows: ReadRows): string[] {
  const notices: string[] = [];
  const sections = byId(rows(SECTIONS));
  const columns = byId(rows("_grist_Tables_column"));
  const sourceOf = (section: MetadataRow) => sections.get(integer(section["linkSrcSectionRef"]));
  /** A link that only moves the cursor, so that a cycle comes to rest. */
  const movesCursor = (section: MetadataRow, source: MetadataRow): boolean => {
    if (integer(section["linkTargetColRef"]) > 0) return false;
    const column = columns.get(integer(section["linkSrcColRef"]));
    return column ? text(column["type"]).startsWith("Ref:") : section["tableRef"] === source["tableRef"];
  };
  const filters = new Set<number>();
  for (const section of sections.values()) {
    const source = sourceOf(section);
    if (!source) continue;
    if (source["parentId"] !== section["parentId"]) {
      notices.push(`${SECTIONS} ${section.id}: it is linked to section ${source.id} of another page.`);
    }
    if (!movesCursor(section, source)) filters.add(section.id);
  }
  const visited = new Set<number>();
  for (const first of sections.values()) {
    const path: number[] = [];
    let section: MetadataRow | undefined = first;
    while (section && !visited.has(section.id)) {
      visited.add(section.id);
      path.push(section.id);
      section = sourceOf(section);
    }
    const cycle = section && path.includes(section.id) ? path.slice(path.indexOf(section.id)) : [];
    if (cycle.some((id) => filters.has(id))) {
      notices.push(`${SECTIONS} ${cycle.toSorted((a, b) => a - b).join(", ")}: they are linked in a cycle.`);
    }
  }
  return notices;
}

function findFilterNotices(rows: ReadRows): string[] {
  const notices: string[] = [];
  const foreign = new Set(findForeignColumns(rows, { table: "_grist_Filters", owner: "viewSectionRef" }));
  for (const filter of rows("_grist_Filters")) {
    const report = (notice: string) => notices.push(`_grist_Filters ${filter.id}: ${notice}.`);
    // Some programs left filters behind when they removed a section.
    if (integer(filter["viewSectionRef"]) === 0) report("it has no section");
    if (integer(filter["colRef"]) === 0) report("it has no column");
    if (foreign.has(filter)) report("its column is of another table than its section");
    if (!isEmptyOrObject(filter["filter"])) report("its filter is not a JSON object");
  }
  return notices;
}

/** Tells whether a cell is not set, or the text of a JSON object. `null` is how some programs store that it is not set. */
function isEmptyOrObject(value: MetadataRow[string] | undefined): boolean {
  if (text(value).trim() === "") return true;
  const parsed = parseJson(text(value));
  return typeof parsed === "object" && !Array.isArray(parsed);
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
