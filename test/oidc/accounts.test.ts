import { describe, expect, test } from "bun:test";
import { addUser } from "../../src/services/accounts/users.ts";
import { without } from "./attack.ts";
import { oidcSite, type OidcSite, type OidcSiteOptions } from "./oidc-site.ts";

const IDENTITIES = "select issuer, subject, user_id as userId, provider, email from identities order by subject";

async function adasSite(options: OidcSiteOptions = {}) {
  const t = await oidcSite(options);
  const ada = await addUser(t.app.ctx, { email: "ada@example.com", name: "Ada", password: "correct horse" });
  const signInByPassword = async (email: string) => {
    const browser = t.browser();
    await browser.post("/sign-in", { email, password: "correct horse" });
    return browser;
  };
  /** Follows the profile's link to a provider. */
  const connect = async (browser: ReturnType<OidcSite["browser"]>, name: "keycloak" | "other" = "keycloak") => {
    const { html } = await browser.get("/profile");
    const path = new RegExp(`/sign-in/oidc/${name}/start\\?link=[\\w-]+`).exec(html)?.[0] ?? "";
    const { to } = await browser.get(path);
    const provider = name === "other" ? t.other : t.provider;
    return browser.get(provider.authorize(to ?? "").href);
  };
  return { ...t, ada, signInByPassword, connect };
}

describe("an account that is connected", () => {
  test("stays with its user when the address changes at the provider, and here", async () => {
    await using t = await adasSite();
    await t.signIn();
    t.provider.account = { sub: "1", email: "vito@example.com", email_verified: true, name: "Other" };
    t.app.ctx.home.users.change(t.ada.id, { displayEmail: "new@example.com" });
    const { browser } = await t.signIn();
    expect(await t.userOf(browser)).toBe("new@example.com");
    expect(t.app.ctx.home.raw.all(IDENTITIES)).toEqual([
      { issuer: t.provider.issuer, subject: "1", userId: t.ada.id, provider: "keycloak", email: "ada@example.com" },
    ]);
  });

  test("may be one of several of its user", async () => {
    await using t = await adasSite();
    await t.signIn();
    t.other.account = { sub: "1", email: "ada@example.com", email_verified: true };
    const { browser } = await t.signIn(undefined, "other");
    expect(await t.userOf(browser)).toBe("ada@example.com");
    expect(t.app.ctx.home.identities.list(t.ada.id)).toHaveLength(2);
  });

  test("has each sign-in start a session of its own, whatever session the browser had (fixation)", async () => {
    await using t = await adasSite();
    const browser = t.browser();
    browser.setCookie("quern_session", "f".repeat(64));
    await t.signIn(browser);
    const first = browser.cookie("quern_session")?.value;
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(first).not.toBe("f".repeat(64));
    const { browser: second } = await t.signIn();
    expect(second.cookie("quern_session")?.value).not.toBe(first);
  });

  test("completes an invited user with the name of the provider", async () => {
    await using t = await oidcSite();
    const doc = await t.must<number>("POST", "/api/orgs/team/workspaces", { name: "W" });
    await t.must("PATCH", `/api/workspaces/${doc}/access`, { delta: { users: { "ada@example.com": "viewers" } } });
    const invited = t.app.ctx.home.users.byEmail("ada@example.com");
    expect(invited?.name).toBe("");
    t.provider.account.name = "  Ada\u0000 \u202eKern\n";
    const { browser } = await t.signIn();
    expect(await t.userOf(browser)).toBe("ada@example.com");
    expect(t.app.ctx.home.users.byEmail("ada@example.com")).toMatchObject({ id: invited?.id ?? 0, name: "Ada Kern" });
  });
});

