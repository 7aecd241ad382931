import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { WebhookReceiver } from "../helpers/webhook-receiver.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable } from "./calls.ts";
import { button, dialog, item, problem, shownText } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";

const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

interface Listed {
  readonly webhooks: { readonly id: string; readonly fields: Record<string, unknown> }[];
}

describe.skipIf(!CHROMIUM)(inBrowser("a person with webhooks"), () => {
  let receiver: WebhookReceiver;
  let invite: Story["invite"];
  let ada: Visit;
  let page: Page;
  let doc: string;
  const begin = async (story: Story) => {
    ({ invite, ada, page } = story);
    doc = await makeDocument(ada, "Bakery");
    const columns = ["Name", "Price"].map((id) => ({ id, fields: { type: "Text" } }));
    const ready = { id: "Ready", fields: { type: "Bool" } };
    await makeTable(ada, doc, { id: "Bread", columns: [...columns, ready], rows: [{ Name: "Rye" }] });
  };
  eachStory(begin, {
    flags: { "webhook-allow": "127.0.0.1", "webhook-retry-ms": "50", "webhook-pause-ms": "0" },
  });
  beforeEach(() => {
    receiver = new WebhookReceiver();
  });
  afterEach(() => receiver[Symbol.dispose]());

  const open = () => page.goto(`/docs/${doc}/webhooks`);
  const listed = async () => (await call<Listed>(ada, "GET", `/api/docs/${doc}/webhooks`)).webhooks;
  const make = (fields: object = {}) =>
    call(ada, "POST", `/api/docs/${doc}/webhooks`, {
      webhooks: [
        { fields: { url: `${receiver.url}/hook`, tableId: "Bread", eventTypes: ["add"], name: "Shop", ...fields } },
      ],
    });
  const addRow = (Name: string) =>
    call(ada, "POST", `/api/docs/${doc}/tables/Bread/records`, { records: [{ fields: { Name } }] });

  test("adds one, sees validation messages at the fields, and gets its secret", async () => {
    await page.goto(`/docs/${doc}`);
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await shownText(page, "No webhooks yet").waitFor();
    await expectAccessible(page);
    await button(page, "Add webhook").click();
    const form = dialog(page);
    await form.getByLabel("URL").fill("http://10.0.0.1/hook");
    await form.getByLabel("Name", { exact: true }).first().fill("Shop");
    await form.getByLabel("Table").selectOption("Bread");
    await form.getByLabel("added").uncheck();
    await form.getByLabel("changed", { exact: true }).uncheck();
    await button(form, "Add").click();
    await problem(form).getByText("Select at least one.").waitFor();
    await form.getByLabel("added").check();
    await form.getByLabel("changed", { exact: true }).check();
    await form.getByLabel("More headers").fill("X-Team: blue\nnonsense");
    await button(form, "Add").click();
    await problem(form).getByText("“nonsense” is not a valid header").waitFor();
    await form.getByLabel("More headers").fill("X-Team: blue");
    await button(form, "Add").click();
    await problem(form).getByText("must start with https://").waitFor();
    await expectPoll(() => page.evaluate<string>("document.activeElement.name")).toBe("url");
    await expectPoll(() => form.getByLabel("URL").getAttribute("aria-invalid")).toBe("true");
    await expectAccessible(page);
    await form.getByLabel("URL").fill(`${receiver.url}/hook`);
    await form.getByLabel("Ready column").selectOption("Ready");
    await form.getByRole("checkbox", { name: "Price" }).check();
    await form.getByLabel("Filter").fill('["Price"]');
    await button(form, "Add").click();
    await problem(form).getByText("The filter must be a JSON object.").waitFor();
    await form.getByLabel("Filter").fill('{"Name": {"above": 1}}');
    await form.getByRole("checkbox", { name: "who made the change" }).check();
    await form.getByRole("checkbox", { name: "previous values" }).check();
    await form.getByLabel("Authorization").fill("Bearer s");
    await button(form, "Add").click();
    await problem(form).getByText("above").waitFor();
    await expectPoll(() => page.evaluate<string>("document.activeElement.name")).toBe("filter");
    await form.getByLabel("Filter").fill('{"Name": {"ne": "Oat"}}');
    await button(form, "Add").click();
    await page.getByRole("heading", { name: "Signing secret", exact: true }).waitFor();
    await expectPoll(() => dialog(page).locator("pre").textContent()).toMatch(/^whsec_/);
    await page.keyboard.press("Escape");
    await card(page, "Shop").getByText("When rows of Bread are added or changed. Only when Ready is true.").waitFor();
    await card(page, "Shop").getByText('Only rows that match {"Name":{"ne":"Oat"}}.').waitFor();
    await expectPoll(async () => (await listed())[0]?.fields).toMatchObject({
      name: "Shop",
      url: `${receiver.url}/hook`,
      tableId: "Bread",
      eventTypes: ["add", "update"],
      isReadyColumn: "Ready",
      watchedColIds: ["Price"],
      authorization: "Bearer s",
      headers: { "X-Team": "blue" },
      enabled: true,
      filter: { Name: { ne: "Oat" } },
      includeEvent: true,
      includeOld: true,
    });
    expect(ada.refusals).toEqual([`403 POST /api/docs/${doc}/webhooks`, `400 POST /api/docs/${doc}/webhooks`]);
    expect(ada.problems).toEqual([]);
  });

  test("sends a test, inspects deliveries with responses, and sends one again", async () => {
    await make();
    await open();
    receiver.replies.push(() => new Response(HOSTILE_NAME, { status: 418 }));
    await button(card(page, "Shop"), "Send test").click();
    await shownText(page, "The receiver responded with 418").waitFor();
    await expectPoll(() => card(page, "Shop").locator("pre").textContent()).toBe(HOSTILE_NAME);
    expect((await receiver.next())[0]?.rows).toMatchObject([{ Name: "Rye" }]);
    await expectHarmless(page);

    receiver.replies.push(() => new Response("not now", { status: 503 }));
    receiver.replies.push(() => new Response("thanks", { status: 201 }));
    await addRow(HOSTILE_NAME);
    await receiver.next(2);
    await card(page, "Shop").getByText("1 row, delivered with 201 at attempt 2").waitFor({ timeout: 15_000 });
    await expectAccessible(page);
    await button(card(page, "Shop"), "Deliveries").click();
    await dialog(page).locator("summary").first().click();
    await shownText(dialog(page), "thanks").waitFor();
    const sent = await dialog(page).getByLabel("Request body").textContent();
    expect(JSON.parse(sent ?? "")).toMatchObject([{ id: 2, Name: HOSTILE_NAME }]);
    await expectAccessible(page);
    await expectHarmless(page);
    receiver.replies.push(() => new Response("again", { status: 200 }));
    await button(dialog(page), "Send again").click();
    await shownText(dialog(page), "The receiver responded with 200").waitFor();
    expect((await receiver.next())[0]?.rows).toMatchObject([{ id: 2 }]);
    await expectPoll(() => dialog(page).locator("summary").allTextContents()).toEqual([
      expect.stringContaining("201"),
      expect.stringContaining("503"),
    ]);
    await page.keyboard.press("Escape");
    await expectPoll(() => page.evaluate<string>("document.activeElement.textContent")).toBe("Deliveries");
    expect(ada.problems).toEqual([]);
  });

  test("edits, disables and enables, clears a queue, creates a new secret, deletes", async () => {
    const filter = { Name: ["Oat"] };
    await make({ url: `${receiver.url}/slow`, watchedColIds: ["Name"], memo: "old", filter, includeEvent: true });
    await open();
    const shop = card(page, "Shop");
    receiver.replies.push(...Array.from({ length: 500 }, () => 500));
    await addRow("Oat");
    await shop.getByText("1 event").waitFor({ timeout: 15_000 });
    await button(shop, "More").click();
    await item(page, "Clear queue").click();
    await button(dialog(page), "Clear queue").click();
    await dialog(page).waitFor({ state: "detached" });
    await shop.getByText("Queue empty").waitFor();
    receiver.replies.length = 0;

    await button(shop, "Disable").click();
    await shop.getByText("Disabled").waitFor();
    await button(shop, "Enable").click();
    await button(shop, "Disable").waitFor();

    await button(shop, "Edit").click();
    await dialog(page).getByLabel("Name", { exact: true }).first().fill("");
    await dialog(page).getByLabel("Memo").fill("new");
    await dialog(page).getByRole("checkbox", { name: "Name" }).uncheck();
    await expectPoll(() => dialog(page).getByLabel("Filter").inputValue()).toBe(JSON.stringify(filter));
    await dialog(page).getByLabel("Filter").fill("");
    await dialog(page).getByRole("checkbox", { name: "who made the change" }).uncheck();
    await button(dialog(page), "Save").click();
    await dialog(page).waitFor({ state: "detached" });
    const renamed = card(page, receiver.host);
    await renamed.getByText("new").waitFor();
    await expectPoll(async () => (await listed())[0]?.fields).toMatchObject({
      name: "",
      memo: "new",
      watchedColIds: [],
      enabled: true,
    });
    expect(Object.keys((await listed())[0]?.fields ?? {})).not.toContainAnyValues(["filter", "includeEvent"]);

    await button(renamed, "Edit").click();
    await dialog(page).getByLabel("Table").selectOption("Table1");
    await dialog(page).getByRole("checkbox", { name: "B", exact: true }).check();
    await button(dialog(page), "Save").click();
    await renamed.getByText("changes only in B").waitFor();

    await button(renamed, "More").click();
    await item(page, "New signing secret").click();
    await button(dialog(page), "Create secret").click();
    await page.getByRole("heading", { name: "Signing secret", exact: true }).waitFor();
    await page.keyboard.press("Escape");

    await button(renamed, "More").click();
    await item(page, "Delete").click();
    await button(dialog(page), "Delete").click();
    await shownText(page, "No webhooks yet").waitFor();
    await expectPoll(() => listed()).toEqual([]);
    expect(ada.problems).toEqual([]);
  });

  test("shows hostile texts as text, and is for owners only", async () => {
    await make({
      name: HOSTILE_NAME,
      memo: HOSTILE_NAME,
      authorization: HOSTILE_NAME,
      headers: { "X-A": HOSTILE_NAME },
    });
    await open();
    await card(page, HOSTILE_NAME).waitFor();
    await button(card(page, HOSTILE_NAME), "Edit").click();
    await expectPoll(() => dialog(page).getByLabel("Authorization").inputValue()).toBe(HOSTILE_NAME);
    await expectPoll(() => dialog(page).getByLabel("More headers").inputValue()).toBe(`X-A: ${HOSTILE_NAME}`);
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);

    await using his = await invite(doc, "editors");
    await his.page.goto(`/docs/${doc}`);
    expect(await his.page.getByRole("link", { name: "Webhooks" }).count()).toBe(0);
    expect((await his.page.goto(`/docs/${doc}/webhooks`))?.status()).toBe(403);
  });
});
