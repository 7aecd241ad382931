import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call } from "./calls.ts";
import { button, problem } from "./controls.ts";
import { makeSignup, nameOf, openBuilder, panel, questions } from "./form-builder-page.ts";
import { eachStory, type Story } from "./scene.ts";

describe.skipIf(!CHROMIUM)(inBrowser("the builder of forms"), () => {
  let invite: Story["invite"];
  let ada: Visit;
  let page: Page;
  let doc: string;
  let section: number;
  const begin = async (story: Story) => {
    ({ invite, ada, page } = story);
    ({ doc, section } = await makeSignup(ada));
  };
  eachStory(begin);

  test("a person under access rules sees no table and no column that they cannot read", async () => {
    const rule = (tableId: string, colIds: string, permissions: string) => [
      ["AddRecord", "_grist_ACLResources", -1, { tableId, colIds }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access != OWNER", permissionsText: permissions },
      ],
    ];
    const ben = await invite(doc, "editors");
    await call(ada, "POST", `/api/docs/${doc}/apply`, rule("Signup", "Phone", "-R"));
    await openBuilder(page, doc, section);
    await nameOf(page, "Phone").waitFor();
    await ben.page.goto(`/docs/${doc}/forms/${section}/edit`);
    await nameOf(ben.page, "Mail").waitFor();
    expect(await ben.page.content()).not.toContain("Phone");
    expect(await button(ben.page, "Copy link").count()).toBe(0);
    await call(ada, "POST", `/api/docs/${doc}/apply`, rule("Signup", "*", "-R"));
    const answer = await ben.page.goto(`/docs/${doc}/forms/${section}/edit`);
    expect(answer?.status()).toBe(404);
    expect(await ben.page.content()).not.toContain("Signup");
  });

  test("shows the number of answers so far, to people from whom access rules hide nothing", async () => {
    const count = (each: Page) => each.locator("#form-answers").textContent();
    await openBuilder(page, doc, section);
    await nameOf(page, "Mail").waitFor();
    expect(await count(page)).toBe("");
    await button(page, "Publish").click();
    await expectPoll(() => count(page)).toBe("0 answers");
    const [share] = await call<{ key: string }[]>(ada, "GET", `/api/docs/${doc}/shares`);
    const answer = { records: [{ fields: { Mail: "a" } }, { fields: { Mail: "b" } }] };
    await call(ada, "POST", `/api/s/${share?.key}/tables/Signup/records`, answer);
    await expectPoll(() => count(page)).toBe("2 answers");
    await button(page, "Thank-you, closing…").click();
    await panel(page).getByLabel("Maximum number of answers").fill("100");
    await page.keyboard.press("Escape");
    await expectPoll(() => count(page)).toBe("2 of 100 answers");
    const ben = await invite(doc, "editors");
    const builderOfBen = async () => {
      await ben.page.goto(`/docs/${doc}/forms/${section}/edit`);
      await nameOf(ben.page, "Mail").waitFor();
      return count(ben.page);
    };
    expect(await builderOfBen()).toBe("2 of 100 answers");
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "Signup", colIds: "*" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access != OWNER and rec.Mail == 'b'", permissionsText: "-R" },
      ],
    ]);
    expect(await builderOfBen()).toBe("");
  });

  test("without the right to change columns, nothing can be added to the table or published", async () => {
    const ben = await invite(doc, "editors");
    await call(ada, "POST", `/api/docs/${doc}/apply`, [
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "*", colIds: "*" }],
      [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1, aclFormula: "user.Access != OWNER", permissionsText: "-S" },
      ],
    ]);
    await ben.page.goto(`/docs/${doc}/forms/${section}/edit`);
    await nameOf(ben.page, "Mail").waitFor();
    for (const name of ["Publish", "New question"]) expect(await button(ben.page, name).count()).toBe(0);
    await nameOf(ben.page, "Mail").press("Delete");
    await problem(ben.page).first().waitFor();
    await expectPoll(() => questions(ben.page)).toEqual(["Mail", "Size", "Phone"]);
  });

  test("viewers and strangers have no builder, nor has a section of another kind", async () => {
    const ben = await invite(doc, "viewers");
    const answer = await ben.page.goto(`/docs/${doc}/forms/${section}/edit`);
    expect(answer?.status()).toBe(403);
    for (const other of [1, 99_999]) {
      const missing = await page.goto(`/docs/${doc}/forms/${other}/edit`);
      expect(missing?.status()).toBe(404);
    }
  });
});
