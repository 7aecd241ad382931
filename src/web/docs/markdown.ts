/** Markdown of the documentation to HTML that the content security policy of pages permits. */
import MarkdownParser, { type MarkdownIt, type RendererRule, type Token } from "markdown-it";

/** Names of the languages of code blocks, above the block. Other blocks, such as output, have no bar. */
const LANGUAGE_NAMES: Readonly<Record<string, string>> = {
  caddyfile: "Caddyfile",
  csv: "CSV",
  env: "Settings",
  haproxy: "HAProxy",
  html: "HTML",
  http: "HTTP",
  ini: "INI",
  js: "JavaScript",
  json: "JSON",
  nginx: "nginx",
  python: "Python",
  sh: "Shell",
  sql: "SQL",
  toml: "TOML",
  ts: "TypeScript",
  xml: "XML",
  yaml: "YAML",
};

/** Creates the parser: CommonMark with tables. HTML in the source is text. */
export function createMarkdown(): MarkdownIt {
  const markdown = new MarkdownParser({ html: false });
  const { rules } = markdown.renderer;
  const { escapeHtml } = markdown.utils;

  // Headings link to themselves, so that the address of a section can be copied.
  rules["heading_open"] = (tokens, index) => {
    const id = escapeHtml(attribute(tokens[index], "id"));
    return `<${tokens[index]?.tag ?? ""} id="${id}">${hasLink(tokens[index + 1]) ? "" : `<a href="#${id}">`}`;
  };
  rules["heading_close"] = (tokens, index) =>
    `${hasLink(tokens[index - 1]) ? "" : "</a>"}</${tokens[index]?.tag ?? ""}>\n`;

  // Wide tables and code scroll within themselves; the focus lets the keyboard scroll them.
  rules["table_open"] = (tokens, index) => {
    const label = attribute(tokens[index], "aria-label");
    return `<div class="table-box" role="group" tabindex="0" aria-label="${escapeHtml(label)}">\n<table>\n`;
  };
  rules["table_close"] = () => "</table>\n</div>\n";
  for (const cell of ["th_open", "td_open"]) rules[cell] = renderCell;
  rules["th_close"] = (tokens, index) => `</${cellTag(tokens[index], tokens[index - 1])}>\n`;

  rules["fence"] = (tokens, index) => {
    const { info = "", content = "" } = tokens[index] ?? {};
    const language = /^[\w+-]+/.exec(info)?.[0].toLowerCase() ?? "text";
    const name = LANGUAGE_NAMES[language];
    const bar = name === undefined ? "" : `<div class="code-bar"><span>${name}</span></div>`;
    const code = `<code class="language-${language}">${escapeHtml(content)}</code>`;
    return `<div class="code">${bar}<pre tabindex="0">${code}</pre></div>\n`;
  };
  rules["code_block"] = (tokens, index, ...rest) => rules["fence"]?.(tokens, index, ...rest) ?? "";
  return markdown;
}

const hasLink = (inline: Token | undefined): boolean =>
  inline?.children?.some(({ type }) => type === "link_open") ?? false;

/** Returns an attribute as a text; empty when it is missing. */
export const attribute = (token: Token | undefined, name: string): string => String(token?.attrGet(name) ?? "");

/** The corner of a table has no heading, so it is not one. */
const cellTag = (cell: Token | undefined, content: Token | undefined): string =>
  cell?.tag === "th" && content?.content !== "" ? "th" : "td";

/** Alignment by class: markdown-it writes it as a style, which the policy forbids. */
const renderCell: RendererRule = (tokens, index) => {
  const token = tokens[index];
  const alignment = /^text-align:(center|right)$/.exec(attribute(token, "style"))?.[1];
  return `<${cellTag(token, tokens[index + 1])}${alignment ? ` class="align-${alignment}"` : ""}>`;
};

/** Returns the text of an inline token, without markup. */
export const plainText = (token: Token | undefined): string =>
  (token?.children ?? [])
    .map(({ type, content }) => (type === "softbreak" || type === "hardbreak" ? " " : content))
    .join("");

/** Returns ids of headings as GitHub does, each once: `Time zones` → `time-zones`, then `time-zones-1`. */
export function createSlugger(reserved: readonly string[]): (text: string) => string {
  const taken = new Set(reserved);
  return (text) => {
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
      .replaceAll(" ", "-");
    let id = slug;
    for (let count = 1; taken.has(id); count++) id = `${slug}-${count}`;
    taken.add(id);
    return id;
  };
}
