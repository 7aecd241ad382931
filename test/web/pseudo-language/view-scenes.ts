/** A page with linked sections: its tools, menus and layout. */
import type { Page } from "playwright-core";
import { button, item, press } from "../controls.ts";
import { makeKinds } from "./kinds.ts";
import { type PseudoSample, type PseudoScene, t, waitForDialog, waitForToast } from "./scenes.ts";

interface MadeSection {
  readonly viewRef: number;
  readonly sectionRef: number;
}

/** Opens a new page on which the selected row of one section is that of another; charts and forms are below. */
async function openSections(page: Page, sample: PseudoSample): Promise<void> {
  const path = `/docs/${await makeKinds(sample, new URL(page.url()).origin)}`;
  const { tables } = await sample.call<{ tables: { id: string; fields: { tableRef: number } }[] }>(
    "GET",
    `${path}/tables`,
  );
  const table = tables.find(({ id }) => id === "Kinds")?.fields.tableRef;
  const apply = (actions: readonly (readonly unknown[])[]) =>
    sample.call<{ retValues: MadeSection[] }>("POST", `${path}/apply`, actions);
  const { retValues } = await apply([["CreateViewSection", table, 0, "record", null, null]]);
  const view = retValues[0]?.viewRef;
  const others = await apply(
    ["record", "chart", "form", "custom"].map((kind) => ["CreateViewSection", table, view, kind, null, null]),
  );
  await apply([
    [
      "UpdateRecord",
      "_grist_Views_section",
      others.retValues[0]?.sectionRef,
      { linkSrcSectionRef: retValues[0]?.sectionRef },
    ],
  ]);
  await page.goto(`${path}/pages/${view}`);
  await page.locator(".link-source").waitFor();
}

const view = (name: string, open?: (page: Page, check: () => Promise<void>) => Promise<unknown>): PseudoScene => ({
  name: `sections: ${name}`,
  path: () => "/",
  async open(page, sample, check) {
    await openSections(page, sample);
    await open?.(page, check);
  },
});

const inMenu = async (page: Page, command: string): Promise<void> => {
  await page.locator(".section-menu").nth(1).click();
  await item(page, command).click();
};

export const VIEW_SCENES: readonly PseudoScene[] = [
  view("grids, a chart, a form and a widget"),
  view("menu", async (page) => {
    await page.locator(".section-menu").nth(1).click();
    await page.getByRole("menu").waitFor();
  }),
  view("links", (page) => inMenu(page, t("view.link.select"))),
  view("style", (page) => inMenu(page, t("view.style"))),
  view("renaming", async (page) => {
    await inMenu(page, t("view.section.rename"));
    await waitForDialog(page);
  }),
  view("link of a title", async (page) => {
    await page.locator(".link-source").click();
    await page.getByRole("menu").waitFor();
  }),
  view("collapsed", async (page) => {
    await inMenu(page, t("view.section.collapse"));
    await waitForToast(page);
    await page.locator(".tray-buttons button").click();
  }),
  view("layout", async (page) => {
    await button(page, t("view.layout.edit")).click();
    await page.locator(".leaf-tools").first().waitFor();
    await press(page, "Alt+Shift+ArrowDown");
  }),
];
