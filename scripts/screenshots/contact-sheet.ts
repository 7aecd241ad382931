import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";

interface ContactSheet {
  /** The folder of the images, where contact-sheet.png is written. */
  readonly folder: string;
  readonly rows: readonly { readonly name: string; readonly files: readonly string[] }[];
}

const IMAGE_HEIGHT = 420;

/** Shows screenshots side by side in one image: a row for each page. */
export async function makeContactSheet(browser: Browser, { folder, rows }: ContactSheet): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 2600, height: 800 } });
  const page = await context.newPage();
  const image = (file: string) => `<img src="${file}" height="${IMAGE_HEIGHT}">`;
  const body = rows.map(({ name, files }) => `<h2>${name}</h2><div>${files.map(image).join("")}</div>`).join("");
  const style = "body { font: 16px sans-serif; background: #888 } div { display: flex; gap: 12px }";
  // Files may only be shown by a file.
  const path = join(folder, "contact-sheet.html");
  await Bun.write(path, `<!doctype html><meta charset="utf-8"><style>${style}</style>${body}`);
  await page.goto(pathToFileURL(path).href);
  await page.screenshot({ path: join(folder, "contact-sheet.png"), fullPage: true });
  await context.close();
}
