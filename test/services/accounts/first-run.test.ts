import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { actorFromSession } from "../../../src/services/accounts/actors.ts";
import {
  completeFirstRun,
  isFirstRunToken,
  issueFirstRunToken,
  writeFirstRunLink,
} from "../../../src/services/accounts/first-run.ts";
import { DAY } from "../../helpers/clock.ts";
import { signInByPassword } from "../../helpers/sign-in.ts";
import { homeContext } from "../../helpers/home-context.ts";
import { createUser, errorCodeOf, BROWSER } from "../../helpers/users.ts";

const first = { email: "Ann@Example.com", name: "Ann", password: "correct horse" };

describe("the first run", () => {
  test("creates an administrator with a personal site, signed in", async () => {
    using ctx = homeContext();
    const token = issueFirstRunToken(ctx) ?? "";
    expect(isFirstRunToken(ctx, token)).toBe(true);
    const session = await completeFirstRun(ctx, { ...first, token }, BROWSER);
    expect(actorFromSession(ctx, session.token)).toMatchObject({
      email: "ann@example.com",
      name: "Ann",
      isAdmin: true,
    });
    expect(
      ctx.home.raw.all(
        `select o.name as site, w.name as workspace, w.max_inherited_role as inherits, u.display_email as email
         from orgs o join workspaces w on w.org_id = o.id join users u on u.id = o.owner_id`,
      ),
    ).toEqual([{ site: "Personal", workspace: "Home", inherits: "owners", email: "Ann@Example.com" }]);
    const again = await signInByPassword(ctx, { email: "ann@example.com", password: first.password, ...BROWSER });
    expect(again.userId).toBe(session.userId);
  });

  test("is over once there is a user", async () => {
    using ctx = homeContext();
    const token = issueFirstRunToken(ctx) ?? "";
    await completeFirstRun(ctx, { ...first, token }, BROWSER);
    expect(isFirstRunToken(ctx, token)).toBe(false);
    expect(await errorCodeOf(() => completeFirstRun(ctx, { ...first, token, email: "b@example.com" }, BROWSER))).toBe(
      "forbidden",
    );
    expect(issueFirstRunToken(ctx)).toBeNull();
  });

  test("succeeds for one of two concurrent attempts", async () => {
    using ctx = homeContext();
    const token = issueFirstRunToken(ctx) ?? "";
    const both = ["a@example.com", "b@example.com"].map((email) =>
      errorCodeOf(() => completeFirstRun(ctx, { ...first, token, email }, BROWSER)),
    );
    expect(new Set(await Promise.all(both))).toEqual(new Set(["forbidden", null]));
    expect(ctx.home.users.list()).toHaveLength(1);
  });

  test("is over when a user was created by other means", async () => {
    using ctx = homeContext();
    const token = issueFirstRunToken(ctx) ?? "";
    createUser(ctx, "bob@example.com");
    expect(isFirstRunToken(ctx, token)).toBe(false);
    expect(await errorCodeOf(() => completeFirstRun(ctx, { ...first, token }, BROWSER))).toBe("forbidden");
  });

  test.each([
    ["a wrong token", { token: "0".repeat(64) }, "forbidden"],
    ["no token", { token: "" }, "forbidden"],
    ["an address that is none", { email: "ann" }, "invalid"],
    ["an empty name", { name: " " }, "invalid"],
    ["a short password", { password: "short" }, "invalid"],
    ["an address that stands for everybody", { email: "everyone@getgrist.com" }, "conflict"],
  ])("refuses %s, and can be tried again", async (_, wrong, code) => {
    using ctx = homeContext();
    const token = issueFirstRunToken(ctx) ?? "";
    expect(await errorCodeOf(() => completeFirstRun(ctx, { ...first, token, ...wrong }, BROWSER))).toBe(code);
    expect(ctx.home.users.list()).toEqual([]);
    expect(await errorCodeOf(() => completeFirstRun(ctx, { ...first, token }, BROWSER))).toBeNull();
  });

  test("has one valid token at a time, for a week", () => {
    using ctx = homeContext();
    const old = issueFirstRunToken(ctx) ?? "";
    const token = issueFirstRunToken(ctx) ?? "";
    expect([isFirstRunToken(ctx, old), isFirstRunToken(ctx, token)]).toEqual([false, true]);
    ctx.clock.pass(7 * DAY);
    expect(isFirstRunToken(ctx, token)).toBe(false);
  });

  test("writes its link with owner-only permissions, and removes it afterwards", () => {
    using ctx = homeContext();
    const path = join(ctx.folder, "first-run-link");
    writeFileSync(path, "old", { mode: 0o644 });
    const link = writeFirstRunLink(ctx, "http://127.0.0.1:8080", path) ?? "";
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:8080\/first-run\?token=[0-9a-f]{64}$/);
    expect(readFileSync(path, "utf8")).toBe(`${link}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(isFirstRunToken(ctx, new URL(link).searchParams.get("token") ?? "")).toBe(true);
    createUser(ctx, "ann@example.com");
    expect(writeFirstRunLink(ctx, "http://127.0.0.1:8080", path)).toBeNull();
    expect(existsSync(path)).toBe(false);
  });
});
