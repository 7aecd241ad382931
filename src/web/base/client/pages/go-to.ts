/** The search of a document: its pages and tables by name, as the sidebar lists them, and a link to the search at home. */
import { fold, matchWord, wordsOf } from "../../../../lib/text/word-matcher.ts";
import { SITE_PREFIX } from "../api.ts";
import { openDialog } from "../dialog.ts";
import { findOptional, h, icon, nameElement, newId } from "../dom.ts";
import { markWords } from "../mark-words.ts";
import { SearchBox, type SearchResults } from "../search-box.ts";
import { t } from "../texts.ts";

const MAX_SHOWN = 50;
const ENTRIES = "#pages li[data-page], #tables li[data-table]";

/** A page, a table or a summary, as the sidebar lists it: only what the visitor may see. */
interface Entry {
  readonly name: string;
  readonly href: string;
  readonly kind: "page" | "table" | "summary";
  /** The page above a page, the table of a summary. */
  readonly above: string;
}

/** Shows results below the search field of the top bar. */
export function attachGoTo(form: HTMLFormElement): void {
  const box = createBox(form, false);
  // What was typed while this script was loaded.
  void box.update();
}

/** Asks for a page, where the top bar has no room for the field. */
export function openGoTo(): void {
  const input = h("input", {
    // Of a search field, Escape would clear the text first.
    type: "text",
    inputmode: "search",
    name: "q",
    "aria-label": t("base.search.inDocument"),
    placeholder: t("goTo.placeholder"),
    autocomplete: "off",
    maxlength: 200,
  });
  const form = h("form", { role: "search", class: "search", action: `${SITE_PREFIX}/` }, icon("search"), input);
  form.addEventListener("submit", (event) => {
    // Visitors without an account have no other documents.
    if (!isSignedIn() || input.value.trim() === "") event.preventDefault();
  });
  const box = createBox(form, true);
  openDialog({ title: t("goTo.title"), content: [form] });
  void box.update();
  input.focus();
}

function createBox(form: HTMLFormElement, isFixed: boolean): SearchBox {
  const box = new SearchBox(form, {
    label: t("goTo.results"),
    none: t("goTo.none"),
    failed: t("goTo.none"),
    search: async (query) => findEntries(query),
    isFixed,
  });
  box.listen();
  return box;
}

const isSignedIn = (): boolean => document.documentElement.dataset["user"] !== undefined;

function findEntries(query: string): SearchResults {
  const words = wordsOf(query);
  const found = readEntries()
    .flatMap((entry) => {
      const score = scoreOf(entry, words);
      return score === null ? [] : [{ entry, score }];
    })
    .toSorted((a, b) => b.score - a.score);
  const options = found.slice(0, MAX_SHOWN).map(({ entry }) => entryOption(entry, words));
  if (isSignedIn() && words.length > 0) options.push(elsewhereOption(query.trim()));
  const status = found.length === 0 ? t("goTo.none") : t("goTo.found", { count: found.length });
  return { options, status, ...(found.length > 0 && words.length > 0 && { chosen: 0 }) };
}

/** Returns null for an entry in whose name a word does not occur. Summaries are named by their tables, too. */
function scoreOf({ name, kind, above }: Entry, words: readonly string[]): number | null {
  const text = fold(kind === "summary" ? `${above} ${name}` : name);
  const matches = words.map((word) => matchWord(text, word)?.score ?? null);
  return matches.includes(null) ? null : matches.reduce<number>((sum, score) => sum + (score ?? 0), 0);
}

const readEntries = (): Entry[] =>
  [...document.querySelectorAll<HTMLElement>(ENTRIES)].map((item) => {
    const { title: name = "", page, summary } = item.dataset;
    const parent = item.closest(".below")?.previousElementSibling;
    return {
      name,
      href: findOptional<HTMLAnchorElement>(":scope > .entry a", item)?.href ?? "",
      kind: page !== undefined ? "page" : summary === undefined ? "table" : "summary",
      above: parent instanceof HTMLElement ? (parent.dataset["title"] ?? "") : "",
    };
  });

function entryOption({ name, href, kind, above }: Entry, words: readonly string[]): HTMLElement {
  return option(
    href,
    h("bdi", { class: "name", translate: "no" }, ...markWords(name, words)),
    h("small", {}, ...placeOf(kind, above)),
  );
}

function placeOf(kind: Entry["kind"], above: string) {
  if (kind === "table") return [t("goTo.table")];
  if (kind === "summary") return t.rich("goTo.summary", { table: nameElement(above) });
  return above === "" ? [t("goTo.page")] : t.rich("goTo.pageBelow", { page: nameElement(above) });
}

const elsewhereOption = (query: string): HTMLElement =>
  option(
    `${SITE_PREFIX}/?q=${encodeURIComponent(query)}`,
    h("span", { class: "name" }, ...t.rich("goTo.elsewhere", { query: nameElement(query) })),
  );

const option = (href: string, ...content: readonly HTMLElement[]): HTMLElement =>
  h("a", { role: "option", id: newId("hit"), href, tabindex: -1 }, ...content);
