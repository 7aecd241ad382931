import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { en } from "../../src/web/texts/en.ts";
import { CHROMIUM, inBrowser, sharedBrowser } from "./browser.ts";
import { HOSTILE } from "./hostile.ts";

const BASE = join(import.meta.dir, "../../src/web/base/client");
const MODULES = [
  "announce",
  "api",
  "dialog",
  "dom",
  "events",
  "form-field",
  "problem",
  "times",
  "toast",
  "unsaved",
  "upload",
];

/** The shared client modules, bundled as `window.base`. */
async function bundled(): Promise<string> {
  const entry = join(tempFolder(), "entry.ts");
  const imports = MODULES.map((name, at) => `import * as m${at} from ${JSON.stringify(join(BASE, `${name}.ts`))};`);
  await Bun.write(entry, `${imports.join("\n")}\nwindow.base = { ${MODULES.map((_, at) => `...m${at}`).join(", ")} };`);
  const { outputs } = await Bun.build({ entrypoints: [entry], target: "browser", format: "iife" });
  return `globalThis.quernTexts = ${JSON.stringify(en)};\n${(await outputs[0]?.text()) ?? ""}`;
}

describe.skipIf(!CHROMIUM)(inBrowser("shared client modules"), () => {
  const ADDRESS = "http://page.test";
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let script: string;
  /** Mocks responses below `/api/`: a status with a body, or a network error. */
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
          body: `<!doctype html><html lang="en" data-user="7"><body></body></html>`,
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

  test("background reads are retried while the server is busy, a limited number of times", async () => {
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

  test("an event stream reconnects after a refusal, and not after the end", async () => {
    answer = { status: 503, body: "" };
    await run(`
      const later = window.setTimeout;
      window.setTimeout = (work) => later(work, 20);
      window.received = [];
      const note = (name) => (data) => window.received.push([name, data]);
      const names = ["ready", "change", "reset", "lost", "end"];
      base.subscribeToEvents("a b", Object.fromEntries(names.map((name) => [name, note(name)])));
    `);
    await page.waitForFunction("window.received.length >= 2");
    const body = [
      'id: 4-ab\nevent: ready\ndata: {"action":4}\n\n',
      'id: 5-cd\nevent: change\ndata: {"action":5,"actions":1,"schema":false,"tables":[]}\n\n',
      'event: end\ndata: {"reason":"stopping"}\n\n',
      'event: end\ndata: {"reason":"removed"}\n\n',
      'id: 6-ef\nevent: ready\ndata: {"action":6}\n\n',
    ];
    answer = { status: 200, body: body.join(""), headers: { "Content-Type": "text/event-stream" } };
    await page.waitForFunction(`window.received.at(-1)[0] === "end"`);
    type Heard = [name: string, data: unknown][];
    const received = (await page.evaluate<Heard>("window.received")).filter(([name]) => name !== "lost");
    expect(received).toEqual([
      ["ready", { action: 4 }],
      ["change", { action: 5, actions: 1, schema: false, tables: [] }],
      ["end", "removed"],
    ]);
  });

  test("elements show any text verbatim", async () => {
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
    ["an API error", { status: 400, body: `{"error":"Column not found: X"}` }, "refused", "Column not found: X.", 400],
    [
      "an API error with punctuation",
      { status: 409, body: `{"error":"Is it there?"}` },
      "refused",
      "Is it there?",
      409,
    ],
    ["an access error", { status: 403, body: `{"error":"No access"}` }, "refused", "No access.", 403],
    [
      "an error with a page text",
      { status: 404, body: `{"error":"document not found","details":{"code":"document.not_found"}}` },
      "refused",
      "This document does not exist or was deleted.",
      404,
    ],
    ["an internal error", { status: 500, body: `{"error":"Internal error"}` }, "refused", "Internal error.", 500],
    ["an error of a proxy", { status: 502, body: "<h1>Bad gateway</h1>" }, "away", "The server does not respond.", 502],
    ["no response", null, "away", "The server does not respond.", 0],
  ];
  test.each(refused)("classifies %s", async (_, given, kind, text, status) => {
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

  test("an ended session is distinguished from an API error", async () => {
    answer = { status: 403, body: `{"error":"No access"}` };
    userId = 2;
    const text = await run<string>(`try { await base.api("/api/orgs"); } catch (error) { return error.kind; }`);
    expect(text).toBe("session");
  });

  test("a cancelled call throws, and shows nothing", async () => {
    const [kind, shown] = await run<[string, number]>(`
      const work = new AbortController();
      const place = base.h("div");
      work.abort();
      try { await base.api("/api/orgs", { signal: work.signal }); }
      catch (error) { base.showError(place, error); return [error.kind, place.children.length]; }`);
    expect([kind, shown]).toEqual(["stopped", 0]);
  });

  test("temporary errors offer to try again, permanent ones do not", async () => {
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
    const expression = `base.formatRelativeTime(new Date(Date.UTC(2026, 0, 31) + ${seconds} * 1000), new Date(Date.UTC(2026, 0, 31)))`;
    expect(await run<string>(`return ${expression}`)).toBe(text);
  });

  test("older times are shown as their day, in the user's zone", async () => {
    const context = await browser.newContext({ timezoneId: "Pacific/Auckland", locale: "en-GB" });
    const there = await context.newPage();
    await there.setContent(`<html lang="en-GB"></html>`);
    await there.evaluate(script);
    const text = await there.evaluate<[string, string]>(`(() => {
      const { textContent, title } = base.timeElement("2020-12-31T12:30:00.000Z");
      return [textContent, title];
    })()`);
    expect(text[0]).toBe("1 Jan 2021");
    expect(text[1]).toMatch(/^Friday,? 1 January 2021 at 01:30:00/);
    await context.close();
  });

  test("a dialog traps the focus, and restores it on close", async () => {
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

  test("leaving needs confirmation only while changes are unsaved", async () => {
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

  test("one live region speaks toasts and errors, in the top dialog while one is open", async () => {
    const regions = () =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll("[role=status], [role=alert], [aria-live]")].map((each) => each.parentElement.localName + ": " + each.textContent)`,
      );
    await run(`base.showToast("One."); base.showToast("Two.", { problem: true });`);
    await expectPoll(regions).toEqual(["body: One. Two."]);
    await run(`window.outer = base.openDialog({ title: "Outer", content: [] }); base.showToast("Three.");`);
    await expectPoll(regions).toEqual(["dialog: Three."]);
    await run(`window.inner = base.openDialog({ title: "Inner", content: [] });`);
    await run(`const place = document.createElement("div");
      window.inner.element.append(place);
      base.showError(place, new base.ApiError("refused", "Four.", {}));`);
    await expectPoll(regions).toEqual(["dialog: Four."]);
    await run(`window.inner.close(); window.outer.close();`);
    await expectPoll(regions).toEqual(["body: Four."]);
    // The same text again is a change of the region.
    await run(`window.changes = [];
      new MutationObserver(() => window.changes.push(document.querySelector("#live-region").textContent))
        .observe(document.querySelector("#live-region"), { childList: true });
      base.announce("Four.");`);
    await expectPoll(() => run(`return window.changes`)).toEqual(["", "Four."]);
  });

  test("a toast stays while hovered, and runs its action", async () => {
    await run(`window.undone = 0; base.showToast("Gone.", { action: { label: "Undo", run: () => window.undone++ } });`);
    await page.getByRole("button", { name: "Undo" }).click();
    expect(await run<number>("return window.undone")).toBe(1);
    expect(await page.locator(".toast").count()).toBe(0);
    await run(`base.showToast("One."); base.showToast("Two.", { problem: true });`);
    expect(await page.locator(".toast p").allTextContents()).toEqual(["One.", "Two."]);
    await page.getByRole("button", { name: "Close" }).first().click();
    expect(await page.locator(".toast.problem").textContent()).toBe("Two.");
  });

  test("one toast is shown at a time, and problems until they are closed", async () => {
    const texts = () => page.locator(".toast p").allTextContents();
    await run(`base.showToast("One."); base.showToast("Two.");`);
    expect(await texts()).toEqual(["Two."]);
    await run(`for (const text of ["Lost.", "Lost.", "Full."]) base.showToast(text, { problem: true });`);
    expect(await texts()).toEqual(["Two.", "Lost.", "Full."]);
    await page.clock.install();
    await run(`base.showToast("Three.");`);
    await page.clock.runFor(20_000);
    await expectPoll(texts).toEqual(["Lost.", "Full."]);
    await page.getByRole("button", { name: "Close" }).first().click();
    expect(await texts()).toEqual(["Full."]);
  });
});
