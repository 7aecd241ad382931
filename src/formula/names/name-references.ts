import type { Expression, Span } from "../parser/ast.ts";
import { splitStringLiteral } from "../parser/literals.ts";

/** A name in a formula; offsets refer to the original formula. */
export type NameReference = Span &
  (
    | { readonly kind: "table"; readonly table: string }
    /** A column of a known table; it may not exist. */
    | { readonly kind: "column"; readonly table: string; readonly column: string }
    /** An attribute of an object of unknown type: perhaps a column, perhaps a method. */
    | { readonly kind: "attribute"; readonly name: string }
  );

/** The span of a column name in the prepared text. */
export interface ColumnName extends Span {
  readonly column: string;
}

/** Returns true if this part of the text is the name. Python normalizes names, so other spellings are equal. */
export const spanHasName = (text: string, { from, to }: Span, name: string): boolean =>
  text.slice(from, to).normalize("NFKC") === name;

/** Returns the span of an attribute's name; undefined if the text does not contain it literally. */
export function attributeSpan(text: string, node: Expression & { kind: "attribute" }): Span | undefined {
  const written = /[^\s.()\\]*$/.exec(text.slice(node.object.to, node.to))?.[0] ?? "";
  const span = { from: node.to - written.length, to: node.to };
  return spanHasName(text, span, node.name) ? span : undefined;
}

/**
 * Returns the columns named by `order_by` or `group_by`, in one or several string literals. Literals with escapes are
 * skipped.
 */
export function columnNames(text: string, node: Expression): ColumnName[] {
  if (node.kind === "tuple") return node.items.flatMap((item) => columnNames(text, item));
  if (node.kind === "conditional") return [node.body, node.orElse].flatMap((branch) => columnNames(text, branch));
  if (node.kind !== "constant" || typeof node.value !== "string") return [];
  const name = textSpan(text, node, node.value);
  return name ? [name] : [];
}

/** `-Name` orders by the column in reverse. */
function textSpan(text: string, node: Span, value: string): ColumnName | undefined {
  const literal = text.slice(node.from, node.to);
  const contents = splitStringLiteral(literal);
  if (literal.slice(contents.from, contents.to) !== value || !/^-?\w+$/.test(value)) return undefined;
  const column = value.replace("-", "");
  const to = node.from + contents.to;
  return { column, from: to - column.length, to };
}
