/** Highlights formulas. A tokenizer is enough: the server finds their errors, and a grammar would be larger than it. */
import { type StringStream, StreamLanguage } from "@codemirror/language";

interface State {
  /** The quotes that end the string that the line begins in; empty outside of strings. */
  quotes: string;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
export const KEYWORDS = words(
  "and as assert break case class continue def del elif else except finally for from if import in is lambda match " +
    "nonlocal not or pass raise return try while with yield",
);
const CONSTANTS = words("True False None");

export const pythonMode = StreamLanguage.define<State>({
  name: "formula",
  startState: () => ({ quotes: "" }),
  token(stream, state) {
    if (state.quotes !== "") return readString(stream, state);
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return "comment";
    const quote = /^(?:[rbfu]|rb|br|fr|rf)?("""|'''|"|')/i.exec(stream.string.slice(stream.pos));
    if (quote) {
      stream.pos += quote[0].length;
      state.quotes = quote[1] ?? "";
      return readString(stream, state);
    }
    if (stream.match(/^\$[\p{L}_][\p{L}\p{N}_]*/u)) return "variableName.special";
    if (stream.match(/^(?:0[xob][\da-f_]+|\d[\d_]*\.?[\d_]*(?:e[-+]?\d+)?|\.\d+)/i)) return "number";
    const word = stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u) as RegExpMatchArray | null;
    if (!word) {
      stream.next();
      return null;
    }
    if (CONSTANTS.has(word[0])) return "bool";
    return KEYWORDS.has(word[0]) ? "keyword" : null;
  },
  languageData: { commentTokens: { line: "#" } },
});

function readString(stream: StringStream, state: State): string {
  while (!stream.eol()) {
    if (stream.match(state.quotes)) {
      state.quotes = "";
      return "string";
    }
    if (stream.next() === "\\") stream.next();
  }
  // Only strings in three quotes go on in the next line.
  if (state.quotes.length === 1) state.quotes = "";
  return "string";
}
