import type { parser } from "@lezer/python";

/** A node of the Lezer tree. */
export type SyntaxNode = ReturnType<typeof parser.parse>["topNode"];

/** Returns a node's children except comments. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (child.name !== "Comment") children.push(child);
  }
  return children;
}

/** Splits nodes at commas; a trailing comma adds no item. */
export function splitAtCommas(parts: readonly SyntaxNode[]): SyntaxNode[][] {
  const groups: SyntaxNode[][] = [[]];
  for (const part of parts) {
    if (part.name === ",") groups.push([]);
    else groups.at(-1)?.push(part);
  }
  return groups;
}

export const spanOf = (parts: readonly SyntaxNode[]) => ({ from: parts[0]?.from ?? 0, to: parts.at(-1)?.to ?? 0 });
