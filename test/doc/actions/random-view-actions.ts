import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import type { TableInfo } from "../../../src/doc/schema.ts";
import type { Maker } from "./random-record-actions.ts";
import { setDisplayFormula } from "./random-table-actions.ts";
import { NAMES, OPTIONS, shown, type Source, TABLE_NAMES } from "./random-values.ts";

const VIEWS = "_grist_Views";
const SECTIONS = "_grist_Views_section";
const FIELDS = "_grist_Views_section_field";
const FILTERS = "_grist_Filters";
const PAGES = "_grist_Pages";

/** Actions on views, pages, sections, fields and filters, with their weights. */
export const VIEW_ACTIONS: readonly (readonly [weight: number, make: Maker])[] = [
  [2, addView],
  [1, (source) => ["RemoveView", source.id(VIEWS)]],
  [1, (source) => ["RemoveRecord", VIEWS, source.id(VIEWS)]],
  [1, (source) => ["UpdateRecord", VIEWS, source.id(VIEWS), { name: source.random.pick(NAMES) }]],
  [1, (source) => ["RemoveRecord", PAGES, source.id(PAGES)]],
  [3, pageRecord],
  [5, createSection],
  [5, createSummary],
  [3, removeSection],
  [4, sectionRecord],
  [5, updateSummary],
  [2, detachSummary],
  [4, fieldRecord],
  [2, addField],
  [2, (source) => ["RemoveRecord", FIELDS, source.id(FIELDS)]],
  [2, fieldDisplay],
  [3, addFilter],
  [2, (source) => ["UpdateRecord", FILTERS, source.id(FILTERS), filterText(source)]],
  [1, (source) => ["RemoveRecord", FILTERS, source.id(FILTERS)]],
];

/** A section or a field, with the table whose records it shows. */
interface Shown {
  readonly id: number;
  readonly table: TableInfo;
}

/** Returns a section with its table; rarely a built-in section, because these are protected. */
function section(source: Source, fits: (table: TableInfo) => boolean = () => true): Shown | undefined {
  const isOnPage = !source.random.oneIn(6);
  const sections = source.records(SECTIONS, "tableRef", "parentId").flatMap(({ id, values: [tableRef, parentId] }) => {
    const table = source.tables.find(({ ref }) => ref === tableRef);
    return table && fits(table) && Number(parentId) > 0 === isOnPage ? [{ id, table }] : [];
  });
  return source.random.pickAny(sections);
}

function removeSection(source: Source): UserAction | undefined {
  const found = section(source);
  return found && (source.random.oneIn(2) ? ["RemoveViewSection", found.id] : ["RemoveRecord", SECTIONS, found.id]);
}

const isSummary = ({ summarySourceTable }: TableInfo): boolean => summarySourceTable > 0;

function addView(source: Source): UserAction | undefined {
  const { random } = source;
  const table = source.table();
  return table && ["AddView", table.id, random.pick(["raw_data", "empty"]), random.pick(NAMES)];
}

function pageRecord(source: Source): UserAction {
  const { random } = source;
  const values = random.pick<Record<string, unknown>>([
    { indentation: random.below(3) },
    { pagePos: random.below(10) },
    { pagePos: 0.5, indentation: 0 },
    { options: '{"icon":"x"}' },
  ]);
  return ["UpdateRecord", PAGES, source.id(PAGES), values];
}

const KINDS = ["record", "single", "detail", "chart", "form", "custom", "custom.calendar"];

function createSection(source: Source): UserAction {
  const { random } = source;
  const view = random.oneIn(2) ? 0 : source.id(VIEWS);
  const table = random.oneIn(6) ? undefined : source.table();
  return ["CreateViewSection", table?.ref ?? 0, view, random.pick(KINDS), null, random.pick([null, ...TABLE_NAMES])];
}

