import { fill, h, icon, newId } from "../../base/dom.ts";
import type { Editor } from "./editor.ts";

/** Something that can be chosen. */
export interface Option {
  readonly value: string | number;
  readonly label: string;
  /** How it is shown; its label without. */
  readonly show?: () => Node;
}

export interface ComboboxOptions {
  readonly label: string;
  readonly isMultiple: boolean;
  readonly chosen: readonly Option[];
  readonly typed: string | null;
  /** What can be chosen, for what is typed. */
  readonly find: (text: string) => readonly Option[] | Promise<readonly Option[]>;
  readonly done: () => void;
}

/** A field with a list of what can be chosen in it: one thing, or several that stand before it. */
export class Combobox {
  readonly element: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #list: HTMLElement;
  readonly #chips = h("span", { class: "chips" });
  readonly #options: ComboboxOptions;
  #chosen: Option[];
  #found: readonly Option[] = [];
  #at = -1;
  #asked = 0;

  constructor(options: ComboboxOptions) {
    this.#options = options;
    this.#chosen = [...options.chosen];
    const listId = newId("choices");
    this.#list = h("div", { id: listId, role: "listbox", class: "choices", "aria-label": options.label });
    this.#input = h("input", {
      type: "text",
      role: "combobox",
      autocomplete: "off",
      "aria-label": options.label,
      "aria-autocomplete": "list",
      "aria-expanded": "true",
      "aria-controls": listId,
    });
    const [only] = this.#chosen;
    this.#input.value = options.typed ?? (options.isMultiple ? "" : (only?.label ?? ""));
    this.#input.addEventListener("input", () => void this.#search(this.#input.value));
    this.element = h("div", { class: "combobox" }, options.isMultiple && this.#chips, this.#input, this.#list);
    this.#showChips();
    // Everything there is to choose, until something is typed.
    void this.#search(options.typed ?? "");
  }

  get chosen(): readonly Option[] {
    return this.#chosen;
  }

  /** What was typed and is none of what can be chosen. */
  get text(): string {
    return this.#input.value.trim();
  }

  /** What an editor that is this field has of it. */
  get controls(): Pick<Editor, "element" | "focus" | "takes"> {
    return {
      element: this.element,
      focus: () => {
        this.#input.focus();
        this.#input.setSelectionRange(this.#input.value.length, this.#input.value.length);
      },
      takes: (event) => this.#takes(event),
    };
  }

  /** True when the key was for the list. */
  #takes(event: KeyboardEvent): boolean {
    const { isMultiple } = this.#options;
    switch (event.key) {
      case "ArrowDown":
        this.#go(Math.min(this.#found.length - 1, this.#at + 1));
        return true;
      case "ArrowUp":
        this.#go(Math.max(-1, this.#at - 1));
        return true;
      case "Enter": {
        const option = this.#found[this.#at];
        if (!option || (isMultiple && this.#at < 0)) return false;
        this.#choose(option);
        return isMultiple;
      }
      case "Backspace":
        if (!isMultiple || this.#input.value !== "" || this.#chosen.length === 0) return false;
        this.#chosen.pop();
        this.#showChips();
        return true;
      default:
        return false;
    }
  }

  #choose(option: Option): void {
    const { isMultiple } = this.#options;
    if (!isMultiple) {
      this.#chosen = [option];
      this.#input.value = option.label;
      return;
    }
    const isThere = this.#chosen.some(({ value }) => value === option.value);
    this.#chosen = isThere ? this.#chosen.filter(({ value }) => value !== option.value) : [...this.#chosen, option];
    this.#input.value = "";
    this.#showChips();
    void this.#search("");
    this.#input.focus();
  }

  async #search(text: string): Promise<void> {
    const asked = ++this.#asked;
    const found = await this.#options.find(text);
    if (asked !== this.#asked) return;
    this.#found = found;
    fill(this.#list, ...found.map((option, at) => this.#entry(option, at)));
    this.#go(text === "" ? -1 : found.length > 0 ? 0 : -1);
  }

  #entry(option: Option, at: number): HTMLElement {
    const isChosen = this.#chosen.some(({ value }) => value === option.value);
    const entry = h(
      "div",
      { role: "option", id: `${this.#list.id}-${at}`, "aria-selected": String(isChosen) },
      option.show?.() ?? option.label,
      isChosen && icon("check"),
    );
    entry.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.#choose(option);
      if (!this.#options.isMultiple) this.#options.done();
    });
    return entry;
  }

  #go(at: number): void {
    this.#at = at;
    [...this.#list.children].forEach((entry, place) => entry.classList.toggle("at", place === at));
    const entry = this.#list.children[at];
    entry?.scrollIntoView({ block: "nearest" });
    if (entry) this.#input.setAttribute("aria-activedescendant", entry.id);
    else this.#input.removeAttribute("aria-activedescendant");
  }

  #showChips(): void {
    fill(
      this.#chips,
      ...this.#chosen.map((option) => {
        const remove = () => {
          this.#chosen = this.#chosen.filter((each) => each !== option);
          this.#showChips();
          this.#input.focus();
        };
        return h(
          "span",
          { class: "chip" },
          option.show?.() ?? h("span", { class: "text" }, option.label),
          h(
            "button",
            { type: "button", class: "bare", "aria-label": `Take ${option.label} away`, onclick: remove },
            icon("close"),
          ),
        );
      }),
    );
  }
}
