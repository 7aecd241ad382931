import { type OpenDialog, openDialog, refill } from "../base/dialog.ts";
import { h } from "../base/dom.ts";
import { timeElement } from "../base/times.ts";
import type { KeptQueries, KeptQuery } from "./kept-queries.ts";

/** Shows what was asked last, to be taken into the editor again. */
export function showLastQueries(kept: KeptQueries, take: (query: KeptQuery) => void): void {
  const dialog = openDialog({ title: "Last queries", wide: true, content: [] });
  draw(dialog, kept, take);
}

function draw(dialog: OpenDialog, kept: KeptQueries, take: (query: KeptQuery) => void): void {
  const choose = (query: KeptQuery) => () => {
    dialog.close();
    take(query);
  };
  if (kept.queries.length === 0) {
    refill(dialog, h("p", { class: "quiet" }, "Queries that you run on this document are kept here."));
    return;
  }
  const forget = () => {
    kept.clear();
    draw(dialog, kept, take);
  };
  refill(
    dialog,
    h("p", { class: "quiet" }, "They are kept in this browser alone. Choose one to have it in the editor again."),
    h(
      "ul",
      { class: "last-queries" },
      ...kept.queries.map((query) =>
        h(
          "li",
          {},
          h("button", { type: "button", class: "plain", onclick: choose(query) }, h("code", {}, query.sql)),
          timeElement(new Date(query.at).toISOString()),
        ),
      ),
    ),
    h("div", { class: "bar" }, h("button", { type: "button", class: "danger small", onclick: forget }, "Forget all")),
  );
}
