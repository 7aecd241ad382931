import { beforeEach, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { violations } from "./accessible.ts";
import { CHROMIUM, inBrowser, startSite, visit, type Visit } from "./browser.ts";
import { call, listed, makeDocument } from "./calls.ts";
import { problem, shownText } from "./controls.ts";
import { type Scene, setScene } from "./scene.ts";
import { ADA, PASSWORD } from "./visitor.ts";

/** Opens a page, or brings it into a state. */
type Way = (visit: Visit) => Promise<unknown>;

const signedIn: Way = async (ada) => {
  await ada.signIn();
  await ada.page.goto("/profile");
};

const withoutKey: Way = async (ada) => {
  await signedIn(ada);
  const revoke = ada.page.getByRole("button", { name: /^Revoke/ });
  if ((await revoke.count()) > 0) await revoke.click();
  const remove = ada.page.getByRole("button", { name: "Delete" });
  if ((await remove.count()) === 0) return;
  await remove.click();
  await ada.page.goto("/profile");
};

/** Leaves the current session only. */
async function signOutOthers(page: Page): Promise<void> {
  const others = page.getByRole("button", { name: "Sign out all other browsers" });
  if ((await others.count()) > 0) {
    await others.click();
    await shownText(page, "All other browsers are signed out.").waitFor();
  }
  await page.goto("/profile");
}

const withKey: Way = async (ada) => {
  await withoutKey(ada);
  await ada.page.getByRole("button", { name: "Create", exact: true }).click();
};

const home: Way = async (ada) => {
  await ada.signIn();
  await ada.page.goto("/");
};

/** Home with a pinned document. */
const homeWithDocument: Way = async (ada) => {
  await ada.signIn();
  const [workspace] = await listed(ada);
  const name = "A document with a name that is longer than a phone is wide";
  if (workspace?.docs.length === 0) {
    await call(ada, "POST", `/api/workspaces/${workspace.id}/docs`, { name, isPinned: true });
  }
  await ada.page.goto("/");
  await ada.page.locator("tbody tr").first().waitFor();
};

/** A new document. */
async function documentOf(ada: Visit): Promise<string> {
  await ada.signIn();
  return makeDocument(ada, "Stock");
}

const WAYS: Record<string, Way> = {
  "sign in": ({ page }) => page.goto("/sign-in"),
  "sign in, refused": async ({ page }) => {
    await page.goto("/sign-in");
    await page.getByLabel("Email").fill("nobody@example.com");
    await page.getByLabel("Password").fill("wrong");
    await page.keyboard.press("Enter");
    await problem(page).waitFor();
  },
  "first run, used up": ({ page }) => page.goto("/first-run"),
  profile: signedIn,
  "profile with a new key": withKey,
  "profile with a key": async (ada) => {
    await withKey(ada);
    await ada.page.goto("/profile?done=name");
  },
  "profile with a key for a program": async (ada) => {
    await signedIn(ada);
    const key = ada.page.getByRole("button", { name: /^Revoke/ });
    if ((await key.count()) > 0) return;
    await ada.page.getByLabel("Label of the new key").fill("W".repeat(100));
    await ada.page.getByRole("button", { name: "Create key" }).click();
    await key.waitFor();
  },
  "profile, password refused": async (ada) => {
    await signedIn(ada);
    await ada.page.getByLabel("Current password").fill("wrong");
    await ada.page.getByLabel("New password").fill(PASSWORD);
    await ada.page.keyboard.press("Enter");
    await problem(ada.page).waitFor();
  },
  "profile of a long name": async (ada) => {
    await signedIn(ada);
    await ada.page.getByLabel("Change name").fill("W".repeat(200));
    await ada.page.keyboard.press("Enter");
    await ada.page.getByRole("status").waitFor();
  },
  home,
  "home with a document": homeWithDocument,
  "home with a menu open": async (ada) => {
    await homeWithDocument(ada);
    await ada.page
      .getByRole("button", { name: /^Actions for A document/ })
      .last()
      .click();
  },
  "home with the menu of the header open": async (ada) => {
    await home(ada);
    await ada.page.locator("header summary").click();
  },
  "home with a dialog open": async (ada) => {
    await homeWithDocument(ada);
    await ada.page
      .getByRole("button", { name: /^Actions for A document/ })
      .last()
      .click();
    await ada.page.getByRole("menuitem", { name: "Duplicate" }).click();
  },
  "home, searched in vain": async (ada) => {
    await homeWithDocument(ada);
    await ada.page.getByLabel("Search documents and rows").fill("unicorn");
  },
  "home with imports": async (ada) => {
    await home(ada);
    await ada.page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(["A\\n1\\n"], "${"W".repeat(60)}.csv"));
      data.items.add(new File(["\\u0000"], "Photo.bin"));
      const options = { dataTransfer: data, bubbles: true, cancelable: true };
      document.querySelector("[data-workspace]").dispatchEvent(new DragEvent("drop", options));
    })()`);
    await shownText(ada.page, "import failed").waitFor();
  },
  "the trash": async (ada) => {
    await homeWithDocument(ada);
    await ada.page
      .getByRole("button", { name: /^Actions for A document/ })
      .last()
      .click();
    await ada.page.getByRole("menuitem", { name: "Move to trash" }).click();
    await ada.page.locator(".toast").waitFor();
    expect(await violations(ada.page)).toEqual([]);
    await ada.page.goto("/trash");
    await ada.page.locator(".removed").waitFor();
  },
  "the trash, empty": async (ada) => {
    await ada.signIn();
    await ada.page.goto("/trash");
  },
  "the history of a document": async (ada) => {
    const doc = await documentOf(ada);
    await ada.page.goto(`/docs/${doc}/history`);
    await ada.page.locator(".states li").first().waitFor();
  },
  "a state of a document": async (ada) => {
    const doc = await documentOf(ada);
    const actions = [["AddRecord", "Table1", null, { A: "Oak" }]];
    const { actionNum } = await call<{ actionNum: number }>(ada, "POST", `/api/docs/${doc}/apply`, actions);
    await ada.page.goto(`/docs/${doc}/history/${actionNum}`);
    await ada.page.locator("ins").first().waitFor();
  },
  "nothing here": ({ page }) => page.goto("/nothing"),
  reference: ({ page }) => page.goto("/reference"),
  "reference of sites, unfolded": async ({ page }) => {
    await page.goto("/reference/orgs");
    await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
  },
};

const widthOf = (page: Page) => page.evaluate<number>("document.documentElement.scrollWidth");

describe.skipIf(!CHROMIUM)(inBrowser("pages"), () => {
  let browser: Browser;
  // One window for all, since opening one takes longer than checking a page.
  let at: Visit;
  const begin = async (scene: Scene) => {
    ({ browser } = scene);
    at = await scene.openWindow();
  };
  setScene(begin, { people: [ADA] });
  beforeEach(() => at.reset());

  const check = async (way: Way, visit: Visit) => {
    const { page } = visit;
    await way(visit);
    expect(await page.evaluate<string>("document.compatMode")).toBe("CSS1Compat");
    const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    expect(await violations(page)).toEqual([]);
    const light = await ground();
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await ground()).not.toBe(light);
    // Only the contrast check depends on the colour scheme.
    expect(await violations(page, { runOnly: ["color-contrast"] })).toEqual([]);
    await expectPoll(() => widthOf(page)).toBe(1280);
    await page.setViewportSize({ width: 320, height: 640 });
    await expectPoll(() => widthOf(page)).toBe(320);
    expect(visit.problems).toEqual([]);
  };

  test.each(Object.keys(WAYS))("%s: accessible in light and dark, fits desktop and phone", (name) =>
    check(WAYS[name] ?? signedIn, at),
  );

  test("first run: accessible in light and dark, fits desktop and phone", async () => {
    await using empty = startSite();
    await using there = await visit(browser, empty);
    await check(({ page }) => page.goto(empty.firstRunLink() ?? ""), there);
  });

  /** The focused element, and whether its focus ring is visible. */
  const focused = (page: Page) =>
    page.evaluate<{ name: string; isSeen: boolean }>(`(() => {
      const { activeElement: at } = document;
      const isEntry = at.role === "treeitem";
      const { outlineStyle, outlineWidth } = getComputedStyle(isEntry ? at.querySelector(".entry") : at);
      const name = at.labels?.[0]?.firstChild.textContent || at.innerText || at.ariaLabel || at.name;
      const { left, width } = at.getBoundingClientRect();
      const isRing = outlineStyle === "solid" && outlineWidth === (isEntry ? "2px" : "3px");
      return { name, isSeen: isRing && left >= 0 && width > 0 };
    })()`);

  const walk = async (page: Page, steps: number) => {
    const names: string[] = [];
    for (let i = 0; i < steps; i++) {
      await page.keyboard.press("Tab");
      const { name, isSeen } = await focused(page);
      names.push(isSeen ? name : `${name} (unseen)`);
    }
    return names;
  };

  test("Tab reaches all controls of the profile, with a visible focus", async () => {
    await withoutKey(at);
    await signOutOthers(at.page);
    // The entries of the sidebar are one stop, with a ring inside of their edge.
    expect(await walk(at.page, 17)).toEqual([
      "Skip to the content",
      "Quern",
      "Close sidebar",
      "Profile",
      "Search documents and rows",
      expect.any(String),
      "Change name",
      "Save",
      "API",
      "guide to the API",
      "Create",
      "Label of the new key",
      "Expires after",
      "Create key",
      "Limit the key",
      "Current password",
      "New password",
    ]);
  });

  test("the sign-in page focuses the first empty field", async () => {
    await at.page.goto("/sign-in");
    expect(await focused(at.page)).toEqual({ name: "Email", isSeen: true });
    expect(await walk(at.page, 2)).toEqual(["Password", "Sign in"]);
  });

  test("the skip link skips the header", async () => {
    await at.page.goto("/reference");
    await at.page.keyboard.press("Tab");
    await at.page.keyboard.press("Enter");
    expect(await walk(at.page, 2)).toEqual(["profile", "guide to the API"]);
  });
});
