/** The list of functions beside a formula. */
import { functionName } from "../../../../base/function-list.ts";
import { HELP_LINKS, type HelpTopic } from "../../../../base/help/help-links.ts";
import { h, replaceChildren } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { Column } from "./columns.ts";

/** Buttons that insert columns into a formula. */
export const columnButtons = (columns: readonly Column[], insert: (text: string) => void): HTMLElement =>
  h(
    "div",
    { class: "insertables", role: "group", "aria-label": t("table.formula.columns") },
    ...columns.map(({ id }) =>
      h("button", { type: "button", class: "plain small", translate: "no", onclick: () => insert(`$${id}`) }, `$${id}`),
    ),
  );

/** A list of functions that is loaded when it is opened. */
export function functionList(insert: (text: string) => void): HTMLDetailsElement {
  const functions = h("details", { class: "functions" }, h("summary", {}, t("table.formula.functions")));
  functions.addEventListener("toggle", () => {
    if (functions.open && functions.childElementCount === 1) void renderFunctions(functions, insert);
  });
  return functions;
}

/** Opens the help beside the page, which keeps its unsaved input. */
export const helpLink = (topic: HelpTopic, text: string): HTMLElement =>
  h("a", { href: HELP_LINKS[topic], target: "_blank", rel: "noopener" }, text);

async function renderFunctions(place: HTMLElement, insert: (text: string) => void): Promise<void> {
  const { FUNCTIONS } = await import("./functions.ts");
  const search = h("input", {
    type: "search",
    placeholder: t("table.formula.find"),
    "aria-label": t("table.formula.find"),
    autocomplete: "off",
  });
  const list = h("ul", {});
  const show = () => {
    const needle = search.value.trim().toLowerCase();
    const found = FUNCTIONS.filter(({ signature, about }) => `${signature} ${about}`.toLowerCase().includes(needle));
    replaceChildren(
      list,
      ...found.map(({ signature, about }) => {
        const button = h(
          "button",
          {
            type: "button",
            class: "plain small",
            translate: "no",
            onclick: () => insert(`${functionName(signature)}(`),
          },
          signature,
        );
        return h("li", {}, button, h("span", { class: "quiet", lang: "en", translate: "no" }, about));
      }),
    );
    if (found.length === 0) replaceChildren(list, h("li", { class: "quiet" }, t("table.noResults")));
  };
  search.addEventListener("input", show);
  show();
  place.append(search, helpLink("functions", t("table.formula.reference")), list);
}
