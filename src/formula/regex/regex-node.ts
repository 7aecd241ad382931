/** The syntax tree of a regular expression in Python's syntax. */

/** Returns whether a code point belongs to a class. */
export type CharacterTest = (code: number) => boolean;

export type RegexNode =
  | { readonly kind: "character"; readonly test: CharacterTest }
  /** A sequence of literal characters. */
  | { readonly kind: "literal"; readonly codes: readonly number[] }
  | { readonly kind: "sequence"; readonly items: readonly RegexNode[] }
  | { readonly kind: "choice"; readonly options: readonly RegexNode[] }
  | {
      readonly kind: "repeat";
      readonly item: RegexNode;
      readonly min: number;
      readonly max: number;
      readonly mode: "greedy" | "lazy" | "possessive";
    }
  | { readonly kind: "group"; readonly index: number; readonly item: RegexNode }
  | { readonly kind: "reference"; readonly index: number; readonly ignoreCase: boolean }
  | { readonly kind: "start" | "end"; readonly eachLine: boolean }
  /** The end of the text; `$` also matches before a final line end. */
  | { readonly kind: "finish" }
  | { readonly kind: "boundary"; readonly negated: boolean; readonly isWord: CharacterTest }
  | {
      readonly kind: "look";
      readonly item: RegexNode;
      readonly negated: boolean;
      /** The offset backwards at which a lookbehind starts; 0 for a lookahead. */
      readonly back: number;
    }
  | { readonly kind: "atomic"; readonly item: RegexNode }
  | { readonly kind: "condition"; readonly index: number; readonly yes: RegexNode; readonly no: RegexNode };

/** Returns the number of characters that a node matches if it is constant; undefined otherwise. */
export function fixedWidth(node: RegexNode, groups: ReadonlyMap<number, RegexNode>): number | undefined {
  switch (node.kind) {
    case "character":
      return 1;
    case "literal":
      return node.codes.length;
    case "sequence": {
      let width = 0;
      for (const item of node.items) {
        const itemWidth = fixedWidth(item, groups);
        if (itemWidth === undefined) return undefined;
        width += itemWidth;
      }
      return width;
    }
    case "choice":
      return sameWidth(node.options, groups);
    case "condition":
      return sameWidth([node.yes, node.no], groups);
    case "repeat": {
      const itemWidth = fixedWidth(node.item, groups);
      return itemWidth !== undefined && node.min === node.max ? itemWidth * node.min : undefined;
    }
    case "group":
    case "atomic":
      return fixedWidth(node.item, groups);
    case "reference": {
      const item = groups.get(node.index);
      return item && fixedWidth(item, groups);
    }
    case "start":
    case "end":
    case "finish":
    case "boundary":
    case "look":
      return 0;
    default:
      return undefined;
  }
}

function sameWidth(nodes: readonly RegexNode[], groups: ReadonlyMap<number, RegexNode>): number | undefined {
  const [first, ...others] = nodes.map((node) => fixedWidth(node, groups));
  return others.every((width) => width === first) ? first : undefined;
}
