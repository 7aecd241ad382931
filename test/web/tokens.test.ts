/** Colours, sizes of text and radii of pages come from the tokens of `src/web/base/styles/tokens.css`. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { adasApp } from "./visitor.ts";

const WEB = join(import.meta.dir, "../../src/web");
const SHEETS = [...new Bun.Glob("**/*.css").scanSync({ cwd: WEB })]
  .filter((path) => path !== "base/styles/tokens.css")
  .toSorted();

/** Declarations with a literal that is not a token, with the reason; none so far. */
const EXCEPTIONS: Readonly<Record<string, string>> = {};

const COLOUR =
  /#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)\(|:\s*(?:black|white|red|green|blue|gr[ae]y)\b/i;
const LENGTH = /(?:^|[\s/(])\d*\.?\d+(?:px|rem|em|pt|%)/;

/** Returns the declarations of a style sheet with a literal in place of a token. */
function literals(css: string): string[] {
  const declarations = css.replaceAll(/\/\*[^]*?\*\//g, "").matchAll(/([\w-]+)\s*:\s*([^;{}]+);/g);
  return [...declarations]
    .filter(([text, name = "", value = ""]) => {
      if (COLOUR.test(text)) return true;
      const isSized = name === "font-size" || name === "font" || /^border(?:-\w+)*-radius$/.test(name);
      return isSized && LENGTH.test(value);
    })
    .map(([text]) => text.replaceAll(/\s+/g, " ").replace(/;$/, ""))
    .filter((text) => !(text in EXCEPTIONS));
}

test.each(SHEETS)("%s uses tokens only", (path) => {
  expect(literals(readFileSync(join(WEB, path), "utf8"))).toEqual([]);
});

describe("literals are found", () => {
  test.each([
    ["a { color: #fff; }", 1],
    ["a { background: rgb(20 17 14 / 45%); }", 1],
    ["a { color: white; }", 1],
    ["a { font-size: 0.75rem; }", 1],
    ["a { font: 14px/1.5 system-ui; }", 1],
    ["a { border-radius: 0 4px; }", 1],
    ["a { border-top-left-radius: 1rem; }", 1],
    ["a { color: var(--text); border-radius: var(--radius) 0; font: var(--font-m) / 1.5 system-ui; }", 0],
    ["a { background: color-mix(in srgb, var(--accent) 8%, transparent); width: 3rem; white-space: pre; }", 0],
    ["/* #fff */ a { outline: 2px solid Highlight; }", 0],
  ])("%s", (css, count) => expect(literals(css)).toHaveLength(count));
});

test("pages of the server have no style attributes", async () => {
  await using t = await adasApp();
  for (const path of [
    "/",
    "/sign-in",
    "/profile",
    "/profile/security",
    "/trash",
    "/help",
    "/help/formulas",
    "/reference/records",
    "/admin",
    "/admin/users",
    "/admin/audit",
    "/admin/backups",
    "/nothing",
  ]) {
    const { html } = await t.ada.get(path);
    expect([path, /<[^>]*\sstyle\s*=/.test(html.replaceAll(/<(script|pre)[^]*?<\/\1>/g, ""))]).toEqual([path, false]);
  }
});
