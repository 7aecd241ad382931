/** Adding users in the browser: from the administrator's form to the shared document. */
import { describe, expect, test } from "bun:test";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser } from "./browser.ts";
import { call, makeDocument } from "./calls.ts";
import { button, shownText } from "./controls.ts";
import { type Story, eachStory } from "./scene.ts";

const PASSWORD = "another horse battery";

describe.skipIf(!CHROMIUM)(inBrowser("an administrator"), () => {
  let story: Story;
  eachStory((begun) => {
    story = begun;
    const { users } = story.site.app.ctx.home;
    users.change(users.byEmail(story.email)?.id ?? 0, { isAdmin: true });
  });

  test("adds a user, copies the link, and the user sets name and password and sees the shared document", async () => {
    const { ada, page } = story;
    const doc = await makeDocument(ada, "Recipes");
    await page.goto("/admin/users/add");
    await page.getByRole("textbox", { name: "Email", exact: true }).fill("nina@example.com");
    await button(page, "Add user").click();
    const link = await page.getByLabel("Link to create the account").inputValue();
    await expectAccessible(page);
    await page.getByText("Invited, has not signed in").first().waitFor();
    await call(ada, "PATCH", `/api/docs/${doc}/access`, { delta: { users: { "nina@example.com": "viewers" } } });

    await using nina = await story.openWindow();
    await nina.page.goto(link);
    await shownText(nina.page, "invited you as nina@example.com").waitFor();
    await expectAccessible(nina.page);
    await nina.page.getByLabel("Your name").fill("Nina");
    await nina.page.getByLabel("Password", { exact: true }).fill("short");
    await button(nina.page, "Create account").click();
    expect(await nina.page.getByLabel("Your name").inputValue()).toBe("Nina");
    await nina.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await button(nina.page, "Create account").click();
    await nina.page.getByRole("link", { name: "Recipes" }).first().click();
    await nina.page.getByText("Viewer").first().waitFor();

    await nina.page.goto(link);
    await nina.page.getByRole("heading", { name: "This invitation has expired" }).waitFor();
    await page.goto("/admin/users");
    await page.getByText("Nina", { exact: true }).waitFor();
    expect(await page.getByText("Invited, has not signed in").count()).toBe(0);
  });

  test("shares with an unknown address and copies the link there", async () => {
    const { ada, page } = story;
    const doc = await makeDocument(ada, "Plans");
    await page.goto(`/docs/${doc}/sharing`);
    await page.getByLabel("Email addresses").fill("new.one@example.com");
    await button(page, "Share").click();
    await button(page, "Create invitation link for new.one@example.com").click();
    const field = page.getByLabel("Invitation link for new.one@example.com", { exact: true });
    await expectPoll(() => field.inputValue()).toContain("/invitation?token=");
    await expectAccessible(page);
    const link = await field.inputValue();
    await using guest = await story.openWindow();
    await guest.page.goto(link);
    await shownText(guest.page, "invited you as new.one@example.com").waitFor();
  });

  test("revokes an invitation", async () => {
    const { page } = story;
    await page.goto("/admin/users/add");
    await page.getByRole("textbox", { name: "Email", exact: true }).fill("gone@example.com");
    await button(page, "Add user").click();
    const link = await page.getByLabel("Link to create the account").inputValue();
    await page.goto("/admin/users?show=pending");
    await page.getByLabel("Actions for gone@example.com").click();
    await button(page, "Revoke invitation gone@example.com").click();
    await shownText(page, "Invitation revoked.").waitFor();
    expect(story.site.app.ctx.home.users.byEmail("gone@example.com")).toBeNull();
    await using guest = await story.openWindow();
    await guest.page.goto(link);
    await guest.page.getByRole("heading", { name: "This invitation has expired" }).waitFor();
  });
});
