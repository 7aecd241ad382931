import type * as Yaml from "yaml";

/** More levels than any schema needs: the time for parsing YAML grows much faster than its depth. */
const MAX_BRACKETS = 50;
const MAX_INDENT = 200;
const MAX_INDICATORS = 10;

/** Precedes the text of a scalar in the lexer's output. */
const SCALAR = "\u001f";
const OPENING: ReadonlySet<string> = new Set(["{", "["]);
const CLOSING: ReadonlySet<string> = new Set(["}", "]"]);
const INDICATORS: ReadonlySet<string> = new Set(["-", "?", ":"]);

/** Returns the position where a text of YAML is nested too deeply; undefined if it is not. Takes linear time. */
export function findDeepNesting({ Lexer }: Pick<typeof Yaml, "Lexer">, text: string): number | undefined {
  let offset = 0;
  let brackets = 0;
  let indicators = 0;
  let isScalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme === SCALAR) {
      isScalar = true;
      continue;
    }
    if (!isScalar) {
      if (OPENING.has(lexeme)) brackets++;
      else if (CLOSING.has(lexeme)) brackets = Math.max(0, brackets - 1);
      else if (brackets === 0 && INDICATORS.has(lexeme)) indicators++;
      else if (lexeme.includes("\n")) indicators = 0;
      const isIndent = lexeme.length > MAX_INDENT && /^ +$/.test(lexeme) && text[offset - 1] === "\n";
      if (brackets > MAX_BRACKETS || indicators > MAX_INDICATORS || isIndent) return offset;
    }
    isScalar = false;
    // Marks of the lexer are not in the text.
    if (lexeme !== "\u0002" && lexeme !== "\u0018") offset += lexeme.length;
  }
  return undefined;
}
