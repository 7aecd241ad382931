/** States of sections of cards, on a document with a column of each type. */
import type { Page } from "playwright-core";
import { button, item } from "../controls.ts";
import { makeKinds } from "./kinds.ts";
import { type PseudoSample, type PseudoScene, t, waitForToast } from "./scenes.ts";

const made = new WeakMap<PseudoSample, Promise<string>>();

/** Opens a new page with the cards of all rows. */
async function openCards(page: Page, sample: PseudoSample, kind: "detail" | "single"): Promise<void> {
  const doc = made.get(sample) ?? makeKinds(sample, new URL(page.url()).origin);
  made.set(sample, doc);
  const path = `/docs/${await doc}`;
  const { tables } = await sample.call<{ tables: { id: string; fields: { tableRef: number } }[] }>(
    "GET",
    `${path}/tables`,
  );
  const table = tables.find(({ id }) => id === "Kinds")?.fields.tableRef;
  const { retValues } = await sample.call<{ retValues: { viewRef: number }[] }>("POST", `${path}/apply`, [
    ["CreateViewSection", table, 0, kind, null, null],
  ]);
  await page.goto(`${path}/pages/${retValues[0]?.viewRef}`);
  await page.locator(".record-card:not(.unread)").first().waitFor();
}

const cards = (
  name: string,
  open?: (page: Page, check: () => Promise<void>) => Promise<unknown>,
  kind: "detail" | "single" = "detail",
): PseudoScene => ({
  name: `cards: ${name}`,
  path: () => "/",
  async open(page, sample, check) {
    await openCards(page, sample, kind);
    await open?.(page, check);
  },
});

async function openLayout(page: Page): Promise<void> {
  await page.locator(".toolbar .sheet-name + button").click();
  await item(page, t("view.cards.layout")).click();
  await page.locator(".panel .layout-fields").first().waitFor();
}

export const CARD_SCENES: readonly PseudoScene[] = [
  cards("a field of each type"),
  cards("one at a time", undefined, "single"),
  cards(
    "the row for a new one",
    async (page) => {
      await page.locator(".record-card").click({ position: { x: 4, y: 4 } });
      await page.keyboard.press("End");
    },
    "single",
  ),
  cards("menu", async (page) => {
    await page.locator(".record-card").first().hover();
    await button(page.locator(".record-card").first(), t("cards.menu")).click();
    await page.getByRole("menu").waitFor();
  }),
  cards("shortcuts", async (page) => {
    await page
      .locator(".record-card")
      .first()
      .click({ position: { x: 4, y: 4 } });
    await page.keyboard.press("F1");
    await page.getByRole("dialog").waitFor();
  }),
  cards("layout", async (page, check) => {
    await openLayout(page);
    await check();
    await page.locator(".panel .layout-fields button").nth(1).click();
    await page.getByRole("menu").waitFor();
    await check();
    await item(page, t("cards.layout.hide")).click();
    await waitForToast(page);
    await page.locator(".panel .layout-fields").nth(1).waitFor();
  }),
];