/** Returns the group-by columns of a summary: few, because each multiplies the groups. */
const groups = ({ random }: Source, table: TableInfo): number[] =>
  random
    .some(shown(table), random.pick([2, 4]))
    .slice(0, 3)
    .map((column) => column.ref);

function createSummary(source: Source): UserAction | undefined {
  const { random } = source;
  const table = source.table();
  if (!table) return undefined;
  const view = random.oneIn(2) ? 0 : source.id(VIEWS);
  return ["CreateViewSection", table.ref, view, random.pick(["record", "chart"]), groups(source, table), null];
}

function updateSummary(source: Source): UserAction | undefined {
  const found = section(source, isSummary);
  const by = source.tables.find(({ ref }) => ref === found?.table.summarySourceTable);
  return found && by && ["UpdateSummaryViewSection", found.id, groups(source, by)];
}

function detachSummary(source: Source): UserAction | undefined {
  const found = section(source, source.random.oneIn(8) ? undefined : isSummary);
  return found && ["DetachSummaryViewSection", found.id];
}

function sectionRecord(source: Source): UserAction | undefined {
  const { random } = source;
  const found = section(source);
  if (!found) return undefined;
  const { id, table } = found;
  const column = random.pickAny(table.columns)?.ref ?? 0;
  const linked = section(source, ({ ref }) => ref === table.ref)?.id ?? 0;
  const values = random.pick<Record<string, unknown>>([
    { title: random.pick(TABLE_NAMES) },
    { description: "text", options: '{"numFrozen":1}' },
    { sortColRefs: `[${column}]` },
    { sortColRefs: `[-${column},"${column}:naturalSort"]` },
    { parentKey: random.pick(KINDS), chartType: "bar" },
    { layoutSpec: '{"children":[{"leaf":1}]}', theme: "form" },
    { linkSrcSectionRef: linked, linkSrcColRef: 0, linkTargetColRef: column },
    { linkSrcSectionRef: 0, linkSrcColRef: 0, linkTargetColRef: 0 },
    { rules: null },
  ]);
  return ["UpdateRecord", SECTIONS, id, values];
}

/** Returns a field with the table of its section. */
function field(source: Source): Shown | undefined {
  const record = source.record(FIELDS, "colRef");
  const table = source.tables.find(({ columns }) => columns.some(({ ref }) => ref === record?.values[0]));
  return record && table && { id: record.id, table };
}

function fieldRecord(source: Source): UserAction | undefined {
  const { random } = source;
  const found = field(source);
  if (!found) return undefined;
  const values = random.pick<Record<string, unknown>>([
    { width: 50 + random.below(200) },
    { parentPos: random.below(30) },
    { widgetOptions: random.pick(OPTIONS) },
    { filter: '{"included":["a"]}' },
    { visibleCol: random.pick([0, ...source.ids("_grist_Tables_column")]) },
    { displayCol: 0, visibleCol: 0 },
    { rules: null },
  ]);
  return ["UpdateRecord", FIELDS, found.id, values];
}

function addField(source: Source): UserAction | undefined {
  const { random } = source;
  const found = section(source);
  const column = random.pickAny(found?.table.columns ?? []);
  return (
    found &&
    column && ["AddRecord", FIELDS, null, { parentId: found.id, colRef: column.ref, parentPos: random.below(9) }]
  );
}

function fieldDisplay(source: Source): UserAction | undefined {
  const found = field(source);
  return found && setDisplayFormula(source, found.table, { field: found.id, column: null });
}

function addFilter(source: Source): UserAction | undefined {
  const found = section(source);
  const column = source.random.pickAny(found?.table.columns ?? []);
  return (
    found &&
    column && ["AddRecord", FILTERS, null, { viewSectionRef: found.id, colRef: column.ref, ...filterText(source) }]
  );
}

const filterText = ({ random }: Source): Record<string, unknown> => ({
  filter: random.pick(['{"included":["a",1]}', '{"excluded":["b"]}', '{"min":1}', "", "no JSON"]),
  pinned: random.oneIn(2),
});
