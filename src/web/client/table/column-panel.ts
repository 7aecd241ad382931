import { fill, h, newId } from "../base/dom.ts";
import { clearProblem, showProblem } from "../base/problem.ts";
import { toast } from "../base/toast.ts";
import { watchUnsaved } from "../base/unsaved.ts";
import type { Changes } from "./changes.ts";
import { actionsFor, type ColumnKind, type WantedColumn } from "./column-actions.ts";
import type { Column } from "./columns.ts";
import { formulaField, type FormulaField } from "./formula-field.ts";
import { typeName } from "../../type-names.ts";
import { leavePanel, openPanel } from "./panel.ts";
import { sameNameHint } from "./same-name.ts";
import type { Sheet } from "./sheet.ts";
import { typeField } from "./type-field.ts";
import { convertedText, type ConversionPreview } from "./type-preview.ts";
import { undoToast } from "./undo-toast.ts";

export interface ColumnPanelOptions {
  readonly sheet: Sheet;
  readonly changes: Changes;
}

/** Shows all about a column beside the grid; who may edit the document changes it there. */
export async function openColumnPanel(column: Column, options: ColumnPanelOptions): Promise<void> {
  if (!(await leavePanel())) return;
  if (options.sheet.mayEdit) openEditable(column, options);
  else openReadonly(column, options.sheet);
}

function openEditable(column: Column, { sheet, changes }: ColumnPanelOptions): void {
  const isComputed = column.isFormula && !column.isEmpty;
  const name = h("input", { type: "text", value: column.label, required: true, autocomplete: "off", maxlength: 1000 });
  const about = h("textarea", { rows: 2, class: "about" });
  about.value = column.description;
  const formula = formulaField(sheet, column, { isReadonly: false });
  const kind = kindField(isComputed ? "formula" : "data", formula);
  const type = typeField(sheet, column, { kind: kind.value, changed: () => showState() });
  const problem = h("div", { class: "problem-place" });
  const save = h("button", {}, "Save");
  const cancel = h("button", { type: "button", class: "plain", hidden: true, onclick: () => type.reset() }, "Cancel");
  const form = h(
    "form",
    {},
    h("label", {}, "Name", name),
    sameNameHint(name, { sheet, column }),
    h("p", { class: "hint" }, "Known to formulas and programs as ", h("code", {}, column.id)),
    ...type.elements,
    kind.element,
    formula.element,
    h("label", {}, "Description", about),
    // With the button, which stays in view: further up nobody would see it.
    h("footer", {}, type.preview.element, problem, h("div", { class: "bar" }, cancel, save)),
  );
  let isTouched = false;
  let isBusy = false;
  const showState = () => {
    const isConversion = type.conversion() !== null;
    fill(save, isConversion ? "Apply" : "Save");
    cancel.hidden = !isConversion;
    save.disabled = isBusy || type.preview.isMissing;
  };
  form.addEventListener("input", () => (isTouched = true));
  form.addEventListener("change", () => type.refresh());
  const wantedNow = (): WantedColumn => ({
    label: name.value.trim(),
    description: about.value,
    base: type.base(),
    kind: kind.value(),
    formula: formula.area.value,
  });
  const actionsNow = () => actionsFor(column, { table: sheet.table, fields: type.fields(), wanted: wantedNow() });
  const hasChanges = () => isTouched && actionsNow().length > 0;
  const stopWatching = watchUnsaved(hasChanges);
  const unsaved = () => (hasChanges() ? `Discard the ${type.conversion() ? "type change" : "changes"}?` : null);
  const panel = openPanel(`Column ${column.name}`, [form], { onClose: stopWatching, unsaved });
  if (isComputed) void formula.check(column.id);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void run();
  });
  const run = async () => {
    const wanted = wantedNow();
    const converted = type.preview.latest;
    const actions = actionsNow();
    clearProblem(problem);
    isBusy = true;
    showState();
    try {
      if (actions.length > 0) await changes.apply(actions);
      const told = actions.length > 0 ? { sheet, changes, undone: () => sheet.reloadColumns() } : null;
      isTouched = false;
      await sheet.reloadColumns();
      const now = sheet.columns.find(({ ref }) => ref === column.ref);
      if (now && now.id !== column.id) sheet.view.renamed(column.id, now.id);
      const failure = now && wanted.kind === "formula" ? await formula.check(now.id) : null;
      const text = savedText(wanted.label, { converted, type: typeName(wanted.base), failure });
      if (told) undoToast(text, told);
      else toast(text);
      if (failure === null) panel.close();
      else formula.area.focus();
    } catch (error) {
      showProblem(problem, error, { retry: () => form.requestSubmit() });
    } finally {
      isBusy = false;
      showState();
    }
  };
}

interface Outcome {
  readonly converted: ConversionPreview | null;
  readonly type: string;
  /** What fails, in words. */
  readonly failure: string | null;
}

function savedText(label: string, { converted, type, failure }: Outcome): string {
  if (failure !== null) return `${label} was saved, but its formula ${failure}`;
  if (!converted || converted.cells === 0) return `${label} was saved.`;
  return `${label} has the type ${type} now. ${convertedText(converted)} converted.`;
}

/** Whether people type into the cells, or a formula computes them. */
function kindField(kind: ColumnKind, formula: FormulaField): { element: HTMLElement; value: () => ColumnKind } {
  const name = newId("kind");
  const option = (value: ColumnKind, label: string) => {
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

/** For those who only read: what the column computes, and what fails. */
function openReadonly(column: Column, sheet: Sheet): void {
  const formula = formulaField(sheet, column, { isReadonly: true });
  openPanel(`Column ${column.name}`, [
    h("p", { class: "quiet" }, typeName(column.type.base)),
    column.description !== "" && h("p", {}, column.description),
    column.isFormula && formula.element,
  ]);
  if (column.isFormula) void formula.check(column.id);
}
