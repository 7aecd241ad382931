import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Visit } from "./browser.ts";
import { call, makeDocument } from "./calls.ts";
import { HOSTILE_NAME } from "./hostile.ts";
import { eachStory, type Story } from "./scene.ts";

const state = (page: Page) => page.evaluate<string>("document.documentElement.dataset.sidebar");
/** The region of the focus: its id or class. */
const region = (page: Page) =>
  page.evaluate<string>(`(() => {
    const at = document.activeElement.closest("#sidebar, .top-bar, #toolbar, #grid-host, .panel, #content");
    return at ? at.id || at.className : document.activeElement.localName;
  })()`);
const style = (page: Page, selector: string, property: string) =>
  page.evaluate<string>(`getComputedStyle(document.querySelector("${selector}")).getPropertyValue("${property}")`);

describe.skipIf(!CHROMIUM)(inBrowser("the frame of pages"), () => {
  let ada: Visit;
  let page: Page;
  const begin = (story: Story) => {
    ({ ada, page } = story);
  };
  eachStory(begin);

  test("closes the sidebar by keys and its button, and the server renders the state", async () => {
    await page.goto("/");
    expect(await state(page)).toBe("open");
    for (const keys of ["Control+\\", "Control+b"]) {
      await page.keyboard.press(keys);
      await expectPoll(() => state(page)).toBe("closed");
      await expectPoll(() => page.getByRole("complementary", { name: "Sidebar" }).count()).toBe(0);
      const html = await (await page.request.get("/profile")).text();
      expect(html).toContain('data-sidebar="closed"');
      await page.getByRole("button", { name: "Open sidebar" }).click();
      await expectPoll(() => state(page)).toBe("open");
    }
    await page.getByRole("button", { name: "Close sidebar" }).click();
    await page.reload();
    expect(await state(page)).toBe("closed");
    expect(ada.problems).toEqual([]);
  });

  test("moves the focus between regions by F6 and Shift+F6, and back to where it was", async () => {
    const doc = await makeDocument(ada, "Stock");
    await call(ada, "POST", `/api/docs/${doc}/apply`, [["AddRecord", "Table1", null, { A: "Oak" }]]);
    await page.goto(`/docs/${doc}/tables/Table1`);
    await page.locator(".grid .cell").first().waitFor();
    const visited: string[] = [];
    for (let i = 0; i < 5; i++) {
      await page.keyboard.press("F6");
      visited.push(await region(page));
    }
    expect(visited).toEqual(["sidebar", "top-bar", "toolbar", "grid-host", "sidebar"]);
    await page.keyboard.press("ArrowDown");
    const entry = await page.evaluate<string>("document.activeElement.innerText");
    await page.keyboard.press("Shift+F6");
    expect(await region(page)).toBe("grid-host");
    await page.keyboard.press("F6");
    expect(await page.evaluate<string>("document.activeElement.innerText")).toBe(entry);

    await page.goto("/profile");
    await page.keyboard.press("Shift+F6");
    expect(await region(page)).toBe("content");
    await page.keyboard.press("Shift+F6");
    expect(await region(page)).toBe("top-bar");
    await page.keyboard.press("Control+b");
    await page.keyboard.press("F6");
    expect(await region(page)).toBe("content");
    await page.keyboard.press("F6");
    expect(await region(page)).toBe("top-bar");
    expect(ada.problems).toEqual([]);
  });

  test("F6 stays in a dialog", async () => {
    await page.goto("/");
    await page.getByRole("button", { name: "New", exact: true }).click();
    await page.getByRole("menuitem", { name: "New site" }).click();
    await page.keyboard.press("F6");
    expect(await page.evaluate("document.activeElement.closest('dialog') !== null")).toBe(true);
  });

  test("the skip link leads to the content with two keys", async () => {
    for (const path of ["/", "/profile", "/help/webhooks"]) {
      await page.goto(path);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      expect([path, await region(page)]).toEqual([path, "content"]);
    }
  });

  test("the sidebar is a tree of one tab stop, with sites and their workspaces", async () => {
    await call(ada, "POST", "/api/orgs", { name: "Bakery" });
    await call(ada, "POST", "/api/orgs/current/workspaces", { name: HOSTILE_NAME });
    await page.goto("/trash");
    const tree = page.getByRole("tree");
    expect(await tree.count()).toBe(1);
    const entries = tree.getByRole("treeitem");
    expect(await entries.allInnerTexts()).toEqual([
      "Documents",
      "Personal",
      HOSTILE_NAME,
      "Home",
      "Bakery",
      "Home",
      "Trash",
    ]);
    expect(await tree.locator("[tabindex='0']").allInnerTexts()).toEqual(["Trash"]);
    await tree.locator("[tabindex='0']").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowLeft");
    await expectPoll(() => entries.allInnerTexts()).toEqual(["Documents", "Personal", "Bakery", "Home", "Trash"]);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    expect(await page.evaluate<string>("document.activeElement.innerText")).toBe(HOSTILE_NAME);
    await page.keyboard.press("ArrowLeft");
    expect(await page.evaluate<string>("document.activeElement.innerText")).toBe("Personal");
    await page.keyboard.press("d");
    await page.keyboard.press("Enter");
    await page.waitForURL("/");
    await expectAccessible(page);
    expect(ada.problems).toEqual([]);
  });

  test("forced colours: the current entry has a bar at its start, and pressed buttons are highlighted", async () => {
    await page.emulateMedia({ forcedColors: "active" });
    for (const path of ["/trash", "/help/webhooks"]) {
      await page.goto(path);
      const highlight = await page.evaluate<string>(`(() => {
        const probe = document.createElement("p");
        probe.style.color = "Highlight";
        document.body.append(probe);
        return getComputedStyle(probe).color;
      })()`);
      const current = path === "/trash" ? ".tree .entry:has([aria-current])" : ".help-chapters a[aria-current]";
      expect([path, await style(page, current, "border-inline-start-width")]).toEqual([path, "4px"]);
      expect(await style(page, current, "border-inline-start-color")).toBe(highlight);
      await page.evaluate(`(() => {
        const button = document.createElement("button");
        button.setAttribute("aria-pressed", "true");
        button.className = "plain probe";
        document.querySelector("main").append(button);
      })()`);
      expect(await style(page, ".probe", "background-color")).toBe(highlight);
    }
  });

  test("phones have the page's name, which opens the sidebar, and one menu", async () => {
    const doc = await makeDocument(ada, "Stock");
    await page.setViewportSize({ width: 390, height: 844 });
    for (const [path, name] of [
      ["/", "Documents"],
      ["/trash", "Trash"],
      ["/admin/users", "Users"],
      [`/docs/${doc}/sql`, "SQL"],
    ] as const) {
      const response = await page.goto(path);
      if (response?.status() === 403) continue;
      expect([path, await page.locator("header .here").innerText()]).toEqual([path, name]);
      expect([path, await page.locator(".top-bar :is(button, a, summary):visible").count()]).toEqual([path, 3]);
    }
    await page.goto(`/docs/${doc}/tables/Table1`);
    await expectPoll(() => page.locator("#page-commands > *").allInnerTexts()).toHaveLength(6);
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    await page.locator("header summary").click();
    expect(await page.getByRole("button", { name: "Undo" }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.keyboard.press("Escape");
    await page.goto(`/docs/${doc}/sql`);
    await page.locator("header .here").click();
    await page.getByRole("complementary", { name: "Sidebar" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator("header summary").click();
    await page.getByRole("link", { name: "Share", exact: true }).click();
    await page.waitForURL(`/docs/${doc}/sharing`);
    expect(ada.problems).toEqual([]);
  });

  test("nothing moves while pages load, with an open and a closed sidebar", async () => {
    const shiftOf = async (path: string) => {
      await page.addInitScript(`
        window.shift = 0;
        new PerformanceObserver((list) => {
          for (const each of list.getEntries()) if (!each.hadRecentInput) {
              window.shift += each.value;
              window.shifted = [...(window.shifted ?? []), ...each.sources.map(({ node }) => (node?.outerHTML ?? "").slice(0, 200))];
            }
        }).observe({ type: "layout-shift", buffered: true });
      `);
      await page.goto(path, { waitUntil: "networkidle" });
      return page.evaluate<string[]>("window.shift > 0.02 ? [`${window.shift}`, ...window.shifted] : []");
    };
    for (let i = 0; i < 2; i++) {
      for (const path of ["/", "/trash", "/profile", "/profile/security", "/help/webhooks", "/reference/records"]) {
        expect([path, await shiftOf(path)]).toEqual([path, []]);
      }
      await page.keyboard.press("Control+b");
    }
  });
});
