import { replaceChildren, h, icon, newId } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { CellEditor } from "./cell-editor.ts";

/** An option. */
export interface ComboboxOption {
  readonly value: string | number;
  readonly label: string;
  /** A second line, which tells it apart from options with the same label. */
  readonly detail?: string;
  /** Its rendering; by default the label. */
  readonly show?: () => Node;
}

export interface ComboboxOptions {
  readonly label: string;
  readonly isMultiple: boolean;
  readonly selected: readonly ComboboxOption[];
  readonly initialText: string | null;
  /** Returns the options for the typed text. */
  readonly search: (text: string) => readonly ComboboxOption[] | Promise<readonly ComboboxOption[]>;
  readonly onDone: () => void;
}

/** A combobox with a list of options, single or multiple with chips. */
export class Combobox {
  readonly element: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #list: HTMLElement;
  readonly #chips = h("span", { class: "chips" });
  readonly #options: ComboboxOptions;
  #selected: ComboboxOption[];
  #results: readonly ComboboxOption[] = [];
  #activeIndex = -1;
  #requestCount = 0;
  #pendingSearch: Promise<unknown> | null = null;

  constructor(options: ComboboxOptions) {
    this.#options = options;
    this.#selected = [...options.selected];
    const listId = newId("choices");
    this.#list = h("div", {
      id: listId,
      role: "listbox",
      class: "choices",
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
    const [only] = this.#selected;
    this.#input.value = options.initialText ?? (options.isMultiple ? "" : (only?.label ?? ""));
    this.#input.addEventListener("input", () => void this.#search(this.#input.value));
    this.element = h("div", { class: "combobox" }, options.isMultiple && this.#chips, this.#input, this.#list);
    this.#showChips();
    // All options are shown until text is typed.
    void this.#search(options.initialText ?? "");
  }

  get selected(): readonly ComboboxOption[] {
    return this.#selected;
  }

  /** Typed text that matches no option. */
  get text(): string {
    return this.#input.value.trim();
  }

  /** The interface for editors that use this field. */
  get controls(): Pick<CellEditor, "element" | "focus" | "takes" | "pendingSearch"> {
    return {
      element: this.element,
      focus: () => {
        this.#input.focus();
        this.#input.setSelectionRange(this.#input.value.length, this.#input.value.length);
      },
      takes: (event) => this.#handleKey(event),
      pendingSearch: () => this.#pendingSearch,
    };
  }

  /** True when the list handled the key. */
  #handleKey(event: KeyboardEvent): boolean {
    const { isMultiple } = this.#options;
    switch (event.key) {
      case "ArrowDown":
        this.#activate(Math.min(this.#results.length - 1, this.#activeIndex + 1));
        return true;
      case "ArrowUp":
        this.#activate(Math.max(-1, this.#activeIndex - 1));
        return true;
      case "Enter": {
        const option = this.#results[this.#activeIndex];
        if (!option || (isMultiple && this.#activeIndex < 0)) return false;
        this.#select(option);
        return isMultiple;
      }
      case "Backspace":
        if (!isMultiple || this.#input.value !== "" || this.#selected.length === 0) return false;
        this.#selected.pop();
        this.#showChips();
        return true;
      default:
        return false;
    }
  }

  #select(option: ComboboxOption): void {
    const { isMultiple } = this.#options;
    if (!isMultiple) {
      this.#selected = [option];
      this.#input.value = option.label;
      return;
    }
    const isSelected = this.#selected.some(({ value }) => value === option.value);
    this.#selected = isSelected
      ? this.#selected.filter(({ value }) => value !== option.value)
      : [...this.#selected, option];
    this.#input.value = "";
    this.#showChips();
    void this.#search("");
    this.#input.focus();
  }

  async #search(text: string): Promise<void> {
    const request = ++this.#requestCount;
    // Enter must not select an option of the previous text.
    this.#activate(-1);
    const search = this.#options.search(text);
    this.#pendingSearch = search instanceof Promise ? search : null;
    const found = await search;
    if (request !== this.#requestCount) return;
    this.#pendingSearch = null;
    this.#results = found;
    replaceChildren(this.#list, ...found.map((option, at) => this.#optionElement(option, at)));
    this.#activate(text === "" ? -1 : found.length > 0 ? 0 : -1);
  }

  #optionElement(option: ComboboxOption, at: number): HTMLElement {
    const isChosen = this.#selected.some(({ value }) => value === option.value);
    const entry = h(
      "div",
      { role: "option", id: `${this.#list.id}-${at}`, "aria-selected": String(isChosen) },
      option.detail === undefined
        ? (option.show?.() ?? option.label)
        : h("span", {}, option.label, h("span", { class: "detail" }, option.detail)),
      isChosen && icon("check"),
    );
    entry.addEventListener("pointerdown", (event) => {
      event.preventDefault();
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
    if (entry) this.#input.setAttribute("aria-activedescendant", entry.id);
    else this.#input.removeAttribute("aria-activedescendant");
  }

  #showChips(): void {
    replaceChildren(
      this.#chips,
      ...this.#selected.map((option) => {
        const remove = () => {
          this.#selected = this.#selected.filter((each) => each !== option);
          this.#showChips();
          this.#input.focus();
        };
        return h(
          "span",
          { class: "chip" },
          option.show?.() ?? h("span", { class: "text", translate: "no" }, option.label),
          h(
            "button",
            {
              type: "button",
              class: "bare",
              "aria-label": t("table.edit.remove", { name: option.label }),
              onclick: remove,
            },
            icon("x"),
          ),
        );
      }),
    );
  }
}
