/** Where the problems of a formula are in its text. */
import { parser } from "@lezer/python";
import type { Span } from "../parser/ast.ts";
import { prepareSource, type Source } from "../parser/source.ts";

/**
 * Returns the part of a formula that a syntax error is about: where the parser has to recover from an error, else the
 * line of the message, else the whole text.
 */
export function syntaxErrorSpan(formula: string, line: number | null): Span {
  const source = prepareSource(formula);
  const { text } = source;
  let error: Span | undefined;
  parser.parse(source.maskedCode).iterate({
    enter({ type, from, to }) {
      if (type.isError) error ??= { from, to };
    },
  });
  if (error) return originalSpan(source, nonEmpty(text, error));
  if (line === null) return { from: 0, to: formula.length };
  const from = text
    .split("\n")
    .slice(0, line - 1)
    .reduce((length, each) => length + each.length + 1, 0);
  const end = text.indexOf("\n", from);
  return originalSpan(source, { from, to: end < 0 ? text.length : end });
}

/** The parser marks something missing by an empty part: the character before or after it is shown instead. */
function nonEmpty(text: string, { from, to }: Span): Span {
  if (from < to) return { from, to };
  const before = text.slice(0, from).trimEnd().length;
  return before > 0 ? { from: before - 1, to: before } : { from: 0, to: Math.min(1, text.length) };
}

/** Returns the first place of each name that is used as a variable. Names without such a place are left out. */
export function findNameSpans(formula: string, names: ReadonlySet<string>): Map<string, Span> {
  const source = prepareSource(formula);
  const spans = new Map<string, Span>();
  if (names.size === 0) return spans;
  parser.parse(source.maskedCode).iterate({
    enter({ name, from, to }) {
      if (name !== "VariableName") return;
      const written = source.text.slice(from, to);
      if (names.has(written) && !spans.has(written)) spans.set(written, originalSpan(source, { from, to }));
    },
  });
  return spans;
}

const originalSpan = (source: Source, { from, to }: Span): Span => ({
  from: source.toOriginal(from),
  to: source.toOriginal(to),
});
