import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Browser, Locator, Page } from "playwright-core";
import { addUser } from "../../src/services/users.ts";
import { CHROMIUM, inBrowser, launch, startSite, visit, type Site, type Visit } from "./browser.ts";
import { expectHarmless, HOSTILE, HOSTILE_NAME } from "./hostile.ts";
import { ADA, PASSWORD } from "./visitor.ts";

const button = (within: Page | Locator, name: string): Locator => within.getByRole("button", { name, exact: true });
const dialog = (page: Page): Locator => page.getByRole("dialog");
const workspace = (page: Page, name: string): Locator => page.getByRole("region", { name, exact: true });
const names = (within: Page | Locator): Promise<string[]> => within.locator("tbody th a").allTextContents();
const toast = (page: Page): Locator => page.locator(".toast");

/** Calls the API as whoever is signed in. */
async function call<T>({ context }: Visit, method: string, path: string, data?: unknown): Promise<T> {
  const headers = { "X-Requested-With": "XMLHttpRequest" };
  const response = await context.request.fetch(path, { method, headers, ...(data !== undefined && { data }) });
  if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
  return (await response.json()) as T;
}

interface Listed {
  readonly id: number;
  readonly name: string;
  readonly docs: { readonly name: string; readonly uuid: string; readonly isPinned: boolean }[];
}

const listed = (visit: Visit): Promise<Listed[]> => call<Listed[]>(visit, "GET", "/api/orgs/current/workspaces");

async function makeDocument(visit: Visit, name: string): Promise<string> {
  const [home] = await listed(visit);
  return call<string>(visit, "POST", `/api/workspaces/${home?.id}/docs`, { name });
}

/** Drops files on a workspace, as from a folder of the desk. */
const drop = (page: Page, onto: string, files: Record<string, string>): Promise<void> =>
  page.evaluate(`(() => {
    const data = new DataTransfer();
    for (const [name, text] of Object.entries(${JSON.stringify(files)})) data.items.add(new File([text], name));
    const target = [...document.querySelectorAll("[data-workspace]")].find(({ dataset }) => dataset.name === ${JSON.stringify(onto)});
    const options = { dataTransfer: data, bubbles: true, cancelable: true };
    target.dispatchEvent(new DragEvent("dragover", options));
    if (!target.classList.contains("dropping")) throw new Error("the workspace does not show that it takes files");
    target.dispatchEvent(new DragEvent("drop", options));
  })()`);

async function choose(page: Page, of: string, item: string): Promise<void> {
  await button(page, `Actions for ${of}`).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}

