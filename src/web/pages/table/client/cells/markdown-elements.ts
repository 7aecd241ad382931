import type { MarkdownToken } from "../../../../../wire/documents/markdown.ts";
import { h } from "../../../../base/client/dom.ts";

const BLOCKS = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "ul", "ol", "table", "hr"]);

/** Renders tokens; `isInline` shows only the first block with text, without its element. */
export function drawTokens(
  element: HTMLElement,
  tokens: readonly MarkdownToken[],
  { isInline }: { readonly isInline: boolean },
): void {
  const root = h("div", { class: isInline ? "markdown-line" : "markdown-blocks" });
  const open: HTMLElement[] = [root];
  for (const { text, open: tag, close, href } of tokens) {
    const parent = open.at(-1) ?? root;
    if (text !== undefined) parent.append(text);
    else if (tag !== undefined && !(isInline && isBlock(tag))) {
      const child = tag === "a" ? linkTo(href ?? "") : h(elementOf(tag), { class: /^h\d$/.test(tag) && tag });
      parent.append(child);
      open.push(child);
    } else if (close !== undefined && !(isInline && isBlock(close))) {
      if (open.length > 1) open.pop();
    } else if (isInline && close !== undefined && root.textContent.trim() !== "") break;
  }
  element.replaceChildren(root);
}

const isBlock = (tag: string): boolean => BLOCKS.has(tag) || ["li", "thead", "tbody", "tr", "td", "th"].includes(tag);

/** Headings of cells are none of the page. */
const elementOf = (tag: NonNullable<MarkdownToken["open"]>) => (/^h\d$/.test(tag) ? "strong" : tag);

const linkTo = (href: string): HTMLElement =>
  h("a", { href, target: "_blank", rel: "noopener noreferrer", tabindex: -1, contenteditable: "false" });
