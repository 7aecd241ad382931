import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { makeSample } from "../../../scripts/screenshots/sample.ts";
import { PSEUDO_LANGUAGE } from "../../../src/web/texts/pseudo.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { violations } from "../accessible.ts";
import { CHROMIUM, inBrowser, type Site, type Visit } from "../browser.ts";
import { SCENES } from "../pseudo-language/all-scenes.ts";
import { makeKinds } from "../pseudo-language/kinds.ts";
import type { PseudoSample, PseudoScene } from "../pseudo-language/scenes.ts";
import { type Scene, setScene } from "../scene.ts";
import { filled, hiddenUntilHover, repeated, tooSmall, tooWide, unseenFocus, zooming } from "./measures.ts";

/** Wide enough for all columns of a table, since the grid draws only the visible ones. */
const DESKTOP = { width: 2600, height: 900 };
const PHONE = { width: 390, height: 844 };
const NEWCOMER = { email: "nora@example.com", name: "Nora" };

/** Sizes of targets in px. */
const FINGER = 44;
const MOUSE = 24;

/** Every page with everything that can be opened on it: menus, panels, dialogs. */
describe.skipIf(!CHROMIUM)(inBrowser("the checklist of pages"), () => {
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

  /** The scenes find controls by their texts in the pseudo-language. */
  async function open({ path, isPublic = false, isNewcomer = false, open: prepare }: PseudoScene): Promise<Visit> {
    const visit = await scene.openWindow({
      viewport: DESKTOP,
      extraHTTPHeaders: { "Accept-Language": PSEUDO_LANGUAGE },
    });
    const cookie = { name: "quern_session", value: sample.session, url: site.address, sameSite: "Lax" as const };
    if (isNewcomer) await visit.signIn(NEWCOMER.email);
    else if (!isPublic) await visit.context.addCookies([cookie]);
    await visit.page.goto(path(sample));
    await prepare?.(visit.page, sample, () => Promise.resolve());
    return visit;
  }

  /** Makes the window one of a phone with a touch screen. */
  async function toPhone({ page, context }: Visit): Promise<void> {
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setTouchEmulationEnabled", { enabled: true });
    await page.setViewportSize(PHONE);
    expect(await page.evaluate<boolean>("matchMedia('(pointer: coarse)').matches")).toBe(true);
  }

  const onDesktop = async (page: Page): Promise<string[]> => [
    ...(await serious(page)),
    ...(await tooWide(page)),
    ...(await repeated(page)),
    ...(await filled(page)),
    ...(await tooSmall(page, MOUSE)),
    ...(await unseenFocus(page)),
  ];

  const onPhone = async (page: Page): Promise<string[]> => [
    ...(await tooWide(page)),
    ...(await filled(page)),
    ...(await hiddenUntilHover(page)),
    ...(await zooming(page)),
    ...(await tooSmall(page, FINGER)),
  ];

  test.each(SCENES.map(({ name }) => name))("%s", async (name) => {
    const found = SCENES.find((each) => each.name === name);
    if (!found) throw new Error(`no scene ${name}`);
    await using visit = await open(found);
    const { page, problems } = visit;
    const desktop = await onDesktop(page);
    await toPhone(visit);
    const phone = await onPhone(page);
    const failures = problems.filter((each) => !each.includes("ERR_CONNECTION_REFUSED"));
    expect({ desktop, phone, failures }).toEqual({ desktop: [], phone: [], failures: [] });
  });
});

/** In the pseudo-language no label is a part of another one. */
const RULES = { "label-content-name-mismatch": { enabled: false } };

const serious = async (page: Page): Promise<string[]> =>
  (await violations(page, { rules: RULES })).filter((each) => /^(serious|critical)/.test(each));
