/** What is shown below a formula while it is edited. */
import type { CodeEditor } from "../../../../base/client/code-editor/editor.ts";
import { correct, type MarkedProblem, problemsOf } from "../../../../base/client/code-editor/problem-marks.ts";
import {
  type Child,
  dataElement,
  englishElement,
  h,
  icon,
  nameElement,
  replaceChildren,
} from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { formulaErrorText } from "../columns/formula-errors.ts";
import type { CallHelp } from "./call-help.ts";
import type { CheckAnswer, FormulaProblem, FormulaResult } from "./live-check.ts";

/** Of many problems the first ones are enough. */
const MAX_PROBLEMS = 5;

export class FormulaHelp {
  readonly #editor: CodeEditor;
  readonly #problems = h("ul", {});
  readonly #result = h("p", { class: "formula-result", hidden: true });
  readonly #call = h("p", { class: "formula-call", hidden: true });

  constructor(place: HTMLElement, editor: CodeEditor) {
    this.#editor = editor;
    place.append(this.#problems, this.#result, this.#call);
  }

  show({ problems, result, row }: CheckAnswer): void {
    const marks = problems.map(markOf);
    this.#editor.showProblems(marks);
    const shown = problems.slice(0, MAX_PROBLEMS);
    replaceChildren(this.#problems, ...shown.map((problem, at) => this.#item(problem, marks[at])));
    this.#result.hidden = result === null;
    replaceChildren(this.#result, ...(result ? resultText(result, row) : []));
  }

  /** Shows the parameters of the function at the caret; null hides them. */
  showCall(help: CallHelp | null): void {
    this.#call.hidden = help === null;
    if (help) replaceChildren(this.#call, ...callElements(help));
  }

  #item(problem: FormulaProblem, mark: MarkedProblem | undefined): HTMLElement {
    const { replacement = null } = mark ?? {};
    const replace = () => {
      // The text may have changed since the answer.
      const current = problemsOf(this.#editor.view).find(({ text }) => text === mark?.text);
      correct(this.#editor.view, current);
      this.#editor.focus();
    };
    const button =
      replacement !== null &&
      h(
        "button",
        {
          type: "button",
          class: "plain small",
          title: t("table.formula.replaceName", { name: replacement }),
          onclick: replace,
        },
        t("table.formula.replace"),
      );
    const meant =
      replacement === null ? [] : [" ", ...t.rich("table.formula.didYouMean", { name: nameElement(replacement) })];
    return h("li", {}, icon("triangle-alert"), h("span", {}, ...problemText(problem), ...meant), button);
  }
}

function problemText(problem: FormulaProblem): Child[] {
  if (problem.kind === "syntax") {
    return [formulaErrorText(problem.error), " ", h("small", {}, englishElement(problem.detail))];
  }
  const name = nameElement(problem.name);
  return problem.kind === "column"
    ? t.rich("table.formula.noColumn", { name })
    : t.rich("table.formula.noName", { name });
}

function markOf(problem: FormulaProblem): MarkedProblem {
  const { from, to } = problem;
  if (problem.kind === "syntax") return { from, to, text: formulaErrorText(problem.error), replacement: null };
  const { suggestion } = problem;
  const text = h("span", {}, ...problemText(problem)).textContent ?? "";
  if (suggestion === null) return { from, to, text, replacement: null };
  const meant = t("table.formula.didYouMean", { name: suggestion });
  return { from, to, text: `${text} ${meant}`, replacement: suggestion };
}

function resultText(result: FormulaResult, row: number): Child[] {
  switch (result.kind) {
    case "value": {
      if (result.text === "") return [t("table.formula.resultEmpty", { row })];
      return t.rich("table.formula.result", { row, value: dataElement(result.text) });
    }
    case "error":
      return [
        t("table.formula.resultError", { row, error: formulaErrorText(result.error) }),
        " ",
        h("small", {}, englishElement(`${result.error}: ${result.detail}`)),
      ];
    case "unknown":
      return [t("table.formula.resultUnknown", { row })];
    default:
      return result satisfies never;
  }
}

function callElements({ name, parameters, current, about }: CallHelp): Child[] {
  const shown = parameters.flatMap((parameter, at): Child[] => [
    at > 0 && ", ",
    at === current ? h("strong", {}, parameter) : parameter,
  ]);
  return [
    h("code", { translate: "no" }, `${name}(`, ...shown, ")"),
    about !== "" && " ",
    about !== "" && englishElement(about),
  ];
}
