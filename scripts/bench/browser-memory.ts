import type { Browser } from "playwright-core";

/** Returns the proportional memory (PSS) of the largest page process of a browser, in megabytes. */
export async function pageMemoryMb(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer");
  const sizes = await Promise.all(
    renderers.map(async ({ id }) => {
      const text = await Bun.file(`/proc/${id}/smaps_rollup`).text();
      return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / 1000;
    }),
  );
  await session.detach();
  return Math.max(...sizes);
}
