import { expect } from "bun:test";
import type { Page } from "playwright-core";

/**
 * Hostile texts for every field that a page shows. Each must appear verbatim, run nothing, and leave the page intact:
 * scripts set `window.wasRun`, and injected elements have the class `was-made`.
 */
export const HOSTILE: readonly string[] = [
  `<script>window.wasRun = 1</script>`,
  `"><img class="was-made" src=x onerror="window.wasRun = 1">`,
  `' autofocus onfocus='window.wasRun = 1`,
  `</title></textarea></script><b class="was-made">bold</b>`,
  `<svg class="was-made" onload="window.wasRun = 1"></svg>`,
  `javascript:window.wasRun=1`,
  `&lt;b&gt; &amp; <b class=was-made>&#60;</b>`,
  `<a class="was-made" href="javascript:window.wasRun=1">click</a>`,
  "${window.wasRun = 1} {{constructor.constructor('window.wasRun = 1')()}}",
  `__proto__`,
  `constructor`,
  `=HYPERLINK("http://evil.example","x")`,
  `\u202Egnp.exe \u2066abc\u2069 \u0007`,
  `𝒜da & Ærø \u{1F469}\u200D\u{1F680} e\u0301`,
  `${"W".repeat(180)} no end`,
];

/** Texts that fit a single-line field: browsers remove control characters from it. */
export const HOSTILE_LINES: readonly string[] = HOSTILE.map((text) => text.replaceAll(/\p{Cc}/gu, ""));

/** One text that combines most of them, for pages where each further one costs a request. */
export const HOSTILE_NAME = `"'><img class="was-made" src=x onerror="window.wasRun=1"><script>window.wasRun=1</script>&amp;`;

/** Checks that a page has shown them all as text. */
export async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate<unknown>("window.wasRun ?? null")).toBeNull();
  expect(await page.locator(".was-made").count()).toBe(0);
}
