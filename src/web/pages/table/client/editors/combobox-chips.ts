import { announce } from "../../../../base/client/announce.ts";
import { h, icon, replaceChildren } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { ComboboxOption } from "./combobox-option.ts";

/** The selected options of a list, as chips before its field. Arrow keys lead from the field to them. */
export class ComboboxChips {
  readonly element = h("span", { class: "chips" });
  readonly #focusField: () => void;
  #selected: readonly ComboboxOption[];

  constructor(selected: readonly ComboboxOption[], focusField: () => void) {
    this.#selected = selected;
    this.#focusField = focusField;
    this.#show();
  }

  get selected(): readonly ComboboxOption[] {
    return this.#selected;
  }

  set(selected: readonly ComboboxOption[]): void {
    this.#selected = selected;
    this.#show();
  }

  toggle(option: ComboboxOption): void {
    const rest = this.#selected.filter(({ value }) => value !== option.value);
    this.set(rest.length < this.#selected.length ? rest : [...this.#selected, option]);
  }

  /** Moves the focus from the field to the last chip; false without chips. */
  enter(): boolean {
    this.#focus(this.#selected.length - 1);
    return this.#selected.length > 0;
  }

  /** Handles a key on a chip; false if no chip has the focus, or the key has no meaning there. */
  handleKey(event: KeyboardEvent): boolean {
    const at = this.#buttons.findIndex((button) => button === event.target);
    if (at < 0) return false;
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (step !== undefined) {
      if (event.altKey && event.shiftKey) this.#move(at, at + step);
      else if (at + step >= this.#selected.length) this.#focusField();
      else this.#focus(Math.max(0, at + step));
      return true;
    }
    if (event.key !== "Delete" && event.key !== "Backspace") return false;
    this.#remove(at);
    return true;
  }

  get #buttons(): HTMLButtonElement[] {
    return [...this.element.querySelectorAll("button")];
  }

  #focus(at: number): void {
    this.#buttons[at]?.focus();
  }

  #move(from: number, to: number): void {
    const option = this.#selected[from];
    if (!option || to < 0 || to >= this.#selected.length) return;
    this.set(this.#selected.toSpliced(from, 1).toSpliced(to, 0, option));
    this.#focus(to);
    announce(t("table.edit.moved", { name: option.label, position: to + 1, count: this.#selected.length }));
  }

  #remove(at: number): void {
    this.set(this.#selected.toSpliced(at, 1));
    if (this.#selected.length === 0) this.#focusField();
    else this.#focus(Math.min(at, this.#selected.length - 1));
  }

  #show(): void {
    replaceChildren(
      this.element,
      ...this.#selected.map((option, at) => {
        const label = t("table.edit.remove", { name: option.label });
        const remove = h("button", { type: "button", class: "bare", "aria-label": label }, icon("x"));
        remove.addEventListener("click", () => {
          this.set(this.#selected.toSpliced(at, 1));
          this.#focusField();
        });
        return h(
          "span",
          { class: "chip" },
          option.show?.() ?? h("span", { class: "text", translate: "no" }, option.label),
          remove,
        );
      }),
    );
  }
}
