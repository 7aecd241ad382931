import { describe, expect, test } from "bun:test";
import { expectPoll } from "../helpers/expect-poll.ts";
import { $ } from "bun";
import type { Page } from "playwright-core";
import { tempFolder } from "../helpers/temp-folder.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Site, type Visit } from "./browser.ts";
import { call, makeDocument, makeTable, records } from "./calls.ts";
import { button, dialog, problem, shownText } from "./controls.ts";
import { expectHarmless, HOSTILE, HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";

const example = (page: Page, title: string) => page.getByRole("region", { name: title, exact: true }).locator("pre");
const texts = (page: Page) => page.locator("pre[data-example]").allTextContents();

/** Commands that run the examples of a language; undefined where it is not installed. */
const RUN: Record<string, (text: string, folder: string) => Promise<string>> = {
  curl: (text, folder) => $`sh -c ${text}`.cwd(folder).text(),
  javascript: (text) => $`${process.execPath} -e ${text}`.text(),
  python: (text, folder) => $`python3 -c ${text}`.cwd(folder).text(),
};

describe.skipIf(!CHROMIUM)(inBrowser("a person who writes programs"), () => {
  let site: Site;
  let openWindow: Story["openWindow"];
  let invite: Story["invite"];
  let ada: Visit;
  let page: Page;
  let email: string;
  let doc: string;
  eachStory(async (story) => {
    ({ site, openWindow, invite, ada, page, email } = story);
    doc = await makeDocument(ada, "Bakery");
    const choices = JSON.stringify({ choices: [`it's "${HOSTILE[0]}" $(date) \`x\` \${y} \\ YOUR_KEY $KEY`, "Oat"] });
    const columns = [
      { id: "Name", fields: { type: "Text" } },
      { id: "Kind", fields: { type: "Choice", widgetOptions: choices } },
      { id: "Baked", fields: { type: "Date" } },
      { id: "Fresh", fields: { type: "Bool" } },
      { id: "Double", fields: { type: "Numeric", isFormula: true, formula: "2" } },
    ];
    await makeTable(ada, doc, { id: "Bread", columns, rows: [{ Name: "Rye" }, { Name: "Spelt" }] });
  });

  const open = (query = "?table=Bread") => page.goto(`/docs/${doc}/code${query}`);

  async function paste(key: string): Promise<void> {
    await button(page, "Paste key").click();
    await dialog(page).getByLabel("Key").fill(key);
    await button(dialog(page), "Insert").click();
  }

  test("opens from the current table, creates a key, and inserts it in every language", async () => {
    await page.goto(`/docs/${doc}/tables/Bread`);
    await page.getByRole("link", { name: "API", exact: true }).click();
    expect(new URL(page.url()).search).toBe("?table=Bread");
    await expectAccessible(page);
    await button(page, "Create key").click();
    await dialog(page).getByLabel("Label").fill(HOSTILE_NAME.slice(0, 100));
    await button(dialog(page), "Create").click();
    await button(page, "Copy key").waitFor();
    const key = /Bearer (\w+)"/.exec((await texts(page))[0] ?? "")?.[1] ?? "";
    expect(key).toMatch(/^[0-9a-f]{40}$/);
    await expectPoll(async () => (await texts(page)).every((text) => text.includes(key))).toBe(true);
    await expectHarmless(page);
    await expectAccessible(page);
    await page.getByLabel("Language").selectOption("python");
    await page.getByText("import urllib.request").first().waitFor();
    await expectPoll(async () => (await texts(page)).every((text) => text.includes(`KEY = "${key}"`))).toBe(true);
    expect(page.url()).not.toContain(key);
    expect(await page.evaluate<string>("JSON.stringify([localStorage, sessionStorage])")).not.toContain(key);
    const reply = await fetch(`${site.address}/api/profile/keys`, { headers: { Authorization: `Bearer ${key}` } });
    expect(await reply.json()).toMatchObject({
      keys: [{ label: HOSTILE_NAME.slice(0, 100), prefix: key.slice(0, 6) }],
    });
    await button(page, "Remove key").click();
    await expectPoll(async () => (await texts(page)).some((text) => text.includes(key))).toBe(false);
    await page.reload();
    expect(await page.content()).not.toContain(key);
    expect(ada.problems).toEqual([]);
  });

  test("inserts a pasted key, rejects other text, and copies an example", async () => {
    await ada.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await open();
    await paste('x"; rm -rf /');
    await problem(dialog(page)).getByText("Not a valid key").waitFor();
    await expectAccessible(page);
    await dialog(page).getByLabel("Key").fill("abcdef123456");
    await button(dialog(page), "Insert").click();
    await dialog(page).waitFor({ state: "detached" });
    await button(page, "Copy the example “List records”").click();
    await button(page, "Copied").waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(copied).toBe(
      `curl \\\n  -H "Authorization: Bearer abcdef123456" \\\n  '${site.address}/api/docs/${doc}/tables/Bread/records?limit=10&sort=Name'`,
    );
    expect(ada.problems).toEqual([]);
  });

  test.each(Object.keys(RUN))("runs the examples in %s unchanged", async (language) => {
    const run = RUN[language];
    if (!run || (language === "python" && Bun.which("python3") === null)) return;
    const { key } = await call<{ key: string }>(ada, "POST", "/api/profile/keys", { label: `for ${language}` });
    await open(`?table=Bread&lang=${language}`);
    await paste(key);
    await button(page, "Remove key").waitFor();
    const folder = tempFolder();
    const outcome = async (title: string) => run((await example(page, title).textContent()) ?? "", folder);
    const choice = `it's "${HOSTILE[0]}" $(date) \`x\` \${y} \\ YOUR_KEY $KEY`;
    expect(await outcome("List records")).toContain("Spelt");
    expect(await outcome("Add records")).toContain("3");
    const day = Date.UTC(2026, 2, 2) / 1000;
    expect((await records(ada, doc, "Bread"))[2]?.fields).toMatchObject({
      Name: "some text",
      Kind: choice,
      Baked: day,
      Fresh: true,
    });
    await outcome("Update records");
    expect((await records(ada, doc, "Bread"))[0]?.fields).toMatchObject({
      Name: "Rye",
      Kind: choice,
      Baked: day,
    });
    await outcome("Add or update records");
    expect(await records(ada, doc, "Bread")).toHaveLength(3);
    expect(await outcome("Get a record")).toContain("Rye");
    expect(await outcome("Select columns")).toContain("Rye");
    expect(await outcome("Read in pages")).toContain("next");
    expect(await outcome("Count and sum")).toContain("groups");
    expect(await outcome("Search")).toContain("isComplete");
    expect(await outcome("Read a past state")).toContain("records");
    expect(await outcome("Run an SQL query")).toContain("some text");
    const csv = await outcome("Download as CSV");
    expect(language === "curl" ? await Bun.file(`${folder}/Bread.csv`).text() : csv).toContain("Name,Kind,Baked,Fresh");
    await outcome("Subscribe to changes");
    const { webhooks } = await call<{ webhooks: { fields: unknown }[] }>(ada, "GET", `/api/docs/${doc}/webhooks`);
    expect(webhooks).toMatchObject([{ fields: { tableId: "Bread", url: "https://example.com/hook" } }]);
    const [token = ""] = /qt_[\w.-]+/.exec(await outcome("Create a token for an end user")) ?? [];
    const asAnn = { headers: { Authorization: `Bearer ${token}` } };
    expect((await fetch(`${site.address}/api/docs/${doc}/tables/Bread/records`, asAnn)).status).toBe(200);
    await outcome("Delete records");
    expect((await records(ada, doc, "Bread")).map(({ id }) => id)).toEqual([3]);
    await outcome("Add many records");
    expect((await records(ada, doc, "Bread")).map(({ fields }) => fields["Name"])).toEqual([
      "some text",
      "some text",
      null,
    ]);
    await outcome("Update matching records");
    expect((await records(ada, doc, "Bread"))[2]?.fields).toMatchObject({ Name: null, Kind: choice, Baked: day });
    await outcome("Delete matching records");
    expect(await records(ada, doc, "Bread")).toHaveLength(2);
    expect(await outcome("Write in one transaction")).toContain("results");
    expect((await records(ada, doc, "Bread"))[2]?.fields).toMatchObject({ Name: "some text", Baked: day });
    const before = await records(ada, doc, "Bread");
    await outcome("Try a change");
    expect(await records(ada, doc, "Bread")).toEqual(before);
    expect(await outcome("Retry safely")).toBe(await outcome("Retry safely"));
    expect(await records(ada, doc, "Bread")).toHaveLength(before.length + 1);
    await expectHarmless(page);
    expect(ada.problems).toEqual([]);
  });

  test("shows the examples for the role, and an error for unknown tables", async () => {
    await using his = await invite(doc, "viewers");
    await his.page.goto(`/docs/${doc}/code?table=Bread`);
    await expectPoll(() => his.page.getByRole("heading", { level: 3 }).allTextContents()).toEqual([
      "List records",
      "Get a record",
      "Find records",
      "Select columns",
      "Read in pages",
      "Count and sum",
      "Search",
      "Run an SQL query",
      "Download as CSV",
    ]);
    const missing = await his.page.goto(`/docs/${doc}/code?table=${encodeURIComponent(HOSTILE_NAME)}`);
    expect(missing?.status()).toBe(404);
    await shownText(his.page, "Table not found").waitFor();
    await expectHarmless(his.page);
    await expectAccessible(his.page);
    expect(his.problems).toEqual([]);
  });

  test("inserts the key in the API reference, and works without scripts", async () => {
    await page.goto("/reference/records");
    await expectPoll(async () => (await texts(page))[0]).toContain('"Authorization: Bearer $KEY"');
    await paste("abcdef123456");
    await button(page, "Remove key").waitFor();
    await expectPoll(async () => (await texts(page)).every((text) => text.includes("Bearer abcdef123456"))).toBe(true);
    await expectAccessible(page);
    await page.goto("/reference/tables");
    expect((await texts(page)).some((text) => text.includes("abcdef123456"))).toBe(false);
    await ada.context.clearCookies();
    await page.goto("/reference");
    expect(await button(page, "Create key").count()).toBe(0);
    await expectPoll(() => button(page, "Paste key").count()).toBe(1);
    expect(ada.problems).toEqual([]);

    await using plain = await openWindow({ javaScriptEnabled: false });
    await plain.signIn(email);
    await plain.page.goto(`/docs/${doc}/code?table=Bread`);
    await plain.page.getByLabel("Language").selectOption("javascript");
    await button(plain.page, "Show").click();
    await expectPoll(() => example(plain.page, "List records").textContent()).toContain('const KEY = "YOUR_KEY";');
  });
});
