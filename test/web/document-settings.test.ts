/** The settings of a document. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";
import { violations } from "./accessible.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a person at the settings of a document"), () => {
  let invite: Story["invite"];
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ invite, ada, page } = story);
    doc = await makeDocument(ada, "Stock");
    const columns = [
      { id: "Price", fields: { type: "Numeric", isFormula: false, widgetOptions: '{"numMode":"currency"}' } },
      { id: "At", fields: { type: "DateTime:UTC", isFormula: false, widgetOptions: '{"timeFormat":"HH:mm"}' } },
      { id: "Slow", fields: { isFormula: true, formula: "sum(n * n for n in range(200)) + $Price" } },
      { id: "Quick", fields: { isFormula: true, formula: "$Price + 1" } },
    ];
    await makeTable(ada, doc, { id: "Goods", columns, rows: [{ Price: 1234.5, At: 1_790_000_000 }] });
  });

  const open = async (who = page) => {
    await who.goto(`/docs/${doc}/settings`);
    await who.getByRole("heading", { name: "Formats" }).waitFor();
  };
  const settings = async () => {
    type Info = { records: { fields: { timezone: string; documentSettings: string } }[] };
    const { records } = await call<Info>(ada, "GET", `/api/docs/${doc}/tables/_grist_DocInfo/records`);
    const { timezone, documentSettings } = records[0]?.fields ?? {};
    return { timezone, ...(JSON.parse(documentSettings || "{}") as object) };
  };

  test("changes language, currency and time zone, and sees formats follow", async () => {
    await page.goto(`/docs/${doc}`);
    await page.getByRole("navigation", { name: "Tools" }).getByRole("link", { name: "Settings" }).click();
    await page.waitForURL(/settings$/);
    const sample = () => page.locator("#sample").innerText();
    await page.getByLabel("Currency").selectOption("EUR");
    await expectPoll(sample).toStartWith("€1,234.50");
    await page.getByText("Saved", { exact: true }).waitFor();
    await page.getByLabel("Language").selectOption("de-DE");
    await expectPoll(sample).toStartWith("1.234,50\u00A0€");
    await page.getByLabel("Time zone").selectOption("Asia/Tokyo");
    await expectPoll(settings).toMatchObject({ timezone: "Asia/Tokyo", locale: "de-DE", currency: "EUR" });
    await page.goto(`/docs/${doc}/tables/Goods`);
    await page.getByText("1.234,50").first().waitFor();
    // Undo.
    await open();
    await page.getByLabel("Currency").selectOption("CHF");
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await expectPoll(() => page.getByLabel("Currency").inputValue()).toBe("EUR");
    await expectPoll(settings).toMatchObject({ locale: "de-DE", currency: "EUR" });
    expect(ada.problems).toEqual([]);
  });

  test("renames the document by keyboard, and reads a refusal at the field", async () => {
    await open();
    const name = page.getByLabel("Name", { exact: true });
    await name.fill(HOSTILE_NAME);
    await name.press("Enter");
    await expectPoll(() => page.locator(".crumbs .document-name").innerText()).toBe(HOSTILE_NAME);
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await expectPoll(() => name.inputValue()).toBe("Stock");
    await name.fill("  ");
    await name.blur();
    await page.locator(".setting .note.problem").waitFor();
    expect(await name.getAttribute("aria-invalid")).toBe("true");
    await name.fill(HOSTILE_NAME);
    await name.blur();
    await expectPoll(() => page.locator(".setting .note.problem").count()).toBe(0);
    await page.getByRole("button", { name: "Move to trash…" }).click();
    await page.getByRole("dialog").waitFor();
    await expectHarmless(page);
    expect(await violations(page)).toEqual([]);
  });

  test("moves the document to another workspace, and back", async () => {
    const orgs = await call<{ id: number }[]>(ada, "GET", "/api/orgs");
    await open();
    expect(await page.getByLabel("Workspace").count()).toBe(0);
    await call(ada, "POST", `/api/orgs/${orgs[0]?.id}/workspaces`, { name: "Hidden shelf" });
    const workspace = async () =>
      (await call<{ workspace: { name: string } }>(ada, "GET", `/api/docs/${doc}`)).workspace.name;
    await open();
    await page.getByLabel("Workspace").selectOption("Hidden shelf");
    await expectPoll(workspace).toBe("Hidden shelf");
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await expectPoll(workspace).toBe("Home");
    // Editors of the document see its workspace, and not those of its owner.
    await using ben = await invite(doc, "editors");
    await open(ben.page);
    expect(await ben.page.getByLabel("Workspace").count()).toBe(0);
    expect(await ben.page.content()).not.toContain("Hidden shelf");
    expect(ada.problems).toEqual([]);
  });

  test("pins the document at home, and takes it back", async () => {
    const isPinned = async () => (await call<{ isPinned: boolean }>(ada, "GET", `/api/docs/${doc}`)).isPinned;
    await open();
    await page.getByLabel("At home").selectOption("Pinned, for all users");
    await expectPoll(isPinned).toBe(true);
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await expectPoll(isPinned).toBe(false);
    await expectPoll(() => page.getByLabel("At home").inputValue()).toBe("no");
    expect(ada.problems).toEqual([]);
  });

  test("sees what uses the size", async () => {
    await call(ada, "POST", `/api/docs/${doc}/tables/Goods/data`, { Price: Array.from({ length: 500 }, (_, n) => n) });
    await open();
    const rows = page.locator("#usage tbody tr");
    await expectPoll(() => rows.count()).toBeGreaterThan(2);
    const texts = await rows.allInnerTexts();
    expect(texts.some((text) => text.startsWith("Goods, 501 rows"))).toBe(true);
    expect(texts.some((text) => text.startsWith("History, "))).toBe(true);
    await page.getByRole("button", { name: "Delete older history…" }).click();
    const dialog = page.getByRole("dialog");
    await expectPoll(() => dialog.getByRole("heading").innerText()).toBe("Delete older history of Stock?");
    await dialog.getByLabel("Newest states to keep").fill("1");
    await dialog.getByRole("button", { name: "Delete older history", exact: true }).click();
    await expectPoll(() => rows.filter({ hasText: "History, 1 state" }).count()).toBe(1);
    expect(ada.problems).toEqual([]);
  });

  test("chooses how much history is kept from now on", async () => {
    await open();
    const kept = page.getByText("Owners chose that this document keeps");
    expect(await kept.isVisible()).toBe(false);
    const choose = async (isAlways: boolean) => {
      await page.getByRole("button", { name: "Delete older history…" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Newest states to keep").fill("3");
      await dialog.getByLabel("Also from now on").setChecked(isAlways);
      await dialog.getByRole("button", { name: "Delete older history", exact: true }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await choose(true);
    await kept.getByText("3 states.").waitFor();
    const retention = () => call<{ states: number | null }>(ada, "GET", `/api/docs/${doc}/states/retention`);
    expect((await retention()).states).toBe(3);
    await open();
    await kept.getByText("3 states.").waitFor();
    // The dialog shows the choice.
    await choose(false);
    await kept.waitFor({ state: "hidden" });
    expect((await retention()).states).toBeNull();
    expect(ada.problems).toEqual([]);
  });

  test("sees the slowest formula first", async () => {
    await open();
    await page.getByRole("button", { name: "Start measuring" }).click();
    await page.getByText("No formula has been calculated since the start.").waitFor();
    await call(ada, "PATCH", `/api/docs/${doc}/tables/Goods/records`, { records: [{ id: 1, fields: { Price: 2 } }] });
    await page.getByRole("button", { name: "Refresh" }).click();
    const columns = page.locator("#timing-results tbody th");
    await expectPoll(() => columns.allInnerTexts()).toEqual(["Goods › Slow", "Goods › Quick"]);
    await page.reload();
    await expectPoll(() => columns.count()).toBe(2);
    await page.getByRole("button", { name: "Stop measuring" }).click();
    await page.getByRole("button", { name: "Start measuring" }).waitFor();
    await expectPoll(() => columns.count()).toBe(2);
    expect(ada.problems).toEqual([]);
  });

  test("moves the document to the trash, and reloads it", async () => {
    await open();
    await page.getByRole("button", { name: "Reload document" }).click();
    await page.getByRole("dialog", { name: "Reload Stock?" }).getByRole("button", { name: "Reload document" }).click();
    await page.getByText("The document was reloaded.").first().waitFor();
    await page.getByRole("button", { name: "Move to trash…" }).click();
    const dialog = page.getByRole("dialog", { name: "Move Stock to the trash?" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Move to trash…" }).click();
    await dialog.getByRole("button", { name: "Move Stock to trash" }).click();
    await page.waitForURL(/\/$/);
    await page.goto("/trash");
    await page.getByText("Stock").first().waitFor();
  });

  test("editors change formats only, viewers nothing", async () => {
    await using ben = await invite(doc, "editors");
    await open(ben.page);
    expect(await ben.page.locator("[data-setting]").count()).toBe(3);
    expect(await ben.page.getByLabel("Name", { exact: true }).count()).toBe(0);
    expect(await ben.page.getByRole("button", { name: /trash|history|measuring|Reload/i }).count()).toBe(0);
    expect(await ben.page.locator("#usage").count()).toBe(0);
    await ben.page.getByLabel("Time zone").selectOption("Europe/Berlin");
    await expectPoll(settings).toMatchObject({ timezone: "Europe/Berlin" });
    await using cleo = await invite(doc, "viewers", { email: `cleo-${doc}@example.com`, name: "Cleo" });
    await open(cleo.page);
    expect(await cleo.page.locator("[data-setting]").count()).toBe(0);
    await cleo.page.getByText("You can view this document, not change its settings.").waitFor();
    await cleo.page.getByText("Europe/Berlin").waitFor();
    expect([...ben.problems, ...cleo.problems]).toEqual([]);
  });

  test("readers of a public document see its settings, also without a place on its site", async () => {
    await using dora = await invite(doc, "viewers", { email: `dora-${doc}@example.com`, name: "Dora" });
    const share = (users: object) => call(ada, "PATCH", `/api/docs/${doc}/access`, { delta: { users } });
    await share({ [`dora-${doc}@example.com`]: null, "everyone@getgrist.com": "viewers" });
    await open(dora.page);
    await dora.page.getByText("In its workspace").waitFor();
    expect(await dora.page.locator("[data-setting]").count()).toBe(0);
    expect(dora.problems).toEqual([]);
  });
});
