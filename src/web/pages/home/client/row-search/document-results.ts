/** The found rows of a document: links that open their panels. */
import { type Child, h, nameElement } from "../../../../base/client/dom.ts";
import { markWords } from "../../../../base/client/mark-words.ts";
import { t } from "../../../../base/client/texts.ts";
import { wordsOf } from "../../../../../lib/text/word-matcher.ts";
import type { FoundRow, FoundRows, SearchedDocument } from "./search-documents.ts";

/** Rows of a document that are shown at first. */
export const SHOWN_ROWS = 5;

interface DocumentResultsOptions {
  readonly document: SearchedDocument;
  readonly query: string;
  readonly found: FoundRows;
  /** Returns all rows of the document that the API returns. */
  readonly readAll: () => Promise<FoundRows>;
  readonly onError: (error: unknown) => void;
}

/** Returns the results of a document, with a button for more of them. */
export function documentResults({ document, query, found, readAll, onError }: DocumentResultsOptions): HTMLElement {
  const words = wordsOf(query);
  const list = h("ul", {});
  const show = ({ results }: FoundRows, limit: number) =>
    list.replaceChildren(...results.slice(0, limit).map((result) => h("li", {}, rowLink(document, result, words))));
  show(found, SHOWN_ROWS);
  const heading = h("h3", {}, h("a", { href: document.href }, nameOf(document)));
  const group = h("div", { class: "document-results", "data-found-in": document.uuid }, heading, list);
  if (!found.isComplete) group.append(h("p", { class: "quiet" }, t("home.rows.incomplete")));
  if (found.results.length <= SHOWN_ROWS) return group;
  const more = h("button", { type: "button", class: "plain small" }, t("home.rows.moreOf"));
  more.addEventListener("click", () => {
    const showAll = async () => {
      const all = await readAll();
      show(all, all.results.length);
      more.remove();
      list.querySelectorAll("a")[SHOWN_ROWS]?.focus();
    };
    showAll().catch(onError);
  });
  group.append(more);
  return group;
}

const nameOf = ({ name }: SearchedDocument): Child => (name.trim() === "" ? t("base.noName") : dataElement(name));

/** A text of a document. */
const dataElement = (...content: readonly Child[]): HTMLElement => h("bdi", { translate: "no" }, ...content);

function rowLink({ href }: SearchedDocument, result: FoundRow, words: readonly string[]): HTMLElement {
  const { table, tableTitle, row, columnLabel, label, excerpt } = result;
  const title = label === "" ? t("home.rows.row", { id: String(row) }) : dataElement(...markWords(label, words));
  // The label says it already.
  const match = excerpt === label ? [] : [": ", dataElement(...markWords(excerpt, words))];
  return h(
    "a",
    { href: `${href}/tables/${encodeURIComponent(table)}?row=${row}` },
    h("span", { class: "row-label" }, title),
    h(
      "small",
      {},
      ...t.rich("home.rows.place", { table: nameElement(tableTitle), column: nameElement(columnLabel) }),
      ...match,
    ),
  );
}
