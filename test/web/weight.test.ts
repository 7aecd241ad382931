import { describe, expect, test } from "bun:test";
import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { PAGES } from "../../scripts/screenshots/pages.ts";
import { makeSample, type Sample } from "../../scripts/screenshots/sample.ts";
import { brotliCompressSync } from "node:zlib";
import { type BundledFile, bundleAssets } from "../../src/web/bundle.ts";
import { CHROMIUM, inBrowser, type Site } from "./browser.ts";
import { setScene } from "./scene.ts";
import { ADA, adasApp, Visitor } from "./visitor.ts";

/** Transfer budget of a first visit: all resources, compressed, headers included. */
const MOST_BYTES = 250_000;

/** Transfer budget of a code editor, which is loaded when its field is opened. */
const MOST_EDITOR_BYTES = 160_000;

/** One page per URL: further states of a page are not measured. */
const ADDRESSES = [...new Map(PAGES.toReversed().map((page) => [String(page.path), page])).values()].toReversed();

describe.skipIf(!CHROMIUM)(inBrowser("a first visit"), () => {
  let browser: Browser;
  let site: Site;
  let sample: Sample;
  setScene(async (scene) => {
    ({ browser, site } = scene);
    sample = await makeSample(site.app, site.address);
  });

  test.each(ADDRESSES.map(({ name }) => name))("of %s stays within the budget", async (name) => {
    const found = ADDRESSES.find((page) => page.name === name);
    const path = found?.path(sample) ?? "";
    await using context = await browser.newContext({ baseURL: site.address });
    if (!found?.isPublic) await signIn(context, site, sample);
    const bytes = await transferred(await context.newPage(), path);
    expect(bytes).toBeGreaterThan(1000);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });
});

const signIn = (context: BrowserContext, { address }: Site, { session }: Sample): Promise<void> =>
  context.addCookies([{ name: "quern_session", value: session, url: address, sameSite: "Lax" }]);

/** Returns all bytes transferred for a page until the network is idle; event streams count while they are open. */
async function transferred(page: Page, path: string): Promise<number> {
  const underWay = new Set<Request>();
  page.on("request", (request) => request.resourceType() !== "eventsource" && underWay.add(request));
  for (const event of ["requestfinished", "requestfailed"] as const) {
    page.on(event as "requestfinished", (request) => underWay.delete(request));
  }
  const network = await page.context().newCDPSession(page);
  let bytes = 0;
  network.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  await network.send("Network.enable");
  await page.goto(path, { waitUntil: "load" });
  // Scripts may send requests after their first rendering.
  for (let quiet = 0; quiet < 3; quiet++) {
    if (underWay.size > 0) quiet = 0;
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))");
  }
  return bytes;
}

describe("code editors", () => {
  test.each([
    ["createFormulaEditor", "table."],
    ["createSqlEditor", "sql."],
  ])("%s stays within the budget", async (name, page) => {
    const files = await bundleAssets();
    const scripts = new Map(files.filter((file) => file.name.endsWith(".js")).map((file) => [`./${file.name}`, file]));
    const textOf = ({ content }: BundledFile) => new TextDecoder().decode(content);
    const loaded = new Set<BundledFile>();
    const add = (file: BundledFile | undefined) => {
      if (!file || loaded.has(file)) return;
      loaded.add(file);
      const imports = new Bun.Transpiler({ loader: "js" }).scanImports(textOf(file));
      for (const { path, kind } of imports) if (kind === "import-statement") add(scripts.get(path));
    };
    add([...scripts.values()].find((file) => file.name.startsWith(page)));
    const before = new Set(loaded);
    add([...scripts.values()].find((file) => new RegExp(`export ?\\{[^}]*\\bas ${name}\\b`).test(textOf(file))));
    const bytes = [...loaded.difference(before)].reduce(
      (sum, { content }) => sum + brotliCompressSync(content).length,
      0,
    );
    expect(bytes).toBeGreaterThan(60_000);
    expect(bytes).toBeLessThan(MOST_EDITOR_BYTES);
  });
});

describe("pages", () => {
  test("are compressed for clients that accept it", async () => {
    await using t = await adasApp();
    const plain = await t.ada.get("/reference/documents");
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(plain.headers.get("vary")).toBe("Accept-Language, Cookie, Accept-Encoding");
    const request = new Request("http://quern.test/reference/documents", {
      headers: { Accept: "text/html", "Accept-Encoding": "gzip, br" },
    });
    const packed = await t.app.handle(request);
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(packed.headers.get("content-security-policy")).toBe(plain.headers.get("content-security-policy"));
    const bytes = await packed.arrayBuffer();
    expect(bytes.byteLength).toBeLessThan(plain.html.length / 4);
    expect(new TextDecoder().decode(Bun.gunzipSync(bytes))).toContain("Create a document");
  });

  test("keep cookies and status when compressed", async () => {
    await using t = await adasApp();
    const refused = await new Visitor(t.app).post("/sign-in", { email: ADA.email }, { "Accept-Encoding": "gzip" });
    expect([refused.status, refused.headers.get("content-encoding")]).toEqual([400, "gzip"]);
    const out = await t.ada.post("/sign-out", {}, { "Accept-Encoding": "gzip" });
    expect([out.status, out.to, out.headers.get("set-cookie")?.includes("Max-Age=0")]).toEqual([303, "/sign-in", true]);
  });
});
