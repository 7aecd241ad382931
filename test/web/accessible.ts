import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type axe from "axe-core";
import type { Page } from "playwright-core";

/** Its small form: reading it takes a page longer than being looked at. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** What axe has against a page as it stands. */
export async function violations(page: Page, options: axe.RunOptions = {}): Promise<string[]> {
  await page.evaluate(`window.axe || (() => { ${AXE} })()`);
  const all = { ...options, resultTypes: ["violations"] };
  const result = await page.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify(all)})`);
  return result.violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html}`);
}

const widthOf = (page: Page) => page.evaluate<number>("document.documentElement.scrollWidth");

/** Holds a page, as it stands, to being accessible in light and dark, and no wider than a desk and a small phone. */
export async function expectAccessible(page: Page): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 800 };
  await page.emulateMedia({ colorScheme: "light" });
  expect(await violations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  // Of all that is looked at, only this depends on the colours.
  expect(await violations(page, { runOnly: ["color-contrast"] })).toEqual([]);
  expect(await widthOf(page)).toBe(before.width);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await widthOf(page)).toBe(320);
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: "light" });
}
