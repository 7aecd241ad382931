import type { TypedColumn, TypedTable } from "./typed-table.ts";

/** A union of more choices makes compilers slow: the column then has any text. */
const MAX_CHOICES = 500;

/** Values of columns of choices and of untyped formulas are spelled out; those of other types follow from the type. */
const HEADER = `/**
 * The tables of a document, for createClient<Schema>() of the TypeScript client. Generated: changes are lost.
 */
export interface Schema {`;

/**
 * Returns the tables as declarations in TypeScript. Names, labels and descriptions are data of the document: they occur
 * only in quoted texts and in comments, which they cannot end.
 */
export function writeTypes(tables: readonly TypedTable[]): string {
  const lines = tables.flatMap(({ id, columns }) => [
    `  ${propertyName(id)}: {`,
    ...columns.flatMap((column) => [
      ...comment(column).map((line) => `    ${line}`),
      `    ${propertyName(column.id)}: ${typeOf(column)};`,
    ]),
    "  };",
  ]);
  return `${[HEADER, ...lines, "}"].join("\n")}\n`;
}

function typeOf({ type, target, choices = [], kinds, isComputed }: TypedColumn): string {
  const members = [
    `type: ${literal(type)}`,
    ...(target !== undefined ? [`target: ${literal(target)}`] : []),
    ...(choices.length > 0 && choices.length <= MAX_CHOICES ? [`choices: ${choices.map(literal).join(" | ")}`] : []),
    ...(kinds ? [`value: ${kinds.join(" | ")}`] : []),
    ...(isComputed ? ["computed: true"] : []),
  ];
  return `{ ${members.join("; ")} }`;
}

const propertyName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name));

/** Characters that do not show, change the direction of text, or end a line in some editors; and unpaired surrogates. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu;

/** Returns a text as a string literal in printable characters. */
const literal = (text: string): string =>
  JSON.stringify(text).replace(INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(""),
  );

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;

/** Returns the label and the description of a column as a comment; none if they say no more than its name. */
function comment({ id, label, description }: TypedColumn): string[] {
  const lines = [...(label === id ? [] : linesOf(label)), ...linesOf(description)];
  if (lines.length === 0) return [];
  const [only = ""] = lines;
  return lines.length === 1 ? [`/** ${only} */`] : ["/**", ...lines.map((line) => ` * ${line}`), " */"];
}

/** Returns the lines of a text for a comment: it neither ends the comment nor begins a tag, such as `@ts-ignore`. */
const linesOf = (text: string): string[] =>
  text
    .split(/[\n\r\u2028\u2029]+/)
    .map((line) => line.replace(INVISIBLE, " ").trim())
    .filter((line) => line !== "")
    .map((line) => line.replaceAll("*/", "*\\/").replaceAll("@", "\\@"));
