/** The steps in the browser of docs/getting-started.md, in its order and with its words. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { issueFirstRunToken } from "../../src/services/accounts/first-run.ts";
import { WebhookReceiver } from "../helpers/webhook-receiver.ts";
import { CHROMIUM, inBrowser } from "./browser.ts";
import { button, dialog, item } from "./controls.ts";
import { type Scene, setScene } from "./scene.ts";
import { expectRows } from "./table-page.ts";

const PAGE = readFileSync(join(import.meta.dir, "../../docs/getting-started.md"), "utf8").replaceAll(/\s+/g, " ");

/** Returns a name of a control, which has to be on the page of the documentation. */
function documented(name: string): string {
  if (!PAGE.includes(`*${name}*`)) throw new Error(`docs/getting-started.md does not mention *${name}*`);
  return name;
}

describe.skipIf(!CHROMIUM)(inBrowser("a person who follows Getting started"), () => {
  let scene: Scene;
  setScene(
    async (begun) => {
      scene = begun;
    },
    { flags: { "webhook-allow": "127.0.0.1" } },
  );

  test("gets a document with a table, records, a formula, a webhook, and a reader with a sign-in link", async () => {
    using receiver = new WebhookReceiver();
    await using ada = await scene.openWindow();
    const { page } = ada;
    await page.goto(`/first-run?token=${issueFirstRunToken(scene.site.app.ctx)}`);
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByLabel("Password").fill("correct horse battery");
    await button(page, "Create user").click();

    await button(page, documented("New document")).first().click();
    await dialog(page).getByLabel("Name").fill("Bicycle shop");
    await button(dialog(page), documented("Create")).click();
    await page.waitForURL(/\/docs\//);

    await button(page, documented("Add table")).click();
    await dialog(page).getByLabel("Name").fill("Orders");
    await button(dialog(page), "Add table").click();
    await page.waitForURL(/\/Orders$/);
    const columns = [
      ["Item", documented("Text")],
      ["Amount", documented("Integer")],
      ["Price", documented("Number")],
    ] as const;
    const panel = page.locator(".panel");
    for (const [at, [name, type]] of columns.entries()) {
      const header = page.getByRole("columnheader").nth(at + 1);
      await header.hover();
      await header.locator("svg").last().click();
      await item(page, documented("Edit column…")).click();
      await panel.getByRole("textbox", { name: "Name" }).fill(name);
      await panel.getByRole("combobox", { name: "Type", exact: true }).selectOption({ label: type });
      await button(panel, documented("Save")).click();
      await panel.waitFor({ state: "detached" });
    }

    for (const values of [
      ["Bell", "2", "12.5"],
      ["Basket", "1", "34"],
    ]) {
      await button(page, documented("Row")).click();
      for (const value of values) {
        await page.keyboard.type(value);
        await page.keyboard.press("Tab");
      }
    }
    await expectRows(page, ["Bell|2|12.5", "Basket|1|34"]);

    await button(page, documented("Column")).click();
    await dialog(page).getByLabel("Name").fill("Total");
    await dialog(page)
      .getByLabel("Type")
      .selectOption({ label: documented("Formula") });
    await button(dialog(page), documented("Add column")).click();
    await panel.waitFor();
    // The formula has the focus, and typing replaces the placeholder.
    await page.keyboard.type("$Amount * $Price");
    await button(panel, "Save").click();
    await expectRows(page, ["Bell|2|12.5|25", "Basket|1|34|34"]);

    await page.getByRole("link", { name: documented("Webhooks") }).click();
    await button(page, documented("Add webhook")).first().click();
    await dialog(page).getByLabel("URL").fill(`${receiver.url}/`);
    await dialog(page).getByLabel("Table").selectOption({ label: "Orders" });
    await button(dialog(page), documented("Add")).click();
    await page.getByRole("heading", { name: documented("Signing secret") }).waitFor();
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    await button(page, documented("Send test")).click();
    const [sample] = await receiver.next();
    expect(Object.keys(sample?.rows[0] ?? {})).toContain("Total");

    await page.goto(page.url().replace(/webhooks$/, "sharing"));
    await page.getByRole("heading", { name: "Share with people" }).waitFor();
    await page.getByLabel("Email addresses").fill("bob@example.com");
    await page
      .getByLabel("Role")
      .first()
      .selectOption({ label: `${documented("Viewer")}: can view` });
    await button(page, documented("Share")).click();
    await page.getByText("Invited, has not signed in", { exact: true }).first().waitFor();

    await page.locator("summary", { hasText: "Ada" }).click();
    await page.getByRole("link", { name: documented("Administration") }).click();
    await page
      .getByRole("link", { name: documented("Users") })
      .first()
      .click();
    await page.getByLabel("Actions for bob@example.com").click();
    await button(page, new RegExp(documented("Create invitation link"))).click();
    const link = await page.getByLabel("Link to create the account").inputValue();
    await using bob = await scene.openWindow();
    await bob.page.goto(link);
    await bob.page.getByLabel("Password").fill("another horse battery");
    await bob.page.getByLabel("Your name").fill("Bob");
    await button(bob.page, "Create account").click();
    await bob.page
      .getByRole("link", { name: /Bicycle shop/ })
      .first()
      .click();
    await bob.page.locator(".grid").waitFor();
    expect(ada.problems).toEqual([]);
  });
});
