/** States of the pages for users and administrators. */
import type { Page } from "playwright-core";
import { button, dialog, item, problem, shownText } from "../controls.ts";
import { refuse, t, waitForDialog, waitForToast, type PseudoScene } from "./scenes.ts";

const STOCK = "Workshop stock";

const openMenu = (page: Page, label: string) =>
  page
    .locator(`button[aria-label=${JSON.stringify(label)}]`)
    .first()
    .click();
const documentMenu = (page: Page) => openMenu(page, t("base.documents.actionsFor", { name: STOCK }));
const workspaceMenu = (page: Page) => openMenu(page, t("home.workspaceActions", { name: "Home" }));
const siteMenu = (page: Page) => openMenu(page, t("home.siteActions", { name: "Corner Bakery" }));

const newMenu = (page: Page) => page.locator("#new").click();

/** Opens the dialog of a menu. */
const dialogOf = (menu: (page: Page) => Promise<unknown>, action: string) => async (page: Page) => {
  await menu(page);
  await item(page, action).click();
  await waitForDialog(page);
};

/** Waits for the end of a search in rows. */
const searched = (page: Page) => page.locator("#row-results > .bar > p:not(:empty)").waitFor();

const home = (name: string, open?: PseudoScene["open"]): PseudoScene => ({
  name: `home: ${name}`,
  path: () => "/",
  ...(open && { open }),
});

