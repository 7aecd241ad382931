import type { Span, Statement } from "./ast.ts";
import type { Reader } from "./reader.ts";
import type { SyntaxNode } from "./syntax-node.ts";

/** `match subject:` and its cases. */
export function readMatch(_reader: Reader, _parts: readonly SyntaxNode[], span: Span): Statement {
  return { kind: "unsupported", what: "match statements", from: span.from, to: span.to };
}
