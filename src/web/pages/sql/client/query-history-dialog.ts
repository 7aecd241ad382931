import { type OpenDialog, openDialog, replaceContent } from "../../../base/client/dialog.ts";
import { h } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";
import { timeElement } from "../../../base/client/times.ts";
import type { QueryHistory, SavedQuery } from "./query-history.ts";

/** Shows the most recent queries, to be opened in the editor. */
export function showQueryHistory(history: QueryHistory, onSelect: (query: SavedQuery) => void): void {
  const dialog = openDialog({ title: t("sql.recent"), wide: true, content: [] });
  renderQueryHistory(dialog, history, onSelect);
}

function renderQueryHistory(dialog: OpenDialog, history: QueryHistory, onSelect: (query: SavedQuery) => void): void {
  const select = (query: SavedQuery) => () => {
    dialog.close();
    onSelect(query);
  };
  if (history.queries.length === 0) {
    replaceContent(dialog, h("p", { class: "quiet" }, t("sql.recent.none")));
    return;
  }
  const clear = () => {
    history.clear();
    renderQueryHistory(dialog, history, onSelect);
  };
  replaceContent(
    dialog,
    h("p", { class: "quiet" }, t("sql.recent.hint")),
    h(
      "ul",
      { class: "last-queries" },
      ...history.queries.map((query) =>
        h(
          "li",
          {},
          h(
            "button",
            { type: "button", class: "plain", onclick: select(query) },
            h("code", { translate: "no" }, query.sql),
          ),
          timeElement(new Date(query.at).toISOString()),
        ),
      ),
    ),
    h(
      "div",
      { class: "bar" },
      h("button", { type: "button", class: "danger small", onclick: clear }, t("sql.recent.clear")),
    ),
  );
}