export const HOME_SCENES: readonly PseudoScene[] = [
  home("documents"),
  home("user menu", (page) => page.locator("header summary").click()),
  home("menu of a document", documentMenu),
  home("menu of a workspace", workspaceMenu),
  home("menu of a site", siteMenu),
  home("rename a document", dialogOf(documentMenu, t("home.rename"))),
  home("move a document", dialogOf(documentMenu, t("home.moveTo"))),
  home("moved document", async (page) => {
    await page.route("**/move", (route) => route.fulfill({ json: "moved" }));
    await dialogOf(documentMenu, t("home.moveTo"))(page);
    await button(dialog(page), t("home.move")).click();
    await waitForToast(page);
  }),
  home("duplicate a document", dialogOf(documentMenu, t("home.duplicate"))),
  home("duplicated document", async (page) => {
    await page.route("**/copy", (route) => route.fulfill({ json: "copy" }));
    await dialogOf(documentMenu, t("home.duplicate"))(page);
    await button(dialog(page), t("home.duplicate")).click();
    await waitForToast(page);
  }),
  home("document moved to the trash", async (page) => {
    await page.route("**/remove", (route) => route.fulfill({ json: null }));
    await documentMenu(page);
    await item(page, t("home.trash")).click();
    await waitForToast(page);
  }),
  home("refused move to the trash", async (page) => {
    await refuse(page, "**/remove", { status: 403, code: "access.denied", error: "No access" });
    await documentMenu(page);
    await item(page, t("home.trash")).click();
    await waitForToast(page);
  }),
  home("pin, with a server that is away", async (page) => {
    await page.route("**/pin", (route) => route.abort("connectionrefused"));
    await documentMenu(page);
    await item(page, t("home.pin")).click();
    await waitForToast(page);
  }),
  home("new document", dialogOf(workspaceMenu, t("home.newDocument"))),
  home("new document from a template", async (page) => {
    await dialogOf(workspaceMenu, t("home.newDocument"))(page);
    await dialog(page).getByRole("radio").nth(1).check();
  }),
  home("new document, refused", async (page) => {
    await refuse(page, "**/docs");
    await dialogOf(workspaceMenu, t("home.newDocument"))(page);
    await button(dialog(page), t("home.create")).click();
    await problem(dialog(page)).waitFor();
  }),
  home("new document, discarded", async (page) => {
    await dialogOf(workspaceMenu, t("home.newDocument"))(page);
    await page.keyboard.type("A");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").nth(1).waitFor();
  }),
  home("rename a workspace", dialogOf(workspaceMenu, t("home.rename"))),
  {
    name: "home: move a workspace to the trash",
    path: () => "/o/bakery/",
    open: dialogOf((page) => openMenu(page, t("home.workspaceActions", { name: "Daily work" })), t("home.trash")),
  },
  home("new workspace", dialogOf(siteMenu, t("home.newWorkspace"))),
  home("rename a site", dialogOf(siteMenu, t("home.rename"))),
  home("new site", async (page) => {
    await newMenu(page);
    await item(page, t("home.newSite")).click();
    await waitForDialog(page);
  }),
  home("menu of the view", (page) => page.locator("#view").click()),
  home("grid", async (page, _, check) => {
    await page.locator("#view").click();
    await page.getByRole("menuitemradio", { name: t("home.view.grid") }).click();
    await page.locator("#home[data-view=grid]").waitFor();
    await check();
    await page.context().clearCookies({ name: "quern_documents" });
  }),
  home("menu of new documents", newMenu),
  home("new workspace of several sites", dialogOf(newMenu, t("home.newWorkspace"))),
  home("workspace of a new document", dialogOf(newMenu, t("home.newDocument"))),
  home("imports", async (page, { workspaceId }) => {
    await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(["Bread,Price\\nRye,4.20\\n"], "Prices.csv"));
      data.items.add(new File(["\\u0000\\u0001 not a table"], "Picture.bin"));
      document.querySelector("#workspace-${workspaceId}")
        .dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    })()`);
    await shownText(page, t("home.import.failed")).waitFor();
  }),
  { name: "home: search", path: () => "/?q=stock" },
  {
    name: "home: search without results",
    path: () => "/?q=unicorn",
    open: (page) => searched(page),
  },
  {
    name: "home: rows found",
    path: () => "/?q=northfield",
    async open(page) {
      await page.locator("#row-results li").first().waitFor();
      await searched(page);
    },
  },
  {
    name: "home: rows after a search that took too long",
    path: () => "/",
    async open(page) {
      await page.route("**/search?*", (route) => route.fulfill({ json: { results: [], isComplete: false } }));
      await page.locator("#search").fill("northfield");
      await page.locator("#row-results .document-results").first().waitFor();
      await searched(page);
    },
  },
  {
    name: "home: rows of documents that cannot be searched",
    path: () => "/",
    async open(page) {
      await page.route("**/search?*", (route) => route.abort("connectionrefused"));
      await page.locator("#search").fill("northfield");
      await page.locator("#row-results .note").waitFor();
    },
  },
  { name: "home: a site", path: () => "/o/bakery/" },
  { name: "home: a new site", path: () => "/o/garden/" },
  { name: "home: a workspace", path: ({ workspaceId }) => `/workspaces/${workspaceId}` },
  { name: "trash", path: () => "/trash" },
  {
    name: "trash: delete",
    path: () => "/trash",
    async open(page) {
      await button(page, t("trash.deleteNamed", { name: "Orders 2024" })).click();
      await waitForDialog(page);
    },
  },
  {
    name: "trash: restored",
    path: () => "/trash",
    async open(page) {
      await page.route("**/unremove", (route) => route.fulfill({ json: null }));
      await button(page, t("trash.restoreNamed", { name: "Orders 2024" })).click();
      await waitForToast(page);
    },
  },
];

const profile = (name: string, open: PseudoScene["open"]): PseudoScene => ({
  name: `profile: ${name}`,
  path: () => "/profile",
  ...(open && { open }),
});

export const ACCOUNT_SCENES: readonly PseudoScene[] = [
  { name: "sign in", path: () => "/sign-in", isPublic: true },
  { name: "sign in: session ended", path: () => "/sign-in?ended=yes&next=/profile", isPublic: true },
  {
    name: "sign in: refused",
    path: () => "/sign-in",
    isPublic: true,
    async open(page) {
      await page.getByLabel(t("signIn.email")).fill("nobody@example.com");
      await page.getByLabel(t("signIn.password")).fill("wrong");
      await button(page, t("signIn.submit")).click();
      await problem(page).waitFor();
    },
  },
  { name: "setup is complete", path: () => "/first-run", isPublic: true },
  { name: "reset password", path: ({ resetPath }) => resetPath, isPublic: true },
  { name: "reset password: expired", path: () => "/reset-password?token=old", isPublic: true },
  { name: "page not found", path: () => "/nothing" },
  { name: "document not found", path: () => "/docs/unknown" },
  profile("keys", async (page) => {
    await page.getByLabel(t("profile.keys.label")).fill(`Till ${Date.now()}`);
    await page.getByLabel(t("profile.keys.expiry")).selectOption("30");
    await button(page, t("profile.keys.create")).click();
    await page.getByLabel(t("profile.newKey.label")).waitFor();
  }),
  profile("refused name", async (page) => {
    await page.getByLabel(t("profile.changeName")).fill(" ");
    await button(page, t("profile.save")).click();
    await problem(page).waitFor();
  }),
  profile("new key", async (page) => {
    await button(page, t("profile.api.create")).click();
    await page.getByLabel(t("profile.newKey.label")).waitFor();
  }),
  { name: "profile", path: () => "/profile" },
  ...["name", "key", "revoked", "password"].map((done) => ({
    name: `profile: ${done} changed`,
    path: () => `/profile?done=${done}`,
  })),
];

export const NEWCOMER_SCENES: readonly PseudoScene[] = [
  { name: "newcomer: home", path: () => "/", isNewcomer: true },
  { name: "newcomer: empty trash", path: () => "/trash", isNewcomer: true },
  { name: "newcomer: administration", path: () => "/admin", isNewcomer: true },
  { name: "newcomer: a document of others", path: ({ docId }) => `/docs/${docId}`, isNewcomer: true },
  { name: "newcomer: a site of others", path: () => "/o/bakery/", isNewcomer: true },
];

export const ADMIN_SCENES: readonly PseudoScene[] = [
  ...[
    "",
    "/users",
    "/users?q=ben",
    "/users?q=unicorn",
    "/users?done=disable&user=2",
    "/users?show=withoutSecondFactor&sort=-active",
    "/users?show=disabled",
    "/users/add",
    "/users/999999",
    "/groups",
    "/groups/999",
    "/providers",
    "/jobs",
    "/jobs?done=retry",
    "/documents",
    "/documents?q=unicorn",
    "/errors",
    "/settings",
  ].map((path) => ({ name: `administration${path}`, path: () => `/admin${path}` })),
  {
    name: "administration: link to reset a password",
    path: () => "/admin/users",
    async open(page, _, check) {
      await page.getByLabel(t("base.documents.actionsFor", { name: "ben@example.com" })).click();
      await check();
      await button(page, t("admin.users.resetFor", { email: "ben@example.com" })).click();
      await page.getByLabel(t("admin.reset.link")).waitFor();
    },
  },
  {
    name: "administration: user",
    path: () => "/admin/users?q=ben",
    async open(page, _, check) {
      await page.locator(".rows tbody a.name").click();
      await page.locator("#account-title").waitFor();
      await check();
      await page.locator("#remove").click();
      await page.locator("#removal form").waitFor();
    },
  },
  {
    name: "administration: group",
    path: () => "/admin/groups",
    async open(page, _, check) {
      await page.locator("input[name=name]").fill(`Group ${Date.now()}`);
      await button(page, t("admin.groups.add")).click();
      await page.locator("#members-title").waitFor();
      await check();
      await page.locator("input[name=email]").fill("ben@example.com");
      await button(page, t("admin.groups.addMember")).click();
      await page.locator(".admin-done form").waitFor();
      await page.locator("#removal summary").click();
      await page.locator("#removal form").waitFor();
    },
  },
  {
    name: "administration: link of an invitation",
    path: () => "/admin/users/add",
    async open(page) {
      await page.locator("input[name=email]").fill("zoe@example.com");
      await button(page, t("admin.invite.submit")).click();
      await page.getByLabel(t("admin.invite.link")).waitFor();
    },
  },
  { name: "administration: backups", path: () => "/admin/backups" },
  {
    name: "administration: a backup",
    path: () => "/admin/backups",
    async open(page) {
      await button(page, t("admin.backups.start")).click();
      await waitForToast(page);
    },
  },
];

const reference = (name: string, open: PseudoScene["open"]): PseudoScene => ({
  name: `reference: ${name}`,
  path: () => "/reference/records",
  ...(open && { open }),
});

export const HELP_SCENES: readonly PseudoScene[] = [
  { name: "reference", path: () => "/reference" },
  { name: "reference: without signing in", path: () => "/reference", isPublic: true },
  reference("a group", async (page) => {
    await page.locator("#key-panel button").first().waitFor();
  }),
  reference("paste a key", async (page) => {
    await button(page, t("base.key.paste")).click();
    await page.keyboard.type("not a key");
    await page.keyboard.press("Enter");
    await page.locator(".field-problem").waitFor();
  }),
  reference("create a key", async (page) => {
    await button(page, t("base.key.create")).click();
    await waitForDialog(page);
  }),
  reference("a pasted key", async (page) => {
    await button(page, t("base.key.paste")).click();
    await page.keyboard.type("4f1c0d5e8a7b");
    await page.keyboard.press("Enter");
    await button(page, t("base.key.remove")).waitFor();
  }),
  { name: "help", path: () => "/help" },
  { name: "help: a page", path: () => "/help/webhooks" },
  { name: "help: search", path: () => "/help?q=webhook" },
  { name: "help: search without results", path: () => "/help?q=unicornes" },
];
