/** The table of contents of the documentation: docs/README.md is the only source of chapters and their order. */
import type { HelpChapter, HelpContents } from "../base/help/help-types.ts";
import { createMarkdown, plainText } from "./markdown.ts";

/** `- [Access rules](access-rules.md): who can read and change which part of a document.` */
const ENTRY = /^[-*] \[([^\]]+)\]\(([\w-]+)\.md\):?\s*(.*)$/;

/**
 * Parses docs/README.md: headings of the second level are chapters, list items are pages. Lists without pages, such as
 * links to the documentation for developers, are not part of `/help`.
 */
export function parseContents(readme: string): HelpContents {
  const [head = "", ...parts] = readme.split(/^## /m);
  const chapters = parts.map(parseChapter).filter(({ pages }) => pages.length > 0);
  return { introduction: createMarkdown().render(head.replace(/^# .*$/m, "")), chapters };
}

function parseChapter(part: string): HelpChapter {
  const [title = "", ...lines] = part.split("\n");
  // Items may continue on the next, indented line.
  const items = lines
    .join("\n")
    .replaceAll(/\n {2,}/g, " ")
    .split("\n");
  const pages = items.flatMap((item) => {
    const [, pageTitle, name, about = ""] = ENTRY.exec(item) ?? [];
    return pageTitle && name ? [{ name, title: textOf(pageTitle), about: capitalized(textOf(about)) }] : [];
  });
  return { title: textOf(title), pages };
}

const textOf = (markdown: string): string => plainText(createMarkdown().parseInline(markdown, {})[0]).trim();
const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
