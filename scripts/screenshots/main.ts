/**
 * Screenshots of every page on a phone, a tablet and a desktop, in light and dark mode: `bun
 * scripts/screenshots/main.ts [--to FOLDER] [NAME…]`, where names are prefixes of page names. They are written to
 * dist/screenshots/ (with `--forced` in forced colours) as NAME-WIDTH-SCHEME.png, with all of them side by side in contact-sheet.png.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { chromium, type Browser } from "playwright-core";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/observability/log.ts";
import { findChromium } from "../chromium.ts";
import { makeContactSheet } from "./contact-sheet.ts";
import { FORM_PAGES } from "./form-pages.ts";
import { HOME_PAGES } from "./home-pages.ts";
import { IMPORT_PAGES } from "./import-pages.ts";
import { ORDER_PAGES } from "./order-pages.ts";
import { PAGES, type PageToShow } from "./pages.ts";
import { makeSample, type Sample } from "./sample.ts";

const SIZES = [
  { width: 390, height: 844 },
  { width: 820, height: 1180 },
  { width: 1440, height: 900 },
];
const TIMEOUT_MS = 10_000;
const SCHEMES = ["light", "dark"] as const;

const { values, positionals: wanted } = parseArgs({
  args: Bun.argv.slice(2),
  options: { to: { type: "string" }, forced: { type: "boolean", default: false } },
  allowPositionals: true,
});
const OUT = values.to === undefined ? join(import.meta.dir, "../../dist/screenshots") : resolve(values.to);
const pages = [...PAGES, ...HOME_PAGES, ...ORDER_PAGES, ...IMPORT_PAGES, ...FORM_PAGES].filter(
  ({ name }) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)),
);
const folder = await mkdtemp(join(tmpdir(), "quern-screenshots-"));
const log = createLog({ write() {} });
const app = createApp(readConfig({ data: folder, "backup-to": join(folder, "backups") }, {}), { log });
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  // Event streams are idle for longer than Bun's default timeout.
  idleTimeout: 60,
  fetch: (request) => app.handle(request),
});
const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
try {
  await mkdir(OUT, { recursive: true });
  const address = `http://127.0.0.1:${server.port}`;
  const sample = await makeSample(app, address);
  for (const page of pages) await show(browser, { page, sample, address });
  const rows = pages.map(({ name }) => ({
    name,
    files: SIZES.flatMap(({ width }) => SCHEMES.map((scheme) => `${name}-${width}-${scheme}.png`)),
  }));
  await makeContactSheet(browser, { folder: OUT, rows });
} finally {
  await browser.close();
  await server.stop(true);
  await app.close();
  await rm(folder, { recursive: true, force: true });
}

interface Showing {
  page: PageToShow;
  sample: Sample;
  address: string;
}

/** Takes all screenshots of a page, those of one size in the same window. */
async function show(browser: Browser, { page, sample, address }: Showing): Promise<void> {
  for (const viewport of SIZES) {
    const context = await browser.newContext({ baseURL: address, viewport, locale: "en-GB" });
    if (!page.isPublic) {
      await context.addCookies([{ name: "quern_session", value: sample.session, url: address, sameSite: "Lax" }]);
    }
    const tab = await context.newPage();
    tab.setDefaultTimeout(TIMEOUT_MS);
    tab.on("pageerror", (error) => console.error(`${page.name}: ${error.message}`));
    await tab.goto(page.path(sample));
    // The others are still of use.
    await page.prepare?.(tab, sample).catch((error: unknown) => {
      console.error(`${page.name} at ${viewport.width} px: ${String(error)}`);
      process.exitCode = 1;
    });
    for (const colorScheme of SCHEMES) {
      await tab.emulateMedia({ colorScheme, forcedColors: values.forced ? "active" : "none" });
      const path = join(OUT, `${page.name}-${viewport.width}-${colorScheme}.png`);
      await tab.screenshot({ path, animations: "disabled" });
    }
    await context.close();
  }
  console.log(page.name);
}
