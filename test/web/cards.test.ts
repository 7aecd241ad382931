/** Cards: reading and editing records by pointer and keys, in any number, and while others change them. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { makeDocument, makeTable, records } from "./calls.ts";
import { apply, card, field, focusedCard, makeCards, metadata, openCards, value } from "./cards-page.ts";
import { button, dialog, item, press } from "./controls.ts";
import { expectHarmless, HOSTILE, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";

const PEOPLE = { id: "People", columns: [{ id: "Name", fields: { type: "Text" } }] };
const CHOICES = JSON.stringify({
  choices: ["New", "Done"],
  choiceOptions: { New: { fillColor: "#cee3ff", textColor: "#0c3f78" } },
});

/** A column of each type. */
const TASKS = {
  id: "Tasks",
  columns: [
    { id: "Task", fields: { type: "Text" } },
    { id: "Owner", fields: { type: "Ref:People" } },
    { id: "Status", fields: { type: "Choice", widgetOptions: CHOICES } },
    { id: "Tags", fields: { type: "ChoiceList", widgetOptions: '{"choices":["urgent","garden"]}' } },
    { id: "Hours", fields: { type: "Numeric", widgetOptions: '{"decimals":2}' } },
    { id: "Due", fields: { type: "Date", widgetOptions: '{"dateFormat":"DD.MM.YYYY"}' } },
    { id: "Done", fields: { type: "Bool" } },
    { id: "Notes", fields: { type: "Text", widgetOptions: '{"widget":"Markdown"}' } },
    { id: "Share", fields: { type: "Numeric", isFormula: true, formula: "6 / $Hours" } },
    { id: "Files", fields: { type: "Attachments" } },
  ],
  rows: [
    {
      Task: "Oil chain",
      Owner: 1,
      Status: "New",
      Tags: ["L", "urgent", "garden"],
      Hours: 1.5,
      Due: 1_767_225_600,
      Done: true,
      Notes: "# Steps\n\n- **clean** it",
    },
    { Task: HOSTILE_NAME, Owner: 2, Status: "Done", Hours: 0, Notes: HOSTILE.join("\n\n") },
    { Task: "Fix brake", Owner: 2, Hours: 3 },
  ],
};

