import { describe, expect, test } from "bun:test";
import { AUDIT_EVENTS, type AuditEventName } from "../../../src/services/audit/audit-events.ts";
import { pruneAuditLog } from "../../../src/services/audit/prune-audit-log.ts";
import { recordFailure } from "../../../src/services/audit/record-audit.ts";
import { completeWithCode, signIn } from "../../../src/services/second-factor/sign-in-steps.ts";
import { USERS } from "../../helpers/app.ts";
import { TestClock } from "../../helpers/clock.ts";
import { enrolledUser, PASSWORD as FACTOR_PASSWORD } from "../../helpers/second-factor.ts";
import { BROWSER, errorCodeOf } from "../../helpers/users.ts";
import { CASES, type Case, PASSWORD, setPassword, secretOf } from "./event-cases.ts";
import { auditScene, type AuditScene } from "./scene.ts";

const FLAGS = { "webhook-allow": "hooks.example.com", scim: "on" };

describe("an entry", () => {
  test.each(Object.entries(CASES) as [AuditEventName, Case][])(
    "%s",
    async (event, { prepare, run, events = [event] }) => {
      await using scene = await auditScene({ flags: FLAGS });
      await prepare?.(scene);
      const before = (await scene.entries()).at(-1)?.number ?? 0;
      await run(scene);
      const added = (await scene.entries()).filter(({ number }) => number > before);
      expect(added.map((entry) => entry.event)).toEqual([...events]);
      expect(Object.keys(AUDIT_EVENTS)).toContain(event);
      const text = JSON.stringify(added);
      for (const secret of ["secret", ...secretOf(), PASSWORD, "wrong password", ...Object.values(scene.server.keys)]) {
        expect(text).not.toContain(secret);
      }
    },
  );

  test("tells about refusals by the limit of attempts, once for each account", async () => {
    await using scene = await auditScene();
    await setPassword(scene);
    const before = (await scene.entries()).length;
    for (const email of [USERS.owner.email, "nobody@example.com"]) {
      const attempt = () => errorCodeOf(() => signIn(scene.ctx, { ...BROWSER, email, password: "wrong password" }));
      for (let n = 0; n < 200 && (await attempt()) === "unauthenticated"; n++);
      await attempt();
    }
    const added = (await scene.entries())
      .slice(before)
      .map(({ details, target }) => [JSON.parse(details) as object, target !== "{}"]);
    expect(added).toEqual([
      [{ reason: "credentials" }, true],
      [{ reason: "limit" }, true],
      [{ reason: "credentials" }, false],
      [{ reason: "limit" }, false],
    ]);
  });

  test("tells the scopes and limits of a new key", async () => {
    await using scene = await auditScene();
    const limits = { scopes: ["records:read"], restrictions: { documents: [scene.uuid] } };
    await scene.must("POST", "/api/profile/keys", { label: "Limited", ...limits });
    const last = async () => JSON.parse((await scene.entries()).at(-1)?.details ?? "") as object;
    expect(await last()).toEqual({ scopes: ["records:read"], isRestricted: true, hasNetworks: false });
  });

  test("tells the second factor of a sign-in, such as a recovery code", async () => {
    await using scene = await auditScene();
    const { ctx } = scene;
    const { email, recoveryCodes } = await enrolledUser(ctx, "new@example.com");
    const step = await signIn(ctx, { ...BROWSER, email, password: FACTOR_PASSWORD });
    const before = (await scene.entries()).length;
    const pending = step.kind === "session" ? null : step.pending;
    await errorCodeOf(() => completeWithCode(ctx, { pending, code: "aaaa-aaaa" }, BROWSER));
    await completeWithCode(ctx, { pending, code: recoveryCodes[0] ?? "" }, BROWSER);
    const added = (await scene.entries())
      .slice(before)
      .map(({ event, details }) => [event, JSON.parse(details) as object]);
    expect(new Map(added as [string, object][])).toEqual(
      new Map<string, object>([
        ["session.started", { method: "password", factor: "recovery_code" }],
        ["sign_in.failed", { reason: "code" }],
      ]),
    );
    expect(JSON.stringify(await scene.entries())).not.toContain(recoveryCodes[0] ?? "missing");
  });

  test("belongs to the transaction of its change, and exists once for a request that is repeated", async () => {
    await using scene = await auditScene();
    const { server, entries } = scene;
    const before = (await entries()).length;
    expect((await server.call("owner", "POST", "/o/docs/api/orgs", { name: "Bad", domain: "-" })).status).toBe(400);
    expect((await server.call("stranger", "DELETE", scene.doc)).status).toBe(403);
    expect((await entries()).length).toBe(before);
    for (let n = 0; n < 2; n++) {
      const headers = { "Idempotency-Key": "7d1f3c2a-once" };
      await server.call("owner", "POST", "/api/orgs/team/workspaces", { name: "More" }, { headers });
    }
    expect((await entries()).slice(before).map(({ event }) => event)).toEqual(["workspace.created"]);
  });

  test("names the caller, the key, and the document", async () => {
    await using scene = await auditScene();
    await scene.must("PATCH", `${scene.doc}/access`, { delta: { users: { [USERS.editor.email]: "editors" } } });
    const { actor, actorId, keyId, address, target, details } = (await scene.entries()).at(-1) ?? {};
    const [key] = scene.ctx.home.keys.listOf(scene.idOf("owner"));
    expect({ actor, actorId, keyId, address }).toEqual({
      actor: USERS.owner.email,
      actorId: scene.idOf("owner"),
      keyId: key?.id ?? 0,
      address: "127.0.0.1",
    });
    expect(JSON.parse(target ?? "")).toMatchObject({
      user: { id: scene.idOf("editor"), name: USERS.editor.email.toLowerCase() },
      document: { id: scene.uuid, name: "Sample" },
      workspace: { id: scene.workspaceId, name: "Work" },
      site: { name: "Team" },
    });
    expect(JSON.parse(details ?? "")).toEqual({ before: null, after: "editors" });
  });
});

