/** Results of a search while typing: a combobox with a list of links. Enter without a chosen result sends the form. */
import { announce } from "./announce.ts";
import { find, h, newId, replaceChildren } from "./dom.ts";

export interface SearchResults {
  /** Links with the role `option`. */
  readonly options: readonly HTMLElement[];
  /** How many there are, for the live region. */
  readonly status: string;
  /** The option that Enter opens; by default none. */
  readonly chosen?: number;
}

export interface SearchBoxOptions {
  /** The name of the list. */
  readonly label: string;
  /** Shown in place of the list without options. */
  readonly none: string;
  /** Announced when the search fails. */
  readonly failed: string;
  readonly search: (query: string) => Promise<SearchResults>;
  /** Whether the list is always shown, also without a query; else it is above the page while the field is used. */
  readonly isFixed?: boolean;
}

/** The field of a form, with its results. */
export class SearchBox {
  readonly #form: HTMLFormElement;
  readonly #options: SearchBoxOptions;
  readonly #input: HTMLInputElement;
  readonly #popover = h("div", { class: "hits", hidden: true });
  readonly #list: HTMLElement;
  #results: readonly HTMLElement[] = [];
  #active = -1;
  #announced = "";

  constructor(form: HTMLFormElement, options: SearchBoxOptions) {
    this.#form = form;
    this.#options = options;
    this.#input = find("input", form);
    this.#list = h("div", { role: "listbox", id: newId("hits"), "aria-label": options.label });
    form.append(this.#popover);
    const attributes = {
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": this.#list.id,
    };
    for (const [name, value] of Object.entries(attributes)) this.#input.setAttribute(name, value);
  }

  listen(): void {
    this.#input.addEventListener("input", () => void this.update());
    this.#input.addEventListener("keydown", (event) => this.#onKey(event));
    if (this.#options.isFixed) return;
    const closeOutside = (target: EventTarget | null) => {
      if (target instanceof Node && !this.#form.contains(target)) this.#close();
    };
    document.addEventListener("click", ({ target }) => closeOutside(target));
    this.#form.addEventListener("focusout", ({ relatedTarget }) => closeOutside(relatedTarget));
  }

  /** Shows the results of the current query. */
  async update(): Promise<void> {
    const query = this.#input.value;
    if (query.trim() === "" && !this.#options.isFixed) return this.#close();
    try {
      const { options, status, chosen = -1 } = await this.#options.search(query);
      // Typing went on meanwhile.
      if (query !== this.#input.value) return;
      this.#show(options, chosen);
      this.#announce(query.trim() === "" ? "" : status);
    } catch {
      this.#close();
      this.#announce(this.#options.failed);
    }
  }

  #show(options: readonly HTMLElement[], chosen: number): void {
    this.#results = options;
    replaceChildren(this.#list, ...options);
    // A list without options would be announced as one.
    replaceChildren(this.#popover, options.length > 0 ? this.#list : h("p", {}, this.#options.none));
    this.#popover.hidden = false;
    this.#input.setAttribute("aria-expanded", String(options.length > 0));
    this.#activate(chosen);
  }

  #close(): void {
    this.#popover.hidden = true;
    this.#results = [];
    this.#input.setAttribute("aria-expanded", "false");
    this.#activate(-1);
    this.#announce("");
  }

  #activate(index: number): void {
    this.#active = index;
    for (const [at, option] of this.#results.entries()) option.setAttribute("aria-selected", String(at === index));
    const option = this.#results[index];
    option?.scrollIntoView({ block: "nearest" });
    if (option) this.#input.setAttribute("aria-activedescendant", option.id);
    else this.#input.removeAttribute("aria-activedescendant");
  }

  /** While typing, only changes are announced. */
  #announce(text: string): void {
    if (text !== this.#announced) announce(text, "search");
    this.#announced = text;
  }

  #onKey(event: KeyboardEvent): void {
    const count = this.#results.length;
    if (event.key === "Escape" && !this.#popover.hidden && !this.#options.isFixed) {
      event.preventDefault();
      this.#close();
    } else if (event.key === "Enter" && this.#active >= 0) {
      event.preventDefault();
      this.#results[this.#active]?.click();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && count > 0) {
      event.preventDefault();
      // Beyond either end nothing is chosen, so that Enter sends the form.
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.#activate(((this.#active + 1 + step + count + 1) % (count + 1)) - 1);
    }
  }
}
