import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { setRules } from "../helpers/access-rules.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, listed, makeDocument } from "./calls.ts";
import { button, press, shownText } from "./controls.ts";
import { HOSTILE_NAME, expectHarmless } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";

const BEN = { email: "ben@example.com", name: "Ben" };

describe.skipIf(!CHROMIUM)(inBrowser("a person who searches rows"), () => {
  let ada: Visit;
  let page: Page;
  let email: string;
  let openWindow: Story["openWindow"];
  const begin = (story: Story) => {
    ({ ada, page, email, openWindow } = story);
  };
  eachStory(begin, { people: [BEN] });

  const field = () => page.getByLabel("Search documents and rows");
  const rows = (of: Page = page) => of.locator("#row-results li a");
  const texts = async (of: Page = page) =>
    (await rows(of).allTextContents()).map((text) => text.replaceAll(/\s+/g, " ")).toSorted();
  const status = () => page.locator("#row-results > .bar > p").textContent();

  const makeOrders = async (owner: Visit, name: string) => {
    const [workspace] = await listed(owner);
    return call<string>(owner, "POST", `/api/workspaces/${workspace?.id}/docs`, { name, template: "order-book" });
  };
  const addRow = (owner: Visit, doc: string, fields: object) =>
    call(owner, "POST", `/api/docs/${doc}/tables/Table1/records`, { records: [{ fields }] });

  test("finds them in all documents, and opens the panel of one", async () => {
    const orders = await makeOrders(ada, "Bicycle shop");
    const notes = await makeDocument(ada, "Notes");
    await addRow(ada, notes, { A: "Ask Ortiz Cycling", B: "next week" });
    await page.goto("/");
    await page.keyboard.press("/");
    await page.keyboard.type("ORTÍZ cycl");
    await expectPoll(() => texts()).toEqual([
      expect.stringMatching(/^20\d\d-0001Orders › Customer: Ortiz Cycling$/),
      expect.stringMatching(/^20\d\d-0006Orders › Customer: Ortiz Cycling$/),
      "Ask Ortiz CyclingTable1 › A",
      "Ortiz CyclingCustomers › Name",
    ]);
    await expectPoll(() => status()).toBe("Searched 2 of 2 documents.");
    await expectPoll(() => page.locator("#live-region").textContent()).toContain("4 rows found");
    expect(await shownText(page, "No results").isVisible()).toBe(false);
    expect(await page.locator("#row-results mark").first().textContent()).toMatch(/Ortiz|Cycl/);
    await rows().filter({ hasText: "Customers › Name" }).click();
    await page.waitForURL(`/docs/${orders}/tables/Customers?row=2`);
    await expectPoll(() => page.getByRole("complementary", { name: /Ortiz Cycling/ }).isVisible()).toBe(true);
    await page.goBack();
    await expectPoll(async () => (await texts()).length).toBe(4);
    expect(ada.problems).toEqual([]);
  });

  test("moves by arrows through documents and rows, and back to the field", async () => {
    const lamps = await makeDocument(ada, "Lamps");
    await addRow(ada, lamps, { A: "Desk lamp" });
    await addRow(ada, lamps, { A: "Floor lamp" });
    await page.goto("/");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("lamp");
    await expectPoll(async () => (await texts()).length).toBe(2);
    const at = () => page.evaluate<string>("document.activeElement.textContent || document.activeElement.id");
    await press(page, "ArrowDown");
    await expectPoll(at).toBe("Lamps");
    await press(page, "ArrowDown", "ArrowDown");
    await expectPoll(at).toContain("Floor lamp");
    // It is the last one.
    await press(page, "ArrowDown");
    await expectPoll(at).toContain("Floor lamp");
    await press(page, "ArrowUp", "ArrowUp", "ArrowUp");
    await expectPoll(at).toBe("search");
    await field().fill("desk");
    await expectPoll(async () => (await texts()).length).toBe(1);
    await page.keyboard.press("Enter");
    await expectPoll(at).toContain("Desk lamp");
    await page.keyboard.press("Escape");
    await expectPoll(at).toBe("search");
    await page.keyboard.press("Escape");
    await expectPoll(() => page.locator("#row-results").isVisible()).toBe(false);
    expect(ada.problems).toEqual([]);
  });

  test("reaches the search from any page by Ctrl+K", async () => {
    const doc = await makeOrders(ada, "Bicycle shop");
    const focused = () => page.evaluate<string>("document.activeElement.name ?? ''");
    await page.goto(`/docs/${doc}/tables/Orders`);
    await page.locator(".grid .body .cell").first().click();
    await page.keyboard.press("Control+k");
    await expectPoll(focused).toBe("q");
    await page.keyboard.type("tanaka");
    await page.keyboard.press("Enter");
    await page.waitForURL("/?q=tanaka");
    await expectPoll(async () => (await texts()).length).toBe(3);
    // A phone has no room for the field on other pages.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto("/profile");
    await page.keyboard.press("Control+k");
    await page.waitForURL("/#search");
    await expectPoll(focused).toBe("q");
    await page.keyboard.type("tanaka");
    await expectPoll(async () => (await texts()).length).toBe(3);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
    await page.setViewportSize({ width: 1280, height: 720 });
    expect(ada.problems).toEqual([]);
  });

  test("searches some documents first, a few at once, and the others on demand; new input cancels", async () => {
    for (let i = 1; i <= 22; i++) await addRow(ada, await makeDocument(ada, `Doc ${i}`), { A: `lamp ${i}` });
    let inFlight = 0;
    let most = 0;
    await page.route("**/search?*", async (route) => {
      most = Math.max(most, ++inFlight);
      await route.continue().catch(() => {});
    });
    page.on("requestfinished", (request) => request.url().includes("/search?") && inFlight--);
    page.on("requestfailed", (request) => request.url().includes("/search?") && inFlight--);
    await page.goto("/");
    await field().fill("lamp");
    await expectPoll(() => status()).toBe("Searched 20 of 22 documents.");
    expect(await rows().count()).toBe(20);
    expect(most).toBeLessThanOrEqual(3);
    await button(page.locator("#row-results"), "Search more").click();
    await expectPoll(() => status()).toBe("Searched 22 of 22 documents.");
    expect(await rows().count()).toBe(22);
    const isInResults = "document.querySelector('#row-results').contains(document.activeElement)";
    await expectPoll(() => page.evaluate<boolean>(isInResults)).toBe(true);
    expect(await button(page.locator("#row-results"), "Search more").count()).toBe(0);

    await page.unroute("**/search?*");
    const held: (() => void)[] = [];
    await page.route("**/search?q=slow*", async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.abort().catch(() => {});
    });
    const cancelled = page.waitForEvent("requestfailed");
    await field().fill("slow");
    await expectPoll(() => held.length).toBe(3);
    await field().fill("lamp 7");
    await cancelled;
    await expectPoll(async () => (await texts()).length).toBe(1);
    for (const release of held) release();
    expect(held).toHaveLength(3);
    expect(ada.problems).toEqual([]);
  }, 180_000);

  test("shows more rows of a document on demand", async () => {
    const doc = await makeDocument(ada, "Many");
    const records = Array.from({ length: 30 }, (_, at) => ({ fields: { A: `lamp ${at}` } }));
    await call(ada, "POST", `/api/docs/${doc}/tables/Table1/records`, { records });
    await page.goto("/?q=lamp");
    await expectPoll(() => rows().count()).toBe(5);
    await button(page.locator("#row-results"), "Show more rows").click();
    await expectPoll(() => rows().count()).toBe(30);
    await expectPoll(() => page.evaluate<string>("document.activeElement.textContent")).toContain("lamp 5");
    expect(ada.problems).toEqual([]);
  });

  test("finds only what access rules show, and nothing in documents without access", async () => {
    await using ben = await openWindow();
    await ben.signIn(BEN.email);
    const shared = await makeOrders(ben, "Shared");
    await makeOrders(ben, "Private");
    await call(ben, "PATCH", `/api/docs/${shared}/access`, { delta: { users: { [email]: "editors" } } });
    const hidden = { formula: "user.Access != OWNER", permissions: "-R" };
    const caller = { must: (method: "GET" | "POST", path: string, body?: unknown) => call(ben, method, path, body) };
    await setRules(caller as never, `/api/docs/${shared}`, { "Customers:*": [hidden], "Orders:Notes": [hidden] });
    await page.goto("/?q=lyon");
    await expectPoll(() => status()).toBe("No rows found in 1 of 1 document.");
    expect(await texts()).toEqual([]);
    expect(await shownText(page, "No results").isVisible()).toBe(true);
    for (const query of ["ortiz", "frame size"]) {
      await field().fill(query);
      await expectPoll(() => status()).toBe("No rows found in 1 of 1 document.");
      expect(await texts()).toEqual([]);
    }
    await field().fill("touring");
    await expectPoll(async () => (await texts()).length).toBe(3);
    await ben.page.goto("/?q=lyon");
    await expectPoll(async () => (await texts(ben.page)).length).toBe(2);
    expect([...ada.problems, ...ben.problems]).toEqual([]);
  });

  test("sees that a search took too long", async () => {
    await makeDocument(ada, "Large");
    await page.route("**/search?*", (route) => route.fulfill({ json: { results: [], isComplete: false } }));
    await page.goto("/?q=needle");
    await shownText(page, "The search took too long. Some rows of this document are missing.").waitFor();
    await page.unroute("**/search?*");
    expect(await page.locator("#row-results h3").allTextContents()).toEqual(["Large"]);
    expect(await shownText(page, "No results").isVisible()).toBe(false);
    expect(ada.problems).toEqual([]);
  });

  test("sees hostile texts as text, and which documents could not be searched", async () => {
    const doc = await makeDocument(ada, HOSTILE_NAME);
    await addRow(ada, doc, { A: HOSTILE_NAME, B: "needle" });
    await page.goto("/?q=needle");
    await expectPoll(() => page.locator("#row-results .row-label").allTextContents()).toEqual([
      HOSTILE_NAME.replaceAll(/\s+/g, " ").trim(),
    ]);
    await expectHarmless(page);
    await page.route("**/search?*", (route) => route.abort("connectionrefused"));
    await field().fill("needles");
    await shownText(page, "1 document could not be searched.").waitFor();
    await page.unroute("**/search?*");
    await field().fill("needle");
    await expectPoll(() => rows().count()).toBe(1);
    await page.route("**/search?*", (route) => route.abort("connectionrefused"));
    await field().fill("needl");
    await shownText(page, "1 document could not be searched.").waitFor();
    await page.unroute("**/search?*");
    await button(page.locator("#row-results"), "Try again").click();
    await expectPoll(() => rows().count()).toBe(1);
    await expectPoll(() => page.evaluate<string>("document.activeElement.localName")).toBe("a");
    expect(ada.problems.every((problem) => problem.includes("ERR_CONNECTION_REFUSED"))).toBe(true);
  });
});
