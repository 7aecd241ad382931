import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { button, dialog } from "./controls.ts";
import { eachStory } from "./scene.ts";
import { openTable } from "./table-page.ts";

const TABLE = {
  id: "Orders",
  columns: [
    { id: "Customer", fields: { type: "Text" } },
    { id: "Total", fields: { type: "Numeric" } },
  ],
  rows: [{ Customer: "Anna Kern", Total: 5 }],
};

interface CreatedSection {
  readonly sectionRef: number;
  readonly viewRef: number;
}

const title = (page: Page) => page.locator(".panel h2");
const hash = (page: Page) => page.evaluate<string>("location.hash");
const go = (page: Page, to: string) => page.evaluate(`location.hash = ${JSON.stringify(to)}`);

/** Notes the titles of all panels that are opened. */
const NOTE_PANELS = `
  globalThis.openedPanels = [];
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes)
        if (node instanceof HTMLElement && node.matches(".panel")) openedPanels.push(node.querySelector("h2").textContent);
  }).observe(document.querySelector("#content"), { childList: true });
`;

describe.skipIf(!CHROMIUM)(inBrowser("an address of the panel of a column"), () => {
  let ada: Visit;
  let page: Page;
  let doc: string;
  eachStory(async (story) => {
    ({ ada, page } = story);
    doc = await makeDocument(ada);
    await makeTable(ada, doc, TABLE);
  });

  test("opens it, also of a column that the view hides, until the panel is closed", async () => {
    await page.goto(`/docs/${doc}/tables/Orders?hide=Total#settings=Total`);
    await expectPoll(() => title(page).textContent()).toBe("Column Total");
    expect(await hash(page)).toBe("#settings=Total");
    await page.keyboard.press("Escape");
    await page.locator(".panel").waitFor({ state: "detached" });
    expect(page.url()).toEndWith("/tables/Orders?hide=Total");
    await go(page, "#settings=Customer");
    await expectPoll(() => title(page).textContent()).toBe("Column Customer");
    // Another panel in its place, with an address of its own.
    await go(page, "#settings=Total");
    await expectPoll(() => title(page).textContent()).toBe("Column Total");
    expect(await hash(page)).toBe("#settings=Total");
  });

  test("asks before input of another panel is discarded", async () => {
    await openTable(page, doc, "Orders");
    await go(page, "#settings=Customer");
    await page.locator(".panel").getByLabel("Name", { exact: true }).fill("Client");
    await go(page, "#settings=Total");
    await button(dialog(page), "Keep editing").click();
    expect(await title(page).textContent()).toBe("Column Customer");
    await expectPoll(() => hash(page)).toBe("");
  });

  test("does nothing for unknown columns, tables without it, and other sections", async () => {
    for (const to of [
      "#settings=Nothing",
      "#settings=",
      "#settings=id",
      "#settings=__proto__",
      "#section=1&settings=Total",
    ]) {
      await openTable(page, doc, "Orders");
      await page.evaluate(NOTE_PANELS);
      await go(page, to);
      // Panels are opened in the order of the addresses.
      await go(page, "#settings=Customer");
      await expectPoll(() => page.evaluate("openedPanels")).toEqual(["Column Customer"]);
    }
  });

  test("names a section of a page with several", async () => {
    const create = async (view: number) => {
      const action = ["CreateViewSection", tableRef, view, "record", null, null];
      const { retValues } = await call<{ retValues: [CreatedSection] }>(ada, "POST", `/api/docs/${doc}/apply`, [
        action,
      ]);
      return retValues[0];
    };
    const tables = await records(ada, doc, "_grist_Tables");
    const tableRef = tables.find(({ fields }) => fields["tableId"] === "Orders")?.id ?? 0;
    const { viewRef } = await create(0);
    const { sectionRef } = await create(viewRef);
    await page.goto(`/docs/${doc}/pages/${viewRef}#section=${sectionRef}&settings=Total`);
    await expectPoll(() => title(page).textContent()).toBe("Column Total");
    await page.keyboard.press("Escape");
    await page.locator(".panel").waitFor({ state: "detached" });
    expect(page.url()).toEndWith(`/pages/${viewRef}`);
  });
});
