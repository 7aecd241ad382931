/** Published forms, as visitors see them. */
import type { Page } from "playwright-core";
import { type FormSite, publishForm } from "../../../scripts/screenshots/form-sample.ts";
import type { PseudoSample, PseudoScene } from "./scenes.ts";

/** The form of each sample, which its scenes share. */
const published = new WeakMap<object, Promise<FormSite>>();

function publish({ call }: PseudoSample): Promise<FormSite> {
  const site = published.get(call) ?? publishForm(call);
  published.set(call, site);
  return site;
}

/** Opens the form. */
function form(
  name: string,
  open?: (page: Page, site: FormSite, sample: PseudoSample) => Promise<unknown>,
): PseudoScene {
  return {
    name: `form: ${name}`,
    path: () => "/sign-in",
    isPublic: true,
    async open(page, sample) {
      const site = await publish(sample);
      await page.goto(site.path);
      await open?.(page, site, sample);
    },
  };
}

async function fillIn(page: Page): Promise<void> {
  await page.locator("[name='answer.Mail']").fill("vera@example.com");
  await page.locator("[name='answer.Agreed']").check();
}

const send = (page: Page) => page.locator(".submit > button").click();

export const FORM_SCENES: readonly PseudoScene[] = [
  form("questions", async (page) => {
    await page.locator("[name='answer.Notes']").fill("x".repeat(39));
    await page.locator(".remaining:not([hidden])").waitFor();
  }),
  form("problems", async (page) => {
    await fillIn(page);
    await page.locator("[name='answer.Age']").fill("old");
    await page
      .locator("[type=file]")
      .setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") });
    await send(page);
    await page.locator(".summary").waitFor();
  }),
  form("thank-you page", async (page) => {
    await fillIn(page);
    await page.locator("[name='answer.Topics']").first().check();
    await send(page);
    await page.locator("h1", { hasText: "⟦" }).waitFor();
  }),
  form("does not exist", (page) => page.goto("/forms/unknown/1")),
  form("is closed", async (page, site) => {
    await site.setForm({ closesAt: "2026-05-03T12:00:00.000Z" });
    await page.reload();
    await site.setForm({});
  }),
  {
    name: "form: preview",
    path: () => "/",
    async open(page, sample) {
      const { doc, section } = await publish(sample);
      await page.goto(`/docs/${doc}/forms/${section}`);
      await page.locator(".preview").waitFor();
    },
  },
];
