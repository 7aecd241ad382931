import type { UserAction } from "../undo-manager.ts";
import type { TypeFields } from "./type-fields.ts";
import type { Column } from "./columns.ts";

/** The edited state of a column, and the user actions that apply it. */

/** Data column or formula column. */
export type ColumnKind = "data" | "formula";

export interface ColumnSettings {
  readonly label: string;
  readonly description: string;
  readonly base: string;
  readonly kind: ColumnKind;
  readonly formula: string;
}

/** A type conversion, in the form of the API. */
export interface Conversion {
  readonly type: string;
  readonly widgetOptions: string;
  readonly visibleCol: number;
}

/** Returns the conversion; null for formula columns, empty columns and unchanged types. */
export function conversionFor(
  column: Column,
  fields: TypeFields,
  settings: Pick<ColumnSettings, "base" | "kind">,
): Conversion | null {
  const type = `${settings.base}${fields.typeArgument()}`;
  if (settings.kind === "formula" || column.isEmpty || type === column.type.text) return null;
  const widgetOptions = JSON.stringify({ ...column.options, ...fields.options() });
  return { type, widgetOptions, visibleCol: fields.shows?.()?.ref ?? 0 };
}

/** Returns the user actions for one change; empty when nothing differs. */
export function actionsFor(
  column: Column,
  { table, fields, settings }: { table: string; fields: TypeFields; settings: ColumnSettings },
): UserAction[] {
  const conversion = conversionFor(column, fields, settings);
  const input: Record<string, unknown> = {};
  const type = `${settings.base}${fields.typeArgument()}`;
  const options = JSON.stringify({ ...column.options, ...fields.options() });
  const wasFormula = column.isFormula && !column.isEmpty;
  if (!conversion && type !== column.type.text) input["type"] = type;
  if (!conversion && options !== JSON.stringify(column.options)) input["widgetOptions"] = options;
  if (settings.kind === "formula" && (!wasFormula || settings.formula !== column.formula)) {
    Object.assign(input, { isFormula: true, formula: settings.formula });
  } else if (settings.kind === "data" && wasFormula) Object.assign(input, { isFormula: false, formula: "" });
  const shows = fields.shows?.();
  if (!conversion && shows !== undefined && (shows?.ref ?? 0) !== column.visibleRef) {
    input["visibleCol"] = shows?.ref ?? 0;
  }
  const actions: UserAction[] = [];
  const renames = fields.renames?.() ?? {};
  if (Object.keys(renames).length > 0) actions.push(["RenameChoices", table, column.id, renames]);
  if (Object.keys(input).length > 0) actions.push(["ModifyColumn", table, column.id, input]);
  if (conversion) {
    const { widgetOptions, visibleCol } = conversion;
    actions.push(["ConvertFromColumn", table, column.id, column.id, type, widgetOptions, visibleCol]);
  }
  if (shows !== undefined && (conversion || "visibleCol" in input || "type" in input)) {
    actions.push(["SetDisplayFormula", table, null, column.ref, shows ? `$${column.id}.${shows.id}` : ""]);
  }
  const described: Record<string, unknown> = {};
  if (settings.label !== column.label) described["label"] = settings.label;
  if (settings.description !== column.description) described["description"] = settings.description;
  if (Object.keys(described).length > 0) {
    actions.push(["UpdateRecord", "_grist_Tables_column", column.ref, described]);
  }
  return actions;
}
