/** What is wrong with the answers of a form: a summary above it, and a message beside each control. */
import type { FC } from "hono/jsx";
import type { FieldProblem } from "../../../services/forms/forms.ts";
import { Name } from "../../base/components.tsx";
import { type PageTexts, useTexts } from "../../base/page-texts.tsx";
import { controlId } from "./question-field.tsx";
import type { Question } from "./questions.ts";

/** By column id. */
export type FieldProblems = ReadonlyMap<string, Pick<FieldProblem, "code" | "maximum">>;

export const NO_PROBLEMS: FieldProblems = new Map();

/** Returns what is wrong, in the words of the page; undefined when nothing is. */
export function problemText(
  t: PageTexts,
  question: Question,
  problem: Pick<FieldProblem, "code" | "maximum"> | undefined,
): string | undefined {
  if (!problem) return undefined;
  const { control } = question;
  const { kind } = control;
  const { code, maximum = 0 } = problem;
  if (code === "required" && kind === "toggle") return t("form.problem.tick");
  if (code === "required") return t(kind === "files" ? "form.problem.file" : "form.problem.required");
  if (code === "too_long") return t("form.problem.tooLong", { count: maximum });
  if (kind === "suggestions" && control.hasMore) return t("form.problem.noSuchEntry");
  return t(kind === "number" && control.isWhole ? "form.problem.wholeNumber" : PROBLEM_TEXTS[kind]);
}

const PROBLEM_TEXTS = {
  text: "form.problem.value",
  lines: "form.problem.value",
  number: "form.problem.number",
  toggle: "form.problem.value",
  date: "form.problem.date",
  dateTime: "form.problem.dateTime",
  select: "form.problem.option",
  radio: "form.problem.option",
  checkboxes: "form.problem.option",
  suggestions: "form.problem.suggestion",
  files: "form.problem.files",
} as const satisfies Record<Question["control"]["kind"], string>;

interface SummaryProps {
  readonly questions: readonly Question[];
  readonly problems: FieldProblems;
}

/** Links to the controls with a problem. It takes the focus, which speaks it. */
export const ProblemSummary: FC<SummaryProps> = ({ questions, problems }) => {
  const t = useTexts();
  const wrong = questions.filter(({ colId, isHidden }) => problems.has(colId) && !isHidden);
  if (wrong.length === 0) return <></>;
  return (
    <div class="note problem summary" tabindex={-1} autofocus>
      <p>{t("form.problems", { count: wrong.length })}</p>
      <ul>
        {wrong.map((question) => (
          <li>
            <a href={`#${controlId(question)}`}>
              <Name text={question.text} />
            </a>
            {": "}
            {problemText(t, question, problems.get(question.colId))}
          </li>
        ))}
      </ul>
    </div>
  );
};
