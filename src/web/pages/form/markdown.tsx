/** Markdown of a form as elements. */
import { type Child, type FC, jsx } from "hono/jsx";
import type { MarkdownToken } from "../../../wire/documents/markdown.ts";
import type { Headings } from "./headings.ts";

interface MarkdownProps {
  readonly tokens: readonly MarkdownToken[];
  /** The elements of headings; others are bold. */
  readonly headings?: Headings["tags"];
}

/** Renders tokens. Links open in another tab: what was entered stays. */
export const Markdown: FC<MarkdownProps> = ({ tokens, headings }) => {
  let next = 0;
  const readContent = (): Child[] => {
    const content: Child[] = [];
    while (next < tokens.length) {
      const token = tokens[next++];
      if (token?.close !== undefined) break;
      if (token?.open === undefined) content.push(token?.text ?? "");
      else content.push(<Element token={token} tag={headings?.get(token)} content={readContent()} />);
    }
    return content;
  };
  return <>{readContent()}</>;
};

interface ElementProps {
  readonly token: MarkdownToken;
  /** For headings. */
  readonly tag: string | undefined;
  readonly content: readonly Child[];
}

const Element: FC<ElementProps> = ({ token: { open = "p", href }, tag, content }) => {
  if (open === "br" || open === "hr") return open === "br" ? <br /> : <hr />;
  if (open === "a") {
    // An address that is not allowed is text.
    if (href === undefined) return <>{content}</>;
    return (
      <a href={href} target="_blank" rel="noopener noreferrer">
        {content}
      </a>
    );
  }
  const isHeading = /^h[1-6]$/.test(open);
  const look = isHeading && { class: `heading-${open.slice(1)}` };
  return jsx(isHeading ? (tag ?? "strong") : open, { dir: "auto", ...look }, ...content);
};