describe("addresses", () => {
  test.each<[string, Record<string, string>, Record<string, unknown>]>([
    ["unverified, of a trusted provider", { TRUST_EMAIL: "true" }, { email_verified: false }],
    ["of any domain", { ALLOWED_DOMAINS: "*" }, { email: "ada@elsewhere.example" }],
    ["of the second domain", { ALLOWED_DOMAINS: "a.example, @Elsewhere.Example" }, { email: "ada@elsewhere.example" }],
    ["in capitals", {}, { email: "ADA@EXAMPLE.COM" }],
  ])("%s are accepted", async (_, settings, account) => {
    await using t = await oidcSite({ settings: { CREATE_USERS: "true", ...settings } });
    Object.assign(t.provider.account, account);
    const { browser } = await t.signIn();
    expect(await t.userOf(browser)).toBe(String(t.provider.account.email));
  });

  test("connect nothing without allowed domains", async () => {
    await using t = await adasSite({ settings: { ALLOWED_DOMAINS: "" } });
    const { page } = await t.signIn();
    expect(page.status).toBe(403);
  });

  test("and names come from the user info endpoint if the token has none", async () => {
    await using t = await oidcSite({ settings: { CREATE_USERS: "true" } });
    t.provider.behaviour = {
      claims: (claims) => without("name")(without("email_verified")(without("email")(claims))),
    };
    const { browser } = await t.signIn();
    expect(await t.userOf(browser)).toBe("ada@example.com");
    expect(t.app.ctx.home.users.byEmail("ada@example.com")?.name).toBe("Ada from the provider");
  });
});

describe("on the profile", () => {
  test("an administrator connects an account with another address, and signs in with it", async () => {
    await using t = await adasSite();
    t.app.ctx.home.users.change(t.ada.id, { isAdmin: true });
    t.provider.account = { sub: "admin", email: "private@elsewhere.example" };
    expect((await t.signIn()).page.status).toBe(403);
    const ada = await t.signInByPassword("ada@example.com");
    const session = ada.cookie("quern_session")?.value;
    const page = await t.connect(ada);
    expect(page.to).toBe("http://quern.test/profile?done=identity#identities");
    expect(ada.cookie("quern_session")?.value).toBe(session);
    const { html } = await ada.get("/profile?done=identity");
    expect(html).toContain("Account connected.");
    expect(html).toContain("private@elsewhere.example");
    expect(await t.userOf((await t.signIn()).browser)).toBe("ada@example.com");
  });

  test("an account of another user is refused", async () => {
    await using t = await adasSite();
    await t.signIn();
    await addUser(t.app.ctx, { email: "eve@example.com", name: "Eve", password: "correct horse" });
    const eve = await t.signInByPassword("eve@example.com");
    const before = t.home();
    const page = await t.connect(eve);
    expect([page.status, page.html.includes("This account is connected to another user.")]).toEqual([400, true]);
    expect(t.home()).toEqual(before);
  });

  test.each<[string, (t: Awaited<ReturnType<typeof adasSite>>) => Promise<number>]>([
    [
      "that another session began",
      async (t) => {
        const [attacker, ada] = [
          await t.signInByPassword("eve@example.com"),
          await t.signInByPassword("ada@example.com"),
        ];
        const path =
          /\/sign-in\/oidc\/keycloak\/start\?link=[\w-]+/.exec((await attacker.get("/profile")).html)?.[0] ?? "";
        return (await ada.get(path)).status;
      },
    ],
    [
      "without the value of the page",
      async (t) =>
        (await (await t.signInByPassword("ada@example.com")).get("/sign-in/oidc/keycloak/start?link=")).status,
    ],
    [
      "after signing out",
      async (t) => {
        const ada = await t.signInByPassword("ada@example.com");
        const path = /\/sign-in\/oidc\/keycloak\/start\?link=[\w-]+/.exec((await ada.get("/profile")).html)?.[0] ?? "";
        const { to } = await ada.get(path);
        await ada.post("/sign-out");
        return (await ada.get(t.provider.authorize(to ?? "").href)).status;
      },
    ],
    [
      "after signing in as another user",
      async (t) => {
        const ada = await t.signInByPassword("ada@example.com");
        const path = /\/sign-in\/oidc\/keycloak\/start\?link=[\w-]+/.exec((await ada.get("/profile")).html)?.[0] ?? "";
        const { to } = await ada.get(path);
        await ada.post("/sign-out");
        await ada.post("/sign-in", { email: "eve@example.com", password: "correct horse" });
        return (await ada.get(t.provider.authorize(to ?? "").href)).status;
      },
    ],
  ])("a connection %s is refused", async (_, attack) => {
    await using t = await adasSite();
    await addUser(t.app.ctx, { email: "eve@example.com", name: "Eve", password: "correct horse" });
    t.provider.account = { sub: "attacker", email: "attacker@elsewhere.example" };
    expect(await attack(t)).toBe(400);
    expect(t.app.ctx.home.raw.all(IDENTITIES)).toEqual([]);
  });

  test("an account is disconnected, unless it is the last way to sign in", async () => {
    await using t = await oidcSite({ settings: { CREATE_USERS: "true" } });
    const { browser } = await t.signIn();
    const idIn = (html: string) => /name="id" value="([0-9a-f]{16})"/.exec(html)?.[1] ?? "";
    const id = idIn((await browser.get("/profile")).html);
    const refused = await browser.post("/profile/identities/disconnect", { id });
    expect([refused.status, refused.html.includes("This is your last way to sign in.")]).toEqual([400, true]);
    await browser.post("/profile/password", { next: "correct horse" });
    const done = await browser.post("/profile/identities/disconnect", { id });
    expect([done.status, done.to]).toEqual([303, "http://quern.test/profile?done=disconnected"]);
    expect(t.app.ctx.home.raw.all(IDENTITIES)).toEqual([]);
    expect((await browser.post("/profile/identities/disconnect", { id })).status).toBe(404);
  });

  test("an account of another user is not found", async () => {
    await using t = await adasSite();
    const { browser } = await t.signIn();
    await addUser(t.app.ctx, { email: "eve@example.com", name: "Eve", password: "correct horse" });
    const eve = await t.signInByPassword("eve@example.com");
    const id = /name="id" value="([0-9a-f]{16})"/.exec((await browser.get("/profile")).html)?.[1] ?? "";
    expect(id).not.toBe("");
    expect((await eve.post("/profile/identities/disconnect", { id })).status).toBe(404);
    expect(t.app.ctx.home.raw.all(IDENTITIES)).toHaveLength(1);
  });
});

