import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { tempFolder } from "../helpers/temp-folder.ts";
import { CHROMIUM, inBrowser, sharedBrowser } from "./browser.ts";
import { HOSTILE } from "./hostile.ts";

const BASE = join(import.meta.dir, "../../src/web/base/client");
const MODULES = ["api", "dialog", "dom", "events", "problem", "times", "toast", "unsaved", "upload"];

/** What the scripts of pages share, on `window.base`, in one text. */
async function bundled(): Promise<string> {
  const entry = join(tempFolder(), "entry.ts");
  const imports = MODULES.map((name) => `import * as ${name} from ${JSON.stringify(join(BASE, `${name}.ts`))};`);
  await Bun.write(entry, `${imports.join("\n")}\nwindow.base = { ${MODULES.map((name) => `...${name}`).join(", ")} };`);
  const { outputs } = await Bun.build({ entrypoints: [entry], target: "browser", format: "iife" });
  return (await outputs[0]?.text()) ?? "";
}

describe.skipIf(!CHROMIUM)(inBrowser("what the scripts of pages share"), () => {
  const ADDRESS = "http://page.test";
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let script: string;
  /** How the server answers below `/api/`: a status with a body, or not at all. */
  let answer: { status: number; body: string; headers?: Record<string, string> } | null;
  let userId = 7;
  beforeAll(async () => {
    script = await bundled();
    browser = await sharedBrowser();
    context = await browser.newContext();
    page = await context.newPage();
    await page.route(`${ADDRESS}/**`, (route) => {
      const url = new URL(route.request().url());
      if (url.pathname === "/api/session/access/active") return route.fulfill({ json: { user: { id: userId } } });
      if (!url.pathname.startsWith("/api/")) {
        return route.fulfill({
          contentType: "text/html",
          body: `<!doctype html><html data-user="7"><body></body></html>`,
        });
      }
      return answer ? route.fulfill(answer) : route.abort("connectionrefused");
    });
  });
  beforeEach(async () => {
    answer = { status: 200, body: "null" };
    userId = 7;
    await page.goto(ADDRESS);
    await page.evaluate(script);
  });
  afterAll(() => context.close());

  const run = <T>(code: string): Promise<T> => page.evaluate<T>(`(async () => { ${code} })()`);

  test("what a page reads by itself is asked for again when the server is busy, and not for ever", async () => {
    let asked = 0;
    await page.route(`${ADDRESS}/api/busy*`, (route) => {
      const isBusy = ++asked < 3 || route.request().url().endsWith("?always");
      const refusal = { status: 429, headers: { "Retry-After": "0.01" }, json: { error: "Too many requests" } };
      return route.fulfill(isBusy ? refusal : { json: { fine: true } });
    });
    expect(await page.evaluate<unknown>(`base.apiWithRetry("/api/busy")`)).toEqual({ fine: true });
    expect(asked).toBe(3);
    asked = 0;
    const refused = await page.evaluate<unknown>(
      `base.apiWithRetry("/api/busy?always").catch((error) => error.message)`,
    );
    expect([refused, asked]).toEqual(["Too many requests.", 4]);
    await page.unroute(`${ADDRESS}/api/busy*`);
  });

  test("a document is followed again after a refusal, and not after the end", async () => {
    answer = { status: 503, body: "" };
    await run(`
      const later = window.setTimeout;
      window.setTimeout = (work) => later(work, 20);
      window.heard = [];
      const note = (name) => (data) => window.heard.push([name, data]);
      const names = ["ready", "change", "reset", "lost", "end"];
      base.subscribeToEvents("a b", Object.fromEntries(names.map((name) => [name, note(name)])));
    `);
    await page.waitForFunction("window.heard.length >= 2");
    const body = [
      'id: 4-ab\nevent: ready\ndata: {"action":4}\n\n',
      'id: 5-cd\nevent: change\ndata: {"action":5,"actions":1,"schema":false,"tables":[]}\n\n',
      'event: end\ndata: {"reason":"stopping"}\n\n',
      'event: end\ndata: {"reason":"removed"}\n\n',
      'id: 6-ef\nevent: ready\ndata: {"action":6}\n\n',
    ];
    answer = { status: 200, body: body.join(""), headers: { "Content-Type": "text/event-stream" } };
    await page.waitForFunction(`window.heard.at(-1)[0] === "end"`);
    type Heard = [name: string, data: unknown][];
    const heard = (await page.evaluate<Heard>("window.heard")).filter(([name]) => name !== "lost");
    expect(heard).toEqual([
      ["ready", { action: 4 }],
      ["change", { action: 5, actions: 1, schema: false, tables: [] }],
      ["end", "removed"],
    ]);
  });

  test("elements show any text as it is", async () => {
    const shown = await run<string[]>(`
      return ${JSON.stringify(HOSTILE)}.map((text) => {
        const made = base.h("p", { title: text, "data-name": text }, text);
        document.body.append(made);
        if (made.title !== text || made.dataset.name !== text || made.children.length > 0) throw new Error(text);
        return made.textContent;
      });`);
    expect(shown).toEqual([...HOSTILE]);
    expect(await run<unknown>("return window.wasRun ?? null")).toBeNull();
  });

  test.each([
    ["/docs/1", "/docs/1"],
    ["https://example.com/", "https://example.com/"],
    ["mailto:ann@example.com", "mailto:ann@example.com"],
    ["javascript:alert(1)", "#"],
    [" java\tscript:alert(1)", "#"],
    ["data:text/html,<script>alert(1)</script>", "#"],
    ["vbscript:x", "#"],
  ])("a link to %s leads to %s", async (address, to) => {
    expect(await run<string>(`return base.h("a", { href: ${JSON.stringify(address)} }).getAttribute("href")`)).toBe(to);
  });

  const refused: [string, NonNullable<typeof answer> | null, string, string, number][] = [
    ["a refusal", { status: 400, body: `{"error":"Column not found: X"}` }, "refused", "Column not found: X.", 400],
    ["a sentence", { status: 409, body: `{"error":"Is it there?"}` }, "refused", "Is it there?", 409],
    ["a refusal of access", { status: 403, body: `{"error":"No access"}` }, "refused", "No access.", 403],
    [
      "a refusal whose sentence is for programs",
      { status: 404, body: `{"error":"document not found","details":{"code":"document.not_found"}}` },
      "refused",
      "This document does not exist or was deleted.",
      404,
    ],
    ["a failure", { status: 500, body: `{"error":"Internal error"}` }, "refused", "Internal error.", 500],
    ["something in between", { status: 502, body: "<h1>Bad gateway</h1>" }, "away", "The server does not answer.", 502],
    ["no answer", null, "away", "The server does not answer.", 0],
  ];
  test.each(refused)("%s is told as what it is", async (_, given, kind, text, status) => {
    answer = given;
    const calls = [`base.api("/api/orgs")`, `base.upload("/api/x", new FormData())`];
    for (const call of calls) {
      const failure = await run<{ kind: string; text: string; status: number }>(
        `try { await ${call}; } catch ({ kind, message, status }) { return { kind, text: message, status }; }`,
      );
      expect([call, failure.kind, failure.status]).toEqual([call, kind, status]);
      expect(failure.text).toStartWith(text);
    }
  });

  test("a session that ended is told apart from a refusal", async () => {
    answer = { status: 403, body: `{"error":"No access"}` };
    userId = 2;
    const text = await run<string>(`try { await base.api("/api/orgs"); } catch (error) { return error.kind; }`);
    expect(text).toBe("session");
  });

  test("a call that is stopped says so, and nothing is shown", async () => {
    const [kind, shown] = await run<[string, number]>(`
      const work = new AbortController();
      const place = base.h("div");
      work.abort();
      try { await base.api("/api/orgs", { signal: work.signal }); }
      catch (error) { base.showError(place, error); return [error.kind, place.children.length]; }`);
    expect([kind, shown]).toEqual(["stopped", 0]);
  });

  test("a refusal that passes offers to try again, one that stays does not", async () => {
    const offered = async (given: NonNullable<typeof answer>) => {
      answer = given;
      return run<number>(`
        const place = base.h("div");
        try { await base.api("/api/orgs"); } catch (error) { base.showError(place, error, { retry() {} }); }
        return place.querySelectorAll("button").length;`);
    };
    const body = `{"error":"Too many requests"}`;
    expect(await offered({ status: 429, body, headers: { "Retry-After": "1" } })).toBe(1);
    expect(await offered({ status: 400, body })).toBe(0);
  });

  test.each([
    [0, "just now"],
    [-44, "just now"],
    [-50, "1 minute ago"],
    [-150, "2 minutes ago"],
    [-3599, "59 minutes ago"],
    [-3600 * 5, "5 hours ago"],
    [-86_400, "1 day ago"],
    [-86_400 * 3, "3 days ago"],
    [3600, "in 1 hour"],
  ])("%d seconds from now reads as %s", async (seconds, text) => {
    const said = `base.formatRelativeTime(new Date(Date.UTC(2026, 0, 31) + ${seconds} * 1000), new Date(Date.UTC(2026, 0, 31)))`;
    expect(await run<string>(`return ${said}`)).toBe(text);
  });

  test("what lies further back reads as its day, in the person's zone", async () => {
    const context = await browser.newContext({ timezoneId: "Pacific/Auckland", locale: "en-GB" });
    const there = await context.newPage();
    await there.evaluate(script);
    const text = await there.evaluate<[string, string]>(`(() => {
      const { textContent, title } = base.timeElement("2020-12-31T12:30:00.000Z");
      return [textContent, title];
    })()`);
    expect(text[0]).toBe("1 Jan 2021");
    expect(text[1]).toMatch(/^Friday,? 1 January 2021 at 01:30:00/);
    await context.close();
  });

  test("a dialog keeps the focus, and gives it back when it is left", async () => {
    await run(`
      const button = base.h("button", { id: "before" }, "Open");
      document.body.append(button);
      button.focus();
      window.outcome = base.formDialog({
        title: "Name", content: [base.inputField("Name", { name: "name", value: "Old" })], action: "Save", submit: async () => {},
      });`);
    expect(await run<string>("return document.activeElement.name")).toBe("name");
    expect(await run<string>("return getSelection().toString()")).toBe("Old");
    await page.keyboard.press("Escape");
    expect(await run<boolean>("return window.outcome")).toBe(false);
    expect(await run<string>("return document.activeElement.id")).toBe("before");
    expect(await page.locator("dialog").count()).toBe(0);
  });

  test("leaving is asked about while something is unsaved, and only then", async () => {
    await page.mouse.click(5, 5);
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.type());
      void dialog.accept();
    });
    await run("window.done = base.watchUnsaved(() => true)");
    await page.goto(`${ADDRESS}/elsewhere`);
    expect(dialogs).toEqual(["beforeunload"]);
    await page.evaluate(script);
    await page.mouse.click(5, 5);
    await run("base.watchUnsaved(() => true)()");
    await page.goto(ADDRESS);
    expect(dialogs).toEqual(["beforeunload"]);
  });

  test("a message stays while it is pointed at, and does what its button says", async () => {
    await run(`window.undone = 0; base.showToast("Gone.", { action: { label: "Undo", run: () => window.undone++ } });`);
    await page.getByRole("button", { name: "Undo" }).click();
    expect(await run<number>("return window.undone")).toBe(1);
    expect(await page.locator(".toast").count()).toBe(0);
    await run(`base.showToast("One."); base.showToast("Two.", { problem: true });`);
    expect(await page.locator(".toast p").allTextContents()).toEqual(["One.", "Two."]);
    await page.getByRole("button", { name: "Close" }).first().click();
    expect(await page.getByRole("alert").textContent()).toBe("Two.");
  });
});
