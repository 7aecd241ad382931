/** States of a section whose view is changed and saved. */
import type { Page } from "playwright-core";
import { item } from "../controls.ts";
import { t, waitForToast, type PseudoSample, type PseudoScene } from "./scenes.ts";

const scene = (name: string, query: string, open: NonNullable<PseudoScene["open"]>): PseudoScene => ({
  name: `saved views: ${name}`,
  path: ({ kindsId }) => `/docs/${kindsId}/settings`,
  async open(page, sample, check) {
    await openPage(page, sample, query);
    await open(page, sample, check);
  },
});

/** Opens a new page that shows the table `Kinds`. Parameters of its section end in `.#`. */
async function openPage(page: Page, { call, kindsId }: PseudoSample, query: string): Promise<void> {
  const path = `/docs/${kindsId}`;
  const { tables } = await call<{ tables: { id: string; fields: { tableRef: number } }[] }>("GET", `${path}/tables`);
  const tableRef = tables.find(({ id }) => id === "Kinds")?.fields.tableRef;
  const { retValues } = await call<{ retValues: { viewRef: number; sectionRef: number }[] }>("POST", `${path}/apply`, [
    ["CreateViewSection", tableRef, 0, "record", null, null],
  ]);
  const [made] = retValues;
  await page.goto(`${path}/pages/${made?.viewRef}${query.replaceAll("#", String(made?.sectionRef))}`);
  await page.locator(".grid [role=columnheader]").first().waitFor();
}

const command = (page: Page, text: string) => page.locator(".saving").getByRole("button", { name: text, exact: true });

export const SAVED_VIEW_SCENES: readonly PseudoScene[] = [
  scene("unsaved, saved and own", "?lines.#=2", async (page, _, check) => {
    await command(page, t("view.saving.forMe")).waitFor();
    await check();
    await command(page, t("view.saving.forMe")).click();
    await waitForToast(page);
    await command(page, t("view.saving.reset")).waitFor();
    await check();
    await command(page, t("view.saving.reset")).click();
    await command(page, t("view.saving.reset")).waitFor({ state: "detached" });
  }),
  scene("pinned filter and its note", "?pin.#=ANumeric", async (page) => {
    const chip = page.locator("[data-part=chips] .chip .text").first();
    await chip.click();
    await page.getByText(t("view.saving.noAccess")).waitFor();
  }),
  scene("column in one view", "", async (page, _, check) => {
    await page.locator(".grid .column-menu").first().click({ force: true });
    await item(page, t("table.column.edit")).click();
    await page.locator(".panel .field-settings").waitFor();
    await check();
    await page.getByRole("button", { name: t("view.field.own"), exact: true }).click();
    await page.getByRole("button", { name: t("view.field.common"), exact: true }).waitFor();
  }),
];
