import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type axe from "axe-core";
import type { Page } from "playwright-core";

/** The minified build: parsing it takes a page longer than the check itself. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** Returns the axe violations of a page in its current state, and its live regions if it has several. */
export async function violations(page: Page, options: axe.RunOptions = {}): Promise<string[]> {
  await page.evaluate(`window.axe || (() => { ${AXE} })()`);
  const all = { ...options, resultTypes: ["violations"] };
  const result = await page.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify(all)})`);
  const regions = await liveRegions(page);
  return [
    ...result.violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html}`),
    ...(regions.length > 1 ? [`several live regions: ${regions.join(", ")}`] : []),
  ];
}

const widthOf = (page: Page) => page.evaluate<number>("document.documentElement.scrollWidth");

/** Checks that a page in its current state is accessible in light and dark, and fits a desktop and a small phone. */
export async function expectAccessible(page: Page): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 800 };
  await page.emulateMedia({ colorScheme: "light" });
  expect(await violations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  // Only the contrast check depends on the colour scheme.
  expect(await violations(page, { runOnly: ["color-contrast"] })).toEqual([]);
  expect(await widthOf(page)).toBe(before.width);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await widthOf(page)).toBe(320);
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: "light" });
}

/** Elements whose changes assistive technology speaks. */
export const LIVE_REGIONS = "output, [role=status], [role=alert], [role=log], [aria-live]:not([aria-live=off])";

/** Returns the live regions of a page. There must be one at most, which speaks all messages. */
export const liveRegions = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll("${LIVE_REGIONS}")]
    .map((each) => each.localName + (each.id && "#" + each.id))`);
