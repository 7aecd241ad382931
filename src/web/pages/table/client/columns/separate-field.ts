/** The actions that give a column settings of its own in a section. */
import type { TablePageData } from "../../../../base/table-data.ts";
import { jsonObject } from "../../../../base/views/metadata-values.ts";
import type { StyleRule } from "../cells/conditional-styles.ts";
import type { ShownField } from "../view/shown-field.ts";
import { actionsForField } from "./field-actions.ts";
import { ruleActions } from "./rule-actions.ts";

type UserAction = readonly [name: string, ...args: unknown[]];

const FIELDS = "_grist_Views_section_field";

interface SeparateColumn {
  readonly id: string;
  readonly ref: number;
  readonly rules: readonly StyleRule[];
}

interface TableContent {
  readonly table: string;
  readonly data: Pick<TablePageData, "columns">;
}

/** Formulas that access rules hide cannot be copied. */
export const copiedRules = ({ rules }: Pick<SeparateColumn, "rules">): StyleRule[] =>
  rules.filter(({ columnId }) => columnId !== null);

/**
 * The field begins with the settings of its column. Conditional styles are formulas of their own: it gets copies of them. Former styles of
 * its own are removed.
 */
export function separateActions(
  column: SeparateColumn,
  field: ShownField,
  { table, data: { columns } }: TableContent,
): UserAction[] {
  const { rulesOptions: _, ...options } = jsonObject(field.columnOptions);
  const rules = copiedRules(column);
  const rulesOptions = rules.map(({ stored }) => stored ?? {});
  const widgetOptions = JSON.stringify({ ...options, ...(rules.length > 0 && { rulesOptions }) });
  const added = ruleActions({ table, ref: column.ref, columnIds: columns.map(({ id }) => id) }, [], rules);
  const listing = (colRef: number) => columns.find(({ fields }) => fields.colRef === colRef);
  const former = Array.isArray(field.rules) ? field.rules.slice(1).map((ref) => listing(Number(ref))?.id) : [];
  const { visibleCol } = field;
  const formula = listing(listing(column.ref)?.fields.displayCol ?? 0)?.fields.formula;
  // Other programs show ids of references in fields that do not name a column.
  const hasShown = visibleCol !== 0 && formula !== undefined;
  return [
    ["UpdateRecord", FIELDS, field.ref, { widgetOptions, ...(hasShown && { visibleCol }) }],
    ...(hasShown ? [["SetDisplayFormula", table, field.ref, null, formula] as const] : []),
    ...actionsForField(added, { ...field, hasOwnSettings: true }, column),
    // After the new ones, which would take their names.
    ...former.flatMap((id): UserAction[] => (id === undefined ? [] : [["RemoveColumn", table, id]])),
  ];
}
