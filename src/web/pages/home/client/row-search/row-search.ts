/** The search in the rows of documents, below the documents whose names match. */
import { announce } from "../../../../base/client/announce.ts";
import { ApiError } from "../../../../base/client/api.ts";
import { find, h, newId } from "../../../../base/client/dom.ts";
import { clearError, showError } from "../../../../base/client/problem.ts";
import { t } from "../../../../base/client/texts.ts";
import { documentPagePath } from "../actions.ts";
import { documentResults, SHOWN_ROWS } from "./document-results.ts";
import { moveThroughResults } from "./result-keys.ts";
import {
  type DocumentSearch,
  type FoundRows,
  searchDocument,
  searchDocuments,
  type SearchedDocument,
} from "./search-documents.ts";

/** Typing does not send requests for each character. */
const DELAY_MS = 300;
/** Shorter queries are in too many rows. */
const MIN_LENGTH = 2;
/** Documents that are searched before the user asks for more. */
const PAGE_SIZE = 20;
/** The most rows of a document that the API returns. */
const MAX_ROWS = 100;

/** Searches while typing in the field. A new input cancels the requests of the former one. */
export function enableRowSearch(field: HTMLInputElement): void {
  const titleId = newId("row-results");
  const section = h("section", { id: "row-results", "aria-labelledby": titleId, hidden: true });
  // Before the message that nothing was found, which it hides.
  find("#no-match").before(section);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = new AbortController();
  const start = (): void => {
    const query = field.value.trim();
    const documents = readDocuments();
    section.hidden = query.length < MIN_LENGTH || documents.length === 0;
    if (!section.hidden) void new RowSearch(section, { titleId, query, documents, signal: abort.signal }).searchMore();
  };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    abort.abort();
    abort = new AbortController();
    section.replaceChildren();
    section.hidden = true;
    timer = setTimeout(start, DELAY_MS);
  });
  moveThroughResults(field, section);
  start();
}

/** Returns the documents of the page that the user can read, most recently changed first. */
function readDocuments(): SearchedDocument[] {
  const documents = new Map<string, SearchedDocument & { readonly changedAt: string }>();
  for (const row of document.querySelectorAll<HTMLElement>("#home [data-doc]")) {
    const { doc: uuid = "", name = "", role } = row.dataset;
    if (role === "") continue;
    const changedAt = row.querySelector("time")?.dateTime ?? "";
    documents.set(uuid, { uuid, name, href: documentPagePath(uuid), changedAt });
  }
  return [...documents.values()].toSorted((a, b) => (a.changedAt < b.changedAt ? 1 : -1));
}

interface RowSearchOptions {
  readonly titleId: string;
  readonly query: string;
  readonly documents: readonly SearchedDocument[];
  readonly signal: AbortSignal;
}

/** One search, which continues with the next documents on demand. */
class RowSearch {
  readonly #section: HTMLElement;
  readonly #options: RowSearchOptions;
  readonly #groups = h("div", {});
  readonly #status = h("p", { class: "quiet", tabindex: -1 });
  readonly #problem = h("div", { class: "problem-place" });
  readonly #more = h("button", { type: "button", class: "plain small", hidden: true }, t("home.rows.searchMore"));
  #searched = 0;
  #rows = 0;
  #failed: SearchedDocument[] = [];

  constructor(section: HTMLElement, options: RowSearchOptions) {
    this.#section = section;
    this.#options = options;
    this.#more.addEventListener("click", () => void this.searchMore());
    section.replaceChildren(
      h("h2", { id: options.titleId }, t("home.rows.title")),
      // Above the results, which then move nothing when they arrive.
      h("div", { class: "bar" }, this.#status),
      this.#groups,
      this.#problem,
      this.#more,
    );
  }

  /** Searches the next documents. */
  async searchMore(): Promise<void> {
    const { documents } = this.#options;
    const next = documents.slice(this.#searched, this.#searched + PAGE_SIZE);
    this.#searched += next.length;
    await this.#search(next);
  }

  async #search(documents: readonly SearchedDocument[]): Promise<void> {
    const { signal, documents: all } = this.#options;
    this.#section.setAttribute("aria-busy", "true");
    this.#status.textContent = t("home.rows.searching");
    // The pressed button goes: its focus waits for the next result.
    const hadFocus = this.#section.contains(document.activeElement);
    if (hadFocus) this.#status.focus();
    const shown = this.#groups.querySelectorAll("li").length;
    this.#more.hidden = true;
    clearError(this.#problem);
    this.#failed = [];
    const before = this.#rows;
    await searchDocuments(documents, SHOWN_ROWS + 1, this.#listeners);
    if (signal.aborted) return;
    this.#section.removeAttribute("aria-busy");
    const searched = { count: this.#searched, total: all.length };
    this.#status.textContent = this.#rows > 0 ? t("home.rows.searched", searched) : t("home.rows.none", searched);
    this.#more.hidden = this.#searched >= all.length;
    if (this.#failed.length > 0) this.#showFailed();
    if (document.activeElement === this.#status) this.#groups.querySelectorAll<HTMLElement>("li a")[shown]?.focus();
    const found = this.#rows - before;
    if (found > 0 || document.querySelector("#no-match[hidden]") === null)
      announce(t("home.rows.found", { count: found }), "rows");
  }

  get #listeners(): DocumentSearch {
    const { query, signal } = this.#options;
    return {
      query,
      signal,
      onFound: (document, found) => this.#add(document, found),
      onFailed: (document, error) => {
        // Rules can hide a listed document as a whole, and others may have removed it: there is nothing to find.
        const isHidden = error instanceof ApiError && (error.status === 403 || error.status === 404);
        if (error instanceof ApiError && error.kind === "session") showError(this.#problem, error);
        else if (!isHidden) this.#failed.push(document);
      },
    };
  }

  #add(document: SearchedDocument, found: FoundRows): void {
    if (found.results.length === 0 && found.isComplete) return;
    const { query, signal } = this.#options;
    this.#rows += Math.min(found.results.length, SHOWN_ROWS);
    const readAll = () => searchDocument(document, { query, limit: MAX_ROWS, signal });
    const onError = (error: unknown) => showError(this.#problem, error);
    this.#groups.append(documentResults({ document, query, found, readAll, onError }));
  }

  /** Documents that the server cannot read now. */
  #showFailed(): void {
    const failed = this.#failed;
    const retry = h("button", { type: "button", class: "plain small" }, t("base.retry"));
    retry.addEventListener("click", () => void this.#search(failed));
    this.#problem.replaceChildren(
      h("div", { class: "note warning" }, h("p", {}, t("home.rows.failed", { count: failed.length })), retry),
    );
  }
}
