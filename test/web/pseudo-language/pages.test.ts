import { describe, expect, test } from "bun:test";
import type { BrowserContext, Page } from "playwright-core";
import { makeSample, type Sample } from "../../../scripts/screenshots/sample.ts";
import { PSEUDO_LANGUAGE } from "../../../src/web/texts/pseudo.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { CHROMIUM, inBrowser, type Site, type Visit } from "../browser.ts";
import { type Scene, setScene } from "../scene.ts";
import { SCENES } from "./all-scenes.ts";
import { makeKinds } from "./kinds.ts";
import type { PseudoSample, PseudoScene } from "./scenes.ts";
import { overflowing, untranslated } from "./untranslated.ts";

/** Wide enough for all columns of a table, since the grid draws only the visible ones. */
const DESKTOP = { width: 2600, height: 800 };
const NEWCOMER = { email: "nora@example.com", name: "Nora" };
const PHONE = { width: 390, height: 844 };

describe.skipIf(!CHROMIUM)(inBrowser("in the pseudo-language"), () => {
  let scene: Scene;
  let site: Site;
  let sample: PseudoSample;
  setScene(
    async (set) => {
      scene = set;
      ({ site } = set);
      const bakery = await makeSample(site.app, site.address);
      sample = { ...bakery, kindsId: await makeKinds(bakery, site.address) };
    },
    { flags: { "backup-to": tempFolder(), "backup-every": "1d" }, people: [NEWCOMER] },
  );

  /** Opens a window in the language; a page for each scene, since some of them replace answers of the server. */
  async function open({ path, isPublic = false, isNewcomer = false, open: prepare }: PseudoScene): Promise<Visit> {
    const visit = await scene.openWindow({
      viewport: DESKTOP,
      extraHTTPHeaders: { "Accept-Language": PSEUDO_LANGUAGE },
    });
    if (isNewcomer) await visit.signIn(NEWCOMER.email);
    else if (!isPublic) await signIn(visit.context, site, sample);
    await visit.page.goto(path(sample));
    await prepare?.(visit.page, sample, () => check(visit.page));
    return visit;
  }

  async function check(page: Page): Promise<void> {
    expect(await untranslated(page)).toEqual([]);
    await page.setViewportSize(PHONE);
    // Grids and toolbars fit themselves to the window before the next frame is painted.
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    expect(await overflowing(page)).toEqual([]);
    await page.setViewportSize(DESKTOP);
  }

  test.each(SCENES.map(({ name }) => name))("%s: all texts are from the catalogue and fit a phone", async (name) => {
    const found = SCENES.find((each) => each.name === name);
    if (!found) throw new Error(`no scene ${name}`);
    await using visit = await open(found);
    const { page, problems } = visit;
    await check(page);
    expect(problems.filter((each) => !/ERR_CONNECTION_REFUSED/.test(each))).toEqual([]);
  });

  test("untranslated texts are found wherever people read them", async () => {
    await using visit = await open({ name: "trash", path: () => "/trash" });
    const { page } = visit;
    await page.evaluate(`(() => {
      document.title = "Trash";
      const main = document.querySelector("main");
      main.append("A text");
      const button = document.createElement("button");
      for (const name of ["aria-label", "title"]) button.setAttribute(name, name + " ⟦in part⟧");
      const select = document.createElement("select");
      select.append(new Option("An option"));
      const input = document.createElement("input");
      input.placeholder = "A placeholder";
      const hidden = document.createElement("p");
      hidden.hidden = true;
      hidden.textContent = "Hidden";
      const data = document.createElement("p");
      data.translate = false;
      data.append("Data", Object.assign(document.createElement("b"), { title: "Data too" }));
      main.append(button, select, input, hidden, data);
    })()`);
    const found = (await untranslated(page)).map((each) => each.replace(/ in .*/, "").replace(/ ⟦.*/, ""));
    expect(found).toEqual([
      "text “A text”",
      "aria-label “aria-label",
      "title “title",
      "text “An option”",
      "placeholder “A placeholder”",
      "text “Hidden”",
      "title “Trash”",
    ]);
  });

  test("texts that are cut, and pages that are too wide, are found", async () => {
    await using visit = await open({ name: "trash", path: () => "/trash" });
    const { page } = visit;
    await page.setViewportSize(PHONE);
    expect(await overflowing(page)).toEqual([]);
    await page.evaluate(`(() => {
      const cut = document.createElement("p");
      cut.textContent = "⟦cut off⟧";
      Object.assign(cut.style, { width: "20px", overflow: "hidden", whiteSpace: "nowrap" });
      const wide = document.createElement("p");
      wide.textContent = "⟦wide⟧";
      wide.style.width = "500px";
      document.querySelector("main").append(cut, wide);
    })()`);
    const found = await overflowing(page);
    expect(found).toContain("“⟦cut off⟧” is cut by p");
    expect(found.some((each) => each.startsWith("the page is "))).toBe(true);
  });
});

describe.skipIf(!CHROMIUM)(inBrowser("in the pseudo-language, before the first user exists"), () => {
  let scene: Scene;
  setScene((set) => {
    scene = set;
    return Promise.resolve();
  });

  test("the setup has all texts from the catalogue and fits a phone", async () => {
    await using visit = await scene.openWindow({
      viewport: PHONE,
      extraHTTPHeaders: { "Accept-Language": PSEUDO_LANGUAGE },
    });
    for (const path of ["/first-run", "/first-run?token=wrong", scene.site.firstRunLink() ?? ""]) {
      await visit.page.goto(path);
      expect([path, await untranslated(visit.page), await overflowing(visit.page)]).toEqual([path, [], []]);
    }
    await visit.page.locator("input[name=password]").waitFor();
  });
});

const signIn = (context: BrowserContext, { address }: Site, { session }: Sample): Promise<void> =>
  context.addCookies([{ name: "quern_session", value: session, url: address, sameSite: "Lax" }]);
