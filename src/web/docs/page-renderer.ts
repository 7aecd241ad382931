/** Renders one page of the documentation: HTML, headings, and the sections that a search finds. */
import { posix } from "node:path";
import type { MarkdownIt, Token } from "markdown-it";
import type { HelpHeading, HelpPage, HelpSection } from "../base/help/help-types.ts";
import { attribute, createMarkdown, createSlugger, plainText } from "./markdown.ts";

/** Ids of the frame around the page. */
const FRAME_IDS = ["content", "toasts"];

export interface RenderOptions {
  /** Names of the pages that links may lead to. */
  readonly pageNames: ReadonlySet<string>;
  /** Returns URL and size of an image below docs/. */
  readonly image: (path: string) => { readonly url: string; readonly width: number; readonly height: number };
}

export interface RenderedPage {
  readonly page: HelpPage;
  readonly sections: readonly HelpSection[];
}

/**
 * Renders a page.
 * @throws Error when it does not begin with its title
 */
export function renderPage(name: string, source: string, options: RenderOptions): RenderedPage {
  const markdown = createMarkdown();
  const tokens = markdown.parse(source, {});
  const [open, titleToken] = tokens;
  if (open?.tag !== "h1") throw new Error(`docs/${name}.md must begin with its title`);
  const title = plainText(titleToken);
  const slug = createSlugger(FRAME_IDS);
  const titleId = slug(title);
  const body = tokens.slice(3);
  const headings = identifyHeadings(body, slug);
  const rows = identifyRows(body, new Set([...FRAME_IDS, titleId, ...headings.map(({ id }) => id)]));
  const sections = collectSections({ page: name, title, heading: "", anchor: "", text: "", isRow: false }, body, rows);
  for (const token of body) if (token.children) token.children = rewriteInline(token.children, options, markdown);
  const html = markdown.renderer.render(body, markdown.options, {});
  const listed = headings.filter((heading): heading is HelpHeading => heading.level === 2 || heading.level === 3);
  return { page: { title, titleId, headings: listed, html }, sections };
}

/** Gives headings their ids, and tables the name of the heading above. */
function identifyHeadings(tokens: readonly Token[], slug: (text: string) => string) {
  const headings: { id: string; text: string; level: number }[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type === "table_open") token.attrSet("aria-label", headings.at(-1)?.text ?? "Table");
    if (token.type !== "heading_open") continue;
    const text = plainText(tokens[index + 1]);
    const id = slug(text);
    token.attrSet("id", id);
    headings.push({ id, text, level: Number(token.tag.slice(1)) });
  }
  return headings;
}

/** `QUERN_PORT`, `table.not_found`, `DATE(year, month, day)`: the name, then possibly parameters. */
const NAMED_CODE = /^([A-Za-z][\w.]+)(?:\(.*\))?$/s;

/**
 * Gives ids to the rows of tables that describe a name of the program (a setting, a function, an error code), so that
 * links and the search lead to the row. Returns the names, by the token that begins the row.
 */
function identifyRows(tokens: readonly Token[], taken: Set<string>): ReadonlyMap<Token, string> {
  const rows = new Map<Token, string>();
  for (const [index, token] of tokens.entries()) {
    if (token.type !== "tr_open") continue;
    const cells = cellsOf(tokens, index);
    const code = cells.find(({ children }) => children?.length === 1 && NAMED_CODE.test(codeOf(children[0])));
    const text = codeOf(code?.children?.[0]);
    const id = NAMED_CODE.exec(text)?.[1] ?? "";
    if (id === "" || taken.has(id)) continue;
    taken.add(id);
    token.attrSet("id", id);
    rows.set(token, text);
  }
  return rows;
}

const codeOf = (token: Token | undefined): string => (token?.type === "code_inline" ? token.content : "");

/** Returns the inline tokens of a row. */
function cellsOf(tokens: readonly Token[], row: number): Token[] {
  const end = tokens.findIndex(({ type }, index) => index > row && type === "tr_close");
  return tokens.slice(row, end).filter(({ type }) => type === "inline");
}

/** Divides the text of a page at its headings, without those of tables; rows with an id are sections of their own. */
function collectSections(top: HelpSection, tokens: readonly Token[], rows: ReadonlyMap<Token, string>): HelpSection[] {
  const sections: { about: HelpSection; texts: string[] }[] = [{ about: top, texts: [] }];
  let row: { about: HelpSection; texts: string[] } | undefined;
  for (const [index, token] of tokens.entries()) {
    const { type, content } = token;
    const name = rows.get(token);
    if (type === "heading_open") {
      const about = { ...top, heading: plainText(tokens[index + 1]), anchor: attribute(token, "id") };
      sections.push({ about, texts: [] });
    } else if (name !== undefined) {
      row = { about: { ...top, heading: name, anchor: attribute(token, "id"), isRow: true }, texts: [] };
      sections.splice(-1, 0, row);
    } else if (type === "tr_close") row = undefined;
    else if (type === "fence" || type === "code_block") sections.at(-1)?.texts.push(content);
    else if (type === "inline" && !/^(heading|th)_open$/.test(tokens[index - 1]?.type ?? "")) {
      const text = plainText(token);
      if (text !== row?.about.heading) (row ?? sections.at(-1))?.texts.push(text);
    }
  }
  return sections.map(({ about, texts }) => ({ ...about, text: texts.join(" ").replaceAll(/\s+/g, " ").trim() }));
}

/** Rewrites links and images for `/help`. */
function rewriteInline(children: readonly Token[], options: RenderOptions, markdown: MarkdownIt): Token[] {
  const result: Token[] = [];
  // The path of a file that the reader of `/help` does not have; links do not nest.
  let missingFile: { path: string; text: string } | null = null;
  for (const token of children) {
    if (token.type === "link_open") {
      const target = linkTarget(attribute(token, "href"), options.pageNames);
      if ("path" in target) {
        missingFile = { path: target.path, text: "" };
        continue;
      }
      token.attrSet("href", target.href);
      if (target.isExternal) token.attrSet("rel", "noopener noreferrer");
    } else if (token.type === "link_close" && missingFile) {
      const { path, text } = missingFile;
      missingFile = null;
      if (text !== path) result.push(...(markdown.parseInline(` (\`${path}\`)`, {})[0]?.children ?? []));
      continue;
    } else if (token.type === "image") {
      const { url, width, height } = options.image(attribute(token, "src"));
      for (const [key, value] of Object.entries({ src: url, width, height, loading: "lazy" })) {
        token.attrSet(key, String(value));
      }
    }
    if (missingFile) missingFile.text += token.content;
    result.push(token);
  }
  return result;
}

type LinkTarget = { readonly href: string; readonly isExternal: boolean } | { readonly path: string };

/** Pages of the documentation become addresses of `/help`; other files of the repository are named by their path. */
function linkTarget(href: string, pageNames: ReadonlySet<string>): LinkTarget {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return { href, isExternal: true };
  if (/^[#/]/.test(href)) return { href, isExternal: false };
  const [file = "", anchor] = href.split("#");
  const path = posix.normalize(`docs/${file}`);
  const name = /^docs\/([\w-]+)\.md$/.exec(path)?.[1] ?? "";
  const suffix = anchor === undefined ? "" : `#${anchor}`;
  if (name === "README") return { href: `/help${suffix}`, isExternal: false };
  return pageNames.has(name) ? { href: `/help/${name}${suffix}`, isExternal: false } : { path };
}
