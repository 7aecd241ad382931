import { describe, expect, test } from "bun:test";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { apiOf, call, makeDocument } from "./calls.ts";
import { button } from "./controls.ts";
import { type FormSite, publishForm } from "../../scripts/screenshots/form-sample.ts";
import { eachStory, type Story } from "./scene.ts";
import { opened } from "./table-page.ts";

describe.skipIf(!CHROMIUM)(inBrowser("the preview of a form"), () => {
  let ada: Visit;
  let form: FormSite;
  let invite: Story["invite"];
  let preview: string;
  eachStory(async (story) => {
    ({ ada, invite } = story);
    form = await publishForm(apiOf(ada));
    preview = `/docs/${form.doc}/forms/${form.section}`;
  });

  test("shows the form as visitors see it, and sends nothing", async () => {
    const { page, problems } = ada;
    await page.goto(`${preview}?Mail=a%40example.com&Team=Blue`);
    await expectPoll(() => page.title()).toBe("Join the sailing club – Secret document · Quern");
    await expectPoll(() => page.getByLabel("Your email (required)").inputValue()).toBe("a@example.com");
    // Not a question that takes its value from the address.
    await expectPoll(() => page.getByLabel("Team", { exact: true }).inputValue()).toBe("");
    expect(await page.getByText("Hidden question").count()).toBe(0);
    expect(await page.locator("main form").count()).toBe(0);
    await expectPoll(() => button(page, "Join").getAttribute("aria-disabled")).toBe("true");
    await button(page, "Join").click({ force: true });
    await page.getByLabel("Your email (required)").press("Enter");
    expect(new URL(page.url()).pathname).toBe(preview);
    expect(await form.answers()).toEqual([]);
    await expectAccessible(page);
    await page.getByRole("link", { name: "Edit the form" }).click();
    await page.waitForURL(`${preview}/edit`);
    expect(problems).toEqual([]);
  });

  test("opens at the address of the established server, for viewers too", async () => {
    await using ben = await invite(form.doc, "viewers");
    await ben.page.goto(`/doc/${form.doc}/f/${form.section}`);
    await ben.page.waitForURL(preview);
    await expectPoll(() => ben.page.locator("h1").textContent()).toBe("Join the sailing club");
    await ben.page.getByRole("link", { name: "Back to the document" }).click();
    await opened(ben.page, form.doc);
  });

  test("is closed for others, and answers 404 for what is no form", async () => {
    const { page } = ada;
    for (const section of ["0", "99", "x", "-1", "1"]) {
      const response = await page.goto(`/docs/${form.doc}/forms/${section}`);
      expect([section, response?.status()]).toEqual([section, 404]);
    }
    await using ben = await invite(await makeDocument(ada), "editors");
    const response = await ben.page.goto(preview);
    expect(response?.status()).toBe(403);
    expect(await ben.page.content()).not.toContain("sailing");
    await ada.context.clearCookies();
    await page.goto(preview);
    await page.waitForURL(`/sign-in?next=${encodeURIComponent(preview)}`);
  });

  test("leaves out rows and columns that access rules hide", async () => {
    await using ben = await invite(form.doc, "viewers");
    await form.apply(
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "Secret_signups", colIds: "Team" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access != OWNER", permissionsText: "none" },
      ],
    );
    await ben.page.goto(preview);
    await expectPoll(() => ben.page.getByLabel("Your email (required)").count()).toBe(1);
    expect(await ben.page.getByLabel("Team", { exact: true }).count()).toBe(0);
    expect(await call<object>(ada, "GET", `/api/docs/${form.doc}/forms/${form.section}`)).toBeObject();
  });
});
