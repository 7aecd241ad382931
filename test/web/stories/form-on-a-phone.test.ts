/** A visitor answers a published form on a phone, by touch only, and its owner sees the answer in the table. */
import { describe, expect, test } from "bun:test";
import { type FormSite, publishForm } from "../../../scripts/screenshots/form-sample.ts";
import { expectPoll } from "../../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "../browser.ts";
import { apiOf } from "../calls.ts";
import { button } from "../controls.ts";
import { eachStory, type Story } from "../scene.ts";
import { PHONE } from "./table-lines.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a visitor with a form on a phone"), () => {
  let ada: Visit;
  let form: FormSite;
  let openWindow: Story["openWindow"];
  eachStory(async (story) => {
    ({ ada, openWindow } = story);
    form = await publishForm(apiOf(ada));
  });

  test("answers, corrects a mistake, and sends another answer", async () => {
    await using phone = await openWindow({ viewport: PHONE, hasTouch: true, isMobile: true });
    const { page } = phone;
    await page.goto(form.path);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(PHONE.width);

    // Columns are below each other, and everything to tap is large enough.
    const [age, born] = await Promise.all(
      ["Your age", "Date of birth"].map((name) => page.getByLabel(name).boundingBox()),
    );
    expect(born?.y ?? 0).toBeGreaterThan((age?.y ?? 0) + (age?.height ?? 0));
    const targets = page.locator(
      "form.form label:has(> input), form.form :is(select, textarea, button, input:not([type=hidden], .unseen *))",
    );
    const small: string[] = [];
    for (const target of await targets.all()) {
      const isInLabel = await target.evaluate((element: unknown) =>
        (element as { matches(selector: string): boolean }).matches("label > input"),
      );
      const box = isInLabel ? null : await target.boundingBox();
      if (box && box.height < 44)
        small.push(await target.evaluate((element: unknown) => (element as { outerHTML: string }).outerHTML));
    }
    expect(small).toEqual([]);

    await page.getByLabel("Your email (required)").tap();
    await page.keyboard.insertText("vera@example.com");
    await page.getByLabel("Your age").tap();
    await page.keyboard.insertText("thirty");
    await page.getByLabel("Date of birth").fill("1995-03-04");
    await page.getByText("I accept the rules").tap();
    await page.getByText("L", { exact: true }).tap();
    await page.getByText("Boats", { exact: true }).tap();
    await page.getByLabel("Team", { exact: true }).selectOption({ label: "Red" });
    await button(page, "Join").tap();

    const summary = page.locator(".summary");
    await expectPoll(() => summary.locator("li").allTextContents()).toEqual(["Your age: Enter a whole number."]);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(PHONE.width);
    await summary.getByRole("link", { name: "Your age" }).tap();
    await page.getByLabel("Your age").fill("30");
    await button(page, "Join").tap();
    await expectPoll(() => page.locator("h1").textContent()).toBe("Answer sent");

    await page.getByRole("link", { name: "Send another answer" }).tap();
    await expectPoll(() => page.getByLabel("Your email (required)").inputValue()).toBe("");
    await page.getByLabel("Your email (required)").fill("walt@example.com");
    // The browser itself asks for what is missing.
    await button(page, "Join").tap();
    await expectPoll(() => page.locator("input:invalid").first().getAttribute("name")).toBe("answer.Agreed");
    await page.getByText("I accept the rules").tap();
    await page.getByText("Knots", { exact: true }).tap();
    await button(page, "Join").tap();
    await expectPoll(() => page.locator("h1").textContent()).toBe("Answer sent");
    expect(phone.problems).toEqual([]);

    await ada.page.goto(`/docs/${form.doc}/tables/Secret_signups`);
    const row = (at: number) => ada.page.locator(`.grid [role=row][aria-rowindex="${at}"]`);
    await expectPoll(() => row(2).innerText()).toContain("vera@example.com");
    await expectPoll(() => row(3).innerText()).toContain("walt@example.com");
    expect(await form.answers()).toMatchObject([
      { Mail: "vera@example.com", Age: 30, Agreed: true, Size: "L", Topics: ["L", "Boats"], Team: 1 },
      { Mail: "walt@example.com", Age: 0, Agreed: true, Topics: ["L", "Knots"] },
    ]);
  });
});
