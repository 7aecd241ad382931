/** Results of the search in the help while typing. The server answers the form with all results. */
import type { HelpSection } from "../help/help-types.ts";
import type { HelpResult, HelpSearch, TextPart } from "../help/search.ts";
import { find, findOptional, h, newId } from "./dom.ts";
import { SearchBox, type SearchResults } from "./search-box.ts";
import { t } from "./texts.ts";

const MAX_SHOWN = 8;

/** Initializes the search of the page's sidebar. */
export function initHelpSearch(): void {
  const form = findOptional<HTMLFormElement>(".help-search");
  if (!form) return;
  const index = new HelpIndex(form.dataset["sections"] ?? "");
  // The index arrives while the first word is typed.
  find("input", form).addEventListener("focus", () => void index.load().catch(() => {}));
  new SearchBox(form, {
    label: t("help.search.label"),
    none: t("help.search.none"),
    failed: t("help.search.failed"),
    search: (query) => index.search(query),
  }).listen();
}

class HelpIndex {
  readonly #url: string;
  /** Requested at the first use of the field. */
  #search: Promise<HelpSearch> | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async load(): Promise<HelpSearch> {
    this.#search ??= loadSearch(this.#url);
    try {
      return await this.#search;
    } catch (error) {
      // The next input tries again.
      this.#search = undefined;
      throw error;
    }
  }

  async search(query: string): Promise<SearchResults> {
    const { search } = await this.load();
    const { total, results } = search(query, MAX_SHOWN);
    const status = total === 0 ? t("help.search.none") : t("help.search.count", { count: total });
    return { options: results.map(createOption), status };
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
  const attributes = { role: "option", id: newId("hit"), href: url, tabindex: -1, lang: "en", translate: "no" };
  return h(
    "a",
    attributes,
    h("span", { class: "name" }, ...marked(title), heading.length > 0 && " › ", ...marked(heading)),
    h("small", {}, ...marked(excerpt)),
  );
}

const marked = (parts: readonly TextPart[]) => parts.map(({ text, isMatch }) => (isMatch ? h("mark", {}, text) : text));
