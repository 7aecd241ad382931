/** The documentation as `/help` shows it. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CODES, INTERNAL_CODE } from "../../../src/errors/codes.ts";
import { errorHelpLink, HELP_LINKS } from "../../../src/web/base/help/help-links.ts";
import { parseContents } from "../../../src/web/docs/contents.ts";
import { testApp } from "../../helpers/app.ts";
import { Visitor } from "../visitor.ts";

const DOCS = join(import.meta.dir, "../../../docs");
const { chapters } = parseContents(readFileSync(join(DOCS, "README.md"), "utf8"));
const names = chapters.flatMap(({ pages }) => pages.map(({ name }) => name));

describe("/help", () => {
  const hrefs = (html: string): string[] =>
    [...html.matchAll(/ href="([^"]*)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));

  /** The index and all pages, by path. */
  async function fetchPages() {
    await using t = await testApp();
    const visitor = new Visitor(t.app);
    const pages = new Map<string, string>();
    for (const path of ["/help", ...names.map((name) => `/help/${name}`)]) {
      const { status, html } = await visitor.get(path);
      expect([path, status]).toEqual([path, 200]);
      pages.set(path, html);
    }
    return pages;
  }

  test("lists the pages in the order of docs/README.md", async () => {
    const pages = await fetchPages();
    const paths = names.map((name) => `/help/${name}`);
    const linked = hrefs(pages.get("/help") ?? "").filter((href) => href.startsWith("/help/"));
    // In the sidebar, then in the text.
    expect(linked).toEqual([...paths, ...paths]);
  });

  test("leads through the pages in the order of docs/README.md", async () => {
    const pages = await fetchPages();
    for (const [index, name] of names.entries()) {
      const html = pages.get(`/help/${name}`) ?? "";
      const neighbour = (rel: string) => new RegExp(`<a href="/help/([^"]*)" rel="${rel}"`).exec(html)?.[1];
      expect([name, neighbour("prev"), neighbour("next")]).toEqual([name, names[index - 1], names[index + 1]]);
    }
  });

  test("has pages without inline styles, scripts and event handlers", async () => {
    for (const [path, html] of await fetchPages()) {
      const tags = html.match(/<[a-z][^>]*>/g) ?? [];
      const inline = tags.filter((tag) => /\s(style|on\w+)=|javascript:|<(style|iframe|object)/.test(tag));
      const scripts = tags.filter((tag) => tag.startsWith("<script") && !/ src="\/assets\/[^"]*">/.test(tag));
      expect([path, ...inline, ...scripts]).toEqual([path]);
    }
  });

  test("has links that lead to existing pages and anchors", async () => {
    const pages = await fetchPages();
    const ids = new Map(
      [...pages].map(([path, html]) => [path, [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = ""]) => id)]),
    );
    const other = /^\/($|assets\/|reference$|sign-in$)/;
    for (const [path, html] of pages) {
      const broken = hrefs(html).filter((href) => {
        if (/^(https?|mailto):/.test(href) || other.test(href)) return false;
        const [target = "", anchor] = href.split("#");
        const found = ids.get(target || path);
        return !found || (anchor !== undefined && !found.includes(decodeURIComponent(anchor)));
      });
      expect([path, ...broken]).toEqual([path]);
    }
  });

  test("has the pages and anchors that other pages link to", async () => {
    const pages = await fetchPages();
    const codes = [...Object.values(CODES).flatMap((kind) => Object.keys(kind)), INTERNAL_CODE];
    const aboutErrors = codes.flatMap((code) => [`/help/errors#${code}`, errorHelpLink(code) ?? "/help"]);
    const missing = [...Object.values(HELP_LINKS), ...aboutErrors].filter((link) => {
      const [path = "", anchor] = link.split("#");
      return !pages.has(path) || (anchor !== undefined && !pages.get(path)?.includes(` id="${anchor}"`));
    });
    expect(missing).toEqual([]);
  });

  test("has each id once on a page", async () => {
    for (const [path, html] of await fetchPages()) {
      const ids = [...html.matchAll(/<[^>]* id="([^"]*)"/g)].map(([, id]) => id);
      expect([path, ...ids.filter((id, index) => ids.indexOf(id) !== index)]).toEqual([path]);
    }
  });

  test("has only external links without a referrer", async () => {
    for (const [path, html] of await fetchPages()) {
      const external = html.match(/<a href="https?:[^>]*>/g) ?? [];
      expect([path, ...external.filter((tag) => !tag.includes('rel="noopener noreferrer"'))]).toEqual([path]);
    }
  });
});
