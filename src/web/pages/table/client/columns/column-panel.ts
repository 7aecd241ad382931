import { replaceChildren, h, newId } from "../../../../base/client/dom.ts";
import { clearError, showError } from "../../../../base/client/problem.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { watchUnsaved } from "../../../../base/client/unsaved.ts";
import type { UndoManager } from "../undo-manager.ts";
import { actionsFor, type ColumnKind, type ColumnSettings } from "./column-actions.ts";
import type { Column } from "./columns.ts";
import { formulaField, type FormulaField } from "./formula-field.ts";
import { typeName } from "../../../../base/type-names.ts";
import { closePanel, openSidePanel } from "../side-panel.ts";
import { duplicateNameHint } from "./duplicate-name-hint.ts";
import type { Sheet } from "../sheet.ts";
import { typeField } from "./type-field.ts";
import { convertedText, type ConversionPreview } from "./type-preview.ts";
import { showUndoToast } from "../undo-toast.ts";

export interface ColumnPanelOptions {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
}

/** Shows a column in the side panel; editors can change it there. */
export async function openColumnPanel(column: Column, options: ColumnPanelOptions): Promise<void> {
  if (!(await closePanel())) return;
  if (options.sheet.canEdit) openEditablePanel(column, options);
  else openReadonlyPanel(column, options.sheet);
}

function openEditablePanel(column: Column, { sheet, changes }: ColumnPanelOptions): void {
  const isComputed = column.isFormula && !column.isEmpty;
  const name = h("input", { type: "text", value: column.label, required: true, autocomplete: "off", maxlength: 1000 });
  const about = h("textarea", { rows: 2, class: "about" });
  about.value = column.description;
  const formula = formulaField(sheet, column, { isReadonly: false });
  const kind = kindField(isComputed ? "formula" : "data", formula);
  const type = typeField(sheet, column, { kind: kind.value, onChange: () => showState() });
  const problem = h("div", { class: "problem-place" });
  const save = h("button", {}, "Save");
  const cancel = h("button", { type: "button", class: "plain", hidden: true, onclick: () => type.reset() }, "Cancel");
  const form = h(
    "form",
    {},
    h("label", {}, "Name", name),
    duplicateNameHint(name, { sheet, column }),
    h("p", { class: "hint" }, "Id in formulas and the API: ", h("code", {}, column.id)),
    ...type.elements,
    kind.element,
    formula.element,
    h("label", {}, "Description", about),
    // Next to the button, which stays in view.
    h("footer", {}, type.preview.element, problem, h("div", { class: "bar" }, cancel, save)),
  );
  let isDirty = false;
  let isBusy = false;
  const showState = () => {
    const isConversion = type.conversion() !== null;
    replaceChildren(save, isConversion ? "Apply" : "Save");
    cancel.hidden = !isConversion;
    save.disabled = isBusy || type.preview.isMissing;
  };
  form.addEventListener("input", () => (isDirty = true));
  form.addEventListener("change", () => type.refresh());
  const currentSettings = (): ColumnSettings => ({
    label: name.value.trim(),
    description: about.value,
    base: type.baseType(),
    kind: kind.value(),
    formula: formula.area.value,
  });
  const currentActions = () =>
    actionsFor(column, { table: sheet.table, fields: type.fields(), settings: currentSettings() });
  const hasChanges = () => isDirty && currentActions().length > 0;
  const stopWatching = watchUnsaved(hasChanges);
  const unsaved = () => (hasChanges() ? `Discard the ${type.conversion() ? "type change" : "changes"}?` : null);
  const panel = openSidePanel(`Column ${column.name}`, [form], { onClose: stopWatching, unsaved });
  if (isComputed) void formula.showErrors(column.id);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void run();
  });
  const run = async () => {
    const settings = currentSettings();
    const converted = type.preview.latest;
    const actions = currentActions();
    clearError(problem);
    isBusy = true;
    showState();
    try {
      if (actions.length > 0) await changes.apply(actions);
      const undoOptions = actions.length > 0 ? { sheet, changes, undone: () => sheet.reloadColumns() } : null;
      isDirty = false;
      await sheet.reloadColumns();
      const currentColumn = sheet.columns.find(({ ref }) => ref === column.ref);
      if (currentColumn && currentColumn.id !== column.id) sheet.view.renameColumn(column.id, currentColumn.id);
      const failure = currentColumn && settings.kind === "formula" ? await formula.showErrors(currentColumn.id) : null;
      const text = savedMessage(settings.label, { converted, type: typeName(settings.base), error: failure });
      if (undoOptions) showUndoToast(text, undoOptions);
      else showToast(text);
      if (failure === null) panel.close();
      else formula.area.focus();
    } catch (error) {
      showError(problem, error, { retry: () => form.requestSubmit() });
    } finally {
      isBusy = false;
      showState();
    }
  };
}

interface SaveOutcome {
  readonly converted: ConversionPreview | null;
  readonly type: string;
  /** The formula errors, in words. */
  readonly error: string | null;
}

function savedMessage(label: string, { converted, type, error }: SaveOutcome): string {
  if (error !== null) return `${label} was saved, but its formula ${error}`;
  if (!converted || converted.cells === 0) return `${label} was saved.`;
  return `The type of ${label} is now ${type}. ${convertedText(converted)} converted.`;
}

/** Data column or formula column. */
function kindField(kind: ColumnKind, formula: FormulaField): { element: HTMLElement; value: () => ColumnKind } {
  const name = newId("kind");
  const option = (value: ColumnKind, label: string) => {
    const input = h("input", { type: "radio", name, value, checked: value === kind });
    input.addEventListener("change", show);
    return { input, element: h("label", {}, input, label) };
  };
  const show = () => (formula.element.hidden = !computed.input.checked);
  const data = option("data", "Data");
  const computed = option("formula", "Formula");
  show();
  const element = h("fieldset", { class: "kinds" }, h("legend", {}, "Kind"), data.element, computed.element);
  return { element, value: () => (computed.input.checked ? "formula" : "data") };
}

/** For viewers: the column's formula and its errors. */
function openReadonlyPanel(column: Column, sheet: Sheet): void {
  const formula = formulaField(sheet, column, { isReadonly: true });
  openSidePanel(`Column ${column.name}`, [
    h("p", { class: "quiet" }, typeName(column.type.base)),
    column.description !== "" && h("p", {}, column.description),
    column.isFormula && formula.element,
  ]);
  if (column.isFormula) void formula.showErrors(column.id);
}
