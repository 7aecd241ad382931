import type { Expression, Span } from "../parser/ast.ts";
import { splitStringLiteral } from "../parser/literals.ts";

/** A name in a formula: offsets are those in the formula as it was written. */
export type NameReference = Span &
  (
    | { readonly kind: "table"; readonly table: string }
    /** A column of a known table, whether or not it exists. */
    | { readonly kind: "column"; readonly table: string; readonly column: string }
    /** An attribute of something unknown: perhaps a column, perhaps a method. */
    | { readonly kind: "attribute"; readonly name: string }
  );

/** Where a column is named, in the prepared text. */
export interface ColumnName extends Span {
  readonly column: string;
}

/** True when this part of the text is that name. Python takes names in other forms of writing for the same. */
export const spanHasName = (text: string, { from, to }: Span, name: string): boolean =>
  text.slice(from, to).normalize("NFKC") === name;

/** Where the name of an attribute stands in the text. Undefined when it is not written there as such. */
export function attributeSpan(text: string, node: Expression & { kind: "attribute" }): Span | undefined {
  const written = /[^\s.()\\]*$/.exec(text.slice(node.object.to, node.to))?.[0] ?? "";
  const span = { from: node.to - written.length, to: node.to };
  return spanHasName(text, span, node.name) ? span : undefined;
}

/** The columns that `order_by` or `group_by` names: in a text or several ones. Texts with escapes are left out. */
export function columnNames(text: string, node: Expression): ColumnName[] {
  if (node.kind === "tuple") return node.items.flatMap((item) => columnNames(text, item));
  if (node.kind === "conditional") return [node.body, node.orElse].flatMap((branch) => columnNames(text, branch));
  if (node.kind !== "constant" || typeof node.value !== "string") return [];
  const name = textSpan(text, node, node.value);
  return name ? [name] : [];
}

/** `-Name` is the column in reverse. */
function textSpan(text: string, node: Span, value: string): ColumnName | undefined {
  const literal = text.slice(node.from, node.to);
  const contents = splitStringLiteral(literal);
  if (literal.slice(contents.from, contents.to) !== value || !/^-?\w+$/.test(value)) return undefined;
  const column = value.replace("-", "");
  const to = node.from + contents.to;
  return { column, from: to - column.length, to };
}
