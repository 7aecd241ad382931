import type { parser } from "@lezer/python";

/** A node of the parser's tree. */
export type SyntaxNode = ReturnType<typeof parser.parse>["topNode"];

/** A node's children but comments. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (child.name !== "Comment") children.push(child);
  }
  return children;
}
