/** The page of components: each in every state, in all colour schemes, and with every width. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { createComponentsApp } from "../../scripts/components/app.tsx";
import { expectPoll } from "../helpers/expect-poll.ts";
import { liveRegions, violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, sharedBrowser } from "./browser.ts";
import { button, item, press, shownText } from "./controls.ts";
import { contrastOf } from "./contrast.ts";

const WIDTHS = [390, 820, 1440];
const SCHEMES = [
  { name: "light", colorScheme: "light", forcedColors: "none" },
  { name: "dark", colorScheme: "dark", forcedColors: "none" },
  { name: "forced colours", colorScheme: "dark", forcedColors: "active" },
] as const;

/** What opens each component, and the focus within it. */
const SURFACES = [
  { name: "menu", surface: "[role=menu]", focused: "Rename" },
  { name: "popover", surface: ".popover", focused: "Show the column Total" },
  { name: "panel", surface: ".panel", focused: "Name" },
  { name: "dialog", surface: "dialog", focused: "Close" },
  { name: "form", surface: "dialog", focused: "Name" },
  { name: "confirmation", surface: "dialog", focused: "Cancel" },
];

describe.skipIf(!CHROMIUM)(inBrowser("components"), () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let address: string;
  const ends = new AsyncDisposableStack();
  const problems: string[] = [];

  const openPage = async (in_: BrowserContext): Promise<Page> => {
    const opened = await in_.newPage();
    opened.on("console", (message) => problems.push(message.text()));
    opened.on("pageerror", (error) => problems.push(error.message));
    return opened;
  };

  beforeAll(async () => {
    const app = await createComponentsApp();
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => app.fetch(request) });
    ends.defer(() => server.stop(true));
    address = `http://127.0.0.1:${server.port}/`;
    browser = await sharedBrowser();
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    ends.defer(() => context.close());
    page = await openPage(context);
  });
  beforeEach(async () => {
    problems.length = 0;
    await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(address);
    await page.locator("[role=toolbar]").waitFor();
  });
  afterAll(() => ends.disposeAsync());

  const focusedName = () =>
    page.evaluate<string>(`(() => {
      const { activeElement: at } = document;
      return at.getAttribute("aria-label") ?? at.labels?.[0]?.innerText.trim() ?? at.innerText.trim();
    })()`);

  /** In forced colours the user's system decides about contrast. */
  const rulesOf = (forcedColors: string) => ({
    rules: { "color-contrast": { enabled: forcedColors === "none" } },
  });

  describe.each(SCHEMES)("in $name", ({ name, colorScheme, forcedColors }) => {
    test.each(WIDTHS)("are accessible at %d px, fit, and show no message", async (width) => {
      await page.emulateMedia({ colorScheme, forcedColors });
      await page.setViewportSize({ width, height: 900 });
      expect(await violations(page, rulesOf(forcedColors))).toEqual([]);
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(width);
      expect(problems).toEqual([]);
    });

    test.each(SURFACES.map((each) => each.name))("%s is accessible while open", async (which) => {
      await page.emulateMedia({ colorScheme, forcedColors });
      await button(page, `Open ${which}`).click();
      expect(await violations(page, rulesOf(forcedColors))).toEqual([]);
      expect(problems).toEqual([]);
    });

    if (forcedColors === "active") return;
    test(`texts and controls have enough contrast in ${name}`, async () => {
      await page.emulateMedia({ colorScheme, forcedColors });
      const tokens = await page.evaluate<Record<string, string>>(`(() => {
        const probe = document.body.appendChild(document.createElement("i"));
        const names = ["background", "surface", "border-strong", "text", "text-muted", "accent", "on-accent", "danger",
          "success", "warning", "selected", "mark", "hover"];
        return Object.fromEntries(names.map((name) => {
          probe.style.color = "var(--" + name + ")";
          return [name, getComputedStyle(probe).color];
        }));
      })()`);
      const low = [
        ...["text", "text-muted", "accent", "danger", "success", "warning"].flatMap((each) =>
          ["background", "surface"].map((below) => [each, below, 4.5] as const),
        ),
        ...["text", "text-muted", "accent"].flatMap((each) => [[each, "selected", 4.5] as const]),
        ["text", "mark", 4.5] as const,
        ["on-accent", "accent", 4.5] as const,
        ...["border-strong", "accent"].flatMap((each) =>
          ["background", "surface"].map((below) => [each, below, 3] as const),
        ),
      ].filter(([above, below, least]) => contrastOf(tokens[above] ?? "", tokens[below] ?? "") < least);
      expect(low).toEqual([]);
    });
  });

  test("have targets of 24 px for pointers and of 44 px for fingers", async () => {
    const targets = (of: Page, least: number) =>
      of.evaluate<
        string[]
      >(`[...document.querySelectorAll("button, summary, select, input:not([type=checkbox], [type=radio]), textarea")]
        .filter((each) => each.checkVisibility())
        .map((each) => ({ each, box: each.getBoundingClientRect() }))
        .filter(({ box }) => box.height < ${least} || box.width < ${least})
        .map(({ each, box }) => [each.className, each.textContent.trim(), box.width, box.height].join(" "))`);
    expect(await targets(page, 24)).toEqual([]);
    await using touch = await browser.newContext({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const phone = await openPage(touch);
    await phone.goto(address);
    await phone.locator("[role=toolbar]").waitFor();
    // Buttons of bars have 40 px, since the bar around them adds the rest.
    const inBars = await phone.evaluate<string[]>(
      `[...document.querySelectorAll(".top-bar button")].map((each) => each.className)`,
    );
    const small = await targets(phone, 44);
    expect(small.filter((each) => !inBars.some((name) => each.startsWith(name)))).toEqual([]);
    expect(await targets(phone, 40)).toEqual([]);
  });

  test("have a visible focus ring everywhere", async () => {
    await page.locator("#buttons-title").click();
    const unseen: string[] = [];
    for (let step = 0; step < 60; step++) {
      await page.keyboard.press("Tab");
      const { name, isSeen, isLast } = await page.evaluate<{ name: string; isSeen: boolean; isLast: boolean }>(`(() => {
        const { activeElement: at } = document;
        const { outlineStyle, outlineWidth } = getComputedStyle(at);
        const isSeen = outlineStyle === "solid" && parseFloat(outlineWidth) >= 2;
        return { name: at.outerHTML.slice(0, 80), isSeen, isLast: at === document.body };
      })()`);
      if (isLast) break;
      if (!isSeen) unseen.push(name);
    }
    expect(unseen).toEqual([]);
  });

  test("show what is pressed, current and invalid in forced colours", async () => {
    await page.emulateMedia({ forcedColors: "active" });
    const styleOf = (selector: string, property: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`);
    const differs = async (property: string, on: string, off: string) =>
      expect([property, await styleOf(on, property)]).not.toEqual([property, await styleOf(off, property)]);
    const highlight = await page.evaluate<string>(`(() => {
      const probe = document.body.appendChild(document.createElement("i"));
      probe.style.cssText = "background: Highlight; forced-color-adjust: none";
      return getComputedStyle(probe).backgroundColor;
    })()`);
    expect(await styleOf("#toolbar-sample [aria-pressed=true]", "backgroundColor")).toBe(highlight);
    expect(await styleOf("#toolbar-sample [aria-pressed=false]", "backgroundColor")).not.toBe(highlight);
    await differs("borderLeftWidth", ".tree .entry:has([aria-current])", ".tree .entry:not(:has([aria-current]))");
    await differs("color", "#buttons [aria-disabled=true]", "#buttons button:not([aria-disabled])");
    await button(page, "Open menu").press("Enter");
    await differs("outlineStyle", ".menu-items > :focus", ".menu-items > :not(:focus)");
  });

  test.each(SURFACES)("focus goes into $name, and returns with Escape", async ({ name, surface, focused }) => {
    await button(page, `Open ${name}`).focus();
    await page.keyboard.press("Enter");
    await page.locator(surface).waitFor();
    expect(await focusedName()).toStartWith(focused);
    await page.keyboard.press("Escape");
    await expectPoll(() => page.locator(surface).count()).toBe(0);
    await expectPoll(focusedName).toBe(`Open ${name}`);
    expect(problems).toEqual([]);
  });

  describe("on a phone", () => {
    const boxOf = (selector: string) =>
      page.evaluate<{ left: number; right: number; bottom: number; isBelowTop: boolean }>(`(() => {
        const { left, right, top, bottom } = document.querySelector("${selector}").getBoundingClientRect();
        return { left, right, bottom, isBelowTop: top > 0 };
      })()`);
    const SHEET = { left: 0, right: 390, bottom: 844, isBelowTop: true };
    beforeEach(() => page.setViewportSize({ width: 390, height: 844 }));

    test.each([
      { opener: "Open menu", surface: "[role=menu]" },
      { opener: "Open popover", surface: ".popover" },
    ])("$opener shows a sheet at the bottom, which a tap beside it closes", async ({ opener, surface }) => {
      await button(page, opener).click();
      expect(await boxOf(surface)).toEqual(SHEET);
      await page.mouse.click(195, 10);
      await expectPoll(() => page.locator(surface).count()).toBe(0);
      expect(problems).toEqual([]);
    });

    test("a menu in a dialog is a sheet above the dialog, which stays open", async () => {
      const menu = page.locator("dialog [role=menu]");
      await button(page, "Open dialog").click();
      for (const close of [() => item(page, "Print").click(), () => page.keyboard.press("Escape")]) {
        await button(page, "Actions").click();
        expect(await boxOf("dialog [role=menu]")).toEqual(SHEET);
        await close();
        await expectPoll(() => menu.count()).toBe(0);
        await expectPoll(focusedName).toBe("Actions");
        expect(await page.locator("dialog[open]").count()).toBe(1);
      }
      expect(problems).toEqual([]);
    });
  });

  test("keep their roles, names and states", async () => {
    expect(await page.locator("#toolbar-sample").ariaSnapshot()).toBe(
      [
        '- toolbar "Table":',
        '  - button "Filter 2" [pressed]',
        '  - button "Columns"',
        '  - button "Undo"',
        '  - button "Redo" [disabled]',
      ].join("\n"),
    );
    await button(page, "Open menu").click();
    expect(await page.getByRole("menu").ariaSnapshot()).toBe(
      [
        "- menu:",
        '  - menuitem "Rename"',
        '  - menuitem "Insert row above Clear the sort to insert rows at a position" [disabled]',
        '  - menuitem "Help"',
        '  - menuitem "Delete table"',
      ].join("\n"),
    );
    await item(page, "Rename").click();
    await button(page, "Open confirmation").click();
    expect(await page.getByRole("dialog").ariaSnapshot()).toBe(
      [
        '- dialog "Delete Bicycle shop orders permanently?":',
        "  - banner:",
        '    - heading "Delete Bicycle shop orders permanently?" [level=2]',
        '    - button "Close"',
        "  - paragraph: 5 tables with 2,136 rows and 12 files. This cannot be undone.",
        "  - contentinfo:",
        '    - button "Cancel"',
        '    - button "Delete Bicycle shop orders"',
        "  - status",
        '  - region "Messages"',
      ].join("\n"),
    );
  });

  test("speak through the one live region, also within a dialog", async () => {
    const spoken = () => page.locator("#live-region").textContent();
    await button(page, "Show toast").click();
    await shownText(page, "Name changed.").waitFor();
    await expectPoll(spoken).toBe("Name changed.");
    await button(page, "Show problem").click();
    await expectPoll(spoken).toBe("The server does not respond.");
    await button(page, "Open form").click();
    await button(page, "Rename").click();
    await shownText(page.locator("dialog"), "Another document has this name.").waitFor();
    await expectPoll(() => page.locator("dialog #live-region").textContent()).toBe("Another document has this name.");
    expect(await liveRegions(page)).toEqual(["p#live-region"]);
    // Typed input asks before it is discarded.
    await page.getByLabel("Name", { exact: true }).fill("Other");
    await page.keyboard.press("Escape");
    await shownText(page, "Discard your changes?").waitFor();
    await press(page, "Escape", "Escape");
    expect(problems).toEqual([]);
  });

  test("name icons by tooltips, at once on focus, hidden by Escape, and say why a control is disabled", async () => {
    const tooltip = page.locator(".tooltip");
    await button(page, "Filter 2").focus();
    await press(page, "End", "ArrowLeft");
    await expectPoll(() => tooltip.textContent()).toBe("Undo");
    await press(page, "ArrowRight");
    await expectPoll(() => tooltip.textContent()).toBe("Nothing to redo");
    await press(page, "Escape");
    await expectPoll(() => tooltip.count()).toBe(0);
    expect(await focusedName()).toBe("Redo");
    await button(page, "Undo").hover();
    await expectPoll(() => tooltip.textContent()).toBe("Undo");
    await button(page, "Filter 2").hover();
    await expectPoll(() => tooltip.count()).toBe(0);
  });
});
