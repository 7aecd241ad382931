/** Adding a reference together with the column of the other direction. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button, dialog, press } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory } from "./scene.ts";
import { cell, openTable } from "./table-page.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a new reference"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    const columns = [{ id: "Name", fields: { type: "Text" } }];
    await makeTable(ada, doc, { id: "Visits", columns, rows: [{ Name: "Monday" }] });
    await makeTable(ada, doc, { id: "People", columns, rows: [{ Name: "Anna" }] });
  });

  const columnsOf = async (table: string) => {
    const path = `/api/docs/${doc}/tables/${table}/columns`;
    const { columns } = await call<{ columns: { id: string; fields: { label: string; type: string } }[] }>(
      ada,
      "GET",
      path,
    );
    return columns.map(({ id, fields }) => [id, fields.label, fields.type]);
  };
  const add = async (name: string, reverse: string | null) => {
    await button(page, "Column").click();
    await dialog(page).getByLabel("Name", { exact: true }).fill(name);
    await dialog(page).getByRole("combobox", { name: "Type" }).selectOption("Ref");
    await dialog(page).getByRole("combobox", { name: "Table" }).selectOption("People");
    const offer = dialog(page).getByLabel("Also show these rows in People");
    if (reverse !== null) {
      await offer.check();
      await dialog(page).getByLabel("Name of the column there").fill(reverse);
    }
    expect(await violations(page)).toEqual([]);
    await button(dialog(page), "Add column").click();
    await dialog(page).waitFor({ state: "detached" });
  };

  test("shows its rows in the other table, in one change", async () => {
    await openTable(page, doc, "Visits");
    await add("Guest of honour", "Visits of theirs");
    await expectPoll(() => columnsOf("Visits")).toEqual([
      ["Name", "Name", "Text"],
      ["Guest_of_honour", "Guest of honour", "Ref:People"],
    ]);
    expect(await columnsOf("People")).toEqual([
      ["Name", "Name", "Text"],
      ["Visits_of_theirs", "Visits of theirs", "RefList:Visits"],
    ]);
    // Both directions agree.
    await call(ada, "POST", `/api/docs/${doc}/apply`, [["UpdateRecord", "Visits", 1, { Guest_of_honour: 1 }]]);
    const { Visits_of_theirs: visits } = await call<Record<string, unknown[]>>(
      ada,
      "GET",
      `/api/docs/${doc}/tables/People/data`,
    );
    expect(visits).toEqual([["L", 1]]);
    await call(ada, "POST", `/api/docs/${doc}/apply`, [["UpdateRecord", "Visits", 1, { Guest_of_honour: 0 }]]);
    await page.locator(".panel").waitFor();
    await button(page.locator(".panel"), "Close").click();
    await cell(page, 1, 1).click();
    await press(page, "Control+z");
    await expectPoll(() => columnsOf("Visits")).toEqual([["Name", "Name", "Text"]]);
    expect(await columnsOf("People")).toEqual([["Name", "Name", "Text"]]);
    expect(ada.problems).toEqual([]);
  });

  test("needs no other direction, and may have hostile names", async () => {
    await openTable(page, doc, "Visits");
    await add("Guest", null);
    await expectPoll(() => columnsOf("Visits")).toContainEqual(["Guest", "Guest", "Ref:People"]);
    expect(await columnsOf("People")).toEqual([["Name", "Name", "Text"]]);
    await openTable(page, doc, "Visits");
    await add(HOSTILE_NAME, HOSTILE_NAME);
    await expectPoll(async () => (await columnsOf("People")).map(([, label]) => label)).toEqual(["Name", HOSTILE_NAME]);
    expect((await columnsOf("Visits")).map(([, label]) => label)).toEqual(["Name", "Guest", HOSTILE_NAME]);
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });
});