describe.skipIf(!CHROMIUM)(inBrowser("cards"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  let invite: Story["invite"];
  eachStory(async (story) => {
    ({ ada, page, invite } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, { ...PEOPLE, rows: [{ Name: "Anna Kern" }, { Name: HOSTILE_NAME }] });
    await makeTable(ada, doc, TASKS);
    const [owner] = await metadata(ada, doc, "_grist_Tables_column", { colId: ["Owner"] });
    const [name] = await metadata(ada, doc, "_grist_Tables_column", { colId: ["Name"] });
    await apply(
      ada,
      doc,
      ["UpdateRecord", "_grist_Tables_column", owner?.id, { visibleCol: name?.id }],
      ["SetDisplayFormula", "Tasks", null, owner?.id, "$Owner.Name"],
    );
  });

  const stored = async (column: string) => (await records(ada, doc, "Tasks")).map((row) => row.fields[column]);
  const boxOf = async (name: string, part: ".field-label" | ".cell") => {
    const box = await field(card(page, 1), name).locator(part).boundingBox();
    if (!box) throw new Error(`${name} is not shown`);
    return box;
  };

  test("show every type of value, in each theme, and no name as anything but text", async () => {
    const cards = await makeCards(ada, doc, "Tasks");
    await openCards(page, doc, cards);
    const first = card(page, 1);
    await first.waitFor();
    await expectPoll(() => value(first, "Task").textContent()).toBe("Oil chain");
    await expectPoll(() => value(first, "Owner").locator(".tag").textContent()).toBe("Anna Kern");
    await expectPoll(() => value(first, "Status").locator(".pill").textContent()).toBe("New");
    await expectPoll(() => value(first, "Tags").locator(".pill").allTextContents()).toEqual(["urgent", "garden"]);
    await expectPoll(() => value(first, "Hours").textContent()).toBe("1.50");
    await expectPoll(() => value(first, "Due").textContent()).toBe("01.01.2026");
    await expectPoll(() => field(first, "Done").locator("input").isChecked()).toBe(true);
    await expectPoll(() => value(first, "Notes").locator("li strong").textContent()).toBe("clean");
    await expectPoll(() => value(card(page, 2), "Share").textContent()).toBe("Divided by zero");
    await expectPoll(() => value(card(page, 2), "Task").textContent()).toBe(HOSTILE_NAME);
    await expectHarmless(page);
    for (const theme of ["form", "compact", "blocks"]) {
      await apply(ada, doc, ["UpdateRecord", "_grist_Views_section", cards.section, { theme }]);
      await openCards(page, doc, cards);
      await page.locator(`.cards[data-theme="${theme}"]`).waitFor();
      await first.waitFor();
      const [label, cell] = [await boxOf("Hours", ".field-label"), await boxOf("Hours", ".cell")];
      const border = await page.evaluate<string>(
        "getComputedStyle(document.querySelector('.card-field > .number')).borderTopStyle",
      );
      expect(border).toBe(theme === "form" ? "solid" : "none");
      if (theme === "blocks") expect(cell.x).toBeGreaterThanOrEqual(label.x + label.width);
      else expect(cell.y).toBeGreaterThanOrEqual(label.y + label.height);
      expect(await first.locator(".card-field").count()).toBe(TASKS.columns.length);
      if (theme !== "compact") await expectAccessible(page);
    }
    expect(ada.problems).toEqual([]);
  });

  test("edit every type of value", async () => {
    await openCards(page, doc, await makeCards(ada, doc, "Tasks"));
    const third = card(page, 3);
    await value(third, "Task").click();
    await field(third, "Task").locator("textarea").fill("Fix gear");
    await press(page, "Tab");
    await expectPoll(() => stored("Task")).toContain("Fix gear");
    await field(third, "Owner").getByRole("combobox").fill("Anna");
    await page.getByRole("option", { name: "Anna Kern" }).waitFor();
    await press(page, "Enter");
    await expectPoll(() => stored("Owner")).toEqual([1, 2, 1]);
    await field(third, "Status").getByRole("combobox").waitFor();
    await page.keyboard.type("New");
    await press(page, "Enter");
    await expectPoll(() => stored("Status")).toEqual(["New", "Done", "New"]);
    await field(third, "Tags").getByRole("combobox").waitFor();
    await page.keyboard.type("gar");
    await press(page, "Enter", "Enter");
    await expectPoll(() => stored("Tags")).toEqual([["L", "urgent", "garden"], null, ["L", "garden"]]);
    await field(third, "Hours").locator("textarea").fill("2");
    await press(page, "Enter");
    await expectPoll(() => stored("Hours")).toEqual([1.5, 0, 2]);
    await expectPoll(() => value(third, "Share").textContent()).toBe("3");
    await field(third, "Due").locator("textarea").fill("05.03.2026");
    await press(page, "Enter");
    await expectPoll(() => stored("Due")).toEqual([1_767_225_600, null, 1_772_668_800]);
    await press(page, " ");
    await expectPoll(() => stored("Done")).toEqual([true, false, true]);
    await value(third, "Notes").click();
    await page.keyboard.type("One");
    await press(page, "Shift+Enter");
    await page.keyboard.type("two");
    await press(page, "Enter");
    await expectPoll(async () => (await stored("Notes"))[2]).toBe("One\ntwo");
    await button(field(third, "Files"), "Add or remove files…").click();
    await dialog(page).waitFor();
    await press(page, "Escape");
    // A value that was edited is restored by Escape, and cleared by Delete.
    await value(third, "Hours").click();
    await page.keyboard.type("9");
    await press(page, "Escape", "Delete");
    await expectPoll(() => stored("Hours")).toEqual([1.5, 0, null]);
    await press(page, "Control+z");
    await expectPoll(() => stored("Hours")).toEqual([1.5, 0, 2]);
    expect(ada.problems).toEqual([]);
  });

  test("are added, duplicated and deleted by keys and menu, with Undo", async () => {
    await openCards(page, doc, await makeCards(ada, doc, "Tasks"));
    await card(page, 1).waitFor();
    await button(page, "Row").click();
    await field(card(page, 4), "Task").locator("textarea").waitFor();
    await page.keyboard.type("New one");
    await press(page, "Enter");
    await expectPoll(async () => (await stored("Task"))[3]).toBe("New one");
    await press(page, "Escape", "Escape");
    await expectPoll(() => focusedCard(page)).toBe(4);
    await press(page, "Control+Enter");
    await field(card(page, 5), "Task").locator("textarea").waitFor();
    await press(page, "Escape", "Escape", "Control+Delete");
    await expectPoll(async () => (await stored("Task")).length).toBe(4);
    await expectPoll(() => focusedCard(page)).toBe(4);
    await card(page, 1).hover();
    await button(card(page, 1), "Menu of the card").click();
    await item(page, "Duplicate row").click();
    await expectPoll(() => stored("Task")).toContain("Oil chain");
    await expectPoll(async () => (await stored("Task")).filter((task) => task === "Oil chain")).toHaveLength(2);
    await card(page, 1).click({ position: { x: 4, y: 4 } });
    await press(page, "Shift+F10");
    await item(page, "Delete row").click();
    await expectPoll(async () => (await stored("Task")).filter((task) => task === "Oil chain")).toHaveLength(1);
    await expectPoll(() => card(page, 1).getAttribute("aria-setsize")).toBe("4");
    await button(page.locator(".toast"), "Undo").click();
    await expectPoll(() => card(page, 1).getAttribute("aria-setsize")).toBe("5");
    await expectPoll(() => value(card(page, 1), "Task").textContent()).toBe("Oil chain");
    // All fields of a card are cleared, and return.
    await card(page, 1).click({ position: { x: 4, y: 4 } });
    await press(page, "Delete");
    await expectPoll(async () => (await stored("Task"))[0]).toBe("");
    await press(page, "Control+z");
    await expectPoll(async () => (await stored("Task"))[0]).toBe("Oil chain");
    expect(ada.problems).toEqual([]);
  });

  test("show an added row once when rows requested before it contain it", async () => {
    await openCards(page, doc, await makeCards(ada, doc, "Tasks"));
    await card(page, 1).waitFor();
    const held: (() => void)[] = [];
    await page.route("**/tables/Tasks/records?*", async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    const answered = async (count: number) => {
      await expectPoll(() => held.length).toBe(count);
      const response = page.waitForResponse("**/tables/Tasks/records?*");
      held.at(-1)?.();
      await (await response).finished();
    };
    await apply(ada, doc, ["UpdateRecord", "Tasks", 1, { Hours: 7 }]);
    await expectPoll(() => held.length).toBe(1);
    await button(page, "Row").click();
    await field(card(page, 4), "Task").locator("textarea").waitFor();
    await expectPoll(async () => (await stored("Task")).length).toBe(4);
    await answered(1);
    await expectPoll(() => value(card(page, 1), "Hours").textContent()).toBe("7.00");
    const sizes = () =>
      page
        .locator(".record-card")
        .evaluateAll((all) => (all as unknown as { ariaSetSize: string }[]).map(({ ariaSetSize }) => ariaSetSize));
    expect(await sizes()).toEqual(["4", "4", "4", "4"]);
    await answered(2);
    await page.unroute("**/tables/Tasks/records?*");
    await expectPoll(sizes).toEqual(["4", "4", "4", "4"]);
    expect(ada.problems).toEqual([]);
  });

  test("keep what is edited while others change, move and delete rows", async () => {
    await openCards(page, doc, await makeCards(ada, doc, "Tasks"));
    const ben = await invite(doc, "editors");
    const third = card(page, 3);
    await value(third, "Task").click();
    await page.keyboard.type(" and gear");
    await apply(ben, doc, ["UpdateRecord", "Tasks", 3, { Hours: 6 }]);
    await expectPoll(() => value(third, "Hours").textContent()).toBe("6.00");
    expect(await field(third, "Task").locator("textarea").inputValue()).toBe("Fix brake and gear");
    // A row before it moves the card.
    await apply(ben, doc, ["AddRecord", "Tasks", null, { Task: "First", manualSort: 0.5 }]);
    const moved = card(page, 4);
    await expectPoll(() => field(moved, "Task").locator("textarea").inputValue()).toBe("Fix brake and gear");
    expect(await page.evaluate("document.activeElement.value")).toBe("Fix brake and gear");
    // Leaving the page asks first, as long as the input is not stored.
    const isSaved = () => page.evaluate<boolean>('dispatchEvent(new Event("beforeunload", { cancelable: true }))');
    expect(await isSaved()).toBe(false);
    await press(page, "Tab");
    await expectPoll(() => stored("Task")).toContain("Fix brake and gear");
    await expectPoll(isSaved).toBe(true);
    await value(moved, "Task").click();
    await page.keyboard.type("!");
    await apply(ben, doc, ["RemoveRecord", "Tasks", 3]);
    await dialog(page).getByText("Fix brake and gear!").waitFor();
    await button(dialog(page), "Close").first().click();
    await expectPoll(() => page.locator(".record-card").count()).toBe(3);
    expect(ada.problems).toEqual([]);
  });

  test("can be read by viewers, who have nothing to edit", async () => {
    const cards = await makeCards(ada, doc, "Tasks");
    const ben = await invite(doc, "viewers");
    const view = ben.page;
    await openCards(view, doc, cards);
    await card(view, 1).click({ position: { x: 4, y: 4 } });
    await value(card(view, 1), "Task").click();
    expect(await view.locator(".cards textarea, .cards [role=combobox]").count()).toBe(0);
    expect(await field(card(view, 1), "Done").locator("input").count()).toBe(0);
    await card(view, 1).click({ position: { x: 4, y: 4 } });
    await press(view, "Shift+F10");
    await item(view, "Copy link").waitFor();
    expect(await item(view, "Delete row").count()).toBe(0);
    await press(view, "Escape", "Control+Enter", "Delete", "Control+Delete", "Enter");
    await view.locator(".panel").waitFor();
    expect(await stored("Task")).toEqual(["Oil chain", HOSTILE_NAME, "Fix brake"]);
    expect(ben.problems).toEqual([]);
    expect(ben.refusals).toEqual([]);
  });

  test("mark cells that access rules hide, and leave out hidden rows", async () => {
    const cards = await makeCards(ada, doc, "Tasks");
    await apply(
      ada,
      doc,
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "Tasks", colIds: "Notes" }],
      ["AddRecord", "_grist_ACLResources", -2, { tableId: "Tasks", colIds: "*" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access != OWNER and rec.Hours > 2", permissionsText: "-R" },
      ],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -2, aclFormula: "user.Access != OWNER and rec.Hours == 0", permissionsText: "-R" },
      ],
    );
    const ben = await invite(doc, "editors");
    await openCards(ben.page, doc, cards);
    await card(ben.page, 2).waitFor();
    await expectPoll(() => value(card(ben.page, 2), "Task").textContent()).toBe("Fix brake");
    await expectPoll(() => card(ben.page, 1).getAttribute("aria-setsize")).toBe("2");
    await value(card(ben.page, 2), "Notes").getByText("Hidden by access rules").waitFor({ state: "attached" });
    expect(ben.problems).toEqual([]);
  });

  test("have one column on phones, where choices open a sheet", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await openCards(page, doc, await makeCards(ada, doc, "Tasks"));
    await card(page, 2).waitFor();
    const [first, second] = [await card(page, 1).boundingBox(), await card(page, 2).boundingBox()];
    expect(second?.x).toBe(first?.x ?? -1);
    await value(card(page, 1), "Status").click();
    await page.locator(".editor-sheet").waitFor();
    await page.getByRole("option", { name: "Done", exact: true }).click();
    await expectPoll(async () => (await stored("Status"))[0]).toBe("Done");
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
    expect(ada.problems).toEqual([]);
  });

  test("one at a time, with buttons and keys to the next, and a new one at the end", async () => {
    await openCards(page, doc, await makeCards(ada, doc, "Tasks", { kind: "single" }));
    await card(page, 1).waitFor();
    const position = () => page.locator(".cards-steps .card-position, .card-steps .card-position").textContent();
    await expectPoll(position).toBe("1 of 3");
    await button(page, "Next row").click();
    await expectPoll(position).toBe("2 of 3");
    await expectPoll(() => page.locator(".record-card").count()).toBe(1);
    await card(page, 2).click({ position: { x: 4, y: 4 } });
    await press(page, "Alt+PageDown");
    await expectPoll(() => value(card(page, 3), "Task").textContent()).toBe("Fix brake");
    await expectPoll(() => focusedCard(page)).toBe(3);
    await press(page, "ArrowRight");
    await expectPoll(position).toBe("New card");
    await press(page, "Enter");
    await field(card(page, 4), "Task").locator("textarea").waitFor();
    await page.keyboard.type("Fourth");
    await press(page, "Tab");
    await expectPoll(async () => (await stored("Task"))[3]).toBe("Fourth");
    await expectPoll(position).toBe("4 of 4");
    await field(card(page, 4), "Owner").getByRole("combobox").waitFor();
    await press(page, "Escape", "Escape", "Home");
    await expectPoll(position).toBe("1 of 4");
    expect(await button(page, "Previous row").getAttribute("aria-disabled")).toBe("true");
    await expectAccessible(page);
    expect(ada.problems).toEqual([]);
  });

  test("select the rows of other sections", async () => {
    const cards = await makeCards(ada, doc, "People");
    const [table] = await metadata(ada, doc, "_grist_Tables", { tableId: ["Tasks"] });
    const [owner] = await metadata(ada, doc, "_grist_Tables_column", { colId: ["Owner"] });
    const made = await apply(ada, doc, ["CreateViewSection", table?.id, cards.view, "detail", null, null]);
    const { sectionRef } = made.retValues[0] as { sectionRef: number };
    const link = { linkSrcSectionRef: cards.section, linkSrcColRef: 0, linkTargetColRef: owner?.id };
    await apply(ada, doc, ["UpdateRecord", "_grist_Views_section", sectionRef, link]);
    await page.goto(`/docs/${doc}/pages/${cards.view}`);
    const people = page.locator(`#section-${cards.section}`);
    const tasks = page.locator(`#section-${sectionRef}`);
    const names = () => tasks.locator(".card-field:first-child .field-value").allTextContents();
    await expectPoll(async () => (await names()).filter((name) => name === "Oil chain")).toEqual(["Oil chain"]);
    await people
      .locator(".record-card")
      .first()
      .click({ position: { x: 4, y: 4 } });
    await press(page, "ArrowRight", "ArrowDown");
    await expectPoll(() => tasks.locator(".record-card").count()).toBe(2);
    await expectPoll(() => tasks.locator(".record-card").first().getAttribute("aria-label")).toBe(
      HOSTILE_NAME.slice(0, 100),
    );
    // A new card belongs to the selected one.
    await tasks
      .locator(".record-card")
      .first()
      .click({ position: { x: 4, y: 4 } });
    await press(page, "Control+Enter");
    await tasks.locator("textarea").waitFor();
    await page.keyboard.type("Linked");
    await press(page, "Enter");
    await expectPoll(async () => (await stored("Owner"))[3]).toBe(2);
    await expectPoll(async () => (await stored("Task"))[3]).toBe("Linked");
    expect(ada.problems).toEqual([]);
  });
});
