/** Providers and second factors, as administrators see them. */
import { describe, expect, test } from "bun:test";
import { createKey } from "../../src/services/accounts/keys.ts";
import { grantOf } from "../helpers/users.ts";
import { enrolledUser } from "../helpers/second-factor.ts";
import { oidcSite, type OidcSite } from "./oidc-site.ts";

function rootOf({ app, call }: OidcSite) {
  const key = createKey(app.ctx, grantOf(app.ctx, "root@example.com"), {});
  return (method: string, path: string) =>
    call("anon", method, path, undefined, { headers: { Authorization: `Bearer ${key}` } });
}

describe("GET /api/sign-in", () => {
  test("tells how providers answered, and who has no second factor, without secrets", async () => {
    await using t = await oidcSite({ settings: { CREATE_USERS: "true" } });
    const asRoot = rootOf(t);
    await enrolledUser(t.app.ctx, "erin@example.com");
    const before = (await asRoot("GET", "/api/sign-in")).body;
    expect(before).toMatchObject({
      acceptsPasswords: true,
      requiredSecondFactor: "off",
      people: 6,
      withoutSecondFactor: 5,
    });
    expect(before.providers).toMatchObject([
      {
        name: "keycloak",
        label: "Keycloak",
        hasSecret: true,
        createUsers: true,
        isFailing: false,
        lastSuccessAt: null,
      },
      { name: "other", lastFailure: null },
    ]);
    await t.signIn();
    const { body } = await asRoot("GET", "/api/sign-in");
    expect(body.providers[0]).toMatchObject({ isFailing: false, lastSuccessAt: expect.any(String), lastFailure: null });
    const { clientSecret } = t.app.ctx.oidc.provider("keycloak").settings;
    expect(clientSecret?.length).toBeGreaterThan(3);
    expect(JSON.stringify(body)).not.toContain(clientSecret ?? "?");
  });

  test("tests a provider now, whatever is cached", async () => {
    await using t = await oidcSite();
    const asRoot = rootOf(t);
    const path = "/api/sign-in/providers/keycloak/test";
    expect((await asRoot("POST", path)).body).toMatchObject({ isFailing: false, lastFailure: null });
    t.provider[Symbol.dispose]();
    const failed = (await asRoot("POST", path)).body;
    expect(failed).toMatchObject({ isFailing: true, lastFailure: { error: expect.any(String) } });
    expect((await asRoot("GET", "/api/sign-in")).body.providers[0]).toMatchObject({ isFailing: true });
    expect((await asRoot("POST", "/api/sign-in/providers/unicorn/test")).body.details.code).toBe("provider.not_found");
  });

  test("is for administrators only, and others do not learn which providers exist", async () => {
    await using t = await oidcSite();
    for (const as of ["owner", "anon"] as const) {
      const status = as === "anon" ? 401 : 403;
      expect((await t.call(as, "GET", "/api/sign-in")).status).toBe(status);
      const known = await t.call(as, "POST", "/api/sign-in/providers/keycloak/test");
      const unknown = await t.call(as, "POST", "/api/sign-in/providers/unicorn/test");
      expect([known.status, known.body]).toEqual([status, unknown.body]);
    }
    expect(t.app.ctx.oidc.provider("keycloak").status.lastSuccessAt).toBeNull();
  });
});
