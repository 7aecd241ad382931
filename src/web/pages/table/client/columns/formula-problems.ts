/** Errors of a formula, in words below its field. */
import { h, icon, newId, replaceChildren } from "../../../../base/client/dom.ts";
import type { CodeField } from "../../../../base/client/code-editor/code-field.ts";
import { t } from "../../../../base/client/texts.ts";
import {
  type BrokenFormula,
  errorLocation,
  fetchFormulaErrors,
  firstFailure,
  type FormulaError,
  formulaErrorText,
  type FormulaFailure,
  type TablePlace,
} from "./formula-errors.ts";

interface FormulaPlace {
  readonly area: HTMLTextAreaElement;
  /** The element that describes the field. */
  readonly problems: HTMLElement;
  /** The editor of the area; absent for a plain one. */
  readonly field?: Pick<CodeField, "markInvalid"> | undefined;
}

export const problemPlace = (): HTMLElement => h("div", { class: "formula-problems", id: newId("formula-problems") });

/** The errors applied to the previous text. */
export function clearErrorsOnInput({ area, problems, field }: FormulaPlace): void {
  area.addEventListener("input", () => {
    replaceChildren(problems);
    area.removeAttribute("aria-invalid");
    field?.markInvalid(false);
  });
}

/** Shows the current errors of a column at its formula. Returns the first one; null without errors. */
export async function showFormulaErrors(
  place: TablePlace,
  columnId: string,
  { area, problems, field }: FormulaPlace,
): Promise<FormulaFailure | null> {
  const found = await fetchFormulaErrors(place, columnId).catch(() => ({ formulas: [], errors: [] }));
  const [broken] = found.formulas;
  if (broken) replaceChildren(problems, errorElement(broken, t("table.formula.inAllRows")));
  else renderErrors(problems, found.errors);
  const failure = firstFailure(found);
  area.setAttribute("aria-invalid", String(failure !== null));
  field?.markInvalid(failure !== null);
  return failure;
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
