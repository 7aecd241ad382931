import { replaceChildren, h, nameElement, type Child } from "../../../../base/client/dom.ts";
import { setBusy } from "../../../../base/client/focus.ts";
import { clearError, showError } from "../../../../base/client/problem.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { radioChoice } from "../../../../base/client/radio-choice.ts";
import { watchUnsaved } from "../../../../base/client/unsaved.ts";
import { askIfTooLarge } from "../all-rows/too-large.ts";
import type { UndoManager } from "../undo-manager.ts";
import { appearanceFields } from "./appearance-fields.ts";
import { actionsFor, changedOptions, columnKind, type ColumnKind, type ColumnSettings } from "./column-actions.ts";
import type { Column } from "./columns.ts";
import { actionsForField } from "./field-actions.ts";
import { fieldSettings } from "./field-settings.ts";
import type { FormulaFailure } from "./formula-errors.ts";
import { formulaField, type FormulaField } from "./formula-field.ts";
import { t } from "../../../../base/client/texts.ts";
import { typeName } from "../../../../base/type-names.ts";
import { HEADER_ROW } from "../../../../base/client/grid/selection.ts";
import { closePanel, openSidePanel } from "../../../../base/client/panel.ts";
import { duplicateNameHint } from "./duplicate-name-hint.ts";
import type { Sheet } from "../sheet.ts";
import { mergeRules } from "./merge-rules.ts";
import { applyRules } from "./apply-rules.ts";
import { ruleActions, storedStyles } from "./rule-actions.ts";
import { rulesField } from "./rules-field.ts";
import { triggerFields, type TriggerFields, triggerSettings } from "./trigger-fields.ts";
import { typeField } from "./type-field.ts";
import type { TypeFields } from "./type-fields.ts";
import type { ConversionPreview } from "./type-preview.ts";
import { showUndoToast } from "../undo-toast.ts";

export interface ColumnPanelOptions {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
  /** True for a column that was just added. */
  readonly isNew?: boolean;
  /** Whether the focus goes to the formula. */
  readonly startsInFormula?: boolean;
  /** Called when the panel is closed, or could not be opened. */
  readonly onClose?: () => void;
}

/** Shows a column in the side panel; editors can change it there. */
export async function openColumnPanel(column: Column, options: ColumnPanelOptions): Promise<void> {
  if (!(await closePanel())) return options.onClose?.();
  if (options.sheet.canEdit && !column.isGroupBy) openEditablePanel(column, options);
  else openReadonlyPanel(column, options);
  revealColumn(column, options.sheet);
}

/** Scrolls the column into view, beside the panel. */
function revealColumn({ ref }: Column, { grid, shown }: Sheet): void {
  const column = shown.findIndex((each) => each.ref === ref);
  if (column >= 0) grid.reveal({ row: HEADER_ROW, column });
}

