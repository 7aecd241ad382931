import { type Browser, chromium } from "playwright-core";
import { findChromium } from "../chromium.ts";
import {
  type SubscribedDocument,
  type LoadSubscriber,
  NOTIFY_TIMEOUT_MS,
  measureSubscribedLoad,
} from "./subscribed-load.ts";
import type { StressTest } from "./stress-test.ts";

/** Ten people have the page of a table open in browsers of their own while somebody loads rows into it. */
export const browsers: StressTest = {
  name: "browsers",
  missing() {
    try {
      findChromium();
      return undefined;
    } catch {
      return "there is no Chromium";
    }
  },
  async run({ isQuick }) {
    const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] });
    try {
      return await measureSubscribedLoad(isQuick ? 1000 : 10_000, async (followed) => {
        const people: LoadSubscriber[] = [];
        // One after the other: the machine has few cores for so many.
        for (let i = 0; i < (isQuick ? 2 : 10); i++) people.push(await open(browser, followed));
        return people;
      });
    } finally {
      await browser.close();
    }
  },
};

/** Notes when the page tells of how many rows, in milliseconds since 1970. */
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
      // The page's policy forbids what playwright would wait by.
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
