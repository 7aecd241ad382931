import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { PAGES } from "../../../scripts/screenshots/pages.ts";
import { makeSample, type Sample } from "../../../scripts/screenshots/sample.ts";
import { CHROMIUM, inBrowser, type Site } from "../browser.ts";
import { type Scene, setScene } from "../scene.ts";
import { until } from "../table-page.ts";
import { tooWide } from "./measures.ts";

const WIDTHS = [390, 820, 1440] as const;
const MAX_SHIFT = 0.02;

/** One page per address, without the states that actions bring it into. */
const ADDRESSES = [...new Map(PAGES.toReversed().map((page) => [String(page.path), page])).values()].toReversed();

/** Sums the shifts of the page that no action of a person caused. */
const OBSERVE = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      const moved = sources.map(({ node }) => node?.nodeType === 1 ? node.localName + "." + node.className : node?.nodeName);
      if (!hadRecentInput) window.shifts.push({ value, moved });
    }
  }).observe({ type: "layout-shift", buffered: true });
`;

interface Shift {
  readonly value: number;
  readonly moved: readonly string[];
}

describe.skipIf(!CHROMIUM)(inBrowser("while it loads"), () => {
  let scene: Scene;
  let site: Site;
  let sample: Sample;
  setScene(async (set) => {
    scene = set;
    ({ site } = set);
    sample = await makeSample(site.app, site.address);
  });

  test.each(ADDRESSES.map(({ name }) => name))("%s does not move, and fits its window", async (name) => {
    const found = ADDRESSES.find((page) => page.name === name);
    const path = found?.path(sample) ?? "";
    for (const width of WIDTHS) {
      await using visit = await scene.openWindow({ viewport: { width, height: 900 } });
      const cookie = { name: "quern_session", value: sample.session, url: site.address, sameSite: "Lax" as const };
      if (!found?.isPublic) await visit.context.addCookies([cookie]);
      await visit.context.addInitScript(OBSERVE);
      const response = await visit.page.goto(path);
      expect(await response?.text()).not.toMatch(/<[^>]*\sstyle=/);
      await painted(visit.page);
      const shifts = await visit.page.evaluate<Shift[]>("window.shifts");
      const sum = shifts.reduce((total, { value }) => total + value, 0);
      expect([width, sum > MAX_SHIFT ? shifts : []]).toEqual([width, []]);
      expect([width, await tooWide(visit.page)]).toEqual([width, []]);
      expect(visit.problems).toEqual([]);
    }
  });
});

/** Waits until a page shows all of its content: rows of a table arrive after it. */
async function painted(page: Page): Promise<void> {
  await page.waitForLoadState("load");
  await page.evaluate("document.fonts.ready.then(() => null)");
  await until(page, "!document.querySelector('.skeleton, [aria-busy=true]')");
  await page.evaluate(
    "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 50))))",
  );
}
