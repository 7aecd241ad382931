/** What visitors enter: initial values from the address, and the answers of a form that was sent. */
import type { Option, Question } from "./questions.ts";

/** What was entered, by column id: texts as the controls hold them, several for lists. */
export type Input = ReadonlyMap<string, readonly string[]>;

/** The value of a cell, in the form that the API takes. */
export type AnswerValue = string | number | readonly ["L", ...(string | number)[]];

const NAME_PREFIX = "answer.";

/** The name of a question's control. Fields of the form itself have other names, whatever columns are called. */
export const controlName = ({ colId }: Question): string => NAME_PREFIX + colId;

/** Returns the values that the address of a form gives to the questions that take them from there. */
export function readAddress(questions: readonly Question[], query: URLSearchParams): Input {
  const input = new Map<string, readonly string[]>();
  for (const question of questions) {
    if (!question.isInAddress) continue;
    const values = query.getAll(question.colId).flatMap((text) => controlValue(question, text));
    if (values.length > 0) input.set(question.colId, isList(question) ? values : values.slice(-1));
  }
  return input;
}

/** References are given by the value that they show. */
function controlValue({ control, type }: Question, text: string): string[] {
  if (control.kind === "files") return [];
  if (control.kind === "toggle") return /^(1|true|yes|on)$/i.test(text.trim()) ? ["1"] : [];
  if (type !== "Ref" && type !== "RefList") return [text];
  if (control.kind === "suggestions") return [text];
  const options = optionsOf(control);
  const found = options.find(({ label }) => label === text) ?? options.find(({ plain }) => plain === text);
  return found ? [found.value] : [];
}

/** Returns what a form that was sent contains, by the texts of its controls. */
export function readInput(questions: readonly Question[], entries: Iterable<readonly [string, string]>): Input {
  const known = new Map(questions.map((question) => [controlName(question), question.colId]));
  const input = new Map<string, string[]>();
  for (const [name, text] of entries) {
    const colId = known.get(name);
    if (colId === undefined) continue;
    // Forms are sent with CRLF.
    const value = text.replaceAll("\r\n", "\n");
    const values = input.get(colId);
    if (values) values.push(value);
    else input.set(colId, [value]);
  }
  return input;
}

/** Returns the cells of an answer. Blank answers are left out: their columns get the default. */
export function toFields(questions: readonly Question[], input: Input): Record<string, AnswerValue> {
  const fields: [string, AnswerValue][] = [];
  for (const question of questions) {
    const texts = (input.get(question.colId) ?? []).filter((text) => text.trim() !== "");
    const value = texts.length === 0 ? null : toValue(question, texts);
    if (value !== null) fields.push([question.colId, value]);
  }
  return Object.fromEntries(fields);
}

/** Returns the files of an answer by column id, from those by the name of their control. */
export function answeredFiles<File>(
  questions: readonly Question[],
  files: ReadonlyMap<string, readonly File[]>,
): Record<string, readonly File[]> {
  const asked = questions.filter(({ control }) => control.kind === "files");
  return Object.fromEntries(
    asked.flatMap((question) => {
      const chosen = files.get(controlName(question)) ?? [];
      return chosen.length > 0 ? [[question.colId, chosen] as const] : [];
    }),
  );
}

function toValue(question: Question, texts: readonly string[]): AnswerValue | null {
  const { type, control } = question;
  const [text = ""] = texts;
  if (control.kind === "files") return null;
  if (type === "ChoiceList") return ["L", ...texts];
  if (type === "RefList") return ["L", ...texts.map(toRowId)];
  if (type !== "Ref") return text;
  if (control.kind !== "suggestions") return toRowId(text);
  const found = control.options.find(({ label }) => label === text.trim());
  return found ? toRowId(found.value) : text;
}

/** The server refuses all that is no row id. */
const toRowId = (text: string): number | string => (/^[1-9]\d{0,15}$/.test(text) ? Number(text) : text);

const isList = ({ type }: Question): boolean => type === "ChoiceList" || type === "RefList";

const optionsOf = (control: Question["control"]): readonly Option[] => ("options" in control ? control.options : []);
