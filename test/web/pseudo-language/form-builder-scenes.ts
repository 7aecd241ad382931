/** States of the builder of forms, with a question of each type. */
import type { Page } from "playwright-core";
import { button, dialog, item } from "../controls.ts";
import { refuse, t, waitForDialog, waitForToast, type PseudoSample, type PseudoScene } from "./scenes.ts";

const scene = (name: string, open?: PseudoScene["open"]): PseudoScene => ({
  name: `form builder: ${name}`,
  path: ({ kindsId }) => `/docs/${kindsId}/settings`,
  async open(page, sample, check) {
    await openBuilder(page, sample);
    await open?.(page, sample, check);
  },
});

/** Opens the builder of a new form of the table `Kinds`. */
async function openBuilder(page: Page, { call, kindsId }: PseudoSample): Promise<void> {
  const path = `/docs/${kindsId}`;
  const { tables } = await call<{ tables: { id: string; fields: { tableRef: number } }[] }>("GET", `${path}/tables`);
  const tableRef = tables.find(({ id }) => id === "Kinds")?.fields.tableRef;
  const actions = [["CreateViewSection", tableRef, 0, "form", null, null]];
  const { retValues } = await call<{ retValues: { sectionRef: number }[] }>("POST", `${path}/apply`, actions);
  await page.goto(`${path}/forms/${retValues[0]?.sectionRef}/edit`);
  await page.locator(".form-box.question").first().waitFor();
}

const panel = (page: Page) => page.locator(".panel");

/** Opens the panel of a question, by its place in the form. */
async function openQuestion(page: Page, at: number): Promise<void> {
  await page.locator(".form-box.question").nth(at).locator("[data-control=name]").click();
  await panel(page).waitFor();
}

export const FORM_BUILDER_SCENES: readonly PseudoScene[] = [
  scene("form", async (page) => {
    for (const name of ["section", "line", "text", "columns"]) await page.locator(`[data-part=${name}]`).click();
    await panel(page).waitFor();
    await page.locator(".form-box.gap").first().waitFor();
  }),
  ...[0, 1, 3, 6, 7, 8].map((at) => scene(`question ${at + 1}`, (page) => openQuestion(page, at))),
  scene("required and hidden", async (page, _, check) => {
    await openQuestion(page, 0);
    await panel(page).getByLabel(t("formBuilder.required")).check();
    await panel(page).getByLabel(t("formBuilder.hidden")).check();
    await page.locator(".form-box-name .badge").waitFor();
    await panel(page).getByLabel(t("formBuilder.showAs")).filter({ visible: true }).selectOption("multiline");
    await panel(page).getByLabel(t("formBuilder.lineCount")).waitFor();
    await check();
    await button(panel(page), t("base.close")).click();
    await page.locator(".form-box.question [data-control=menu]").first().click({ force: true });
    await item(page, t("formBuilder.makeOptional")).waitFor();
  }),
  scene("moves", async (page, _, check) => {
    await page.locator(".form-box.question [data-control=move]").first().click({ force: true });
    await page.getByRole("menu").waitFor();
    await check();
    await page.keyboard.press("Escape");
    await page.locator(".form-box.section [data-control=move]").first().click({ force: true });
    await page.getByRole("menu").waitFor();
  }),
  scene("removed", async (page) => {
    await page.locator(".form-box.question [data-control=name]").first().press("Delete");
    await waitForToast(page);
  }),
  scene("settings", async (page, _, check) => {
    await page.locator("[data-part=settings]").click();
    await panel(page).getByLabel(t("formBuilder.successUrl")).fill("example.com");
    await page.keyboard.press("Tab");
    await panel(page).locator(".field-problem").waitFor();
    await check();
    await refuse(page, "**/apply*");
    await panel(page).getByLabel(t("formBuilder.signIn")).check();
    await panel(page).locator(".note.problem").waitFor();
  }),
  scene("new question", async (page, _, check) => {
    await page.locator("[data-part=question]").click();
    await waitForDialog(page);
    await dialog(page).getByLabel(t("formBuilder.newQuestion.type")).selectOption("Choice");
    await dialog(page).getByLabel(t("formBuilder.newQuestion.choices")).waitFor();
    await check();
    await dialog(page).getByLabel(t("formBuilder.newQuestion.type")).selectOption("Ref");
    await dialog(page).getByLabel(t("formBuilder.newQuestion.table")).waitFor();
  }),
  scene("published", async (page, _, check) => {
    await page.locator("#publish").click();
    await waitForToast(page);
    await check();
    await page.locator("[data-part=settings]").click();
    await panel(page).getByLabel(t("formBuilder.successText")).fill("Thanks");
    await page.getByText(t("formBuilder.unsaved")).waitFor();
    await check();
    await page.keyboard.press("Escape");
    await page.locator("#publish").click();
    await page.getByText(t("formBuilder.draft")).waitFor();
  }),
  scene("boxes of other programs", async (page, { call, kindsId }) => {
    const section = Number(/forms\/(\d+)/.exec(page.url())?.[1]);
    const children = [{ type: "Map" }, { type: "Field", leaf: 999_999 }];
    const layoutSpec = JSON.stringify({ type: "Layout", children });
    await call("POST", `/docs/${kindsId}/apply`, [["UpdateRecord", "_grist_Views_section", section, { layoutSpec }]]);
    await page.locator(".form-box.unknown").waitFor();
  }),
];
