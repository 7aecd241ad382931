/**
 * Markdown as a list of tokens, which a page turns into elements without parsing HTML. HTML in the source is text, and
 * nothing is loaded from elsewhere: images are links.
 */
import MarkdownParser, { type MarkdownIt, type Token } from "markdown-it";

export interface RenderedToken<Tag extends string> {
  readonly text?: string;
  readonly open?: Tag;
  readonly close?: Tag;
  readonly href?: string;
}

/** Deeper nesting is shown as its source. */
const MAX_NESTING = 20;

/** All other addresses, such as scripts, data and relative ones, stay text. */
const SAFE_ADDRESS = /^(https?:\/\/|mailto:)/i;

let parser: MarkdownIt | undefined;

function markdownParser(): MarkdownIt {
  if (parser) return parser;
  parser = new MarkdownParser({ html: false, linkify: true, maxNesting: MAX_NESTING });
  parser.validateLink = (address) => SAFE_ADDRESS.test(address);
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  return parser;
}

/** Returns the tokens of a text; elements other than the given ones are left out, their content is not. */
export function markdownTokens<Tag extends string>(text: string, tags: readonly Tag[]): RenderedToken<Tag>[] {
  const known = new Set<string>(tags);
  const isTag = (tag: string): tag is Tag => known.has(tag);
  const rendered: RenderedToken<Tag>[] = [];
  // Images inside of links would make links inside of links.
  let openLinks = 0;
  const open = (tag: string, href?: string) => {
    if (isTag(tag)) rendered.push({ open: tag, ...(href !== undefined && { href }) });
  };
  const close = (tag: string) => {
    if (isTag(tag)) rendered.push({ close: tag });
  };
  const addText = (content: string) => {
    if (content !== "") rendered.push({ text: content });
  };
  const wrap = (tag: string, content: string) => {
    open(tag);
    addText(content);
    close(tag);
  };
  const addImage = (token: Token) => {
    const address = String(token.attrGet("src") ?? "");
    const isLink = openLinks === 0 && SAFE_ADDRESS.test(address);
    if (isLink) open("a", address);
    addText(token.content || address);
    if (isLink) close("a");
  };
  const addLink = ({ nesting, attrs }: Token) => {
    openLinks += nesting;
    const address = String(attrs?.find(([name]) => name === "href")?.[1] ?? "");
    if (nesting < 0) close("a");
    else open("a", SAFE_ADDRESS.test(address) ? address : undefined);
  };
  const add = (token: Token) => {
    const { type, tag, nesting, content, children, hidden } = token;
    // Paragraphs of a tight list.
    if (hidden) return;
    if (type === "inline") for (const child of children ?? []) add(child);
    else if (type === "image") addImage(token);
    else if (type === "link_open" || type === "link_close") addLink(token);
    else if (type === "softbreak") addText("\n");
    else if (type === "code_inline") wrap("code", content);
    else if (type === "fence" || type === "code_block") wrap("pre", content.replace(/\n$/, ""));
    else if (nesting > 0) open(tag);
    else if (nesting < 0) close(tag);
    else if (tag !== "") wrap(tag, "");
    else addText(content);
  };
  for (const token of markdownParser().parse(text, {})) add(token);
  return rendered;
}
