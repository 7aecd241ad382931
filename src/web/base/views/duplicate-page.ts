/**
 * The actions that duplicate a page. The new records have ids that are known beforehand, since layouts name sections and
 * fields in their texts: the bundle is refused if another client has taken an id meanwhile.
 */
import type { RecordJson } from "../table-data.ts";
import { integerOf, textOf } from "./metadata-values.ts";
import type { EditAction } from "./page-edits.ts";

/** The records of a page. */
export interface PageRecords extends CopiedSections {
  readonly view: RecordJson;
}

export interface CopiedSections {
  readonly sections: readonly RecordJson[];
  readonly fields: readonly RecordJson[];
  readonly filters: readonly RecordJson[];
}

export interface CopyOptions extends SectionCopyOptions {
  readonly name: string;
  readonly firstIds: SectionCopyOptions["firstIds"] & { readonly view: number };
}

export interface SectionCopyOptions {
  /** An unused row id of each table; so are all higher ones. */
  readonly firstIds: Readonly<Record<"section" | "field" | "filter", number>>;
  /** The columns of the tables that the page shows: those of the conditional styles of fields are copied, too. */
  readonly columns: readonly RuleColumn[];
  /** Ids of tables by their row ids. */
  readonly tableIds: ReadonlyMap<number, string>;
}

export interface RuleColumn {
  readonly ref: number;
  readonly tableRef: number;
  readonly id: string;
  readonly formula: string;
}

const SECTION_TEXTS = ["parentKey", "title", "description", "theme", "chartType", "options", "sortColRefs"] as const;

/** The copy is the last page, at the top level. Forms on it are drafts. */
export function duplicatePage({ view, ...copied }: PageRecords, options: CopyOptions): EditAction[] {
  const { name, firstIds } = options;
  const newSections = numbered(copied.sections, firstIds.section);
  const layoutSpec = translateLeaves(textOf(view.fields["layoutSpec"]), newSections);
  return [
    ["AddRecord", "_grist_Views", firstIds.view, { name, type: "empty", layoutSpec }],
    ["AddRecord", "_grist_TabBar", null, { viewRef: firstIds.view }],
    ["AddRecord", "_grist_Pages", null, { viewRef: firstIds.view, indentation: 0 }],
    ...copySections(copied, firstIds.view, options),
  ];
}

/**
 * The actions that copy sections to a page. Links to sections that are not copied stay on their page, and end on others.
 */
export function copySections(
  { sections, fields, filters }: CopiedSections,
  view: number,
  options: SectionCopyOptions,
): EditAction[] {
  const { firstIds } = options;
  const newSections = numbered(sections, firstIds.section);
  const ordered = fields.toSorted((a, b) => positionOf(a) - positionOf(b) || a.id - b.id);
  const newFields = numbered(ordered, firstIds.field);
  const actions: EditAction[] = [
    ...bulkAdd("_grist_Views_section", newSections, sections, (section) =>
      copySection(section, { view, newSections, newFields }),
    ),
    ...bulkAdd("_grist_Views_section_field", newFields, ordered, ({ fields: field }) => ({
      parentId: newSections.get(integerOf(field["parentId"])) ?? 0,
      colRef: integerOf(field["colRef"]),
      width: integerOf(field["width"]),
      widgetOptions: textOf(field["widgetOptions"]),
      displayCol: integerOf(field["displayCol"]),
      visibleCol: integerOf(field["visibleCol"]),
    })),
    ...bulkAdd(
      "_grist_Filters",
      numbered(filters, firstIds.filter),
      filters,
      ({ fields: { viewSectionRef, colRef, filter, pinned } }) => ({
        viewSectionRef: newSections.get(integerOf(viewSectionRef)) ?? 0,
        colRef: integerOf(colRef),
        filter: textOf(filter),
        pinned: pinned === true,
      }),
    ),
  ];
  return [...actions, ...copyRules(ordered, newFields, options)];
}

interface Copies {
  readonly view: number;
  readonly newSections: ReadonlyMap<number, number>;
  readonly newFields: ReadonlyMap<number, number>;
}

