/** The tables of a file that are imported: several as new tables, one into an existing table. */
import { h, nameElement, replaceChildren } from "../dom.ts";
import { t } from "../texts.ts";
import type { ReportTable } from "./import-report.ts";

export class SheetFields {
  readonly element = h("fieldset", { hidden: true });
  readonly #change: (sheets: readonly string[] | null) => void;
  #names = "";
  #isSingle = false;
  #chosen: readonly string[] | null = null;

  constructor(change: (sheets: readonly string[] | null) => void) {
    this.#change = change;
  }

  /** The chosen tables; null for all. */
  get chosen(): readonly string[] | null {
    return this.#chosen;
  }

  /** Shows the tables. @param isSingle only one of them can be chosen */
  show(tables: readonly ReportTable[], isSingle: boolean): void {
    const names = JSON.stringify(tables.map(({ name }) => name));
    this.element.hidden = tables.length < 2;
    if (names === this.#names && isSingle === this.#isSingle) return;
    const isOther = names !== this.#names;
    this.#names = names;
    this.#isSingle = isSingle;
    const [first] = tables;
    if (isSingle && first && tables.length > 1) this.#chosen = [this.#chosen?.[0] ?? first.name];
    else if (isOther || tables.length < 2) this.#chosen = null;
    const title = isSingle ? t("import.sheet") : t("import.sheets");
    const entries = tables.map((table) => this.#entry(table));
    replaceChildren(this.element, h("legend", {}, title), h("div", { class: "import-sheets" }, ...entries));
  }

  #entry({ name, rows }: ReportTable): HTMLElement {
    const type = this.#isSingle ? "radio" : "checkbox";
    const checked = this.#chosen?.includes(name) ?? true;
    const box = h("input", { type, name: "import-sheet", value: name, checked });
    box.addEventListener("change", () => this.#read());
    return h(
      "label",
      { class: "choice" },
      box,
      nameElement(name),
      " ",
      h("span", { class: "quiet" }, t("import.sheet.rows", { count: rows })),
    );
  }

  #read(): void {
    const boxes = [...this.element.querySelectorAll("input")];
    const names = boxes.filter(({ checked }) => checked).map(({ value }) => value);
    this.#chosen = names.length === boxes.length ? null : names;
    this.#change(this.#chosen);
  }
}
