import { type Browser, chromium } from "playwright-core";
import { findChromium } from "../chromium.ts";
import {
  type SubscribedDocument,
  type LoadSubscriber,
  NOTIFY_TIMEOUT_MS,
  measureSubscribedLoad,
} from "./subscribed-load.ts";
import type { StressTest } from "./stress-test.ts";

/** Ten browsers have the page of a table open while another client loads rows into it. */
export const browsers: StressTest = {
  name: "browsers",
  missing() {
    try {
      findChromium();
      return undefined;
    } catch {
      return "Chromium is not installed";
    }
  },
  async run({ isQuick }) {
    const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] });
    try {
      return await measureSubscribedLoad(isQuick ? 1000 : 10_000, async (document) => {
        const people: LoadSubscriber[] = [];
        // Sequentially: the machine has few cores for this number of browsers.
        for (let i = 0; i < (isQuick ? 2 : 10); i++) people.push(await open(browser, document));
        return people;
      });
    } finally {
      await browser.close();
    }
  },
};

/** Records when the page reports each number of rows, in milliseconds since 1970. */
const WATCH = `{
  window.countsAt = {};
  const count = document.querySelector("#sheet-count");
  const note = () => (window.countsAt[count.textContent.replace(/\\D/g, "")] ??= Date.now());
  new MutationObserver(note).observe(count, { childList: true, characterData: true, subtree: true });
  note();
}`;

async function open(browser: Browser, { address, doc }: SubscribedDocument): Promise<LoadSubscriber> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const follows = page.waitForResponse((response) => response.url().includes("/events"));
  await page.goto(`${address}/docs/${doc}/tables/Load`);
  await page.locator(".grid .row:not(.loading) .cell").first().waitFor();
  await follows;
  await page.evaluate(WATCH);
  return {
    async waitUntilNotified({ rows }) {
      const until = performance.now() + NOTIFY_TIMEOUT_MS;
      // The page's content security policy forbids playwright's waiting mechanism.
      while (performance.now() < until) {
        const epochMs = await page.evaluate<number | undefined>(`window.countsAt[${rows}]`);
        if (epochMs !== undefined) return epochMs - performance.timeOrigin;
        await Bun.sleep(20);
      }
      return Number.POSITIVE_INFINITY;
    },
    disconnect: () => context.close(),
  };
}
