/** An administrator adds a second person, who signs in with a second factor, gets a role and works in a document. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../../helpers/expect-poll.ts";
import { codeAt, STEP_MS } from "../../helpers/second-factor.ts";
import { expectAccessible } from "../accessible.ts";
import { CHROMIUM, inBrowser } from "../browser.ts";
import { makeDocument, makeTable, records } from "../calls.ts";
import { button, press, shownText } from "../controls.ts";
import { eachStory, type Story } from "../scene.ts";
import { cell, expectRows } from "../table-page.ts";
import { DESKTOP } from "./table-lines.ts";

const NINA = { email: "nina@example.com", name: "Nina Kern", password: "another horse battery" };

describe.skipIf(!CHROMIUM)(inBrowser("an administrator with a second person"), () => {
  let story: Story;
  eachStory(
    (begun) => {
      story = begun;
      const { users } = begun.site.app.ctx.home;
      users.change(users.byEmail(begun.email)?.id ?? 0, { isAdmin: true });
    },
    { flags: { "require-second-factor": "on" } },
  );

  const rowOf = (page: Page) => page.getByRole("row").filter({ hasText: NINA.email });

  test("adds them by a link, shares a document, and follows them in the audit log", async () => {
    const { ada, page } = story;
    await page.setViewportSize(DESKTOP);
    const doc = await makeDocument(ada, "Orders");
    await makeTable(ada, doc, { id: "Orders", columns: [{ id: "Item" }], rows: [{ Item: "Lamp" }] });

    await page.goto("/admin");
    await page.getByRole("link", { name: "Users" }).first().click();
    await page.getByRole("link", { name: "Add user" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill(NINA.name);
    await page.getByRole("textbox", { name: "Email", exact: true }).fill(NINA.email);
    await button(page, "Add user").click();
    const link = await page.getByLabel("Link to create the account").inputValue();
    await expectPoll(() => rowOf(page).innerText()).toContain("Invited, has not signed in");

    // In another browser: the name is suggested, and a second factor is required.
    await using nina = await story.openWindow();
    await nina.page.goto(link);
    await expectPoll(() => nina.page.getByLabel("Your name").inputValue()).toBe(NINA.name);
    await nina.page.getByLabel("Password", { exact: true }).fill(NINA.password);
    await button(nina.page, "Create account").click();
    const secret = await nina.page.locator("#totp-secret").inputValue();
    await expectAccessible(nina.page);
    const added = Date.now();
    await nina.page.getByLabel("Code that the app shows").fill(codeAt(secret, added));
    await button(nina.page, "Add and sign in").click();
    await nina.page.locator("#recovery-codes").waitFor();
    await nina.page.getByRole("link", { name: "Continue" }).click();
    await nina.page.waitForURL("/");

    // Signs out, and in again with password and code.
    await nina.page.locator("header summary").click();
    await button(nina.page, "Sign out").click();
    await nina.page.waitForURL("/sign-in");
    await nina.page.getByLabel("Email").fill(NINA.email);
    await nina.page.getByLabel("Password").fill(NINA.password);
    await button(nina.page, "Sign in").click();
    // A code works once: the next one is accepted before its time.
    const next = Math.max(added + STEP_MS, Date.now());
    await nina.page.getByLabel("Code of your authenticator app").fill(codeAt(secret, next));
    await button(nina.page, "Sign in").click();
    await nina.page.waitForURL("/");
    await nina.page.goto(`/docs/${doc}`);
    await nina.page.getByRole("heading", { name: "Access denied" }).waitFor();

    await page.goto(`/docs/${doc}/sharing`);
    await page.getByLabel("Email addresses").fill(NINA.email);
    await page.locator("select[name=role]").selectOption("editors");
    await button(page, "Share").click();
    await shownText(page, `Shared with ${NINA.email}.`).first().waitFor();

    await nina.page.setViewportSize(DESKTOP);
    await nina.page.goto(`/docs/${doc}/tables/Orders`);
    await expectRows(nina.page, ["Lamp"]);
    await cell(nina.page, 1, 1).click();
    await nina.page.keyboard.type("Desk lamp");
    await press(nina.page, "Enter");
    await expectPoll(async () => (await records(ada, doc, "Orders")).map(({ fields }) => fields["Item"])).toEqual([
      "Desk lamp",
    ]);

    await page.goto("/admin/users?q=nina");
    await expectPoll(() => rowOf(page).innerText()).toContain("Authenticator app");
    await page.getByRole("link", { name: NINA.name }).click();
    const access = page.getByRole("region", { name: "Access" });
    await expectPoll(() => access.innerText()).toContain("Orders");
    await expectPoll(() => access.innerText()).toContain("Editor");
    await expectAccessible(page);
    await page.getByRole("link", { name: "Show in the audit log" }).click();
    const events = page.locator(".audit-entries .name");
    for (const event of ["invitation.accepted", "second_factor.changed", "session.started", "session.ended"]) {
      await expectPoll(() => events.allInnerTexts()).toContain(event);
    }
    await page.goto("/admin/audit?event=access.changed");
    await expectPoll(() => page.locator(".audit-entries").innerText()).toContain(NINA.email);
    expect([...ada.problems, ...nina.problems]).toEqual([]);
  });
});
