import { describe, expect, test } from "bun:test";
import { markdownTokens } from "../../../src/lib/markdown/markdown-tokens.ts";
import { MARKDOWN_TAGS } from "../../../src/wire/documents/markdown.ts";
import { HOSTILE } from "../../web/hostile.ts";

const render = (text: string) => markdownTokens(text, MARKDOWN_TAGS);

/** As markup, for short expectations. */
const markup = (text: string): string =>
  render(text)
    .map(({ text: content, open, close, href }) =>
      open ? `<${open}${href === undefined ? "" : ` ${href}`}>` : close ? `</${close}>` : content,
    )
    .join("");

describe("Markdown of cells", () => {
  test.each([
    ["**a** *b* ~~c~~ `d`", "<p><strong>a</strong> <em>b</em> <s>c</s> <code>d</code></p>"],
    ["# T\n\n- a\n- b", "<h1>T</h1><ul><li>a</li><li>b</li></ul>"],
    ["[x](https://a.example)", "<p><a https://a.example>x</a></p>"],
    ["see https://a.example", "<p>see <a https://a.example>https://a.example</a></p>"],
    ["<m@a.example>", "<p><a mailto:m@a.example>m@a.example</a></p>"],
    ["![cat](https://a.example/cat.png)", "<p><a https://a.example/cat.png>cat</a></p>"],
    ["[![cat](https://a.example/c.png)](https://b.example)", "<p><a https://b.example>cat</a></p>"],
    ["```js\nx < 1\n```", "<pre>x < 1</pre>"],
    ["a\n\n---\n\n> b", "<p>a</p><hr></hr><blockquote><p>b</p></blockquote>"],
    ["| a |\n|-|\n| b |", "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>"],
  ])("%s", (text, expected) => expect(markup(text)).toBe(expected));

  test.each([
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java&#x73;cript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:x)",
    "[x](//evil.example)",
    "[x](/docs/1)",
    "![x](data:image/svg+xml,<svg onload=alert(1)>)",
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    "<b onclick=alert(1)>x</b>",
    ...HOSTILE,
  ])("has no other addresses and no markup: %s", (text) => {
    for (const { open, href } of render(text)) {
      if (open !== undefined) expect(MARKDOWN_TAGS).toContain(open);
      if (href !== undefined) expect(href).toMatch(/^(https?:\/\/|mailto:)/);
    }
    expect(markup("<b>x</b>")).toBe("<p><b>x</b></p>");
    expect(render("<b>x</b>")).toEqual([{ open: "p" }, { text: "<b>x</b>" }, { close: "p" }]);
  });

  test.each([
    [">".repeat(20_000)],
    ["- ".repeat(10_000)],
    ["[".repeat(20_000)],
    ["*a_".repeat(6_600)],
    ["![".repeat(10_000)],
    ["`".repeat(20_000)],
    ["<a ".repeat(6_600)],
    ["[a](".repeat(5_000)],
    ["https://".repeat(2_500)],
  ])("is bounded in time and depth: %#", (text) => {
    const start = performance.now();
    const tokens = render(text);
    expect(performance.now() - start).toBeLessThan(2000);
    let [depth, deepest] = [0, 0];
    for (const { open, close } of tokens) {
      depth += open ? 1 : close ? -1 : 0;
      deepest = Math.max(deepest, depth);
    }
    expect(depth).toBe(0);
    expect(deepest).toBeLessThan(50);
  });
});
