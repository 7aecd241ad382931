import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectPoll } from "../helpers/expect-poll.ts";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/observability/log.ts";
import { recordAudit } from "../../src/services/audit/record-audit.ts";
import { addUser, disableUser, insertUser } from "../../src/services/accounts/users.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { grantOf } from "../helpers/users.ts";
import { expectAccessible } from "./accessible.ts";
import { CHROMIUM, inBrowser, type Site, type Visit } from "./browser.ts";
import { makeDocument } from "./calls.ts";
import { button, shownText } from "./controls.ts";
import { expectHarmless, HOSTILE_NAME } from "./hostile.ts";
import { type Scene, setScene } from "./scene.ts";
import { ADA, adasApp, PASSWORD, Visitor } from "./visitor.ts";

const PLACES = [
  "",
  "/users",
  "/users/add",
  "/users/1",
  "/jobs",
  "/groups",
  "/groups/1",
  "/providers",
  "/documents",
  "/audit",
  "/audit/download",
  "/errors",
  "/backups",
  "/settings",
].map((path) => `/admin${path}`);
const ROOT = { email: "root@example.com", name: "Root", password: PASSWORD, isAdmin: true };

describe("administration", () => {
  test("is for administrators only; others get Access denied and no menu entry", async () => {
    await using t = await adasApp();
    for (const path of PLACES) {
      const refused = await t.ada.get(path);
      expect([path, refused.status, refused.html.includes("administrators of the installation")]).toEqual([
        path,
        403,
        true,
      ]);
      expect(refused.html).not.toContain(">Administration<");
      const stranger = await new Visitor(t.app).get(path);
      expect([stranger.status, stranger.to]).toEqual([303, `/sign-in?next=${encodeURIComponent(path)}`]);
    }
    const { id } = await addUser(t.app.ctx, ROOT);
    const { id: own } = t.app.ctx.home.users.byEmail(ADA.email) ?? { id: 0 };
    for (const path of [
      `/admin/users/${id}/disable`,
      `/admin/users/${id}/reset`,
      `/admin/users/${id}/end-sessions`,
      `/admin/users/${id}/remove`,
      `/admin/users/${own}/make-administrator`,
      "/admin/users",
      "/admin/groups",
      "/admin/providers/keycloak/test",
      "/admin/groups/1/add",
      "/admin/groups/1/delete",
      "/admin/jobs/email-1/cancel",
      "/admin/jobs/backup/retry",
      "/admin/backups",
    ]) {
      expect([path, (await t.ada.post(path, { email: "new@example.com" })).status]).toEqual([path, 403]);
    }
    const { users } = t.app.ctx.home;
    expect([users.byId(id)?.disabledAt, users.byId(own)?.isAdmin]).toEqual([null, false]);
    expect(users.byEmail("new@example.com")).toBeNull();
    // Whether a user exists is not told either.
    const [known, unknown] = [await t.ada.get(`/admin/users/${id}`), await t.ada.get("/admin/users/999999")];
    expect(known.html.replaceAll(String(id), "")).toBe(
      unknown.html.replaceAll("999999", "").replaceAll(String(id), ""),
    );
    expect(t.app.ctx.home.raw.all("select * from tokens")).toEqual([]);
  });

  test("accepts forms only from its own pages", async () => {
    await using t = await adasApp();
    await addUser(t.app.ctx, ROOT);
    const root = new Visitor(t.app);
    await root.signIn(ROOT);
    const ada = t.app.ctx.home.users.byEmail(ADA.email)?.id;
    const refused = await root.post(`/admin/users/${ada}/disable`, {}, { Origin: "http://evil.example" });
    expect(refused.status).toBe(403);
    expect((await t.ada.get("/profile")).status).toBe(200);
  });

  test("shows errors on the page of the form", async () => {
    await using t = await adasApp();
    const { id } = await addUser(t.app.ctx, ROOT);
    const root = new Visitor(t.app);
    await root.signIn(ROOT);
    const cases: [string, number, string][] = [
      [`/admin/users/${id}/disable`, 400, "Administrators cannot disable themselves."],
      ["/admin/users/9999/reset", 404, "User not found."],
      [`/admin/users/${id}/withdraw-administrator`, 400, "This is the last administrator."],
      [`/admin/users/${id}/remove`, 400, "Administrators cannot delete themselves here."],
      ["/admin/jobs/email-99/cancel", 404, "The job does not exist, or has ended."],
      ["/admin/jobs/webhook-1/retry", 400, "This is not possible for a job of this kind."],
      ["/admin/backups", 400, "Backups are not configured: set QUERN_BACKUP_TO."],
    ];
    for (const [path, status, text] of cases) {
      const reply = await root.post(path);
      expect([
        path,
        reply.status,
        reply.html.includes(`<p class="note problem" tabindex="-1" autofocus="">${text}`),
      ]).toEqual([path, status, true]);
    }
    expect((await root.post("/admin/users/x/disable")).status).toBe(404);
    expect((await root.post(`/admin/users/${id}/unicorn`)).status).toBe(404);
    expect((await root.get("/admin/users/9999")).status).toBe(404);
    // Forms lead back to pages of users only.
    for (const back of ["https://evil.example/", "//evil.example", "/admin/users/1/../../../x", "/profile"]) {
      const { to } = await root.post(`/admin/users/${id}/end-sessions`, { back });
      expect([back, to]).toEqual([back, `/admin/users?done=end-sessions&user=${id}`]);
      await root.signIn(ROOT);
    }
    expect((await root.get("/admin/users?done=constructor")).html).not.toContain('class="note');
  });

  test("downloads the entries of the audit log that match the filters", async () => {
    await using t = await adasApp();
    await addUser(t.app.ctx, ROOT);
    const root = new Visitor(t.app);
    await root.signIn(ROOT);
    const { html } = await root.get("/admin/audit?event=user&user=root@example.com");
    expect(html).toContain('href="/admin/audit/download?event=user&amp;user=root%40example.com"');
    const { headers, html: lines } = await root.get("/admin/audit/download?event=user&user=root@example.com");
    expect(headers.get("content-disposition")).toBe('attachment; filename="audit-log.ndjson"');
    const events = lines
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { event: string }).event);
    expect(events).toEqual(["user.created", "user.administrator_changed"]);
    expect((await root.get("/admin/audit/download")).html.trim().split("\n").length).toBeGreaterThan(2);
  });

  test("lists changed settings without secrets", async () => {
    const folder = tempFolder();
    const env = {
      QUERN_S3_ACCESS_KEY: "AKIA123",
      QUERN_S3_SECRET_KEY: "hush",
      QUERN_S3_ENDPOINT: "https://s3.example",
    };
    const app = createApp(
      readConfig({ data: folder, "backup-to": "s3://quern/b", "trusted-proxies": "10.0.0.0/8" }, env),
    );
    try {
      await addUser(app.ctx, ROOT);
      const root = new Visitor(app);
      await root.signIn(ROOT);
      const { html } = await root.get("/admin/settings");
      expect(html).not.toMatch(/AKIA123|hush/);
      const [given = "", defaults = ""] = html.split(">Defaults<");
      for (const text of ["QUERN_S3_SECRET_KEY", "set, not shown", "https://s3.example", "10.0.0.0/8"]) {
        expect(given).toContain(text);
      }
      expect(defaults).toContain("QUERN_SQL_TIMEOUT_MS");
      expect(defaults).not.toContain("QUERN_S3_SECRET_KEY");
    } finally {
      await app.close();
    }
  });
});

