import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { expectHarmless, HOSTILE, HOSTILE_NAME } from "./hostile.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button, item, press, shownText } from "./controls.ts";
import { eachStory, type Story } from "./scene.ts";
import { cell, expectRows, openTable, rowTexts, until } from "./table-page.ts";

const TEA = {
  id: "Tea",
  columns: [
    { id: "Name", fields: { type: "Text" } },
    { id: "Grams", fields: { type: "Int" } },
  ],
  rows: [
    { Name: "Assam", Grams: 100 },
    { Name: "Sencha", Grams: 50 },
  ],
};

describe.skipIf(!CHROMIUM)(inBrowser("people at the same tables"), () => {
  let openWindow: Story["openWindow"];
  let invite: Story["invite"];
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ openWindow, invite, ada, page } = story);
    doc = await makeDocument(ada);
  });

  test("see changes made while their page was loading, and request the first rows once", async () => {
    await makeTable(ada, doc, TEA);
    const reads: string[] = [];
    page.on("request", (request) => request.url().includes("/records?") && reads.push(request.url()));
    const arrived = Promise.withResolvers<void>();
    const isChanged = Promise.withResolvers<void>();
    await page.route("**/events*", async (route) => {
      arrived.resolve();
      await isChanged.promise;
      await route.continue();
    });
    const opened = openTable(page, doc, "Tea");
    await arrived.promise;
    await opened;
    expect(reads).toEqual([]);
    await call(ada, "POST", `/api/docs/${doc}/tables/Tea/records`, { records: [{ fields: { Name: "Oolong" } }] });
    isChanged.resolve();
    await expectRows(page, ["Assam|100", "Sencha|50", "Oolong|0"]);
    expect(reads).toHaveLength(1);
    await page.unroute("**/events*");
  });

  test("see changes by others without reloading, and keep their input", async () => {
    await makeTable(ada, doc, TEA);
    await using ben = await invite(doc, "editors");
    await openTable(ben.page, doc, "Tea");
    await openTable(page, doc, "Tea");
    await expectRows(page, ["Assam|100", "Sencha|50"]);
    await cell(page, 2, 1).click();
    await page.keyboard.type("Gyok");
    await cell(ben.page, 1, 2).click();
    await ben.page.keyboard.type("75");
    await ben.page.keyboard.press("Enter");
    await call(ben, "POST", `/api/docs/${doc}/tables/Tea/records`, { records: [{ fields: { Name: "Oolong" } }] });
    expect(await until(page, `document.querySelector("#sheet-count").textContent === "3 rows"`)).toBe(true);
    await expectRows(page, ["Assam|75", "Sencha|50", "Oolong|0"]);
    // A row is inserted above the one being edited.
    await call(ben, "POST", `/api/docs/${doc}/apply`, [["AddRecord", "Tea", null, { Name: "Chai", manualSort: 1.5 }]]);
    await expectRows(page, ["Assam|75", "Chai|0", "Sencha|50", "Oolong|0"]);
    await page.keyboard.type("uro");
    expect(await page.locator(".editor textarea").inputValue()).toBe("Gyokuro");
    await page.keyboard.press("Enter");
    await expectRows(ben.page, ["Assam|75", "Chai|0", "Gyokuro|50", "Oolong|0"]);
    expect(await until(page, `document.activeElement.textContent === "Oolong"`)).toBe(true);
    // Columns and tables, too.
    await call(ben, "POST", `/api/docs/${doc}/tables/Tea/columns`, {
      columns: [{ id: "Origin", fields: { type: "Text" } }],
    });
    await page.getByRole("columnheader", { name: "Origin, text" }).waitFor();
    await call(ben, "POST", `/api/docs/${doc}/tables`, { tables: [{ id: "Cups", columns: [{ id: "Size" }] }] });
    await page.locator("#tables").getByText("Cups", { exact: true }).first().waitFor();
    expect([...ada.problems, ...ben.problems]).toEqual([]);
  });

  test("errors stay in view while others make changes", async () => {
    await makeTable(ada, doc, TEA);
    await openTable(page, doc, "Tea");
    await cell(page, 1, 1).click();
    await page.route("**/apply*", (route) => route.abort("connectionrefused"));
    await page.keyboard.press("Delete");
    await page.locator("#sheet-problem").getByText("The server does not respond.").waitFor();
    await call(ada, "POST", `/api/docs/${doc}/tables/Tea/records`, { records: [{ fields: { Name: "Oolong" } }] });
    await expectRows(page, ["Assam|100", "Sencha|50", "Oolong|0"]);
    await page.unroute("**/apply*");
    await page.locator("#sheet-problem").getByRole("button", { name: "Try again" }).click();
    await expectRows(page, ["|100", "Sencha|50", "Oolong|0"]);
    await expectPoll(() => page.locator("#sheet-problem").textContent()).toBe("");
  });

  test("input into a row that was deleted can still be copied", async () => {
    await makeTable(ada, doc, TEA);
    await openTable(page, doc, "Tea");
    await cell(page, 2, 1).click();
    await page.keyboard.type(HOSTILE_NAME);
    await call(ada, "POST", `/api/docs/${doc}/apply`, [["RemoveRecord", "Tea", 2]]);
    await expectRows(page, ["Assam|100"]);
    expect(await page.locator(".editor textarea").inputValue()).toBe(HOSTILE_NAME);
    await page.keyboard.press("Enter");
    const lost = page.getByRole("dialog", { name: "Name was not changed" });
    await lost.getByText("The row is no longer shown").waitFor();
    await expectPoll(() => lost.locator("q").textContent()).toBe(HOSTILE_NAME);
    await lost.getByRole("button", { name: "Copy your input" }).waitFor();
    await lost.getByRole("button", { name: "Close" }).click();
    await expectRows(page, ["Assam|100"]);
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("viewers get no editing controls", async () => {
    await makeTable(ada, doc, TEA);
    await using ben = await invite(doc, "viewers");
    await openTable(ben.page, doc, "Tea");
    await expectRows(ben.page, ["Assam|100", "Sencha|50"]);
    await expectPoll(() => ben.page.locator("#sheet-tools button:visible").allTextContents()).toEqual([
      "Filter",
      "Sort",
      "Group",
      "Columns",
      "Row height",
      "",
      "Download",
    ]);
    await cell(ben.page, 1, 1).dblclick();
    await ben.page.keyboard.type("x");
    await ben.page.keyboard.press("Delete");
    expect(await ben.page.locator(".editor").count()).toBe(0);
    await button(ben.page, "Menu of Name").click();
    await expectPoll(() => ben.page.getByRole("menuitem").allTextContents()).toEqual([
      "Sort ascending",
      "Sort descending",
      "Filter…",
      "Group by this column",
      "Total…",
      "Move rightAlt+Shift+→",
      "Freeze up to here",
      "Width…",
      "Fit width",
      "Hide column",
    ]);
    await ben.page.keyboard.press("Escape");
    expect(await rowTexts(ben.page)).toEqual(["Assam|100", "Sencha|50"]);
    expect(ben.problems).toEqual([]);
  });

  test("refusals by access rules are shown in place, and hidden cells are marked", async () => {
    await makeTable(ada, doc, TEA);
    await using ben = await invite(doc, "editors");
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "Tea", colIds: "*" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access == EDITOR and rec.Grams > 60", permissionsText: "-U" },
      ],
      ["AddRecord", "_grist_ACLResources", -2, { tableId: "Tea", colIds: "Grams" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -2, aclFormula: "user.Access == EDITOR and rec.Grams < 60", permissionsText: "-R" },
      ],
    ]);
    await openTable(ben.page, doc, "Tea");
    await expectRows(ben.page, ["Assam|100", "Sencha|Hidden by access rules"]);
    await cell(ben.page, 1, 1).click();
    await ben.page.keyboard.type("Earl");
    await ben.page.keyboard.press("Enter");
    await ben.page.locator(".editor .note.problem").waitFor();
    await expectPoll(() => ben.page.locator(".editor .note.problem").textContent()).toMatch(/rules/);
    await expectPoll(() => ben.page.locator(".editor textarea").inputValue()).toBe("Earl");
    await ben.page.keyboard.press("Escape");
    await expectRows(ben.page, ["Assam|100", "Sencha|Hidden by access rules"]);
  });

  test("hostile texts are shown as text everywhere", async () => {
    const columns = [
      { id: "A", fields: { type: "Text", label: HOSTILE_NAME, description: HOSTILE_NAME } },
      {
        id: "B",
        fields: {
          type: "Choice",
          label: "B",
          widgetOptions: JSON.stringify({
            choices: HOSTILE,
            choiceOptions: { [HOSTILE_NAME]: { fillColor: "red;} body {display:none" } },
          }),
        },
      },
      { id: "C", fields: { type: "ChoiceList", label: "C", widgetOptions: JSON.stringify({ choices: HOSTILE }) } },
      { id: "D", fields: { type: "Int", label: "D" } },
      { id: "E", fields: { type: "Text", label: "E", widgetOptions: JSON.stringify({ widget: "HyperLink" }) } },
      {
        id: "F",
        fields: {
          type: "Any",
          label: "F",
          isFormula: true,
          formula: `raise ValueError(${JSON.stringify(HOSTILE_NAME)})`,
        },
      },
    ];
    await makeTable(ada, doc, {
      id: "Odd",
      columns,
      rows: HOSTILE.map((text) => ({ A: text, B: text, C: ["L", text, text], D: `x${text}`, E: text })),
    });
    await openTable(page, doc, "Odd");
    await cell(page, 1, 1).waitFor();
    const shown = (await rowTexts(page)).map((row) => row.split("|")[0]);
    expect(shown).toEqual(HOSTILE.map((text) => text));
    await button(page, `Menu of ${HOSTILE_NAME}`).click();
    await item(page, "Edit column…").click();
    await page.locator(".panel").waitFor();
    await page.locator(".panel").getByRole("button", { name: "Close" }).click();
    await button(page, "Menu of F").click();
    await item(page, "Edit column…").click();
    await page.locator(".formula-problems .note").first().waitFor();
    await page.locator(".panel").getByRole("button", { name: "Close" }).click();
    await cell(page, 2, 1).click();
    await page.keyboard.press("Shift+Enter");
    await page.locator(".card-field").first().waitFor();
    await page.locator(".panel").getByRole("button", { name: "Close" }).click();
    await button(page, "Menu of B").click();
    await item(page, "Filter…").click();
    await button(page, "Choose…").click();
    await page.locator(".filter-values label").first().waitFor();
    await page.keyboard.press("Escape");
    await cell(page, 3, 3).dblclick();
    await page.locator(".editor [role=option]").first().waitFor();
    await page.keyboard.press("Escape");
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("large tables are loaded in pages, at any scroll position", async () => {
    await makeTable(ada, doc, { id: "Big", columns: [{ id: "N", fields: { type: "Int" } }], rows: [] });
    const N = Array.from({ length: 30_000 }, (_, at) => at + 1);
    await call(ada, "POST", `/api/docs/${doc}/tables/Big/data`, { N });
    const asked: string[] = [];
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.pathname.endsWith("/records")) asked.push(url.searchParams.get("limit") ?? "all");
    });
    await openTable(page, doc, "Big");
    await cell(page, 1, 1).click();
    await page.keyboard.press("Control+End");
    expect(await until(page, `document.activeElement.textContent === "30000"`)).toBe(true);
    await press(page, "PageUp", "Control+Home");
    expect(await until(page, `document.activeElement.textContent === "1"`)).toBe(true);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.every((limit) => Number(limit) <= 2000)).toBe(true);
    const drawn = await page.locator(".grid .body [role=row]").count();
    expect(drawn).toBeLessThan(80);
    await expectPoll(() => page.getByRole("grid").getAttribute("aria-rowcount")).toBe("30002");
  });

  test("on a phone a tap selects a cell, a second one edits it, and rows open as cards", async () => {
    await makeTable(ada, doc, TEA);
    const { cookies } = await ada.context.storageState();
    const size = { width: 390, height: 844 };
    await using phone = await openWindow({ viewport: size, hasTouch: true, isMobile: true });
    await phone.context.addCookies(cookies);
    await phone.page.goto(`/docs/${doc}`);
    await phone.page.locator(".top-bar .here").tap();
    await phone.page.locator("#tables summary").tap();
    await phone.page.locator("#tables").getByRole("link", { name: "Tea" }).tap();
    await phone.page.waitForURL(`/docs/${doc}/tables/Tea`);
    await cell(phone.page, 1, 1).tap();
    expect(await phone.page.locator(".editor").count()).toBe(0);
    await cell(phone.page, 1, 1).tap();
    await phone.page.locator(".editor textarea").fill("Darjeeling");
    await phone.page.keyboard.press("Enter");
    await expectRows(phone.page, ["Darjeeling|100", "Sencha|50"]);
    await phone.page.getByRole("rowheader", { name: "2" }).tap();
    await phone.page.locator(".panel").getByRole("group", { name: "Name" }).tap();
    await phone.page.locator(".panel textarea").fill("Gyokuro");
    await phone.page.locator(".panel h2").tap();
    await expectRows(phone.page, ["Darjeeling|100", "Gyokuro|50"]);
    expect(await violations(phone.page)).toEqual([]);
    await phone.page.locator(".panel").getByRole("button", { name: "Close" }).tap();
    // No horizontal overflow, and touch targets are large enough.
    await expectPoll(() => phone.page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    const small = await phone.page.evaluate<
      string[]
    >(`[...document.querySelectorAll("#content button, #content select")]
      .filter((each) => each.offsetParent && each.getBoundingClientRect().height < 39.5).map((each) => each.outerHTML)`);
    expect(small).toEqual([]);
    expect(phone.problems).toEqual([]);
  });

  test.each(["light", "dark"] as const)(
    "axe finds no serious violations in any state of the page: %s",
    async (scheme) => {
      await makeTable(ada, doc, TEA);
      const states: (() => Promise<unknown>)[] = [
        () => openTable(page, doc, "Tea", "?sort=-Grams&filter=%7B%22Name%22%3A%5B%22Assam%22%5D%7D"),
        () => cell(page, 1, 1).dblclick(),
        async () => {
          await press(page, "Escape", "Shift+Enter");
          await page.locator(".card-field").first().waitFor();
        },
        async () => {
          await button(page, "Menu of Grams").click();
          await item(page, "Edit column…").click();
          await page.locator(".panel").getByRole("radio", { name: "Formula" }).check();
          await page.locator(".panel").getByText("Functions", { exact: true }).click();
          await page.locator(".functions li").first().waitFor();
        },
        async () => {
          await page.locator(".panel").getByRole("radio", { name: "Data", exact: true }).check();
          await page.locator(".panel").getByRole("combobox", { name: "Type", exact: true }).selectOption("Date");
          await page.locator(".type-preview .note").waitFor();
        },
        async () => {
          await button(page.locator(".panel"), "Close").click();
          await shownText(page, "Discard the type change?").waitFor();
        },
      ];
      await page.emulateMedia({ colorScheme: scheme });
      for (const [at, state] of states.entries()) {
        await state();
        expect([at, await violations(page)]).toEqual([at, []]);
      }
      // While it is open, the browser would ask before leaving the page.
      await button(page, "Discard").click();
      expect(ada.problems).toEqual([]);
    },
  );
});
