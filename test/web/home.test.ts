import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, listed, makeDocument } from "./calls.ts";
import { button, dialog, problem, shownText } from "./controls.ts";
import { columnLines, importWindow } from "./import-window.ts";
import { choose, chooseNew, drop, names, shortcuts, toast, workspace } from "./home-page.ts";
import { eachStory } from "./scene.ts";
import { expectRows } from "./table-page.ts";
import { PASSWORD } from "./visitor.ts";

describe.skipIf(!CHROMIUM)(inBrowser("a person at home"), () => {
  let ada: Visit;
  let page: Page;
  let email: string;
  eachStory((story) => {
    ({ ada, page, email } = story);
  });

  test("signs in for the first time, creates a document, and finds it again", async () => {
    await ada.reset();
    await page.goto("/");
    await page.waitForURL("/sign-in");
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.waitForURL("/");
    const home = workspace(page, "Home");
    await expectPoll(() => home.getByText("Create your first document").isVisible()).toBe(true);
    await button(home, "New document").click();
    await expectPoll(() => dialog(page).getByLabel("Name").inputValue()).toBe("Untitled document");
    await page.keyboard.type("Bread & butter");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\/[0-9a-f-]{36}\/pages\/1$/);
    await page.goto("/");
    await expectPoll(() => names(home)).toEqual(["Bread & butter"]);
    expect(await home.getByRole("cell").allTextContents()).toEqual([
      "Owner",
      "just now",
      expect.stringMatching(/^\d+ KB$/),
      "",
    ]);
    await expectPoll(() => home.locator("time").first().getAttribute("title")).toMatch(/\d{4}/);
    expect(ada.problems).toEqual([]);
  });

  test("drops files on a workspace, and sees which one cannot be imported", async () => {
    await page.goto("/");
    await drop(page, "Home", { "Prices.csv": "Bread,Price\nRye,4.20\n", "Photo.bin": "\u0000\u0001" });
    const imports = page.locator(".imports");
    await imports.getByText("Imported Prices.csv").waitFor();
    await imports.getByText("import failed").waitFor();
    await expectPoll(() => problem(imports).textContent()).toContain("Save it as CSV, TSV, XLSX, JSON or NDJSON");
    await expectPoll(() => names(page)).toEqual(["Prices"]);
    await button(imports, "Dismiss Photo.bin").click();
    await expectPoll(() => imports.locator(".import").count()).toBe(1);
    await imports.getByRole("link", { name: "Open" }).click();
    await page.waitForURL(/\/docs\//);
    const [home] = await listed(ada);
    const { records } = await call<{ records: { fields: unknown }[] }>(
      ada,
      "GET",
      `/api/docs/${home?.docs[0]?.uuid}/tables/Prices/records`,
    );
    expect(records.map(({ fields }) => fields)).toEqual([{ Bread: "Rye", Price: 4.2 }]);
    expect(ada.refusals).toEqual([`400 POST /api/workspaces/${home?.id}/import`]);
    expect(ada.problems).toEqual([]);
  });

  test("selects a file by the button", async () => {
    await page.goto("/");
    const chosen = page.waitForEvent("filechooser");
    await button(workspace(page, "Home"), "Import a file").click();
    await (
      await chosen
    ).setFiles({ name: "Names.json", mimeType: "application/json", buffer: Buffer.from(`[{"A":1}]`) });
    await expectPoll(() => columnLines(page)).toEqual(["A | 1 | Number, without decimals | All cells fit"]);
    await importWindow(page).getByLabel("Name of the new document").fill("First names");
    await button(importWindow(page), "Import 1 row").click();
    await page.waitForURL(/\/docs\//);
    await expectRows(page, ["1"]);
    await page.goto("/");
    await expectPoll(() => names(page)).toEqual(["First names"]);
    expect(ada.problems).toEqual([]);
  });

  test("cancels an import, and retries one when the server is back", async () => {
    await page.goto("/");
    let hold: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (hold = resolve));
    await page.route("**/import", async (route) => {
      await held;
      await route.continue().catch(() => {});
    });
    await drop(page, "Home", { "Slow.csv": "A\n1\n", "Slower.csv": "A\n1\n" });
    await shownText(page, "Slow.csv").waitFor();
    await button(page, "Cancel import of Slow.csv").click();
    await button(page, "Cancel import of Slower.csv").click();
    await expectPoll(() => page.locator(".import").count()).toBe(0);
    hold?.();
    await page.unroute("**/import");

    await page.route("**/import", (route) => route.abort("connectionrefused"));
    await drop(page, "Home", { "Later.csv": "A\n1\n", "Last.csv": "A\n1\n" });
    await expectPoll(() => shownText(page, "The server does not respond.").count()).toBe(2);
    await button(page, "Dismiss Last.csv").click();
    await page.unroute("**/import");
    await button(page, "Try again").click();
    await shownText(page, "Imported Later.csv").waitFor();
    await expectPoll(() => names(page)).toEqual(["Later"]);
    await expectPoll(async () => (await listed(ada)).flatMap(({ docs }) => docs.map(({ name }) => name))).toEqual([
      "Later",
    ]);
    // The deliberately refused connection is the only problem.
    expect(ada.problems.every((problem) => problem.includes("ERR_CONNECTION_REFUSED"))).toBe(true);
  });

  test("renames, pins, duplicates and moves a document", async () => {
    await makeDocument(ada, "Old name");
    await page.goto("/");
    await choose(page, "Old name", "Rename");
    await expectPoll(() => dialog(page).getByLabel("Name").inputValue()).toBe("Old name");
    await page.keyboard.type("New name");
    await button(dialog(page), "Rename").click();
    await dialog(page).waitFor({ state: "detached" });
    await expectPoll(() => names(page)).toEqual(["New name"]);

    await choose(page, "New name", "Pin");
    await expectPoll(() => shortcuts(page, "pinned")).toEqual(["New name"]);
    await expectPoll(async () => (await listed(ada))[0]?.docs[0]?.isPinned).toBe(true);
    await choose(page, "New name", "Unpin");
    await page.locator("#pinned").waitFor({ state: "detached" });

    await button(page, "New workspace").click();
    await page.keyboard.type("Archive");
    await page.keyboard.press("Enter");
    await dialog(page).waitFor({ state: "detached" });
    await choose(page, "New name", "Move to…");
    await expectPoll(() => dialog(page).locator("option").allTextContents()).toEqual(["Archive – Personal"]);
    await button(dialog(page), "Move").click();
    await dialog(page).waitFor({ state: "detached" });
    await expectPoll(() => names(workspace(page, "Archive"))).toEqual(["New name"]);
    await expectPoll(() => names(workspace(page, "Home"))).toEqual([]);

    await choose(page, "New name", "Duplicate");
    await dialog(page).getByLabel("Name of the copy").fill("Twin");
    await button(dialog(page), "Duplicate").click();
    await dialog(page).waitFor({ state: "detached" });
    await expectPoll(async () => (await names(workspace(page, "Archive"))).toSorted()).toEqual(["New name", "Twin"]);
    await toast(page).getByText("“Twin” created.").waitFor();
    await button(toast(page), "Open").click();
    await page.waitForURL(/\/docs\//);
    expect(ada.problems).toEqual([]);
  });

  test("moves documents and workspaces to trash, restores some, and deletes one permanently", async () => {
    for (const name of ["Keep", "Drop", "Gone"]) await makeDocument(ada, name);
    await page.goto("/");
    await choose(page, "Keep", "Move to trash");
    await toast(page).getByText("“Keep” moved to trash.").waitFor();
    await expectPoll(() => names(page)).toEqual(["Gone", "Drop"]);
    await button(toast(page), "Undo").click();
    await page.getByRole("link", { name: "Keep" }).waitFor();
    for (const name of ["Drop", "Gone"]) {
      await choose(page, name, "Move to trash");
      await toast(page).getByText(`“${name}” moved to trash.`).waitFor();
    }
    await expectPoll(() => names(page)).toEqual(["Keep"]);

    await page.locator("header summary").click();
    await page.getByRole("link", { name: "Trash" }).click();
    await page.waitForURL("/trash");
    const gone = page.locator(".removed li").filter({ hasText: "Gone" });
    await expectPoll(() => gone.locator("small").textContent()).toMatch(
      /^from Home, deleted .* by Ada Lovelace, kept until /,
    );
    await button(page, "Restore Drop").click();
    await toast(page).getByText("“Drop” restored.").waitFor();
    await expectPoll(() => button(toast(page), "Open").count()).toBe(1);
    await button(page, "Delete Gone permanently").click();
    await expectPoll(() => dialog(page).textContent()).toContain("This cannot be undone.");
    await button(dialog(page), "Delete Gone").click();
    await shownText(page, "The trash is empty").waitFor();
    await page.getByRole("link", { name: "Back to your documents" }).click();
    await expectPoll(async () => (await names(page)).toSorted()).toEqual(["Drop", "Keep"]);

    await choose(page, "the workspace Home", "Move to trash");
    await button(dialog(page), "Move to trash").click();
    await shownText(page, "No workspaces yet").waitFor();
    await page.goto("/trash");
    await expectPoll(() => page.locator(".removed small").textContent()).toContain("workspace with 2 documents");
    await button(page, "Restore Home").click();
    await shownText(page, "The trash is empty").waitFor();
    // The sidebar has it again.
    await page.getByRole("treeitem", { name: "Home" }).waitFor();
    await button(toast(page), "Open").click();
    await page.waitForURL(/\/workspaces\/\d+$/);
    await expectPoll(async () => (await names(page)).toSorted()).toEqual(["Drop", "Keep"]);
    await page.goto("/");
    await expectPoll(async () => (await names(page)).toSorted()).toEqual(["Drop", "Keep"]);
    expect(ada.problems).toEqual([]);
  });

  test("creates a site, whose domain must be free, and opens its URL", async () => {
    await page.goto("/");
    await chooseNew(page, "New site");
    await dialog(page).getByLabel("Name").fill("Bakery");
    await dialog(page).getByLabel("Domain").fill("api");
    await button(dialog(page), "Create").click();
    await problem(dialog(page)).waitFor();
    await expectPoll(() => dialog(page).getByLabel("Name").inputValue()).toBe("Bakery");
    await dialog(page).getByLabel("Domain").fill("bakery");
    await page.keyboard.press("Enter");
    await dialog(page).waitFor({ state: "detached" });
    await expectPoll(() => page.getByRole("heading", { level: 2 }).allTextContents()).toEqual(["Personal", "Bakery"]);
    await page.locator("#home").getByRole("link", { name: "Bakery" }).click();
    await page.waitForURL("/o/bakery/");
    await expectPoll(() => page.getByRole("heading", { level: 2 }).allTextContents()).toEqual(["Bakery"]);
    await expectPoll(() => page.getByRole("heading", { level: 3 }).allTextContents()).toEqual(["Home"]);
    await drop(page, "Home", { "Flour.csv": "A\n1\n" });
    await button(dialog(page), "Import 1 row").click();
    await page.waitForURL(/\/o\/bakery\/docs\//);
    await page.goto("/o/bakery/");
    await choose(page, "Flour", "Rename");
    await page.keyboard.type("Grain");
    await page.keyboard.press("Enter");
    await dialog(page).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "All sites" }).click();
    await page.waitForURL("/");
    await expectPoll(() => names(page)).toEqual(["Grain"]);
    expect(ada.refusals).toEqual(["400 POST /api/orgs"]);
    expect(ada.problems).toEqual([]);
  });
});
