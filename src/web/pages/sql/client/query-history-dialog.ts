import { type OpenDialog, openDialog, replaceContent } from "../../../base/client/dialog.ts";
import { h } from "../../../base/client/dom.ts";
import { timeElement } from "../../../base/client/times.ts";
import type { QueryHistory, SavedQuery } from "./query-history.ts";

/** Shows the most recent queries, to be opened in the editor. */
export function showQueryHistory(history: QueryHistory, onSelect: (query: SavedQuery) => void): void {
  const dialog = openDialog({ title: "Recent queries", wide: true, content: [] });
  renderQueryHistory(dialog, history, onSelect);
}

function renderQueryHistory(dialog: OpenDialog, history: QueryHistory, onSelect: (query: SavedQuery) => void): void {
  const select = (query: SavedQuery) => () => {
    dialog.close();
    onSelect(query);
  };
  if (history.queries.length === 0) {
    replaceContent(
      dialog,
      h("p", { class: "quiet" }, "No queries yet. Queries that you run on this document appear here."),
    );
    return;
  }
  const clear = () => {
    history.clear();
    renderQueryHistory(dialog, history, onSelect);
  };
  replaceContent(
    dialog,
    h("p", { class: "quiet" }, "Stored in this browser only. Select a query to open it in the editor."),
    h(
      "ul",
      { class: "last-queries" },
      ...history.queries.map((query) =>
        h(
          "li",
          {},
          h("button", { type: "button", class: "plain", onclick: select(query) }, h("code", {}, query.sql)),
          timeElement(new Date(query.at).toISOString()),
        ),
      ),
    ),
    h("div", { class: "bar" }, h("button", { type: "button", class: "danger small", onclick: clear }, "Delete all")),
  );
}
