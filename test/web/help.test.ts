import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { silentLog } from "../../src/lib/observability/log.ts";
import { addUser } from "../../src/services/accounts/users.ts";
import { testApp } from "../helpers/app.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, startSite, type Visit } from "./browser.ts";
import { setScene } from "./scene.ts";
import { ADA, adasApp, Visitor } from "./visitor.ts";

const HOSTILE = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "(((.*)+)+)+$",
  "😀",
  "%00",
  "a".repeat(100_000),
];

describe("the help", () => {
  test("is readable without signing in, also below a site", async () => {
    await using t = await testApp();
    const visitor = new Visitor(t.app);
    for (const path of ["/help", "/help/errors", "/help?q=errors", "/o/team/help", "/o/team/help/errors"]) {
      const { status, html } = await visitor.get(path);
      expect([path, status, html.includes("<title>")]).toEqual([path, 200, true]);
    }
  });

  test("is readable before the first user exists", async () => {
    await using site = startSite();
    for (const path of ["/help", "/help/settings", "/reference"]) {
      const reply = await fetch(`${site.address}${path}`, { headers: { Accept: "text/html" }, redirect: "manual" });
      expect([path, reply.status]).toEqual([path, 200]);
    }
  });

  test("returns 404 for pages that do not exist, in the form of pages", async () => {
    await using t = await testApp();
    const visitor = new Visitor(t.app);
    for (const page of ["nothing", "README", "..%2Fpackage", "constructor", "__proto__", "errors.md", "sections"]) {
      const { status, html, headers } = await visitor.get(`/help/${page}`);
      expect([page, status, html.includes("No page exists at this address.")]).toEqual([page, 404, true]);
      expect(headers.get("etag")).toBeNull();
    }
  });

  test("is revalidated by its ETag, which differs between users", async () => {
    await using t = await adasApp();
    const first = await t.ada.get("/help/errors");
    const tag = first.headers.get("etag") ?? "";
    expect(tag).toStartWith('W/"');
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    const again = await t.ada.get("/help/errors", { "If-None-Match": tag });
    expect([again.status, again.html, again.headers.get("etag")]).toEqual([304, "", tag]);
    expect(again.headers.get("cache-control")).toBe("private, no-cache");
    const packed = await t.ada.get("/help/errors", { "Accept-Encoding": "gzip", "If-None-Match": tag });
    expect(packed.status).toBe(304);
    const other = await new Visitor(t.app).get("/help/errors", { "If-None-Match": tag });
    expect(other.status).toBe(200);
    const missing = await t.ada.get("/help/nothing", { "If-None-Match": "*" });
    expect(missing.status).toBe(404);
  });

  test("answers HEAD like GET, without a body", async () => {
    await using t = await testApp();
    for (const [path, status] of [
      ["/help", 200],
      ["/help/errors", 200],
      ["/help/nothing", 404],
    ] as const) {
      const init = { headers: { Accept: "text/html" } };
      const get = await t.app.handle(new Request(`http://quern.test${path}`, init));
      const head = await t.app.handle(new Request(`http://quern.test${path}`, { ...init, method: "HEAD" }));
      expect([path, head.status, await head.text()]).toEqual([path, status, ""]);
      expect(head.headers.get("etag")).toBe(get.headers.get("etag"));
    }
  });

  test("searches without a script, with the matches marked", async () => {
    await using t = await testApp();
    const { html } = await new Visitor(t.app).get("/help?q=webhook+signature");
    expect(html).toMatch(/<p class="quiet">(1 result|\d+ results)<\/p>/);
    expect(html).toContain(
      '<a href="/help/webhooks#verifying-signatures"><mark>Webhooks</mark> › Verifying <mark>signatures</mark></a>',
    );
    expect(html).toContain('value="webhook signature"');
    const nothing = await new Visitor(t.app).get("/help?q=unicornfish");
    expect([nothing.status, nothing.html.includes("No results. Try other or fewer words.")]).toEqual([200, true]);
    const empty = await new Visitor(t.app).get("/help?q=+");
    expect(empty.html).toContain(">Help</h1>");
  });

  test.each(HOSTILE)("searches safely for %.40j", async (query) => {
    await using t = await testApp();
    const { status, html } = await new Visitor(t.app).get(`/help?q=${encodeURIComponent(query).slice(0, 8000)}`);
    expect(status).toBe(200);
    expect(html).not.toContain("<script>alert");
    expect(html).not.toContain("<img src=x");
    // The query is repeated in the title and in the field.
    expect(html.length).toBeLessThan(60_000);
  });

  test("does not log what is searched for", async () => {
    const lines: string[] = [];
    const record = (event: string, fields = {}) => void lines.push(JSON.stringify([event, fields]));
    const log = { ...silentLog, isEnabled: () => true, debug: record, info: record, warn: record, error: record };
    await using t = await testApp({ log });
    await new Visitor(t.app).get("/help?q=secretword");
    expect(lines.some((line) => line.includes('"/help"'))).toBe(true);
    expect(lines.filter((line) => line.includes("secretword"))).toEqual([]);
  });

  test("is linked from the pages of a document, at the page about them", async () => {
    await using t = await adasApp();
    const [workspace] = await t.must<{ id: number }[]>("GET", "/api/orgs/current/workspaces");
    const doc = await t.must<string>("POST", `/api/workspaces/${workspace?.id}/docs`, { name: "Stock" });
    await t.must("PATCH", `/api/docs/${doc}/access`, { delta: { users: { [ADA.email]: "owners" } } });
    const pages = {
      "/pages/1": "pages",
      "/tables/Table1": "tables",
      "/sql": "sql",
      "/webhooks": "webhooks",
      "/sharing": "access-recipes",
    };
    for (const [path, page] of Object.entries(pages)) {
      const { html } = await t.ada.get(`/o/team/docs/${doc}${path}`);
      expect([path, html.includes(`<a href="/help/${page}">`)]).toEqual([path, true]);
    }
  });

  test("is linked from the administration, sharing and setup, at the page about them", async () => {
    await using t = await testApp();
    await addUser(t.app.ctx, { ...ADA, isAdmin: true });
    const ada = new Visitor(t.app);
    await ada.signIn();
    const pages = { "": "operations#monitoring", "/backups": "backup", "/settings": "settings" };
    for (const [path, page] of Object.entries(pages)) {
      const { html } = await ada.get(`/admin${path}`);
      expect([path, html.includes(`<a href="/help/${page}">`)]).toEqual([path, true]);
    }
    expect((await ada.get("/")).html).toContain('<a href="/help/getting-started">');
    await using empty = startSite();
    const setUp = await fetch(`${empty.address}/first-run`, { headers: { Accept: "text/html" } });
    expect(await setUp.text()).toContain('<a href="/help/getting-started">');
  });

  test("is linked from error pages, at what can be done about the error", async () => {
    await using t = await adasApp();
    const missing = await t.ada.get(`/docs/${crypto.randomUUID()}`);
    expect(missing.html).toContain('<a href="/help/errors#document.not_found">Help</a>');
    const refused = await t.ada.post("/profile/name", { name: "n".repeat(70_000) }, { "Content-Length": "70005" });
    expect(refused.html).toContain('<a href="/help/limits">Help</a>');
    const foreign = await t.ada.post("/profile/name", {}, { Origin: "https://evil.example" });
    expect(foreign.html).toContain('<a href="/help/operations#behind-a-reverse-proxy">Help</a>');
  });

  test("is linked from the menu of every page, and from error pages", async () => {
    await using t = await adasApp();
    for (const path of ["/", "/profile", "/trash", "/admin", "/nothing", "/reference"]) {
      expect([path, (await t.ada.get(path)).html.includes('<a href="/help"')]).toEqual([path, true]);
    }
    expect((await new Visitor(t.app).get("/sign-in")).html).toContain('<a href="/help"');
  });
});

