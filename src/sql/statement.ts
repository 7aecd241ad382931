import { invalidStatement } from "./refusals.ts";

/** A statement as its caller wrote it, looked through before SQLite sees it. */
export interface ParsedStatement {
  /** What runs: one SELECT that has the caller's text as its only source. */
  readonly wrapped: string;
  /** How many values it takes. */
  readonly parameterCount: number;
  /** The numbers, from 1, of parameters that have a name, by their name with its first character. */
  readonly named: ReadonlyMap<string, number>;
}

/**
 * What a statement is made of, as far as it matters here. Doubled quotes need no mention: they end one text and begin
 * another. The last choice is a quote or comment that is not closed.
 */
const TOKENS = new RegExp(
  [
    /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]/,
    /(?<comment>--[^\n]*|\/\*[^]*?\*\/)/,
    /(?<variable>[$@:#](?:[\w$\u0080-\uffff]|::)+(?:\([^\t\n\v\f\r )]*\))?|\?\d*)/,
    /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/,
    /(?<mark>[();])/,
    /(?<open>['"`[]|\/\*)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/**
 * Looks through the text of a statement and wraps it: only what SQLite's grammar takes as a source of rows runs.
 * @param prelude what stands before the wrapping SELECT, for the names it defines
 * @throws AppError `invalid` for what cannot be one SELECT, whatever SQLite would make of it
 */
export function parseStatement(text: string, prelude = ""): ParsedStatement {
  if (!/select/i.test(text)) throw invalidStatement("The statement must be a SELECT");
  if (text.includes("\0")) throw invalidStatement("The statement must not contain the character U+0000");
  let depth = 0;
  // Where the scan is, where the last token ends that is neither white space nor a comment, and where the semicolon is.
  let [position, end, semicolon] = [0, 0, text.length];
  const variables = new StatementParameters();
  for (const { 0: token, groups = {}, index } of text.matchAll(TOKENS)) {
    if (!isBlank(text.slice(position, index))) end = index;
    position = index + token.length;
    if (groups["comment"] !== undefined) continue;
    if (groups["mark"] === ";" && semicolon === text.length) {
      semicolon = index;
      continue;
    }
    end = position;
    if (end > semicolon) break;
    if (groups["variable"] !== undefined) variables.add(groups["variable"]);
    else if (groups["mark"] === "(") depth++;
    else if (groups["mark"] === ")") {
      depth--;
      if (depth < 0) throw invalidStatement("The statement closes a bracket that it did not open");
    } else if (groups["open"] !== undefined)
      throw invalidStatement(`The statement ends before the text or comment that ${groups["open"]} begins is closed`);
  }
  if (!isBlank(text.slice(position))) end = text.length;
  if (end > semicolon) throw invalidStatement("Only one statement can run: remove the semicolon inside it");
  if (depth > 0) throw invalidStatement("The statement opens a bracket that it does not close");
  return {
    // Without trailing comments: they would hide the bracket, or become part of the last column's name.
    wrapped: `${prelude}select * from (${text.slice(0, end)})`,
    parameterCount: variables.count,
    named: variables.named,
  };
}

/** True for what SQLite takes as white space. */
const isBlank = (text: string): boolean => !/[^ \t\n\f\r]/.test(text);

/** The parameters of a statement, numbered as SQLite numbers them. */
class StatementParameters {
  readonly named = new Map<string, number>();
  count = 0;

  add(text: string): void {
    if (text === "?") this.count++;
    else if (text.startsWith("?")) this.count = Math.max(this.count, Number(text.slice(1)));
    else if (!this.named.has(text)) {
      this.count++;
      this.named.set(text, this.count);
    }
  }
}
