import { HELP_LINKS, type HelpTopic } from "../../../../base/help/help-links.ts";
import { replaceChildren, h, icon, newId } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { Column } from "./columns.ts";
import {
  type BrokenFormula,
  errorLocation,
  fetchFormulaErrors,
  firstFailure,
  type FormulaError,
  formulaErrorText,
  type FormulaFailure,
} from "./formula-errors.ts";
import type { Sheet } from "../sheet.ts";

export interface FormulaField {
  readonly element: HTMLElement;
  readonly area: HTMLTextAreaElement;
  /** Shows the current errors at their line. Returns the first one; null without errors. */
  showErrors(columnId: string): Promise<FormulaFailure | null>;
}

/** A formula field with the list of functions. */
export function formulaField(sheet: Sheet, column: Column, { isReadonly }: { isReadonly: boolean }): FormulaField {
  const problems = h("div", { class: "formula-problems", id: newId("formula-problems") });
  const area = h("textarea", {
    class: "code",
    name: "formula",
    rows: 5,
    spellcheck: "false",
    readonly: isReadonly,
    autocapitalize: "off",
    "aria-describedby": problems.id,
  });
  area.value = column.formula;
  area.setSelectionRange(area.value.length, area.value.length);
  // The error applied to the previous text.
  area.addEventListener("input", () => {
    replaceChildren(problems);
    area.removeAttribute("aria-invalid");
  });
  const insert = (text: string) => {
    area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
    area.focus();
    area.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const columns = h(
    "div",
    { class: "insertables", role: "group", "aria-label": t("table.formula.columns") },
    ...sheet.columns
      .filter(({ id }) => id !== column.id)
      .map(({ id }) =>
        h(
          "button",
          { type: "button", class: "plain small", translate: "no", onclick: () => insert(`$${id}`) },
          `$${id}`,
        ),
      ),
  );
  const functions = h("details", { class: "functions" }, h("summary", {}, t("table.formula.functions")));
  functions.addEventListener("toggle", () => {
    if (functions.open && functions.childElementCount === 1) void renderFunctionList(functions, insert);
  });
  const example = (text: string) => h("code", { translate: "no" }, text);
  const hint = t.rich("table.formula.hint", { example: example("$Name"), column: example("Name") });
  return {
    area,
    element: h(
      "div",
      { class: "formula-field" },
      h("label", {}, t("table.column.formula"), area),
      h("p", { class: "hint" }, ...hint, " ", helpLink("formulas", t("base.menu.help"))),
      problems,
      !isReadonly && columns,
      !isReadonly && functions,
    ),
    async showErrors(columnId) {
      const found = await fetchFormulaErrors(sheet, columnId).catch(() => ({ formulas: [], errors: [] }));
      const [broken] = found.formulas;
      if (broken) replaceChildren(problems, errorElement(broken, t("table.formula.inAllRows")));
      else renderErrors(problems, found.errors);
      const failure = firstFailure(found);
      area.setAttribute("aria-invalid", String(failure !== null));
      return failure;
    },
  };
}

/** Shows each kind of error once, with the number of its rows. */
function renderErrors(container: Element, errors: readonly FormulaError[]): void {
  const kinds = Map.groupBy(errors, ({ error, line }) => `${error} ${line}`);
  const notes = [...kinds.values()]
    .slice(0, 5)
    .map((same) => (same[0] ? errorElement(same[0], errorLocation(same)) : null));
  replaceChildren(container, ...notes);
}

function errorElement({ error, detail, line }: BrokenFormula, location: string): HTMLElement {
  const text = formulaErrorText(error);
  return h(
    "div",
    { class: "note problem" },
    h("p", {}, icon("triangle-alert"), " ", line === null ? text : t("table.formula.line", { line, error: text })),
    detail !== null && h("code", { lang: "en", translate: "no" }, `${error}: ${detail}`),
    h("p", { class: "quiet" }, location),
  );
}

/** Opens the help beside the page, which keeps its unsaved input. */
const helpLink = (topic: HelpTopic, text: string): HTMLElement =>
  h("a", { href: HELP_LINKS[topic], target: "_blank", rel: "noopener" }, text);

/** The list is loaded when it is opened. */
async function renderFunctionList(place: HTMLElement, insert: (text: string) => void): Promise<void> {
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
        const name = /^[\w.]+/.exec(signature)?.[0] ?? signature;
        const button = h(
          "button",
          { type: "button", class: "plain small", translate: "no", onclick: () => insert(`${name}(`) },
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
