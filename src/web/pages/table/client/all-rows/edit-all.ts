/** The dialog that changes a column in all rows of the view. */
import { formDialog } from "../../../../base/client/dialog.ts";
import { contentChildren, h, replaceChildren } from "../../../../base/client/dom.ts";
import { fieldErrorShown, formText, inputField, selectField } from "../../../../base/client/form-field.ts";
import { announce } from "../../../../base/client/announce.ts";
import { t } from "../../../../base/client/texts.ts";
import type { Column } from "../columns/columns.ts";
import type { CellEditor } from "../editors/cell-editor.ts";
import { createEditor } from "../editors/create-editor.ts";
import type { Sheet } from "../sheet.ts";
import { type AllRowsChange, type AllRowsOptions, emptyCells, runOnAllRows } from "./change-all.ts";

type Action = "set" | "clear" | "replace";

export interface EditAllOptions extends AllRowsOptions {
  /** Chosen at first; by default, that of the active cell. */
  readonly column?: Column | undefined;
}

export async function openEditAllRows(options: EditAllOptions): Promise<void> {
  const { sheet, changes } = options;
  const columns = sheet.shown.filter((each) => sheet.canEditCells(each));
  const [firstColumn] = columns;
  if (!firstColumn) return;
  const active = options.column ?? sheet.shown[sheet.grid.selection.active.column];
  const count = sheet.rowPages.totalCount;
  const fields = new EditFields(sheet, columns, columns.find(({ id }) => id === active?.id) ?? firstColumn);
  await formDialog({
    title: t("table.all.edit.title", { count }),
    content: [fields.element],
    action: t("table.all.edit.action", { count }),
    submit: async (form) => {
      const { column } = fields;
      const change = await fields.change(form);
      const message = (rows: number) => t("table.all.edited", { count: rows });
      const isDone = await runOnAllRows(change, { sheet, changes, count, columns: [column.id], message });
      // Cancelling a question leads back to the dialog, which has the input.
      if (!isDone) throw fieldErrorShown();
      if (column.isEmpty) await sheet.reloadColumns();
    },
  });
}

class EditFields {
  readonly element = h("div", { class: "edit-all" });
  readonly #sheet: Sheet;
  readonly #columns: readonly Column[];
  readonly #value = h("div", { class: "fields" });
  #column: Column;
  #action: Action = "set";
  #editor: CellEditor | null = null;
  /** The value that a warning has been shown about: the next submission keeps it as text. */
  #warnedOf: unknown;

  constructor(sheet: Sheet, columns: readonly Column[], column: Column) {
    this.#sheet = sheet;
    this.#columns = columns;
    this.#column = column;
    this.#show();
  }

  get column(): Column {
    return this.#column;
  }

  /** Reads the input. @throws ApiError when a field shows what is wrong */
  async change(form: FormData): Promise<AllRowsChange> {
    const { id } = this.#column;
    if (this.#action === "clear") return { fields: emptyCells([this.#column]), noparse: true };
    if (this.#action === "replace") {
      // Spaces count: they may be what is searched.
      const text = (name: string) => {
        const value = form.get(name);
        return typeof value === "string" ? value : "";
      };
      return { replace: { column: id, find: text("find"), by: text("by"), matchCase: form.has("matchCase") } };
    }
    if (this.#column.type.base === "Bool")
      return { fields: { [id]: formText(form, "value") === "true" }, noparse: true };
    await this.#editor?.pendingSearch?.();
    const { value, warning } = this.#editor?.value() ?? { value: null, warning: null };
    if (warning && this.#warnedOf !== value) {
      this.#warnedOf = value;
      const note = h("p", { class: "field-problem" }, ...contentChildren(warning()));
      this.#value.querySelector(".field-problem")?.remove();
      this.#value.append(note);
      announce(note);
      throw fieldErrorShown();
    }
    return { fields: { [id]: value }, noparse: false };
  }

  #show(): void {
    const choices = this.#columns.map(({ id, name }) => ({ value: id, label: name }));
    const column = selectField(
      t("table.all.column"),
      { name: "column", value: this.#column.id, translate: "no" },
      choices,
    );
    column.addEventListener("change", ({ target }) => {
      const chosen = this.#columns.find(({ id }) => id === (target as HTMLSelectElement).value);
      if (!chosen) return;
      this.#column = chosen;
      this.#showAction(action);
    });
    const action = h("div", { class: "fields" });
    this.#showAction(action);
    replaceChildren(this.element, column, action, this.#value);
  }

  #showAction(host: HTMLElement): void {
    const labels: Record<Action, string> = {
      set: t("table.all.action.set"),
      clear: t("table.all.action.clear"),
      replace: t("table.all.action.replace"),
    };
    const offered = actionsOf(this.#column);
    if (!offered.includes(this.#action)) this.#action = offered[0] ?? "clear";
    const options = offered.map((value) => ({ value, label: labels[value] }));
    const field = selectField(t("table.all.action"), { name: "action", value: this.#action }, options);
    field.addEventListener("change", ({ target }) => {
      this.#action = (target as HTMLSelectElement).value as Action;
      this.#showValue();
    });
    replaceChildren(host, field);
    this.#showValue();
  }

  #showValue(): void {
    this.#editor = null;
    this.#warnedOf = undefined;
    if (this.#action === "clear") return replaceChildren(this.#value);
    if (this.#action === "replace") return replaceChildren(this.#value, ...replaceFields());
    if (this.#column.type.base === "Bool") return replaceChildren(this.#value, boolField());
    this.#editor = createEditor({
      docId: this.#sheet.docId,
      column: this.#column,
      row: { id: 0, fields: {} },
      typedCount: "",
      settings: this.#sheet.data.settings,
      tables: this.#sheet.data.tables,
      // The change of rows that a filter selects adds no choices.
      canChangeColumns: false,
      onDone: () => {},
    });
    const { element } = this.#editor;
    const label = h("span", { class: "label" }, t("table.all.value"));
    replaceChildren(this.#value, label, h("div", { class: "card-field" }, h("div", { class: "editor" }, element)));
    element.addEventListener("keydown", (event) => this.#handleKey(event));
  }

  /** Enter chooses from an open list, and submits otherwise; Shift+Enter is a new line. */
  #handleKey(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.shiftKey || event.altKey || event.defaultPrevented) return;
    if (this.#editor?.takes?.(event)) return;
    event.preventDefault();
    this.element.closest("form")?.requestSubmit();
  }
}

/** Files belong to one cell; texts can be searched. */
function actionsOf({ type }: Column): Action[] {
  if (type.base === "Attachments") return ["clear"];
  return type.base === "Text" ? ["set", "clear", "replace"] : ["set", "clear"];
}

const boolField = () =>
  selectField(t("table.all.value"), { name: "value", value: "true" }, [
    { value: "true", label: t("table.all.checked") },
    { value: "false", label: t("table.all.notChecked") },
  ]);

const replaceFields = () => [
  inputField(t("table.all.find"), { name: "find", required: true, maxlength: 10_000, translate: "no" }),
  inputField(t("table.all.by"), { name: "by", maxlength: 10_000, translate: "no" }),
  h("label", { class: "choice" }, h("input", { type: "checkbox", name: "matchCase" }), t("table.all.matchCase")),
];
