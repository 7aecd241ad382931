import type { UserAction } from "../undo-manager.ts";
import type { TypeFields } from "./type-fields.ts";
import type { Column } from "./columns.ts";
import { isSameTrigger, type TriggerSettings } from "./trigger-fields.ts";

/** The edited state of a column, and the user actions that apply it. */

/** Data column, data column that a formula fills, or formula column. */
export type ColumnKind = "data" | "trigger" | "formula";

export function columnKind({
  isFormula,
  isEmpty,
  formula,
}: Pick<Column, "isFormula" | "isEmpty" | "formula">): ColumnKind {
  if (isFormula) return isEmpty ? "data" : "formula";
  return formula === "" ? "data" : "trigger";
}

export interface ColumnSettings {
  readonly label: string;
  readonly description: string;
  readonly base: string;
  readonly kind: ColumnKind;
  readonly formula: string;
  /** When the formula of a data column runs: before, and now. */
  readonly triggers: { readonly before: TriggerSettings; readonly now: TriggerSettings };
}

/** A type conversion, in the form of the API. */
export interface Conversion {
  readonly type: string;
  readonly widgetOptions: string;
  readonly visibleCol: number;
  readonly matchCol?: number;
  readonly addMissing?: boolean;
}

/** Returns the options that differ from the former ones; undefined removes one. */
export const changedOptions = (
  before: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(now).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key])),
  );

/** Returns the conversion; null for formula columns, empty columns and unchanged types. */
export function conversionFor(
  column: Column,
  fields: TypeFields,
  settings: Pick<ColumnSettings, "base" | "kind">,
): Conversion | null {
  const type = `${settings.base}${fields.typeArgument()}`;
  if (settings.kind === "formula" || column.isEmpty || type === column.type.text) return null;
  const widgetOptions = JSON.stringify({ ...column.options, ...fields.options() });
  const matchCol = fields.matchesBy?.()?.ref;
  return {
    type,
    widgetOptions,
    visibleCol: fields.shows?.()?.ref ?? 0,
    ...(matchCol !== undefined && { matchCol }),
    ...(fields.addsMissing?.() === true && { addMissing: true }),
  };
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
  if (!conversion && type !== column.type.text) input["type"] = type;
  if (!conversion && options !== JSON.stringify(column.options)) input["widgetOptions"] = options;
  Object.assign(input, formulaChanges(column, settings));
  const shows = fields.shows?.();
  if (!conversion && shows !== undefined && (shows?.ref ?? 0) !== column.visibleRef) {
    input["visibleCol"] = shows?.ref ?? 0;
  }
  const reverse = settings.kind !== "formula" ? fields.reverse?.() : null;
  // An empty column becomes a data column, as by its first input.
  if (column.isEmpty && reverse) input["isFormula"] = false;
  const actions: UserAction[] = [];
  if (reverse?.stops) actions.push(["ModifyColumn", table, column.id, { reverseCol: 0 }]);
  const renames = fields.renames?.() ?? {};
  if (Object.keys(renames).length > 0) actions.push(["RenameChoices", table, column.id, renames]);
  if (Object.keys(input).length > 0) actions.push(["ModifyColumn", table, column.id, input]);
  if (conversion) {
    const { widgetOptions, visibleCol, matchCol = visibleCol, addMissing = false } = conversion;
    actions.push(["ConvertFromColumn", table, column.id, column.id, type, widgetOptions, matchCol, addMissing]);
    if (matchCol !== visibleCol) actions.push(["ModifyColumn", table, column.id, { visibleCol }]);
  }
  if (shows !== undefined && (conversion || "visibleCol" in input || "type" in input)) {
    actions.push(["SetDisplayFormula", table, null, column.ref, shows ? `$${column.id}.${shows.id}` : ""]);
  }
  // Before a new label, which may change the id of the column.
  if (reverse && reverse.adds !== null) actions.push(["AddReverseColumn", table, column.id, reverse.adds || null]);
  const described: Record<string, unknown> = {};
  if (settings.label !== column.label) described["label"] = settings.label;
  if (settings.description !== column.description) described["description"] = settings.description;
  if (Object.keys(described).length > 0) {
    actions.push(["UpdateRecord", "_grist_Tables_column", column.ref, described]);
  }
  return actions;
}

/** Returns the fields that make a column data, data that a formula fills, or a formula; none when nothing differs. */
function formulaChanges(column: Column, { kind, formula, triggers: { before, now } }: ColumnSettings): object {
  const former = columnKind(column);
  if (kind === "data") return former === "data" ? {} : { isFormula: false, formula: "" };
  const isSame = former === kind && formula === column.formula;
  if (kind === "formula") return isSame ? {} : { isFormula: true, formula };
  if (isSame && isSameTrigger(before, now)) return {};
  const { recalcWhen, deps } = now;
  return { isFormula: false, formula, recalcWhen, recalcDeps: deps && ["L", ...deps] };
}
