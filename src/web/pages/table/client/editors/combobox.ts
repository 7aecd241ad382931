import { focusField } from "../../../../base/client/bottom-sheet.ts";
import { replaceChildren, h, icon, newId } from "../../../../base/client/dom.ts";
import { clearError, showError } from "../../../../base/client/problem.ts";
import type { CellEditor } from "./cell-editor.ts";
import { ComboboxChips } from "./combobox-chips.ts";
import type { ComboboxOption } from "./combobox-option.ts";

export interface ComboboxOptions {
  readonly label: string;
  readonly isMultiple: boolean;
  readonly selected: readonly ComboboxOption[];
  readonly initialText: string | null;
  /** Returns the options for the typed text. */
  readonly search: (text: string) => readonly ComboboxOption[] | Promise<readonly ComboboxOption[]>;
  /** Returns the option that adds the typed text, which equals none of the found ones; null if it cannot be added. */
  readonly addition?: (text: string) => ComboboxOption | null;
  readonly onDone: () => void;
}

/** A combobox with a list of options, single or multiple with chips. */
export class Combobox {
  readonly element: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #list: HTMLElement;
  readonly #problem = h("div", { class: "problem-place" });
  readonly #chips: ComboboxChips;
  readonly #options: ComboboxOptions;
  #results: readonly ComboboxOption[] = [];
  #activeIndex = -1;
  #requestCount = 0;
  #pendingSearch: Promise<unknown> | null = null;