describe.skipIf(!CHROMIUM)(inBrowser("an administrator"), () => {
  let site: Site;
  let openWindow: Scene["openWindow"];
  let root: Visit;
  let page: Page;
  const backups = tempFolder();
  const begin = async (scene: Scene) => {
    ({ site, openWindow } = scene);
    root = await openWindow();
    page = root.page;
  };
  setScene(begin, {
    flags: { "backup-to": backups },
    log: createLog({ write() {} }),
    people: [ROOT, ADA],
  });
  beforeEach(async () => {
    await root.reset();
    await root.signIn(ROOT.email);
  });

  test("opens the overview from the menu", async () => {
    await page.goto("/");
    await page.locator("header summary").click();
    await page.getByRole("link", { name: "Administration" }).click();
    await shownText(page, "warnings and errors since the start").waitFor();
    await expectAccessible(page);
    await expectPoll(() => page.locator("main .figure h2 a").allInnerTexts()).toEqual([
      "Users",
      "Documents",
      "Failed jobs",
      "Recent errors",
      "Last backup",
      "Email",
    ]);
    await page.getByRole("link", { name: "Users" }).last().click();
    await page.getByText(ADA.email).waitFor();
    expect(root.problems).toEqual([]);
  });

  test("searches a user and creates a password link, which the user signs in with", async () => {
    await page.goto("/admin/users");
    await page.getByRole("searchbox", { name: "Search users" }).fill("lovelace");
    await page.keyboard.press("Enter");
    await shownText(page, "1 found").waitFor();
    await page.getByLabel(`Actions for ${ADA.email}`).click();
    await button(page, `Reset password ${ADA.email}`).click();
    const link = await page.getByLabel("Link to set a new password").inputValue();
    expect(link.startsWith(`${site.address}/reset-password?token=`)).toBe(true);
    await expectAccessible(page);
    await page.reload();
    await expectPoll(() => page.getByRole("searchbox", { name: "Search users" }).inputValue()).toBe("lovelace");

    const later = await page.getByLabel("Link to set a new password").inputValue();
    await using ada = await openWindow();
    await ada.page.goto(link);
    await ada.page.getByText("This link has expired").first().waitFor();
    await ada.page.goto(later);
    await expectAccessible(ada.page);
    await ada.page.getByLabel("New password").fill("a new password");
    await button(ada.page, "Set password").click();
    await ada.page.waitForURL("/");
    await ada.page.goto(later);
    await ada.page.getByText("This link has expired").first().waitFor();
    expect([...root.problems, ...ada.problems]).toEqual([]);
  });

  test("disables a user, who is signed out, and enables them again", async () => {
    await using ada = await openWindow();
    await ada.signIn();
    await ada.page.goto("/profile");
    await page.goto("/admin/users?q=lovelace");
    await page.getByLabel(`Actions for ${ADA.email}`).click();
    await button(page, `Disable ${ADA.email}`).click();
    await shownText(page, "User disabled").waitFor();
    expect(page.url()).toContain("q=lovelace");
    await ada.page.reload();
    await ada.page.waitForURL("/sign-in?next=%2Fprofile");
    await page.getByLabel(`Actions for ${ADA.email}`).click();
    await button(page, `Enable ${ADA.email}`).click();
    await shownText(page, "can sign in again").waitFor();
    await page.getByRole("searchbox", { name: "Search users" }).fill("unicorn");
    await page.keyboard.press("Enter");
    await shownText(page, "No results").waitFor();
    expect([...root.problems, ...ada.problems]).toEqual([]);
  });

  test("lists all documents by size, with links to accessible ones only", async () => {
    await using ada = await openWindow();
    await ada.signIn();
    await makeDocument(ada, "Plans of Ada");
    await makeDocument(root, "Own plans");
    await page.goto("/admin/documents?q=plans");
    await shownText(page, "2 found").waitFor();
    expect(await page.getByRole("link", { name: "Plans of Ada" }).count()).toBe(0);
    await expectPoll(() => page.getByText(/^\d+ KB$/).count()).toBe(2);
    await expectAccessible(page);
    await page.getByRole("link", { name: "Own plans" }).click();
    await page.waitForURL("/docs/**");
    expect(root.problems).toEqual([]);
  });

  test("filters the audit log and turns its pages", async () => {
    const { ctx } = site.app;
    ctx.home.transaction(() => {
      for (let n = 1; n <= 120; n++) {
        const details = { host: `n${n}.example.com` };
        recordAudit(ctx, { event: "webhook.changed", actor: "server", details, count: n === 120 ? 3 : 1 });
      }
    });
    const hosts = () => page.locator(".audit-entries dd").allInnerTexts();
    const shown = (first: number) =>
      expectPoll(hosts).toEqual(Array.from({ length: 50 }, (_, n) => `n${first - n}.example.com`));
    await page.goto("/admin");
    await page.getByRole("link", { name: "Audit log" }).click();
    await shownText(page, "3 times").waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.getByLabel("Event").isVisible()).toBe(false);
    await page.getByText("Filters", { exact: true }).click();
    await page.getByLabel("Event").selectOption("webhook");
    await button(page, "Apply filters").click();
    await shown(120);
    await shownText(page, "Filters (1)").waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("link", { name: "Older" }).click();
    await shown(70);
    await page.getByRole("link", { name: "Older" }).click();
    await expectPoll(async () => (await hosts()).at(-1)).toBe("n1.example.com");
    expect(await page.getByRole("link", { name: "Older" }).count()).toBe(0);
    await page.getByRole("link", { name: "Newer" }).click();
    await shown(70);
    await page.getByRole("link", { name: "Newer" }).click();
    await shown(120);
    expect(await page.getByRole("link", { name: "Newer" }).count()).toBe(0);
    await page.getByLabel("Event").selectOption("session.started");
    await page.getByLabel("Email address of the actor").fill(ROOT.email);
    await page.getByLabel("From (UTC)").fill("2001-01-01");
    await button(page, "Apply filters").click();
    await page.locator(".audit-entries .name").first().waitFor();
    expect(await page.locator(".audit-entries small").first().innerText()).toContain(ROOT.email);
    await page.getByLabel("To (UTC)").fill("2001-01-02");
    await button(page, "Apply filters").click();
    await shownText(page, "No results").waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Clear filters" }).click();
    await shownText(page, "3 times").waitFor();
    expect(root.problems).toEqual([]);
  });

  test("creates a backup and shows it when finished", async () => {
    await page.goto("/admin/backups");
    // The server creates the first one automatically.
    await button(page, "Back up now").waitFor({ timeout: 50_000 });
    const before = await page.locator("#points-title + .entries > li").count();
    await button(page, "Back up now").click();
    await page.getByText("A backup is running.").first().waitFor();
    await expectAccessible(page);
    await shownText(page, "The backup has finished.").waitFor({ timeout: 50_000 });
    await expectPoll(() => page.locator("#points-title + .entries > li").count()).toBe(before + 1);
    await expectPoll(() => page.locator("pre").textContent()).toContain(`quern restore --from ${backups} --backup 20`);
    await expectAccessible(page);
    expect(root.problems).toEqual([]);
  });

  test("lists jobs, retries and cancels a message", async () => {
    const { ctx } = site.app;
    const message = { messageId: "m1", kind: "other", content: "{}", expiresAt: Date.now() + 3_600_000 };
    ctx.home.emails.add({ ...message, recipient: HOSTILE_NAME });
    const [{ id } = { id: 0 }] = ctx.home.emails.list(1);
    ctx.home.emails.recordFailure(id, { attempts: 2, nextAttemptAt: Date.now() + 60_000, error: HOSTILE_NAME });
    await page.goto("/admin");
    await page.getByRole("link", { name: "Jobs" }).first().click();
    await shownText(page, "2 attempts").waitFor();
    await shownText(page, "Backup").first().waitFor();
    await expectHarmless(page);
    await expectAccessible(page);
    const menu = page.getByRole("row").filter({ hasText: "Email message" }).locator("summary");
    await menu.focus();
    await page.keyboard.press("Enter");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Cancel Email message" }).focus();
    await page.keyboard.press("Enter");
    await shownText(page, "Job cancelled.").waitFor();
    expect(ctx.home.emails.list(9)).toEqual([]);
    expect(root.problems).toEqual([]);
  });

  test("shows errors and settings, and hostile names as text", async () => {
    const { ctx } = site.app;
    ctx.home.transaction(() => insertUser(ctx, { email: "eve@example.com", name: HOSTILE_NAME, hash: null }));
    disableUser(ctx, grantOf(ctx, ROOT.email), ctx.home.users.byEmail("eve@example.com")?.id ?? 0);
    await makeDocument(root, HOSTILE_NAME);
    ctx.log.error(HOSTILE_NAME, { [HOSTILE_NAME]: HOSTILE_NAME, error: `first line\n${HOSTILE_NAME}`, n: [1, null] });
    const shown = async (path: string, times: number) => {
      await page.goto(path);
      await page.getByText(HOSTILE_NAME).first().waitFor();
      await expectPoll(() => page.getByText(HOSTILE_NAME, { exact: true }).count()).toBe(times);
      await expectHarmless(page);
      await expectAccessible(page);
    };
    await shown("/admin/users", 1);
    await shown("/admin/documents", 1);
    await shown("/admin/errors", 4);
    await page.getByText("first line").click();
    await expectAccessible(page);
    await page.goto(`/admin/users?q=${encodeURIComponent(HOSTILE_NAME)}`);
    await expectPoll(() => page.getByRole("searchbox", { name: "Search users" }).inputValue()).toBe(HOSTILE_NAME);
    await expectHarmless(page);
    await page.goto("/admin/settings");
    await shownText(page, "QUERN_BACKUP_TO").waitFor();
    await expectAccessible(page);
    expect(root.problems).toEqual([]);
  });
});
