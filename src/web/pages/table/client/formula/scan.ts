/** Reads a formula up to the caret, which may be in the middle of anything. */

/** A call around the caret. */
export interface EnclosingCall {
  /** The called expression as written: `SUM`, `Orders.lookupRecords`. */
  readonly callee: string;
  /** The number of arguments before the caret's. */
  readonly index: number;
  /** The name of the caret's argument, if it is passed by name. */
  readonly keyword: string | null;
  /** The names that arguments before it have. */
  readonly names: readonly string[];
  /** Whether the caret is at the start of an argument or in its first name. */
  readonly isAtStart: boolean;
}

export interface Scan {
  /** True in a text or a comment. */
  readonly isLiteral: boolean;
  /** Innermost last. */
  readonly calls: readonly EnclosingCall[];
}

interface OpenBracket {
  readonly callee: string;
  index: number;
  argumentStart: number;
  readonly names: string[];
}

const TOKEN = /#[^\n]*|("""|'''|"|')|[([{]|[)\]}]|,/g;
const CALLEE = /\$?[\p{L}_][\p{L}\p{N}_]*(?:\s*\.\s*[\p{L}_][\p{L}\p{N}_]*)*\s*$/u;
const KEYWORD = /^\s*([\p{L}_][\p{L}\p{N}_]*)\s*=(?!=)/u;
/** The callee before a bracket is this long at most. */
const MAX_CALLEE = 300;

export function scanFormula(text: string, caret: number): Scan {
  const open: OpenBracket[] = [];
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(text); token && token.index < caret; token = TOKEN.exec(text)) {
    const [found, quotes] = token;
    const at = token.index;
    if (found.startsWith("#")) {
      if (caret <= at + found.length) return { isLiteral: true, calls: callsOf(open, text, caret) };
    } else if (quotes !== undefined) {
      const end = endOfText(text, at + quotes.length, quotes);
      if (caret < end) return { isLiteral: true, calls: callsOf(open, text, caret) };
      TOKEN.lastIndex = end;
    } else if ("([{".includes(found)) open.push(openBracket(text, at, found));
    else if (found === ",") endArgument(open.at(-1), text, at);
    else open.pop();
  }
  return { isLiteral: false, calls: callsOf(open, text, caret) };
}

function openBracket(text: string, at: number, bracket: string): OpenBracket {
  const before = text.slice(Math.max(0, at - MAX_CALLEE), at);
  const callee = bracket === "(" ? (CALLEE.exec(before)?.[0] ?? "") : "";
  return { callee: callee.replaceAll(/\s/g, ""), index: 0, argumentStart: at + 1, names: [] };
}

function endArgument(bracket: OpenBracket | undefined, text: string, at: number): void {
  if (!bracket) return;
  const name = KEYWORD.exec(text.slice(bracket.argumentStart, at))?.[1];
  if (name !== undefined) bracket.names.push(name);
  bracket.index++;
  bracket.argumentStart = at + 1;
}

/** Returns the offset after the closing quotes; a text in single quotes ends with its line. */
function endOfText(text: string, start: number, quotes: string): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text.startsWith(quotes, at)) return at + quotes.length;
    else if (quotes.length === 1 && text[at] === "\n") return at;
  }
  // The text is not closed: the caret at its end is in it.
  return text.length + 1;
}

const callsOf = (open: readonly OpenBracket[], text: string, caret: number): EnclosingCall[] =>
  open
    .filter(({ callee }) => callee !== "")
    .map(({ callee, index, argumentStart, names }) => {
      const before = text.slice(argumentStart, caret);
      const keyword = KEYWORD.exec(before)?.[1] ?? null;
      return { callee, index, names, keyword, isAtStart: /^\s*[\p{L}\p{N}_]*$/u.test(before) };
    });
