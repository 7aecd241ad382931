import { invalidStatement } from "./refusals.ts";

/** The caller's statement, checked before SQLite sees it. */
export interface ParsedStatement {
  /** The statement to run: one SELECT whose only source is the caller's text. */
  readonly wrapped: string;
  /** Number of parameters. */
  readonly parameterCount: number;
  /** Numbers, from 1, of named parameters, by name including its first character. */
  readonly named: ReadonlyMap<string, number>;
}

/**
 * The relevant tokens of a statement. Doubled quotes need no special case: they end one string and begin another. The
 * last alternative is an unclosed quote or comment.
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
 * Parses a statement and wraps it, so that only what SQLite's grammar accepts as a row source runs.
 * @param prelude text before the wrapping SELECT, for the names it defines
 * @throws AppError `invalid` for everything that is not a single SELECT, regardless of how SQLite would parse it
 */
export function parseStatement(text: string, prelude = ""): ParsedStatement {
  if (!/select/i.test(text)) throw invalidStatement("The statement must be a SELECT");
  if (text.includes("\0")) throw invalidStatement("The statement must not contain the character U+0000");
  let depth = 0;
  // The scan position, the end of the last token other than white space and comments, and the index of the semicolon.
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
      if (depth < 0) throw invalidStatement("The statement has an unmatched closing parenthesis");
    } else if (groups["open"] !== undefined)
      throw invalidStatement(`The statement has an unclosed string or comment that begins with ${groups["open"]}`);
  }
  if (!isBlank(text.slice(position))) end = text.length;
  if (end > semicolon) throw invalidStatement("Only one statement can run: remove the semicolon inside it");
  if (depth > 0) throw invalidStatement("The statement has an unclosed parenthesis");
  return {
    // Without trailing comments: they would hide the closing parenthesis, or become part of the last column's name.
    wrapped: `${prelude}select * from (${text.slice(0, end)})`,
    parameterCount: variables.count,
    named: variables.named,
  };
}

/** Returns true for what SQLite treats as white space. */
const isBlank = (text: string): boolean => !/[^ \t\n\f\r]/.test(text);

/** The parameters of a statement, numbered like SQLite does. */
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
