import { describe, expect, test } from "bun:test";
import { parseContents } from "../../../src/web/docs/contents.ts";
import { renderPage } from "../../../src/web/docs/page-renderer.ts";

const image = (path: string) => ({ url: `/assets/${path}`, width: 640, height: 480 });
const options = { pageNames: new Set(["errors", "sql"]), image };
const render = (source: string) => renderPage("page", `# The page\n\n${source}`, options);
const htmlOf = (source: string): string => render(source).page.html.trim();

describe("a page of the documentation", () => {
  test("has its title apart from the text", () => {
    const { page } = render("Text.");
    expect(page).toMatchObject({ title: "The page", titleId: "the-page", html: "<p>Text.</p>\n" });
    expect(() => renderPage("page", "Text.", options)).toThrow("docs/page.md must begin with its title");
  });

  test("shows HTML in the source as text", () => {
    const html = htmlOf("<script>alert(1)</script> and <b onclick='x()'>bold</b>\n\n<div style='color: red'>\n");
    expect(html).not.toMatch(/<(script|b|div)/);
    expect(html).toContain("&lt;script&gt;");
  });

  test("does not link to scripts", () => {
    expect(htmlOf("[a](javascript:alert(1)) [b](<data:text/html,x>)")).not.toContain("href");
  });

  test("aligns the cells of tables by class", () => {
    const html = htmlOf("| a | b | c |\n|---|--:|:-:|\n| 1 | 2 | 3 |");
    expect(html).toContain('<td>1</td>\n<td class="align-right">2</td>\n<td class="align-center">3</td>');
    expect(html).not.toContain("style");
  });

  test("has no empty table headings", () => {
    expect(htmlOf("|  | a |\n|---|---|\n| 1 | 2 |")).toContain("<tr>\n<td></td>\n<th>a</th>\n</tr>");
  });

  test("has tables that scroll by keyboard, named after the heading above", () => {
    const html = htmlOf('## Sizes & "limits"\n\n| a |\n|---|\n| 1 |');
    expect(html).toContain(
      '<div class="table-box" role="group" tabindex="0" aria-label="Sizes &amp; &quot;limits&quot;">',
    );
  });

  test("names the language of code, without the rest of its info string", () => {
    const html = htmlOf('```sh norun="needs systemd"\necho "<$X>"\n```\n\n```\nplain\n```');
    expect(html).toContain("<span>Shell</span>");
    expect(html).toContain('<pre tabindex="0"><code class="language-sh">echo &quot;&lt;$X&gt;&quot;\n</code></pre>');
    expect(html).toContain('<code class="language-text">plain\n</code>');
    expect(html).not.toContain("norun");
  });

  test("has headings with the ids of GitHub, each once, that link to themselves", () => {
    const { page } = render(
      "## `quern serve` & co.\n\n### Größe, Zürich\n\n## Content\n\n## Again\n\n## Again\n\n#### Deep",
    );
    expect(page.headings).toEqual([
      { id: "quern-serve--co", text: "quern serve & co.", level: 2 },
      { id: "größe-zürich", text: "Größe, Zürich", level: 3 },
      // The frame has an element of this id.
      { id: "content-1", text: "Content", level: 2 },
      { id: "again", text: "Again", level: 2 },
      { id: "again-1", text: "Again", level: 2 },
    ]);
    expect(page.html).toContain('<h2 id="again-1"><a href="#again-1">Again</a></h2>');
  });

  test("has links to other pages at their addresses", () => {
    expect(htmlOf("[Errors](errors.md#codes)")).toBe('<p><a href="/help/errors#codes">Errors</a></p>');
    expect(htmlOf("[below](#below) and [all](README.md)")).toBe(
      '<p><a href="#below">below</a> and <a href="/help">all</a></p>',
    );
  });

  test("names files that the reader does not have by their path", () => {
    expect(htmlOf("Use [nginx.conf](deploy/nginx.conf).")).toBe(
      "<p>Use nginx.conf (<code>docs/deploy/nginx.conf</code>).</p>",
    );
    expect(htmlOf("See [the *changes*](../CHANGELOG.md#unreleased) and [SECURITY.md](../SECURITY.md).")).toBe(
      "<p>See the <em>changes</em> (<code>CHANGELOG.md</code>) and SECURITY.md.</p>",
    );
  });

  test("has external links without a referrer", () => {
    expect(htmlOf("[Caddy](https://caddyserver.com/)")).toBe(
      '<p><a href="https://caddyserver.com/" rel="noopener noreferrer">Caddy</a></p>',
    );
  });

  test("has images as assets, with their size", () => {
    expect(htmlOf("![A table](images/table.png)")).toBe(
      '<p><img src="/assets/images/table.png" alt="A table" width="640" height="480" loading="lazy"></p>',
    );
  });

  test("has ids for rows about a name of the program", () => {
    const html = htmlOf(
      '## DATE\n\n| name | meaning |\n|---|---|\n| `QUERN_PORT` | port |\n| 404 | `table.not_found` |\n| `DATE(year, …)` | a |\n| `IF(a)` | b |\n| `Invalid column "X"` | c |\n| `IF(b)` | d |',
    );
    expect([...html.matchAll(/<tr id="([^"]*)"/g)].map(([, id]) => id)).toEqual([
      "QUERN_PORT",
      "table.not_found",
      "DATE",
      "IF",
    ]);
  });

  test("is divided into sections at headings and named rows", () => {
    const { sections } = render(
      "First *words*.\n\n## Codes\n\nA list:\n\n| code | meaning |\n|---|---|\n| `a.b` | Not there. |\n\n```sh\ncurl x\n```\n",
    );
    const common = { page: "page", title: "The page" };
    expect(sections).toEqual([
      { ...common, heading: "", anchor: "", text: "First words.", isRow: false },
      { ...common, heading: "a.b", anchor: "a.b", text: "Not there.", isRow: true },
      { ...common, heading: "Codes", anchor: "codes", text: "A list: curl x", isRow: false },
    ]);
  });
});

test("docs/README.md gives chapters and pages in its order", () => {
  const readme = `# Documentation

Start with *Getting started*.

## Guides

- [The \`API\`](api.md): calls
  from programs.
- [Formulas](formulas.md)

## For developers

[ARCHITECTURE](../ARCHITECTURE.md)

- [Decisions](decisions/README.md): why.
`;
  expect(parseContents(readme)).toEqual({
    introduction: "<p>Start with <em>Getting started</em>.</p>\n",
    chapters: [
      {
        title: "Guides",
        pages: [
          { name: "api", title: "The API", about: "Calls from programs." },
          { name: "formulas", title: "Formulas", about: "" },
        ],
      },
    ],
  });
});