function copySection({ fields }: RecordJson, { view, newSections, newFields }: Copies): Record<string, unknown> {
  const former = integerOf(fields["linkSrcSectionRef"]);
  const source = newSections.get(former) ?? (integerOf(fields["parentId"]) === view ? former : 0);
  return {
    parentId: view,
    tableRef: integerOf(fields["tableRef"]),
    ...Object.fromEntries(SECTION_TEXTS.map((column) => [column, textOf(fields[column])])),
    defaultWidth: integerOf(fields["defaultWidth"]),
    borderWidth: integerOf(fields["borderWidth"]),
    layoutSpec: translateLeaves(textOf(fields["layoutSpec"]), newFields),
    linkSrcSectionRef: source,
    linkSrcColRef: source === 0 ? 0 : integerOf(fields["linkSrcColRef"]),
    linkTargetColRef: source === 0 ? 0 : integerOf(fields["linkTargetColRef"]),
    shareOptions: "",
  };
}

/** A conditional style belongs to one field: the copied field gets columns of its own, with the same formulas. */
function copyRules(
  fields: readonly RecordJson[],
  newFields: ReadonlyMap<number, number>,
  { columns, tableIds }: SectionCopyOptions,
): EditAction[] {
  const byRef = new Map(columns.map((column) => [column.ref, column]));
  const taken = new Map<number, Set<string>>();
  for (const { tableRef, id } of columns) {
    taken.set(tableRef, (taken.get(tableRef) ?? new Set<string>()).add(id.toLowerCase()));
  }
  return fields.flatMap((field) =>
    ruleRefs(field).flatMap((ref): EditAction[] => {
      const rule = byRef.get(ref);
      const table = rule && tableIds.get(rule.tableRef);
      if (!rule || table === undefined) return [];
      const id = unusedRuleId(taken.get(rule.tableRef) ?? new Set());
      return [
        ["AddEmptyRule", table, newFields.get(field.id), 0],
        ["ModifyColumn", table, id, { formula: rule.formula }],
      ];
    }),
  );
}

const ruleRefs = ({ fields: { rules } }: RecordJson): number[] =>
  Array.isArray(rules) && rules[0] === "L" ? rules.slice(1).map(integerOf) : [];

/** Returns the id that the server gives the next rule. */
function unusedRuleId(taken: Set<string>): string {
  const name = "gristHelper_ConditionalRule";
  for (let number = 1; ; number++) {
    const id = number === 1 ? name : `${name}${number}`;
    if (taken.has(id.toLowerCase())) continue;
    taken.add(id.toLowerCase());
    return id;
  }
}

/** Replaces the numbers in the leaves of a layout; leaves without a copy are removed. */
export function translateLeaves(layoutSpec: string, copies: ReadonlyMap<number, number>): string {
  if (layoutSpec === "") return "";
  try {
    const translate = (_key: string, value: unknown): unknown => {
      if (Array.isArray(value)) return value.filter((each) => each !== null);
      if (typeof value !== "object" || value === null || !("leaf" in value)) return value;
      const leaf = copies.get(Number(value.leaf));
      return leaf === undefined ? null : { ...value, leaf };
    };
    const translated: unknown = JSON.parse(layoutSpec, translate);
    return translated === null ? "" : JSON.stringify(translated);
  } catch {
    return "";
  }
}

const positionOf = ({ fields: { parentPos } }: RecordJson): number =>
  typeof parentPos === "number" ? parentPos : Number.MAX_VALUE;

const numbered = (records: readonly RecordJson[], first: number): Map<number, number> =>
  new Map(records.map(({ id }, index) => [id, first + index]));

function bulkAdd(
  table: string,
  ids: ReadonlyMap<number, number>,
  records: readonly RecordJson[],
  copy: (record: RecordJson) => Readonly<Record<string, unknown>>,
): EditAction[] {
  const rows = records.map(copy);
  const [first] = rows;
  if (!first) return [];
  const columns = Object.keys(first).map((name) => [name, rows.map((row) => row[name])]);
  return [["BulkAddRecord", table, [...ids.values()], Object.fromEntries(columns)]];
}