describe("failures", () => {
  const failure = (s: AuditScene, address: string, userId?: number) =>
    recordFailure(s.ctx, {
      event: "sign_in.failed",
      actor: { kind: "anonymous" },
      address,
      details: { reason: "credentials" },
      ...(userId !== undefined && { userId }),
    });

  test("of an account from a network are one entry, and one more with their number", async () => {
    await using scene = await auditScene();
    const before = (await scene.entries()).length;
    for (const suffix of ["1", "2", "3"]) {
      failure(scene, `2001:db8::${suffix}`, scene.idOf("owner"));
      await scene.ctx.audit.flush();
    }
    failure(scene, "192.0.2.1", scene.idOf("owner"));
    failure(scene, "192.0.2.1");
    await scene.ctx.audit.close();
    const added = (await scene.entries()).slice(before);
    expect(added.map(({ address, target, count }) => [address, target !== "{}", count])).toEqual([
      ["2001:db8::1", true, 1],
      ["192.0.2.1", true, 1],
      ["192.0.2.1", false, 1],
      ["2001:db8::1", true, 2],
    ]);
  });

  test("from very many networks are counted together", async () => {
    await using scene = await auditScene();
    const before = (await scene.entries()).length;
    for (let n = 0; n < 1500; n++) failure(scene, `10.0.${n >> 8}.${n & 255}`);
    await scene.ctx.audit.flush();
    await scene.ctx.audit.close();
    const added = (await scene.entries()).slice(before);
    expect(added).toHaveLength(1002);
    const total = added.reduce((sum, { count }) => sum + count, 0);
    expect([total, added.at(-1)?.count, added.at(-1)?.address]).toEqual([1500, 499, null]);
  });
});

test("pruning deletes old entries, and the addresses of entries after 90 days", async () => {
  const clock = new TestClock();
  await using scene = await auditScene({ clock });
  const before = (await scene.entries()).length;
  clock.pass(89 * 864e5);
  await scene.must("PATCH", scene.doc, { name: "Later" });
  clock.pass(2 * 864e5);
  await pruneAuditLog(scene.ctx, { keepDays: 0 });
  const addresses = async () => (await scene.entries()).map(({ address }) => address);
  expect((await addresses()).filter((address) => address !== null)).toHaveLength(1);
  expect(await addresses()).toHaveLength(before + 1);
  await pruneAuditLog(scene.ctx, { keepDays: 90 });
  expect((await scene.entries()).map(({ event }) => event)).toEqual(["document.changed", "audit.pruned"]);
});
