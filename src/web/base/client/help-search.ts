/**
 * Results of the search in the help while typing: a combobox with a list of links. Enter without a chosen result sends
 * the form, which the server answers with all results.
 */
import type { HelpSection } from "../help/help-types.ts";
import type { HelpResult, HelpSearch, TextPart } from "../help/search.ts";
import { announce } from "./announce.ts";
import { find, findOptional, h, newId, replaceChildren } from "./dom.ts";
import { t } from "./texts.ts";

const MAX_SHOWN = 8;

/** Initializes the search of the page's sidebar. */
export function initHelpSearch(): void {
  const form = findOptional<HTMLFormElement>(".help-search");
  if (form) new HelpSearchBox(form).listen();
}

class HelpSearchBox {
  readonly #form: HTMLFormElement;
  readonly #input: HTMLInputElement;
  readonly #popover = h("div", { class: "help-hits", hidden: true });
  readonly #list = h("div", { role: "listbox", id: newId("help-hits"), "aria-label": t("help.search.label") });
  /** Requested at the first use of the field. */
  #search: Promise<HelpSearch> | undefined;
  #options: readonly HTMLElement[] = [];
  #active = -1;
  #announced = "";

  constructor(form: HTMLFormElement) {
    this.#form = form;
    this.#input = find("input", form);
    this.#popover.append(this.#list);
    form.append(this.#popover);
    const input = this.#input;
    for (const [name, value] of Object.entries({
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": this.#list.id,
    })) {
      input.setAttribute(name, value);
    }
  }

  listen(): void {
    // The index arrives while the first word is typed.
    this.#input.addEventListener("focus", () => void this.#load().catch(() => {}));
    this.#input.addEventListener("input", () => void this.#update());
    this.#input.addEventListener("keydown", (event) => this.#onKey(event));
    const closeOutside = (target: EventTarget | null) => {
      if (target instanceof Node && !this.#form.contains(target)) this.#close();
    };
    document.addEventListener("click", ({ target }) => closeOutside(target));
    this.#form.addEventListener("focusout", ({ relatedTarget }) => closeOutside(relatedTarget));
  }

  async #load(): Promise<HelpSearch> {
    this.#search ??= loadSearch(this.#form.dataset["sections"] ?? "");
    try {
      return await this.#search;
    } catch (error) {
      // The next input tries again.
      this.#search = undefined;
      throw error;
    }
  }

  async #update(): Promise<void> {
    const query = this.#input.value;
    if (query.trim() === "") return this.#close();
    try {
      const { search } = await this.#load();
      // Typing went on while the index was loaded.
      if (query !== this.#input.value) return;
      const { total, results } = search(query, MAX_SHOWN);
      this.#show(results);
      this.#announce(total === 0 ? t("help.search.none") : t("help.search.count", { count: total }));
    } catch {
      this.#close();
      this.#announce(t("help.search.failed"));
    }
  }

  #show(results: readonly HelpResult[]): void {
    this.#options = results.map(createOption);
    replaceChildren(this.#list, ...this.#options);
    // A list without options would be announced as one.
    replaceChildren(this.#popover, results.length > 0 ? this.#list : h("p", {}, t("help.search.none")));
    this.#popover.hidden = false;
    this.#input.setAttribute("aria-expanded", String(results.length > 0));
    this.#activate(-1);
  }

  #close(): void {
    this.#popover.hidden = true;
    this.#options = [];
    this.#input.setAttribute("aria-expanded", "false");
    this.#activate(-1);
    this.#announce("");
  }

  #activate(index: number): void {
    this.#active = index;
    for (const [at, option] of this.#options.entries()) option.setAttribute("aria-selected", String(at === index));
    const option = this.#options[index];
    option?.scrollIntoView({ block: "nearest" });
    if (option) this.#input.setAttribute("aria-activedescendant", option.id);
    else this.#input.removeAttribute("aria-activedescendant");
  }

  /** While typing, only changes are announced. */
  #announce(text: string): void {
    if (text !== this.#announced) announce(text, "help");
    this.#announced = text;
  }

  #onKey(event: KeyboardEvent): void {
    const count = this.#options.length;
    if (event.key === "Escape" && !this.#popover.hidden) {
      event.preventDefault();
      this.#close();
    } else if (event.key === "Enter" && this.#active >= 0) {
      event.preventDefault();
      this.#options[this.#active]?.click();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && count > 0) {
      event.preventDefault();
      // Beyond either end nothing is chosen, so that Enter sends the form.
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.#activate(((this.#active + 1 + step + count + 1) % (count + 1)) - 1);
    }
  }
}

async function loadSearch(url: string): Promise<HelpSearch> {
  const [{ createHelpSearch }, sections] = await Promise.all([import("../help/search.ts"), loadSections(url)]);
  return createHelpSearch(sections);
}

async function loadSections(url: string): Promise<readonly HelpSection[]> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return (await response.json()) as readonly HelpSection[];
}

function createOption({ url, title, heading, excerpt }: HelpResult): HTMLElement {
  const attributes = { role: "option", id: newId("help-hit"), href: url, tabindex: -1, lang: "en", translate: "no" };
  return h(
    "a",
    attributes,
    h("span", { class: "name" }, ...marked(title), heading.length > 0 && " › ", ...marked(heading)),
    h("small", {}, ...marked(excerpt)),
  );
}

const marked = (parts: readonly TextPart[]) => parts.map(({ text, isMatch }) => (isMatch ? h("mark", {}, text) : text));
