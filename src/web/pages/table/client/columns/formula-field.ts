import { api } from "../../../../base/client/api.ts";
import { formatCount } from "../../../../../lib/text/formatting.ts";
import { replaceChildren, h, icon } from "../../../../base/client/dom.ts";
import type { Column } from "./columns.ts";
import type { Sheet } from "../sheet.ts";

interface BrokenFormula {
  readonly column: string;
  readonly error: string;
  readonly message: string;
  readonly detail: string | null;
  readonly line: number | null;
}

interface FormulaError extends BrokenFormula {
  readonly row: number;
}

interface FormulaErrors {
  /** Error types of formulas that cannot be parsed. */
  readonly formulas: readonly BrokenFormula[];
  /** The failed cells. */
  readonly errors: readonly FormulaError[];
}

const MAX_ERRORS = 500;

function fetchFormulaErrors(sheet: Sheet, columnId: string): Promise<FormulaErrors> {
  const query = { table: sheet.table, column: columnId, limit: MAX_ERRORS };
  return api<FormulaErrors>(`/api/docs/${sheet.docId}/formula-errors`, { query });
}

/** The failed formulas of a column, with the errors in plain words. */
export const fetchCellErrors = async (sheet: Sheet, columnId: string): Promise<readonly FormulaError[]> =>
  (await fetchFormulaErrors(sheet, columnId)).errors;

export interface FormulaField {
  readonly element: HTMLElement;
  readonly area: HTMLTextAreaElement;
  /** Shows the current errors at their line. Returns them as text; null without errors. */
  showErrors(columnId: string): Promise<string | null>;
}

/** A formula field with the list of functions. */
export function formulaField(sheet: Sheet, column: Column, { isReadonly }: { isReadonly: boolean }): FormulaField {
  const problems = h("div", { class: "formula-problems", "aria-live": "polite" });
  const area = h("textarea", {
    class: "code",
    name: "formula",
    rows: 5,
    spellcheck: "false",
    readonly: isReadonly,
    autocapitalize: "off",
  });
  area.value = column.formula;
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
    { class: "insertables", role: "group", "aria-label": "Columns" },
    ...sheet.columns
      .filter(({ id }) => id !== column.id)
      .map(({ id }) =>
        h("button", { type: "button", class: "plain small", onclick: () => insert(`$${id}`) }, `$${id}`),
      ),
  );
  const functions = h("details", { class: "functions" }, h("summary", {}, "Functions"));
  functions.addEventListener("toggle", () => {
    if (functions.open && functions.childElementCount === 1) void renderFunctionList(functions, insert);
  });
  const hint = "Python; $Name is the cell in column Name. Multi-line formulas need a return.";
  return {
    area,
    element: h(
      "div",
      { class: "formula-field" },
      h("label", {}, "Formula", area),
      h("p", { class: "hint" }, hint),
      problems,
      !isReadonly && columns,
      !isReadonly && functions,
    ),
    async showErrors(columnId) {
      const { formulas, errors } = await fetchFormulaErrors(sheet, columnId).catch(() => ({
        formulas: [],
        errors: [],
      }));
      const [broken] = formulas;
      if (broken) replaceChildren(problems, errorElement(broken, "In every row"));
      else renderErrors(problems, errors);
      area.setAttribute("aria-invalid", String(broken !== undefined || errors.length > 0));
      const [first] = errors;
      if (broken) return `fails in every row: ${broken.message}`;
      return first ? `fails in ${formatRowCount(errors)}: ${first.message}` : null;
    },
  };
}

/** Shows each kind of error once, with the number of its rows. */
function renderErrors(container: Element, errors: readonly FormulaError[]): void {
  const kinds = Map.groupBy(errors, ({ error, line, message }) => `${error} ${line} ${message}`);
  const notes = [...kinds.values()]
    .slice(0, 5)
    .map((same) => (same[0] ? errorElement(same[0], `In ${formatRowCount(same)}`) : null));
  replaceChildren(container, ...notes);
}

const formatRowCount = (errors: readonly FormulaError[]): string =>
  errors.length < MAX_ERRORS ? formatCount(errors.length, "row", "rows") : `${MAX_ERRORS} rows or more`;

const errorElement = ({ error, message, detail, line }: BrokenFormula, location: string): HTMLElement =>
  h(
    "div",
    { class: "note problem" },
    h("p", {}, icon("warning"), " ", line === null ? "" : `Line ${line}: `, message),
    detail !== null && h("code", {}, `${error}: ${detail}`),
    h("p", { class: "quiet" }, location),
  );

/** The list is loaded when it is opened. */
async function renderFunctionList(place: HTMLElement, insert: (text: string) => void): Promise<void> {
  const { FUNCTIONS } = await import("./functions.ts");
  const search = h("input", {
    type: "search",
    placeholder: "Find a function",
    "aria-label": "Find a function",
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
          { type: "button", class: "plain small", onclick: () => insert(`${name}(`) },
          signature,
        );
        return h("li", {}, button, h("span", { class: "quiet" }, about));
      }),
    );
    if (found.length === 0) replaceChildren(list, h("li", { class: "quiet" }, "No results"));
  };
  search.addEventListener("input", show);
  show();
  place.append(search, list);
}
