import { describe, expect, test } from "bun:test";
import { anonymous } from "../../../src/authorization.ts";
import { AppError, forbidden } from "../../../src/errors.ts";
import { actorFromSession } from "../../../src/services/accounts/actors.ts";
import { describeProfile, renameSelf, setLocale } from "../../../src/services/accounts/profile.ts";
import { selectUser, describeSession } from "../../../src/services/accounts/session.ts";
import { startSession } from "../../../src/services/accounts/sign-in.ts";
import { homeContext } from "../../helpers/home-context.ts";
import { createUser, errorCodeOf, BROWSER } from "../../helpers/users.ts";

describe("the profile", () => {
  test("shows the address as written, and changes", async () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "Ann@Example.com");
    const { userId: id, ref } = ann.actor;
    expect(describeProfile(ctx, ann.actor)).toEqual({
      id,
      email: "Ann@Example.com",
      name: "Ann",
      picture: null,
      ref,
      allowGoogleLogin: false,
    });
    renameSelf(ctx, ann, "Änn");
    setLocale(ctx, ann, "de-CH");
    expect(describeProfile(ctx, ann.actor)).toMatchObject({ name: "Änn", locale: "de-CH" });
    setLocale(ctx, ann, null);
    expect(describeProfile(ctx, ann.actor)).not.toHaveProperty("locale");
    expect(await errorCodeOf(() => renameSelf(ctx, ann, " "))).toBe("invalid");
  });

  test("of anonymous callers is marked as such", () => {
    using ctx = homeContext();
    expect(describeProfile(ctx, anonymous)).toMatchObject({ name: "Anonymous", anonymous: true });
  });
});

describe("the session", () => {
  test("has the site, or the reason for its absence", () => {
    using ctx = homeContext();
    const { actor } = createUser(ctx, "ann@example.com");
    expect(describeSession(ctx, actor, () => "site")).toMatchObject({
      user: { name: "ann" },
      org: "site",
      orgError: null,
    });
    expect(describeSession(ctx, actor, () => null)).toMatchObject({ org: null, orgError: null });
    const refused = describeSession(ctx, actor, () => {
      throw forbidden();
    });
    expect(refused.org).toBeNull();
    expect(refused.orgError).toBeInstanceOf(AppError);
    expect(() =>
      describeSession(ctx, actor, () => {
        throw new Error("a mistake of ours");
      }),
    ).toThrow("a mistake of ours");
  });

  test("has one user, and does not apply to keys", async () => {
    using ctx = homeContext();
    const { actor } = createUser(ctx, "ann@example.com");
    const session = actorFromSession(ctx, startSession(ctx, actor.userId, BROWSER).token) ?? anonymous;
    expect(await errorCodeOf(() => selectUser(session, "ANN@example.com"))).toBeNull();
    expect(await errorCodeOf(() => selectUser(session, "bob@example.com"))).toBe("forbidden");
    expect(await errorCodeOf(() => selectUser({ ...actor, via: "key" }, "ann@example.com"))).toBe("forbidden");
    expect(await errorCodeOf(() => selectUser(anonymous, "anon@getgrist.com"))).toBe("forbidden");
  });
});