describe("groups of the claim", () => {
  const settings = { CREATE_USERS: "true", GROUPS_CLAIM: "groups" };
  async function groupsSite() {
    const t = await oidcSite({ settings });
    const { groups } = t.app.ctx.home;
    for (const name of ["sales", "support", "ops"]) groups.add({ name, managedBy: "keycloak" });
    groups.change(groups.byName("ops")?.id ?? 0, { externalId: "4f1d" });
    groups.add({ name: "board", managedBy: null });
    groups.add({ name: "partners", managedBy: "other" });
    const signInWith = async (claim: unknown) => {
      t.provider.account["groups"] = claim;
      const { page } = await t.signIn();
      expect(page.status).toBe(303);
      const id = t.app.ctx.home.users.byEmail("ada@example.com")?.id ?? 0;
      return groups
        .list()
        .filter((group) => groups.membersOf(group.id).some(({ userId }) => userId === id))
        .map(({ name }) => name);
    };
    return { ...t, signInWith };
  }

  test("set the membership in groups of this provider, at each sign-in", async () => {
    await using t = await groupsSite();
    expect(await t.signInWith(["sales", "board", "partners", "unknown"])).toEqual(["sales"]);
    expect(await t.signInWith(["support", "4f1d"])).toEqual(["support", "ops"]);
    expect(await t.signInWith("sales")).toEqual(["sales"]);
    expect(await t.signInWith([])).toEqual([]);
    expect(await t.signInWith([{ name: "sales" }, 7])).toEqual([]);
    await t.signInWith(["sales"]);
    expect(await t.signInWith(undefined)).toEqual([]);
    expect(t.app.ctx.home.groups.list().map(({ name }) => name)).toEqual([
      "sales",
      "support",
      "ops",
      "board",
      "partners",
    ]);
  });

  test("leave memberships of other groups", async () => {
    await using t = await groupsSite();
    await t.signInWith([]);
    const { groups, users } = t.app.ctx.home;
    groups.addMember(groups.byName("board")?.id ?? 0, users.byEmail("ada@example.com")?.id ?? 0);
    expect(await t.signInWith(["sales"])).toEqual(["sales", "board"]);
  });
});
