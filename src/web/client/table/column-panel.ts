import { fill, h, newId } from "../base/dom.ts";
import { clearProblem, showProblem } from "../base/problem.ts";
import { toast } from "../base/toast.ts";
import { watchUnsaved } from "../base/unsaved.ts";
import type { Changes, UserAction } from "./changes.ts";
import { type TypeFields, typeFields } from "./column-options.ts";
import type { Column } from "./columns.ts";
import { formulaField, type FormulaField } from "./formula-field.ts";
import { typeName, TYPES } from "./heads.ts";
import { openPanel } from "./panel.ts";
import type { Sheet } from "./sheet.ts";

export interface ColumnPanelOptions {
  readonly sheet: Sheet;
  readonly changes: Changes;
}

type Kind = "data" | "formula";

/** Shows all about a column beside the grid; who may edit the document changes it there. */
export function openColumnPanel(column: Column, { sheet, changes }: ColumnPanelOptions): void {
  if (!sheet.mayEdit) return openReadonly(column, sheet);
  const isComputed = column.isFormula && !column.isEmpty;
  const name = h("input", { type: "text", value: column.label, required: true, autocomplete: "off", maxlength: 1000 });
  const about = h("textarea", { rows: 2, class: "about" });
  about.value = column.description;
  const bases = TYPES.some(({ base }) => base === column.type.base)
    ? TYPES
    : [...TYPES, { base: column.type.base, name: column.type.base }];
  const type = h(
    "select",
    {},
    ...bases.map(({ base, name: text }) => h("option", { value: base, selected: base === column.type.base }, text)),
  );
  const details = h("div", {});
  let fields: TypeFields = typeFields(column.type.base, sheet, column);
  const showFields = () => {
    fields = typeFields(type.value, sheet, column);
    fill(details, ...fields.elements);
  };
  fill(details, ...fields.elements);
  type.addEventListener("change", showFields);
  const formula = formulaField(sheet, column, { isReadonly: false });
  const kind = kindField(isComputed ? "formula" : "data", formula);
  const problem = h("div", { class: "problem-place" });
  const save = h("button", {}, "Save");
  const form = h(
    "form",
    {},
    h("label", {}, "Name", name),
    h("p", { class: "hint" }, "Known to formulas and programs as ", h("code", {}, column.id)),
    h("label", {}, "Type", type),
    details,
    kind.element,
    formula.element,
    h("label", {}, "Description", about),
    // With the button, which stays in view: further up nobody would see it.
    h("footer", {}, problem, save),
  );
  let isTouched = false;
  form.addEventListener("input", () => (isTouched = true));
  const stopWatching = watchUnsaved(() => isTouched);
  const panel = openPanel(`Column ${column.label}`, [form], stopWatching);
  if (isComputed) void formula.check(column.id);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void run();
  });
  const run = async () => {
    const wanted = {
      label: name.value.trim(),
      description: about.value,
      base: type.value,
      kind: kind.value(),
      formula: formula.area.value,
    };
    const actions = actionsFor(column, { sheet, fields, wanted });
    clearProblem(problem);
    save.disabled = true;
    try {
      if (actions.length > 0) await changes.apply(actions);
      isTouched = false;
      await sheet.reloadColumns();
      const now = sheet.columns.find(({ ref }) => ref === column.ref);
      if (now && now.id !== column.id) sheet.view.renamed(column.id, now.id);
      if (now && wanted.kind === "formula") await formula.check(now.id);
      const hasFailed = formula.area.getAttribute("aria-invalid") === "true" && wanted.kind === "formula";
      toast(`${wanted.label} was saved${hasFailed ? ", but its formula fails" : ""}.`);
      if (hasFailed) formula.area.focus();
      else panel.close();
    } catch (error) {
      showProblem(problem, error, { retry: () => form.requestSubmit() });
    } finally {
      save.disabled = false;
    }
  };
}

/** Whether people type into the cells, or a formula computes them. */
function kindField(kind: Kind, formula: FormulaField): { element: HTMLElement; value: () => Kind } {
  const name = newId("kind");
  const option = (value: Kind, label: string) => {
    const input = h("input", { type: "radio", name, value, checked: value === kind });
    input.addEventListener("change", show);
    return { input, element: h("label", {}, input, label) };
  };
  const show = () => (formula.element.hidden = !computed.input.checked);
  const data = option("data", "Typed in by people");
  const computed = option("formula", "Computed by a formula");
  show();
  const element = h("fieldset", { class: "kinds" }, h("legend", {}, "Cells are"), data.element, computed.element);
  return { element, value: () => (computed.input.checked ? "formula" : "data") };
}

interface Wanted {
  readonly label: string;
  readonly description: string;
  readonly base: string;
  readonly kind: Kind;
  readonly formula: string;
}

/** What brings the column to what is wanted; nothing where it is that already. */
function actionsFor(
  column: Column,
  { sheet, fields, wanted }: { sheet: Sheet; fields: TypeFields; wanted: Wanted },
): UserAction[] {
  const { table } = sheet;
  const input: Record<string, unknown> = {};
  const type = `${wanted.base}${fields.argument()}`;
  if (type !== column.type.text) input["type"] = type;
  const options = JSON.stringify({ ...column.options, ...fields.options() });
  if (options !== JSON.stringify(column.options)) input["widgetOptions"] = options;
  const wasFormula = column.isFormula && !column.isEmpty;
  if (wanted.kind === "formula" && (!wasFormula || wanted.formula !== column.formula)) {
    Object.assign(input, { isFormula: true, formula: wanted.formula });
  } else if (wanted.kind === "data" && wasFormula) Object.assign(input, { isFormula: false, formula: "" });
  const actions: UserAction[] = [];
  const shows = fields.shows?.();
  if (shows !== undefined && (shows?.ref ?? 0) !== column.visibleRef) input["visibleCol"] = shows?.ref ?? 0;
  if (Object.keys(input).length > 0) actions.push(["ModifyColumn", table, column.id, input]);
  if (shows !== undefined && ("visibleCol" in input || "type" in input)) {
    actions.push(["SetDisplayFormula", table, null, column.ref, shows ? `$${column.id}.${shows.id}` : ""]);
  }
  const told: Record<string, unknown> = {};
  if (wanted.label !== column.label) told["label"] = wanted.label;
  if (wanted.description !== column.description) told["description"] = wanted.description;
  if (Object.keys(told).length > 0) actions.push(["UpdateRecord", "_grist_Tables_column", column.ref, told]);
  return actions;
}

/** For those who only read: what the column computes, and what fails. */
function openReadonly(column: Column, sheet: Sheet): void {
  const formula = formulaField(sheet, column, { isReadonly: true });
  openPanel(`Column ${column.label}`, [
    h("p", { class: "quiet" }, typeName(column.type.base)),
    column.description !== "" && h("p", {}, column.description),
    column.isFormula && formula.element,
  ]);
  if (column.isFormula) void formula.check(column.id);
}
