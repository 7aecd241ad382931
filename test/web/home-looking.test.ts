import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { cutName } from "../../src/web/base/names.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, listed, makeDocument } from "./calls.ts";
import { button, dialog, press, problem, shownText } from "./controls.ts";
import { choose, drop, names } from "./home-page.ts";
import { expectHarmless, HOSTILE, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";

const BEN = { email: "ben@example.com", name: "Ben" };

describe.skipIf(!CHROMIUM)(inBrowser("a person looking around at home"), () => {
  let openWindow: Story["openWindow"];
  let ada: Visit;
  let page: Page;
  let email: string;
  const begin = (story: Story) => {
    ({ openWindow, ada, page, email } = story);
  };
  eachStory(begin, { people: [BEN] });

  test("searches while typing, by keyboard alone", async () => {
    for (const name of ["Résumé of Ann", "Resume of Bob", "Recipes"]) await makeDocument(ada, name);
    await page.goto("/");
    await page.keyboard.press("/");
    await page.keyboard.type("resume ann");
    await expectPoll(() => page.locator("[data-workspace] tbody tr:visible a").allTextContents()).toEqual([
      "Résumé of Ann",
    ]);
    await expectPoll(() => page.locator("#live-region").textContent()).toBe("1 document found");
    expect(new URL(page.url()).search).toBe("?q=resume%20ann");
    await page.keyboard.press("Enter");
    await expectPoll(() => page.evaluate<string>("document.activeElement.textContent")).toBe("Résumé of Ann");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\//);
    await page.goBack();
    await expectPoll(() => page.getByLabel("Search documents and rows").inputValue()).toBe("resume ann");
    await expectPoll(() => page.locator("[data-workspace] tbody tr:visible").count()).toBe(1);
    await page.getByLabel("Search documents and rows").fill("unicorn");
    await expectPoll(() => shownText(page, "No results").isVisible()).toBe(true);
    await page.getByLabel("Search documents and rows").press("Escape");
    await expectPoll(() => page.locator("[data-workspace] tbody tr:visible").count()).toBe(3);
    await page.getByLabel("Search documents and rows").fill("home");
    await expectPoll(() => page.locator("[data-workspace] tbody tr:visible").count()).toBe(3);
    expect(ada.problems).toEqual([]);
  });

  test("searches from other pages by the header", async () => {
    for (const name of ["Barley", "Rye"]) await makeDocument(ada, name);
    await page.goto("/profile");
    await page.getByLabel("Search documents and rows").fill("rye");
    await page.keyboard.press("Enter");
    await page.waitForURL("/?q=rye");
    await expectPoll(() => page.locator("[data-workspace] tbody tr:visible a").allTextContents()).toEqual(["Rye"]);
    expect(await page.locator(".top-bar").getByLabel("Search documents and rows").count()).toBe(0);
    expect(ada.problems).toEqual([]);
  });

  test("navigates a menu by arrows and letters, and closes it by Escape", async () => {
    await makeDocument(ada, "Walked");
    await page.goto("/");
    const opener = button(page, "Actions for Walked");
    await opener.focus();
    await page.keyboard.press("Enter");
    const at = () => page.evaluate<string>("document.activeElement.textContent");
    await expectPoll(() => at()).toBe("Rename");
    await page.keyboard.press("ArrowUp");
    await expectPoll(() => at()).toBe("Move to trash");
    await press(page, "ArrowDown", "p");
    await expectPoll(() => at()).toBe("Pin");
    await page.keyboard.press("Escape");
    await expectPoll(() => page.getByRole("menu").count()).toBe(0);
    await expectPoll(() => opener.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await expectPoll(() => opener.getAttribute("aria-expanded")).toBe("false");
    expect(ada.problems).toEqual([]);
  });

  test("sees shared documents, with permitted actions only", async () => {
    await using ben = await openWindow();
    await ben.signIn(BEN.email);
    const doc = await makeDocument(ben, "Flour prices");
    await call(ben, "PATCH", `/api/docs/${doc}/access`, { delta: { users: { [email]: "viewers" } } });
    await page.goto("/");
    const shared = page.getByRole("region", { name: "Personal – Ben" });
    await expectPoll(() => names(shared)).toEqual(["Flour prices"]);
    await expectPoll(() => shared.getByRole("cell").first().textContent()).toBe("Viewer");
    expect(await button(shared, "New document").count()).toBe(0);
    await button(page, "Actions for Flour prices").click();
    await expectPoll(() => page.getByRole("menuitem").allTextContents()).toEqual(["Duplicate", "Download", "Sharing"]);
    await page.keyboard.press("Escape");
    expect([...ada.problems, ...ben.problems]).toEqual([]);
  });

  test("sees that the session ended, and loses no input", async () => {
    const uuid = await makeDocument(ada, "Mine");
    await page.goto("/");
    await choose(page, "Mine", "Rename");
    await page.keyboard.type("Typed in vain?");
    await ada.context.clearCookies();
    await button(dialog(page), "Rename").click();
    const message = problem(dialog(page));
    await message.waitFor();
    await expectPoll(() => message.textContent()).toContain("Your session has ended.");
    await expectPoll(() => dialog(page).getByLabel("Name").inputValue()).toBe("Typed in vain?");
    await expectPoll(() => message.getByRole("link", { name: "Sign in" }).getAttribute("href")).toBe("/sign-in");
    await ada.signIn(email);
    await button(message, "Try again").click();
    await dialog(page).waitFor({ state: "detached" });
    await expectPoll(() => names(page)).toEqual(["Typed in vain?"]);
    expect(ada.refusals).toEqual([`403 PATCH /api/docs/${uuid}`]);
    expect(ada.problems).toEqual([]);
  });

  test("sees hostile names as text", async () => {
    await call(ada, "POST", "/api/orgs", { name: HOSTILE_NAME });
    const bad = await call<number>(ada, "POST", "/api/orgs/current/workspaces", { name: HOSTILE_NAME });
    for (const name of HOSTILE) await call(ada, "POST", `/api/workspaces/${bad}/docs`, { name });
    await page.goto("/");
    const section = page.locator(`#workspace-${bad}`);
    await expectPoll(async () => (await names(section)).toSorted()).toEqual(HOSTILE.toSorted());
    await expectPoll(() => section.locator("h3").textContent()).toBe(HOSTILE_NAME);
    await expectPoll(() => page.getByRole("heading", { level: 2 }).allTextContents()).toEqual([
      "Personal",
      HOSTILE_NAME,
    ]);
    await expectHarmless(page);

    const rows = section.locator("tbody tr");
    for (let i = 0; i < 5; i++) {
      const name = (await rows.nth(i).locator("th a").textContent()) ?? "";
      await rows.nth(i).getByRole("button").click();
      await page.getByRole("menuitem", { name: "Move to…", exact: true }).click();
      await expectPoll(() => dialog(page).locator("h2").textContent()).toBe(`Move ${cutName(name)}`);
      if (cutName(name) !== name) expect(await dialog(page).locator("h2 bdi").getAttribute("title")).toBe(name);
      await page.keyboard.press("Escape");
    }
    await drop(page, HOSTILE_NAME, { [`${HOSTILE_NAME}.csv`]: "A\n1\n", [`${HOSTILE_NAME}.bin`]: "\u0000" });
    await section.getByText("import failed").waitFor();
    await expectPoll(() => section.locator(".import .name").first().textContent()).toBe(
      `Imported ${cutName(`${HOSTILE_NAME}.csv`)}`,
    );
    await expectHarmless(page);

    for (const { docs } of await listed(ada)) {
      for (const { uuid } of docs) await call(ada, "POST", `/api/docs/${uuid}/remove`, {});
    }
    await page.goto("/trash");
    const removed = await page.locator(".removed .name").allTextContents();
    expect(removed).toEqual(expect.arrayContaining([...HOSTILE]));
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("reads and searches the list without scripts", async () => {
    await makeDocument(ada, "Readable");
    await using plain = await openWindow({ javaScriptEnabled: false });
    await plain.signIn(email);
    await plain.page.goto("/");
    await expectPoll(() => names(plain.page)).toEqual(["Readable"]);
    await expectPoll(() => plain.page.locator("time").first().textContent()).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(await plain.page.locator(".scripted:visible").count()).toBe(0);
    await plain.page.goto("/trash");
    await expectPoll(() => shownText(plain.page, "The trash is empty").isVisible()).toBe(true);
    expect(plain.problems).toEqual([]);
  });
});