function openEditablePanel(
  column: Column,
  { sheet, changes, isNew = false, startsInFormula = false, onClose }: ColumnPanelOptions,
): void {
  const opened = columnKind(column);
  const name = h("input", { type: "text", value: column.label, required: true, autocomplete: "off", maxlength: 1000 });
  const about = h("textarea", { rows: 2, class: "about" });
  about.value = column.description;
  const triggers = triggerFields(sheet, column);
  const formula = formulaField(sheet, column, { isReadonly: false, isTrigger: () => kind.value() === "trigger" });
  const kind = kindField(opened, { formula, triggers, isSummary: sheet.isSummary });
  const type = typeField(sheet, column, { kind: kind.value, onChange: () => showState() });
  const appearance = appearanceFields(column);
  const own = [column, ...sheet.columns.filter(({ ref }) => ref !== column.ref)];
  // Other windows may change the column meanwhile: only what is edited here is written.
  const current = () => sheet.columns.find(({ ref }) => ref === column.ref) ?? column;
  const rules = rulesField({ label: t("table.rules.title"), rules: column.rules, columns: own, place: sheet });
  let openedRules = column.rules;
  const mergedRules = () => {
    const edited = rules.value();
    return edited && mergeRules(openedRules, edited, current().rules);
  };
  const fields = (): TypeFields => {
    const ofType = type.fields();
    const styles = mergedRules();
    const ruleStyles = styles && { rulesOptions: storedStyles(styles) };
    const edited = () => changedOptions(column.options, { ...ofType.options(), ...appearance.options() });
    return { ...ofType, options: () => ({ ...edited(), ...ruleStyles }) };
  };
  const problem = h("div", { class: "problem-place" });
  const save = h("button", {}, t("table.save"));
  const cancel = h(
    "button",
    { type: "button", class: "plain", hidden: true, onclick: () => type.reset() },
    t("base.cancel"),
  );
  const form = h(
    "form",
    {},
    h("label", {}, t("table.column.name"), name),
    duplicateNameHint(name, { sheet, column }),
    h("p", { class: "hint" }, ...t.rich("table.column.id", { id: h("code", { translate: "no" }, column.id) })),
    h("label", {}, t("table.column.description"), about),
    kind.element,
    triggers.element,
    formula.element,
    fieldSettings(column, sheet.view.fieldOf(column.ref), {
      sheet,
      changes,
      reopen: () => void openColumnPanel(current(), { sheet, changes }),
    }),
    ...type.elements,
    appearance.element,
    rules.element,
    // Next to the button, which stays in view.
    h("footer", {}, type.preview.element, problem, h("div", { class: "bar" }, cancel, save)),
  );
  let isDirty = false;
  let isBusy = false;
  const showState = () => {
    const isConversion = type.conversion() !== null;
    replaceChildren(save, isConversion ? t("table.column.apply") : t("table.save"));
    cancel.hidden = !isConversion;
    save.disabled = type.preview.isMissing;
    setBusy(save, isBusy);
  };
  form.addEventListener("input", () => (isDirty = true));
  form.addEventListener("change", () => type.refresh());
  const currentSettings = (): ColumnSettings => ({
    label: name.value.trim(),
    description: about.value,
    base: type.baseType(),
    kind: kind.value(),
    formula: formula.field.text,
    triggers: { before: triggerSettings(sheet, column), now: triggers.value() },
  });
  let ruleCount = 0;
  const currentActions = () => {
    const owner = { table: sheet.table, ref: column.ref, columnIds: sheet.data.columns.map(({ id }) => id) };
    const { rules: stored, options } = current();
    const styles = mergedRules();
    ruleCount = (styles ?? stored).length;
    const actions = [
      ...(styles ? ruleActions(owner, stored, styles) : []),
      ...actionsFor({ ...column, options }, { table: sheet.table, fields: fields(), settings: currentSettings() }),
    ];
    return actionsForField(actions, sheet.view.fieldOf(column.ref), column);
  };
  const isComplete = () => current().rules.length === ruleCount;
  const hasChanges = () => isDirty && currentActions().length > 0;
  const stopWatching = watchUnsaved(hasChanges);
  const question = () => (type.conversion() ? t("table.column.discardType") : t("table.column.discard"));
  const unsaved = () => (hasChanges() ? question() : null);
  const focus = startsInFormula ? formula.field : undefined;
  const closed = () => {
    stopWatching();
    onClose?.();
  };
  const panel = openSidePanel(panelTitle(column), [form], { onClose: closed, unsaved, focus });
  if (opened !== "data") void formula.showErrors(column.id);
  void rules.showErrors();
  // Its name was just entered, and its formula is a placeholder.
  if (opened === "formula" && isNew) formula.field.select();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void run();
  });
  const run = async () => {
    if (isBusy) return;
    const settings = currentSettings();
    const converted = type.preview.latest;
    const actions = currentActions();
    clearError(problem);
    isBusy = true;
    showState();
    try {
      const converts = actions.some(([name]) => name === "ConvertFromColumn");
      const savesFirst = converts ? await askIfTooLarge(sheet.large, { filter: {}, columns: [column.id] }) : false;
      if (savesFirst === null) return;
      if (actions.length > 0) await applyRules({ sheet, changes }, { actions: currentActions, isComplete, savesFirst });
      const undoOptions = actions.length > 0 ? { sheet, changes, undone: () => sheet.reloadColumns() } : null;
      isDirty = false;
      const { id, rules: saved } = current();
      if (rules.value() !== null) rules.reset(saved);
      openedRules = saved;
      const failure = settings.kind !== "data" ? await formula.showErrors(id) : null;
      const ruleFailure = await rules.showErrors({ isFocusing: failure === null });
      const outcome = { converted, type: typeName(t, settings.base), failure, ruleFailure };
      const text = savedMessage(settings.label, outcome);
      if (undoOptions) showUndoToast(text, undoOptions);
      else showToast(text);
      if (failure !== null) formula.field.focus();
      else if (ruleFailure === null) panel.close();
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
  readonly failure: FormulaFailure | null;
  /** Of a conditional style. */
  readonly ruleFailure: FormulaFailure | null;
}

function savedMessage(label: string, { converted, type, failure, ruleFailure }: SaveOutcome): Child[] {
  const column = nameElement(label);
  if (failure !== null) {
    const { count, error } = failure;
    if (count === "all") return t.rich("table.column.savedFailsInAll", { column, error });
    return t.rich(failure.isMore ? "table.column.savedFailsInMany" : "table.column.savedFails", {
      column,
      count,
      error,
    });
  }
  if (ruleFailure !== null) return t.rich("table.rules.savedFails", { column, error: ruleFailure.error });
  if (!converted || converted.cells === 0) return t.rich("table.column.saved", { column });
  const { cells: count, converted: amount } = converted;
  return t.rich("table.column.savedConverted", { column, type, converted: amount, count });
}

const panelTitle = ({ name }: Column): Child[] => t.rich("table.column.title", { column: nameElement(name) });

interface KindParts {
  readonly formula: FormulaField;
  readonly triggers: TriggerFields;
  /** The columns of a summary are formulas. */
  readonly isSummary: boolean;
}

/** Data column, data column that a formula fills, or formula column: shows the fields of the chosen kind. */
function kindField(
  kind: ColumnKind,
  { formula, triggers, isSummary }: KindParts,
): { element: HTMLElement; value: () => ColumnKind } {
  const labels = new Map<ColumnKind, string>([
    ...(isSummary
      ? []
      : ([
          ["data", t("table.column.data")],
          ["trigger", t("table.column.trigger")],
        ] as const)),
    ["formula", t("table.column.formula")],
  ]);
  const show = (value: ColumnKind) => {
    formula.element.hidden = value === "data";
    triggers.element.hidden = value !== "trigger";
  };
  const onChange = (value: ColumnKind) => {
    show(value);
    formula.recheck();
  };
  const choice = radioChoice(labels, { value: kind, onChange });
  show(kind);
  const element = h("fieldset", { class: "kinds" }, h("legend", {}, t("table.column.kind")), ...choice.elements);
  return { element, value: choice.value };
}

/** For viewers, and for columns that summaries group by: the column's formula and its errors. */
function openReadonlyPanel(column: Column, { sheet, startsInFormula = false, onClose }: ColumnPanelOptions): void {
  const formula = formulaField(sheet, column, { isReadonly: true });
  const content = [
    h("p", { class: "quiet" }, typeName(t, column.type.base)),
    column.isGroupBy && h("p", { class: "quiet" }, t("table.column.groupBy")),
    column.description !== "" && h("p", { translate: "no" }, column.description),
    columnKind(column) === "trigger" && h("p", { class: "quiet" }, t("table.column.trigger")),
    column.formula !== "" && formula.element,
  ];
  openSidePanel(panelTitle(column), content, {
    focus: startsInFormula && column.formula !== "" ? formula.field : undefined,
    ...(onClose && { onClose }),
  });
  if (column.formula !== "") void formula.showErrors(column.id);
}