const widthOf = (page: Page) => page.evaluate<number>("document.documentElement.scrollWidth");
const PATHS = [
  "/help",
  "/help/operations",
  "/help/settings",
  "/help/functions",
  "/help/errors",
  "/help?q=webhook",
  "/reference",
];
const WIDTHS = [390, 820, 1440];
/** The checks of long pages take tens of seconds where other programs use the processor. */
const LONG_MS = 300_000;

describe.skipIf(!CHROMIUM)(inBrowser("a reader of the help"), () => {
  let at: Visit;
  let page: Page;
  let openWithoutScript: () => Promise<Visit>;
  setScene(
    async (scene) => {
      at = await scene.openWindow();
      ({ page } = at);
      openWithoutScript = () => scene.openWindow({ javaScriptEnabled: false });
    },
    { people: [ADA] },
  );

  const search = () => page.getByRole("combobox", { name: "Search help" });
  const status = () => page.getByRole("status").textContent();

  test.each(PATHS)(
    "sees %s accessible, in light and dark, without a horizontal scroll bar",
    async (path) => {
      await at.reset();
      // The header then has a search, too.
      await at.signIn();
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: "light" });
        await page.goto(path);
        await expectPoll(async () => [path, width, await widthOf(page)]).toEqual([path, width, width]);
        expect([width, ...(await violations(page))]).toEqual([width]);
        await page.emulateMedia({ colorScheme: "dark" });
        expect([width, ...(await violations(page, { runOnly: ["color-contrast"] }))]).toEqual([width]);
      }
      expect(at.problems).toEqual([]);
    },
    LONG_MS,
  );

  test(
    "sees every page accessible on a phone",
    async () => {
      await at.reset();
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto("/help");
      const links = await page.evaluate<string[]>("[...document.querySelectorAll('.help-pages a')].map((a) => a.href)");
      expect(links.length).toBeGreaterThan(20);
      // Contrast takes the longest, and is checked on the pages above.
      const rules = { "color-contrast": { enabled: false } };
      for (const link of links) {
        await page.goto(link);
        expect([link, await widthOf(page), ...(await violations(page, { rules }))]).toEqual([link, 390]);
      }
      expect(at.problems).toEqual([]);
    },
    LONG_MS,
  );

  test("finds a section by keyboard", async () => {
    await at.reset();
    await page.goto("/help");
    await search().focus();
    await page.keyboard.type("verifying signat");
    await page.getByRole("option").first().waitFor();
    await expectPoll(() => status()).toMatch(/^(1 result|\d+ results)$/);
    await expectPoll(() => page.locator(".hits mark").first().textContent()).toBe("Verifying");
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    const option = page.getByRole("option", { selected: true });
    await expectPoll(() => search().getAttribute("aria-activedescendant")).toBe(await option.getAttribute("id"));
    await page.keyboard.press("Enter");
    await page.waitForURL("**/help/webhooks#verifying-signatures");
    expect(at.problems).toEqual([]);
  });

  test("sees all results after Enter, and closes the list with Escape", async () => {
    await at.reset();
    await page.goto("/help/errors");
    await search().fill("webhook");
    await page.getByRole("option").first().waitFor();
    await page.keyboard.press("Escape");
    await expectPoll(() => page.getByRole("option").count()).toBe(0);
    await expectPoll(() => search().getAttribute("aria-expanded")).toBe("false");
    await expectPoll(() => search().inputValue()).toBe("webhook");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/help?q=webhook");
    await expectPoll(() => page.locator(".help-results li").count()).toBeGreaterThan(5);
  });

  test("reads that nothing was found, also for hostile searches", async () => {
    await at.reset();
    await page.goto("/help");
    for (const query of ["unicornfish", ...HOSTILE.slice(1, 4), "q".repeat(5000)]) {
      await search().fill("");
      await search().fill(query);
      await page.locator(".hits").waitFor();
      expect(await page.locator(".hits img, .hits script").count()).toBe(0);
    }
    await expectPoll(() => status()).toBe("No results. Try other or fewer words.");
    expect(await violations(page)).toEqual([]);
    expect(at.problems).toEqual([]);
  });

  test("can send the form when the index cannot be loaded, and the next input tries again", async () => {
    await at.reset();
    await page.goto("/help");
    await page.route("**/assets/help-sections.*", (route) => route.abort(), { times: 1 });
    await search().fill("webhook");
    await page.locator("#live-region", { hasText: "Press Enter" }).waitFor();
    await search().fill("webhooks");
    await page.getByRole("option").first().waitFor();
  });

  test("copies code", async () => {
    await at.reset();
    await at.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto("/help/webhooks");
    await page.getByRole("button", { name: "Copy the code" }).first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const text = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(text).toBe((await page.locator(".doc pre code").first().textContent()) ?? "");
  });

  test("sees the current page in the sidebar, and the headings beside wide text", async () => {
    await at.reset();
    await page.setViewportSize({ width: 1440, height: 500 });
    await page.goto("/help/summaries");
    const current = page
      .getByRole("navigation", { name: "Help", exact: true })
      .getByRole("link", { name: "Summary tables" });
    await expectPoll(() => current.getAttribute("aria-current")).toBe("page");
    const link = await current.boundingBox();
    expect((link?.y ?? 500) + (link?.height ?? 0)).toBeLessThanOrEqual(500);
    const box = (selector: string) => page.locator(selector).boundingBox();
    const [text, headings] = [await box(".doc"), await box(".on-this-page nav")];
    expect(text?.width).toBeLessThanOrEqual(46 * 16);
    expect(headings?.x).toBeGreaterThan((text?.x ?? 0) + (text?.width ?? 0));
  });

  test("opens chapters and headings on a phone without a script, and searches", async () => {
    await using plain = await openWithoutScript();
    const { page } = plain;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto("/help/webhooks");
    const chapters = page.getByRole("navigation", { name: "Help", exact: true });
    expect(await chapters.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Open sidebar" }).click();
    await chapters.getByRole("link", { name: "Errors" }).click();
    await page.waitForURL("**/help/errors");
    await page.locator("summary", { hasText: "On this page" }).click();
    await page.getByRole("navigation", { name: "On this page" }).getByRole("link", { name: "Codes" }).click();
    await page.waitForURL("**/help/errors#codes");
    await page.getByRole("button", { name: "Open sidebar" }).click();
    await page.getByRole("searchbox", { name: "Search help" }).fill("retry");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/help?q=retry");
    await expectPoll(() => page.locator(".help-results mark").count()).toBeGreaterThan(0);
    await expectPoll(() => widthOf(page)).toBe(390);
    expect(plain.problems).toEqual([]);
  });
});