describe.skipIf(!CHROMIUM)(inBrowser("a person at home"), () => {
  let browser: Browser;
  let site: Site;
  // One window for the stories that need nothing else: opening one takes longer than most of them.
  let ada: Visit;
  let page: Page;
  beforeAll(async () => {
    browser = await launch();
    site = startSite();
    ada = await visit(browser, site);
    page = ada.page;
  });
  let email: string;
  let count = 0;
  beforeEach(async () => {
    email = `ada${++count}@example.com`;
    await addUser(site.app.ctx, { ...ADA, email });
    await ada.reset();
    await ada.signIn(email);
  });
  afterAll(async () => {
    await browser.close();
    await site[Symbol.asyncDispose]();
  });

  test("signs in for the first time, makes a document, and finds it again", async () => {
    await ada.reset();
    await page.goto("/");
    await page.waitForURL("/sign-in");
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.waitForURL("/");
    const home = workspace(page, "Home");
    expect(await home.getByText("Make the first document").isVisible()).toBe(true);
    await button(home, "New document").click();
    expect(await dialog(page).getByLabel("Name").inputValue()).toBe("Untitled document");
    await page.keyboard.type("Bread & butter");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\/[0-9a-f-]{36}$/);
    await page.goto("/");
    expect(await names(home)).toEqual(["Bread & butter"]);
    expect(await home.getByRole("cell").allTextContents()).toEqual([
      "Owner",
      "just now",
      expect.stringMatching(/^\d+ KB$/),
      "",
    ]);
    expect(await home.locator("time").first().getAttribute("title")).toMatch(/\d{4}/);
    expect(ada.problems).toEqual([]);
  });

  test("drops files on a workspace, and is told where one cannot be imported", async () => {
    await page.goto("/");
    await drop(page, "Home", { "Prices.csv": "Bread,Price\nRye,4.20\n", "Photo.bin": "\u0000\u0001" });
    const imports = page.locator(".imports");
    await imports.getByText("Imported Prices.csv").waitFor();
    await imports.getByText("not imported").waitFor();
    expect(await imports.getByRole("alert").textContent()).toContain("The file is of no format that can be imported");
    expect(await names(page)).toEqual(["Prices"]);
    await button(imports, "Dismiss Photo.bin").click();
    expect(await imports.locator(".import").count()).toBe(1);
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

  test("chooses a file by the button", async () => {
    await page.goto("/");
    const chosen = page.waitForEvent("filechooser");
    await button(workspace(page, "Home"), "Import a file").click();
    await (
      await chosen
    ).setFiles({ name: "Names.json", mimeType: "application/json", buffer: Buffer.from(`[{"A":1}]`) });
    await page.getByText("Imported Names.json").waitFor();
    expect(await names(page)).toEqual(["Names"]);
    expect(ada.problems).toEqual([]);
  });

  test("cancels an import, and tries one again when the server is back", async () => {
    await page.goto("/");
    let hold: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (hold = resolve));
    await page.route("**/import", async (route) => {
      await held;
      await route.continue().catch(() => {});
    });
    await drop(page, "Home", { "Slow.csv": "A\n1\n" });
    await page.getByText("Slow.csv").waitFor();
    await button(page, "Cancel the import of Slow.csv").click();
    expect(await page.locator(".import").count()).toBe(0);
    hold?.();
    await page.unroute("**/import");

    await page.route("**/import", (route) => route.abort("connectionrefused"));
    await drop(page, "Home", { "Later.csv": "A\n1\n" });
    await page.getByText("The server does not answer.").waitFor();
    await page.unroute("**/import");
    await button(page, "Try again").click();
    await page.getByText("Imported Later.csv").waitFor();
    expect(await names(page)).toEqual(["Later"]);
    expect((await listed(ada)).flatMap(({ docs }) => docs.map(({ name }) => name))).toEqual(["Later"]);
    // The connection that was refused on purpose is all that went wrong.
    expect(ada.problems.every((problem) => problem.includes("ERR_CONNECTION_REFUSED"))).toBe(true);
  });

  test("renames, pins, copies and moves a document", async () => {
    await makeDocument(ada, "Old name");
    await page.goto("/");
    await choose(page, "Old name", "Rename");
    expect(await dialog(page).getByLabel("Name").inputValue()).toBe("Old name");
    await page.keyboard.type("New name");
    await button(dialog(page), "Rename").click();
    await dialog(page).waitFor({ state: "detached" });
    expect(await names(page)).toEqual(["New name"]);

    await choose(page, "New name", "Pin");
    await page.locator(".pinned").getByRole("link", { name: "New name" }).waitFor();
    expect((await listed(ada))[0]?.docs[0]?.isPinned).toBe(true);
    await choose(page, "New name", "Unpin");
    await page.locator(".pinned").waitFor({ state: "detached" });

    await button(page, "New workspace").click();
    await page.keyboard.type("Archive");
    await page.keyboard.press("Enter");
    await dialog(page).waitFor({ state: "detached" });
    await choose(page, "New name", "Move");
    expect(await dialog(page).locator("option").allTextContents()).toEqual(["Archive – Personal"]);
    await button(dialog(page), "Move").click();
    await dialog(page).waitFor({ state: "detached" });
    expect(await names(workspace(page, "Archive"))).toEqual(["New name"]);
    expect(await names(workspace(page, "Home"))).toEqual([]);

    await choose(page, "New name", "Copy");
    await dialog(page).getByLabel("Name of the copy").fill("Twin");
    await button(dialog(page), "Copy").click();
    await dialog(page).waitFor({ state: "detached" });
    expect((await names(workspace(page, "Archive"))).toSorted()).toEqual(["New name", "Twin"]);
    expect(ada.problems).toEqual([]);
  });

  test("throws documents and workspaces away, takes some back, and deletes one for good", async () => {
    for (const name of ["Keep", "Drop", "Gone"]) await makeDocument(ada, name);
    await page.goto("/");
    await choose(page, "Keep", "Move to the trash");
    await toast(page).getByText("“Keep” is in the trash.").waitFor();
    expect(await names(page)).toEqual(["Gone", "Drop"]);
    await button(toast(page), "Undo").click();
    await page.getByRole("link", { name: "Keep" }).waitFor();
    for (const name of ["Drop", "Gone"]) {
      await choose(page, name, "Move to the trash");
      await toast(page).getByText(`“${name}” is in the trash.`).waitFor();
    }
    expect(await names(page)).toEqual(["Keep"]);

    await page.locator("header summary").click();
    await page.getByRole("link", { name: "Trash" }).click();
    await page.waitForURL("/trash");
    await button(page, "Restore Drop").click();
    await toast(page).getByText("“Drop” is restored.").waitFor();
    await button(page, "Delete Gone for good").click();
    expect(await dialog(page).textContent()).toContain("Nobody can restore it afterwards.");
    await button(dialog(page), "Delete for good").click();
    await page.getByText("The trash is empty").waitFor();
    await page.getByRole("link", { name: "Back to your documents" }).click();
    expect((await names(page)).toSorted()).toEqual(["Drop", "Keep"]);

    await choose(page, "the workspace Home", "Move to the trash");
    await button(dialog(page), "Move to the trash").click();
    await page.getByText("No workspaces here yet").waitFor();
    await page.goto("/trash");
    expect(await page.locator(".removed small").textContent()).toContain("workspace with 2 documents");
    await button(page, "Restore Home").click();
    await page.getByText("The trash is empty").waitFor();
    await page.goto("/");
    expect((await names(page)).toSorted()).toEqual(["Drop", "Keep"]);
    expect(ada.problems).toEqual([]);
  });

  test("makes a site, whose domain has to be free, and goes to its own address", async () => {
    await page.goto("/");
    await button(page, "New site").click();
    await dialog(page).getByLabel("Name").fill("Bakery");
    await dialog(page).getByLabel("Domain").fill("api");
    await button(dialog(page), "Create").click();
    await dialog(page).getByRole("alert").waitFor();
    expect(await dialog(page).getByLabel("Name").inputValue()).toBe("Bakery");
    await dialog(page).getByLabel("Domain").fill(`bakery-${count}`);
    await page.keyboard.press("Enter");
    await dialog(page).waitFor({ state: "detached" });
    expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toEqual(["Personal", "Bakery"]);
    await page.getByRole("link", { name: "Bakery" }).click();
    await page.waitForURL(`/o/bakery-${count}/`);
    expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toEqual(["Bakery"]);
    expect(await page.getByRole("heading", { level: 3 }).allTextContents()).toEqual(["Home"]);
    await drop(page, "Home", { "Flour.csv": "A\n1\n" });
    await page.getByText("Imported Flour.csv").waitFor();
    await choose(page, "Flour", "Rename");
    await page.keyboard.type("Grain");
    await page.keyboard.press("Enter");
    await dialog(page).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "All sites" }).click();
    await page.waitForURL("/");
    expect(await names(page)).toEqual(["Grain"]);
    expect(ada.refusals).toEqual(["400 POST /api/orgs"]);
    expect(ada.problems).toEqual([]);
  });

  test("searches while typing, by keyboard alone", async () => {
    for (const name of ["Résumé of Ann", "Resume of Bob", "Recipes"]) await makeDocument(ada, name);
    await page.goto("/");
    await page.keyboard.press("/");
    await page.keyboard.type("resume ann");
    expect(await page.locator("tbody tr:visible a").allTextContents()).toEqual(["Résumé of Ann"]);
    expect(await page.locator("#found").textContent()).toBe("1 document found");
    expect(new URL(page.url()).search).toBe("?q=resume%20ann");
    await page.keyboard.press("Enter");
    expect(await page.evaluate<string>("document.activeElement.textContent")).toBe("Résumé of Ann");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\//);
    await page.goBack();
    expect(await page.getByLabel("Search by name").inputValue()).toBe("resume ann");
    expect(await page.locator("tbody tr:visible").count()).toBe(1);
    await page.getByLabel("Search by name").fill("unicorn");
    expect(await page.getByText("Nothing is called that").isVisible()).toBe(true);
    await page.getByLabel("Search by name").press("Escape");
    expect(await page.locator("tbody tr:visible").count()).toBe(3);
    await page.getByLabel("Search by name").fill("home");
    expect(await page.locator("tbody tr:visible").count()).toBe(3);
    expect(ada.problems).toEqual([]);
  });

  test("searches from elsewhere by the header", async () => {
    for (const name of ["Barley", "Rye"]) await makeDocument(ada, name);
    await page.goto("/profile");
    await page.getByLabel("Search documents by name").fill("rye");
    await page.keyboard.press("Enter");
    await page.waitForURL("/?q=rye");
    expect(await page.locator("tbody tr:visible a").allTextContents()).toEqual(["Rye"]);
    expect(await page.getByLabel("Search documents by name").count()).toBe(0);
    expect(ada.problems).toEqual([]);
  });

  test("walks through a menu by arrows and letters, and closes it by Escape", async () => {
    await makeDocument(ada, "Walked");
    await page.goto("/");
    const opener = button(page, "Actions for Walked");
    await opener.focus();
    await page.keyboard.press("Enter");
    const at = () => page.evaluate<string>("document.activeElement.textContent");
    expect(await at()).toBe("Rename");
    await page.keyboard.press("ArrowUp");
    expect(await at()).toBe("Move to the trash");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("d");
    expect(await at()).toBe("Download");
    await page.keyboard.press("Escape");
    expect(await page.getByRole("menu").count()).toBe(0);
    expect(await opener.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    expect(await opener.getAttribute("aria-expanded")).toBe("false");
    expect(ada.problems).toEqual([]);
  });

  test("sees what others share, and is offered no more than is allowed", async () => {
    await using ben = await visit(browser, site);
    await addUser(site.app.ctx, { ...ADA, email: `ben${count}@example.com`, name: "Ben" });
    await ben.signIn(`ben${count}@example.com`);
    const doc = await makeDocument(ben, "Flour prices");
    await call(ben, "PATCH", `/api/docs/${doc}/access`, { delta: { users: { [email]: "viewers" } } });
    await page.goto("/");
    const shared = page.getByRole("region", { name: "Personal – Ben" });
    expect(await names(shared)).toEqual(["Flour prices"]);
    expect(await shared.getByRole("cell").first().textContent()).toBe("Viewer");
    expect(await button(shared, "New document").count()).toBe(0);
    await button(page, "Actions for Flour prices").click();
    expect(await page.getByRole("menuitem").allTextContents()).toEqual(["Copy", "Download"]);
    await page.keyboard.press("Escape");
    expect([...ada.problems, ...ben.problems]).toEqual([]);
  });

  test("is told that the session ended, and loses nothing", async () => {
    const uuid = await makeDocument(ada, "Mine");
    await page.goto("/");
    await choose(page, "Mine", "Rename");
    await page.keyboard.type("Typed in vain?");
    await ada.context.clearCookies();
    await button(dialog(page), "Rename").click();
    const alert = dialog(page).getByRole("alert");
    await alert.waitFor();
    expect(await alert.textContent()).toContain("Your session has ended.");
    expect(await dialog(page).getByLabel("Name").inputValue()).toBe("Typed in vain?");
    expect(await alert.getByRole("link", { name: "Sign in" }).getAttribute("href")).toBe("/sign-in");
    await ada.signIn(email);
    await button(alert, "Try again").click();
    await dialog(page).waitFor({ state: "detached" });
    expect(await names(page)).toEqual(["Typed in vain?"]);
    expect(ada.refusals).toEqual([`403 PATCH /api/docs/${uuid}`]);
    expect(ada.problems).toEqual([]);
  });

  test("reads names of any kind as text", async () => {
    await call(ada, "POST", "/api/orgs", { name: HOSTILE_NAME });
    const bad = await call<number>(ada, "POST", "/api/orgs/current/workspaces", { name: HOSTILE_NAME });
    for (const name of HOSTILE) await call(ada, "POST", `/api/workspaces/${bad}/docs`, { name });
    await page.goto("/");
    const section = page.locator(`#workspace-${bad}`);
    expect((await names(section)).toSorted()).toEqual(HOSTILE.toSorted());
    expect(await section.locator("h3").textContent()).toBe(HOSTILE_NAME);
    expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toEqual(["Personal", HOSTILE_NAME]);
    await expectHarmless(page);

    const rows = section.locator("tbody tr");
    for (let i = 0; i < 5; i++) {
      const name = (await rows.nth(i).locator("th a").textContent()) ?? "";
      await rows.nth(i).getByRole("button").click();
      await page.getByRole("menuitem", { name: "Move", exact: true }).click();
      expect(await dialog(page).locator("h2").textContent()).toBe(`Move ${name}`);
      await page.keyboard.press("Escape");
    }
    await drop(page, HOSTILE_NAME, { [`${HOSTILE_NAME}.csv`]: "A\n1\n", [`${HOSTILE_NAME}.bin`]: "\u0000" });
    await section.getByText("not imported").waitFor();
    expect(await section.locator(".import .name").first().textContent()).toBe(`Imported ${HOSTILE_NAME}.csv`);
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

  test("reads the list and searches it without scripts", async () => {
    await makeDocument(ada, "Readable");
    await using plain = await visit(browser, site, { javaScriptEnabled: false });
    await plain.signIn(email);
    await plain.page.goto("/");
    expect(await names(plain.page)).toEqual(["Readable"]);
    expect(await plain.page.locator("time").first().textContent()).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(await plain.page.locator(".scripted:visible").count()).toBe(0);
    await plain.page.goto("/trash");
    expect(await plain.page.getByText("The trash is empty").isVisible()).toBe(true);
    expect(plain.problems).toEqual([]);
  });
});
