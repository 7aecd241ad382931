/** Where the rows go: a new document, new tables, or an existing table, and what happens to rows that exist there. */
import { h, replaceChildren } from "../dom.ts";
import { inputField } from "../form-field.ts";
import { radioChoice } from "../radio-choice.ts";
import { t } from "../texts.ts";
import type { ColumnGoal, IntoTable, MatchMode } from "./import-request.ts";
import type { DocumentTarget, TargetColumn } from "./import-target.ts";

const MAX_NAME_LENGTH = 200;

/** The field for the name of a new document. */
export function documentNameField(change: (name: string) => void): HTMLLabelElement {
  const attributes = { name: "documentName", maxlength: MAX_NAME_LENGTH, translate: "no" };
  const label = inputField(t("import.goal.newDocument"), attributes);
  label.addEventListener("input", () => change(label.querySelector("input")?.value.trim() ?? ""));
  return label;
}

/** The select of new tables or an existing one. */
export function goalField(
  { tables, table, canAddTables }: DocumentTarget,
  change: (table: string | null) => void,
): HTMLLabelElement {
  const select = h(
    "select",
    { name: "goal" },
    ...(canAddTables ? [h("option", { value: "" }, t("import.goal.newTables"))] : []),
    ...tables.map(({ id, title }) =>
      h("option", { value: id, selected: id === table }, t("import.goal.table", { table: title })),
    ),
  );
  select.addEventListener("change", () => change(select.value || null));
  return h("label", {}, t("import.goal"), select);
}

type RowChoices = Pick<IntoTable, "mode" | "key" | "addsNew">;

/** Choices about rows that the table has already. */
export class RowFields {
  readonly element: HTMLElement;
  readonly #change: (choices: RowChoices) => void;
  readonly #keys = h("div", { class: "choices" });
  readonly #keyFields: HTMLElement;
  readonly #addsNew = h("input", { type: "checkbox", checked: true });
  #mode: MatchMode = "add";
  #key: readonly string[] = [];
  #shown = "";

  constructor(change: (choices: RowChoices) => void) {
    this.#change = change;
    const labels = new Map<MatchMode, string>([
      ["add", t("import.rows.add")],
      ["update", t("import.rows.update")],
      ["skip", t("import.rows.skip")],
    ]);
    const radios = radioChoice(labels, { value: "add", onChange: (mode) => this.#set({ mode }) });
    this.#addsNew.addEventListener("change", () => this.#set({}));
    this.#keyFields = h(
      "div",
      { class: "import-key", hidden: true },
      h("fieldset", {}, h("legend", {}, t("import.rows.key")), this.#keys),
      h("label", { class: "choice" }, this.#addsNew, t("import.rows.addsNew")),
    );
    this.element = h(
      "fieldset",
      { class: "import-rows" },
      h("legend", {}, t("import.rows")),
      ...radios.elements,
      this.#keyFields,
    );
  }

  get choices(): RowChoices {
    return { mode: this.#mode, key: this.#key, addsNew: this.#addsNew.checked };
  }

  /** Offers the columns that the file has values for. Columns that it has no more are no longer part of the key. */
  show(goals: ReadonlyMap<string, ColumnGoal>, columns: readonly TargetColumn[]): void {
    const used = new Set([...goals.values()].map((goal) => (goal.kind === "column" ? goal.id : "")));
    const offered = columns.filter(({ id }) => used.has(id));
    this.#key = this.#key.filter((id) => used.has(id));
    const shown = JSON.stringify(offered.map(({ id }) => id));
    if (shown === this.#shown) return;
    this.#shown = shown;
    replaceChildren(this.#keys, ...offered.map((column) => this.#keyEntry(column)));
  }

  #keyEntry({ id, label }: TargetColumn): HTMLElement {
    const box = h("input", { type: "checkbox", checked: this.#key.includes(id) });
    box.addEventListener("change", () =>
      this.#set({ key: box.checked ? [...this.#key, id] : this.#key.filter((each) => each !== id) }),
    );
    return h("label", { class: "choice" }, box, h("bdi", { translate: "no" }, label));
  }

  #set({ mode = this.#mode, key = this.#key }: { mode?: MatchMode; key?: readonly string[] }): void {
    this.#mode = mode;
    this.#key = key;
    this.#keyFields.hidden = mode === "add";
    this.#change(this.choices);
  }
}