  constructor(options: ComboboxOptions) {
    this.#options = options;
    this.#chips = new ComboboxChips(options.selected, () => focusField(this.#input, this.#list));
    const listId = newId("choices");
    this.#list = h("div", {
      id: listId,
      role: "listbox",
      tabindex: -1,
      class: options.isMultiple ? "choices several" : "choices",
      "aria-multiselectable": options.isMultiple ? "true" : null,
      translate: "no",
      "aria-label": options.label,
    });
    this.#input = h("input", {
      type: "text",
      role: "combobox",
      autocomplete: "off",
      translate: "no",
      "aria-label": options.label,
      "aria-autocomplete": "list",
      "aria-expanded": "true",
      "aria-controls": listId,
    });
    const [only] = options.selected;
    this.#input.value = options.initialText ?? (options.isMultiple ? "" : (only?.label ?? ""));
    this.#input.addEventListener("input", () => void this.#search(this.#input.value));
    const chips = options.isMultiple && this.#chips.element;
    this.element = h("div", { class: "combobox" }, chips, this.#input, this.#list, this.#problem);
    // All options are shown until text is typed.
    void this.#search(options.initialText ?? "");
  }

  get selected(): readonly ComboboxOption[] {
    return this.#chips.selected;
  }

  /** Typed text that matches no option. */
  get text(): string {
    return this.#input.value.trim();
  }

  /** The interface for editors that use this field. */
  get controls(): Pick<CellEditor, "element" | "hasOptions" | "focus" | "takes" | "pendingSearch" | "keepsTextOnTab"> {
    return {
      keepsTextOnTab: true,
      element: this.element,
      hasOptions: true,
      focus: () => {
        // Typed text continues in the field.
        if (this.#options.initialText === null) focusField(this.#input, this.#list);
        else this.#input.focus();
        this.#input.setSelectionRange(this.#input.value.length, this.#input.value.length);
      },
      takes: (event) => this.#handleKey(event),
      pendingSearch: () => this.#pendingSearch,
    };
  }

  /** True when the list handled the key. */
  #handleKey(event: KeyboardEvent): boolean {
    const { isMultiple } = this.#options;
    if (this.#chips.handleKey(event)) return true;
    const isText = event.key.length === 1 || event.key === "Backspace";
    if (event.target === this.#list && isText && !event.ctrlKey && !event.metaKey) this.#input.focus();
    switch (event.key) {
      case "ArrowDown":
        this.#activate(Math.min(this.#results.length - 1, this.#activeIndex + 1));
        return true;
      case "ArrowUp":
        this.#activate(Math.max(-1, this.#activeIndex - 1));
        return true;
      case "ArrowLeft":
        return isMultiple && this.#input.value === "" && this.#chips.enter();
      case "Enter": {
        const option = this.#results[this.#activeIndex];
        if (!option || (isMultiple && this.#activeIndex < 0)) return false;
        this.#select(option);
        return isMultiple;
      }
      case "Tab": {
        const option = this.#results[this.#activeIndex];
        if (option && !(isMultiple && this.selected.some(({ value }) => value === option.value))) this.#select(option);
        return false;
      }
      case "Backspace":
        if (!isMultiple || this.#input.value !== "" || this.selected.length === 0) return false;
        this.#chips.set(this.selected.slice(0, -1));
        return true;
      default:
        return false;
    }
  }

  #select(option: ComboboxOption): void {
    if (!this.#options.isMultiple) {
      this.#chips.set([option]);
      this.#input.value = option.label;
      return;
    }
    this.#chips.toggle(option);
    this.#input.value = "";
    void this.#search("");
    if (document.activeElement !== this.#input) focusField(this.#input, this.#list);
  }

  async #search(text: string): Promise<void> {
    const request = ++this.#requestCount;
    // Enter must not select an option of the previous text.
    this.#activate(-1);
    const search = this.#options.search(text);
    const found = search instanceof Promise ? await this.#load(search, text) : search;
    if (request !== this.#requestCount) return;
    this.#pendingSearch = null;
    this.#list.setAttribute("aria-busy", "false");
    this.#results = this.#withAddition(text.trim(), found);
    replaceChildren(this.#list, ...this.#results.map((option, at) => this.#optionElement(option, at)));
    this.#activate(text === "" ? -1 : this.#results.length > 0 ? 0 : -1);
  }

  /** The field still accepts text while options cannot be loaded: it is looked up on commit. */
  async #load(search: Promise<readonly ComboboxOption[]>, text: string): Promise<readonly ComboboxOption[]> {
    const request = this.#requestCount;
    clearError(this.#problem);
    this.#list.setAttribute("aria-busy", "true");
    const found = search.catch((error: unknown) => {
      if (request === this.#requestCount) showError(this.#problem, error, { retry: () => void this.#search(text) });
      return [];
    });
    this.#pendingSearch = found;
    return found;
  }

  #withAddition(text: string, found: readonly ComboboxOption[]): readonly ComboboxOption[] {
    const isKnown = text === "" || [...found, ...this.selected].some(({ label }) => label === text);
    const addition = isKnown ? null : this.#options.addition?.(text);
    return addition ? [...found, addition] : found;
  }

  #optionElement(option: ComboboxOption, at: number): HTMLElement {
    const isChosen = this.selected.some(({ value }) => value === option.value);
    const entry = h(
      "div",
      { role: "option", id: `${this.#list.id}-${at}`, "aria-selected": String(isChosen) },
      option.addText
        ? h("span", { class: "addition", translate: "yes" }, icon("plus"), h("span", {}, ...option.addText()))
        : option.detail === undefined
          ? (option.show?.() ?? option.label)
          : h("span", {}, option.label, h("span", { class: "detail" }, option.detail)),
      isChosen && icon("check"),
    );
    // The focus stays. A finger that scrolls the list presses an option, too: only a click selects.
    entry.addEventListener("pointerdown", (event) => event.preventDefault());
    entry.addEventListener("click", () => {
      this.#select(option);
      if (!this.#options.isMultiple) this.#options.onDone();
    });
    return entry;
  }

  #activate(at: number): void {
    this.#activeIndex = at;
    [...this.#list.children].forEach((entry, place) => entry.classList.toggle("at", place === at));
    const entry = this.#list.children[at];
    entry?.scrollIntoView({ block: "nearest" });
    for (const focused of [this.#input, this.#list]) {
      if (entry) focused.setAttribute("aria-activedescendant", entry.id);
      else focused.removeAttribute("aria-activedescendant");
    }
  }
}
