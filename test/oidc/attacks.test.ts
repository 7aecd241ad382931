/**
 * Attacks on the steps of a sign-in, for confidential and public clients: each is refused, starts no session and changes
 * nothing that is stored.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addUser } from "../../src/services/accounts/users.ts";
import { ACCOUNT_ATTACKS } from "./account-attacks.ts";
import { ADA, sealedLinks } from "./attack.ts";
import { CALLBACK_ATTACKS } from "./callback-attacks.ts";
import { oidcSite, type OidcSite } from "./oidc-site.ts";
import { TOKEN_ATTACKS } from "./token-attacks.ts";

const ATTACKS = [...CALLBACK_ATTACKS, ...TOKEN_ATTACKS, ...ACCOUNT_ATTACKS];

describe.each([
  ["a confidential client", true],
  ["a public client", false],
] as const)("with %s, the server refuses", (_, isConfidential) => {
  let t: OidcSite;
  beforeAll(async () => {
    t = await oidcSite({ isConfidential });
    const { ctx } = t.app;
    await addUser(ctx, { email: "ada@example.com", name: "Ada" });
    // Users with the addresses of the attacks: without the check that each is about, they would be signed in.
    for (const email of ["vike@example.com", "ada@evil.example", "ada@mail.example.com", "ada@evilexample.com"]) {
      await addUser(ctx, { email, name: email });
    }
    const dora = await addUser(ctx, { email: "dora@example.com", name: "Dora" });
    const former = await addUser(ctx, { email: "former@example.com", name: "Former" });
    ctx.home.transaction(() => {
      ctx.home.users.add({ email: "robot@example.com", name: "Robot", kind: "service" });
      const identity = { issuer: t.provider.issuer, provider: "keycloak", email: "" };
      ctx.home.identities.add({
        ...identity,
        subject: "emil",
        userId: ctx.home.users.byEmail("emil@example.com")?.id ?? 0,
      });
      ctx.home.identities.add({ ...identity, subject: "disabled", userId: former.id });
      for (const { id } of [dora, former]) ctx.home.users.change(id, { disabledAt: 1 });
    });
    t.other.account = { sub: "2", email: "vito@example.com", email_verified: true };
    const { browser: vito } = await t.signIn(undefined, "other");
    const { html } = await vito.get("/profile");
    sealedLinks.set(t, /start\?link=([\w-]+)/.exec(html)?.[1] ?? "");
  });
  afterAll(() => t[Symbol.asyncDispose]());

  test.each(ATTACKS.map((attack) => [`${attack.step}: ${attack.name}`, attack] as const))(
    "%s",
    async (_name, attack) => {
      t.provider.behaviour = {};
      t.provider.account = ADA;
      const before = t.home();
      const browser = t.browser();
      const page = await attack.run(t, browser);
      expect([page.status, page.html.includes(attack.says) ? attack.says : page.html]).toEqual([
        attack.status,
        attack.says,
      ]);
      expect(page.html).not.toContain("<b>No</b>");
      expect(browser.cookie("quern_session")).toBeUndefined();
      expect(await t.userOf(browser)).toBeNull();
      expect(t.home()).toEqual(before);
    },
  );

  test("nothing of this: the same sign-in without an attack", async () => {
    t.provider.behaviour = {};
    t.provider.account = ADA;
    const { browser } = await t.signIn();
    expect(await t.userOf(browser)).toBe("ada@example.com");
  });
});
