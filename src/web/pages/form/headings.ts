/** Headings of a form: authors choose them by their look, while assistive technology needs one title and no gaps. */
import type { MarkdownToken } from "../../../wire/documents/markdown.ts";
import type { FormNode } from "./layout.ts";

type HeadingTag = "h1" | "h2" | "h3" | "h4" | "h5" | "h6";

export interface Headings {
  /** The text of the first heading; null for a form without headings. */
  readonly title: string | null;
  /** The element of each heading, by the token that opens or closes it. */
  readonly tags: ReadonlyMap<MarkdownToken, HeadingTag>;
}

/** Finds the headings of a form: the first one is its title, and no other is more than one level below the one before. */
export function findHeadings(nodes: readonly FormNode[]): Headings {
  const tags = new Map<MarkdownToken, HeadingTag>();
  let title: string | null = null;
  let level = 1;
  for (const tokens of textsOf(nodes)) {
    let current: { readonly tag: HeadingTag; text: string } | null = null;
    for (const token of tokens) {
      const { open, close, text } = token;
      if (isHeading(open)) {
        level = title === null ? 1 : Math.min(Math.max(Number(open.slice(1)), 2), level + 1);
        current = { tag: `h${level}` as HeadingTag, text: "" };
        tags.set(token, current.tag);
      } else if (isHeading(close) && current) {
        tags.set(token, current.tag);
        title ??= current.text.trim();
        current = null;
      } else if (current && text !== undefined) current.text += text;
    }
  }
  return { title, tags };
}

function* textsOf(nodes: readonly FormNode[]): Generator<readonly MarkdownToken[]> {
  for (const node of nodes) {
    if (node.kind === "text") yield node.tokens;
    else if (node.kind === "section" || node.kind === "columns") yield* textsOf(node.children);
  }
}

const isHeading = (tag: string | undefined): tag is HeadingTag => /^h[1-6]$/.test(tag ?? "");
