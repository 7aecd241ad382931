import { blankLiterals } from "./blank-literals.ts";

/** SQLite's messages name a part of the statement rather than its place. */
const NEAR = /near "((?:[^"]|"(?!:))+)": syntax error/;
const NAMED = /(?:no such (?:column|table|function)|ambiguous column name|misuse of \w+(?: function)?):? ([^\s()]+)/;

export interface ErrorSpan {
  readonly from: number;
  readonly to: number;
}

/** Returns the part of a statement that an error is about; null where the message names none, or names it ambiguously. */
export function errorSpan(sql: string, message: string): ErrorSpan | null {
  const named = NAMED.exec(message)?.[1]?.replace(/[.,;]$/, "");
  const part = NEAR.exec(message)?.[1] ?? named?.replaceAll(/^["'[`]|["'\]`]$/g, "");
  if (part === undefined || part === "") return null;
  const code = blankLiterals(sql);
  const word = /^\w/.test(part) ? String.raw`(?<![\w$])` : "";
  const end = /\w$/.test(part) ? String.raw`(?![\w$])` : "";
  const found = [...code.matchAll(new RegExp(word + RegExp.escape(part) + end, "gi"))];
  const [first] = found;
  // A syntax error is at one of several equal tokens, and the message does not say at which.
  if (!first || (NEAR.test(message) && found.length > 1)) return null;
  return { from: first.index, to: first.index + part.length };
}
