/** A person cleans a table of 5,000 rows, and takes all of it back. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "../browser.ts";
import { call, makeDocument, makeTable } from "../calls.ts";
import { button, dialog, press } from "../controls.ts";
import { eachStory } from "../scene.ts";
import { cell, expectRows, openTable, until } from "../table-page.ts";
import { countLine, DESKTOP, undo } from "./table-lines.ts";

const ROWS = 5000;
const CITIES = ["Oslo", "oslo", "Bergen", "Trondheim", "n/a"];

/** The columns of the table as the API takes and returns them. */
const CONTACTS = {
  Name: Array.from({ length: ROWS }, (_, at) => `Person ${at + 1}`),
  City: Array.from({ length: ROWS }, (_, at) => CITIES[at % 5] ?? ""),
  Phone: Array.from({ length: ROWS }, (_, at) => (at % 100 === 0 ? "unknown" : `+47 ${100_000 + at}`)),
};

describe.skipIf(!CHROMIUM)(inBrowser("a person who cleans 5,000 rows"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    await page.setViewportSize(DESKTOP);
    doc = await makeDocument(ada, "Contacts");
    const columns = Object.keys(CONTACTS).map((id) => ({ id, fields: { type: "Text" } }));
    await makeTable(ada, doc, { id: "Contacts", columns, rows: [] });
    await call(ada, "POST", `/api/docs/${doc}/tables/Contacts/data`, CONTACTS);
    await openTable(page, doc, "Contacts");
    await expectPoll(() => countLine(page)).toBe("5,000 rows");
  });

  const stored = async () => {
    const { Name, City, Phone } = await call<typeof CONTACTS>(ada, "GET", `/api/docs/${doc}/tables/Contacts/data`);
    return { Name, City, Phone };
  };
  const countOf = async (column: keyof typeof CONTACTS, value: string) =>
    (await stored())[column].filter((each) => each === value).length;
  const toast = (text: string) => page.locator(".toast").getByText(text).waitFor();
  /** Opens the column of the filter builder, and closes it with the rows of the condition in view. */
  const filterBy = async (column: string, { operator, value }: { operator: string; value: string }) => {
    await button(page, "Filter").click();
    await dialog(page).getByLabel("Column", { exact: true }).selectOption({ label: column });
    await dialog(page).getByLabel("Operator").selectOption({ label: operator });
    await dialog(page).getByLabel("Value").fill(value);
    await press(page, "Escape");
    await dialog(page).waitFor({ state: "detached" });
  };

  /** Removes the only chip. */
  const showAll = async (chip: string) => {
    await button(page, `Remove: ${chip}`).click();
    await expectPoll(() => countLine(page)).toBe("5,000 rows");
  };

  test("filters, fills down, clears, finds, deletes, and undoes all of it", async () => {
    await filterBy("Phone", { operator: "is", value: "unknown" });
    await expectPoll(() => countLine(page)).toBe("50 of 5,000 rows");
    // Clears a column of the filtered rows: the rows stay in view until the view is loaded again.
    await cell(page, 1, 3).click();
    await press(page, "Control+Shift+End", "Delete");
    await toast("50 cells cleared.");
    await expectPoll(() => countOf("Phone", "unknown")).toBe(0);
    expect(await countOf("Phone", "")).toBe(50);
    await showAll("Phone is unknown");

    // Fills one spelling down into all rows of another one.
    await filterBy("City", { operator: "is", value: "oslo" });
    await expectPoll(() => countLine(page)).toBe("1,000 of 5,000 rows");
    await showAll("City is oslo");
    await page.keyboard.press("Control+f");
    await page.keyboard.type("Person 4999");
    await expectRows(page, ["Person 4999|Trondheim|+47 104998"]);
    await press(page, "Escape");
    await cell(page, 1, 2).click();
    await page.keyboard.type("Tromsø");
    await press(page, "Enter");
    await expectPoll(async () => (await stored()).City[4998]).toBe("Tromsø");
    await showAll("Find “Person 4999”");

    await cell(page, 1, 2).click();
    await press(page, "Control+Shift+End", "Control+d");
    await toast("filled.");
    await expectPoll(() => countOf("City", "Oslo")).toBe(ROWS);

    await cell(page, 1, 1).click();
    await press(page, "Control+a", "Control+Delete");
    await expectPoll(() => countLine(page)).toBe("0 rows");
    expect((await stored()).Name).toEqual([]);

    for (let times = 0; times < 4; times++) {
      await undo(page);
      await expectPoll(() => page.locator("#sheet-live, .saving:visible").allTextContents()).toEqual([""]);
    }
    await expectPoll(stored).toEqual(CONTACTS);
    await expectPoll(() => countLine(page)).toBe("5,000 rows");
    await expectRows(page, await visibleRows());
    expect(await until(page, `!document.querySelector("#sheet-problem").textContent`)).toBe(true);
    expect(ada.problems).toEqual([]);
  });

  /** The rows that the window shows at the top, as they were imported. */
  async function visibleRows(): Promise<string[]> {
    const count = await page.locator(".grid .body [role=row]").count();
    return Array.from({ length: count }, (_, at) => `${CONTACTS.Name[at]}|${CONTACTS.City[at]}|${CONTACTS.Phone[at]}`);
  }
});
