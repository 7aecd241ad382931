import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { anonymous } from "../../../src/authorization.ts";
import { openHome } from "../../../src/home/home.ts";
import { must } from "../../../src/lib/assert.ts";
import { actorFromKey } from "../../../src/services/accounts/actors.ts";
import {
  createKey,
  type ListedKey,
  listKeys,
  profileKey,
  removeProfileKey,
  revokeKey,
} from "../../../src/services/accounts/keys.ts";
import { disableUser, enableUser } from "../../../src/services/accounts/users.ts";
import { MINUTE } from "../../helpers/clock.ts";
import { homeContext } from "../../helpers/home-context.ts";
import { createUser, errorCodeOf } from "../../helpers/users.ts";

describe("the profile key", () => {
  test("has 40 hex digits, is masked afterwards, and only stored as a hash", () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    expect(profileKey(ctx, ann.actor)).toBe("");
    expect(profileKey(ctx, anonymous)).toBe("");
    const key = createKey(ctx, ann, {});
    expect(key).toMatch(/^[0-9a-f]{40}$/);
    expect(profileKey(ctx, ann.actor)).toBe(key.slice(0, 6) + "*".repeat(34));
    ctx.home.raw.exec("pragma wal_checkpoint(truncate)");
    expect(readFileSync(join(ctx.folder, "home.sqlite")).includes(key)).toBe(false);
  });

  test("is replaced only with force, which invalidates the old one", async () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    const first = createKey(ctx, ann, {});
    expect(await errorCodeOf(() => createKey(ctx, ann, {}))).toBe("invalid");
    expect(actorFromKey(ctx, first).email).toBe("ann@example.com");
    const second = createKey(ctx, ann, { force: true });
    expect(await errorCodeOf(() => actorFromKey(ctx, first))).toBe("unauthenticated");
    expect(actorFromKey(ctx, second).userId).toBe(ann.actor.userId);
    removeProfileKey(ctx, ann);
    removeProfileKey(ctx, ann);
    expect(await errorCodeOf(() => actorFromKey(ctx, second))).toBe("unauthenticated");
    expect(createKey(ctx, ann, {})).toMatch(/^[0-9a-f]{40}$/);
  });
});

describe("labelled keys", () => {
  test("are independent of the profile key, and revoked by label or id", async () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    const laptop = createKey(ctx, ann, { label: "laptop" });
    const phone = createKey(ctx, ann, { label: "phone" });
    createKey(ctx, ann, {});
    expect(await errorCodeOf(() => createKey(ctx, ann, { label: "phone" }))).toBe("invalid");
    expect(await errorCodeOf(() => createKey(ctx, ann, { label: " " }))).toBe("invalid");
    removeProfileKey(ctx, ann);
    expect(listKeys(ctx, ann).map(({ label, prefix }) => [label, prefix])).toEqual([
      ["laptop", laptop.slice(0, 6)],
      ["phone", phone.slice(0, 6)],
    ]);
    revokeKey(ctx, ann, { label: "laptop" });
    expect(await errorCodeOf(() => actorFromKey(ctx, laptop))).toBe("unauthenticated");
    const [left] = listKeys(ctx, ann);
    revokeKey(ctx, ann, { id: left?.id ?? 0 });
    expect(await errorCodeOf(() => actorFromKey(ctx, phone))).toBe("unauthenticated");
    expect(await errorCodeOf(() => revokeKey(ctx, ann, { label: null }))).toBe("notFound");
  });

  test("of other users cannot be revoked", async () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    const bob = createUser(ctx, "bob@example.com");
    const key = createKey(ctx, ann, { label: "laptop" });
    const [kept] = listKeys(ctx, ann);
    expect(await errorCodeOf(() => revokeKey(ctx, bob, { id: kept?.id ?? 0 }))).toBe("notFound");
    expect(actorFromKey(ctx, key).email).toBe("ann@example.com");
  });

  test("expire", async () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    const key = createKey(ctx, ann, { label: "short", expiresAt: ctx.clock.now() + MINUTE });
    expect(actorFromKey(ctx, key).via).toBe("key");
    ctx.clock.pass(MINUTE);
    expect(await errorCodeOf(() => actorFromKey(ctx, key))).toBe("unauthenticated");
  });
});

describe("authentication with a key", () => {
  test.each(["", "x", "0".repeat(40), "0".repeat(39), "Z".repeat(40), "a".repeat(64)])("%p is refused", async (key) => {
    using ctx = homeContext();
    createKey(ctx, createUser(ctx, "ann@example.com"), {});
    expect(await errorCodeOf(() => actorFromKey(ctx, key))).toBe("unauthenticated");
  });

  test("returns the caller with current properties", () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "Ann@Example.com", { isAdmin: true });
    const key = createKey(ctx, ann, {});
    const { ref } = ann.actor;
    expect(actorFromKey(ctx, key)).toEqual({
      kind: "user",
      userId: ann.actor.userId,
      email: "ann@example.com",
      name: "Ann",
      ref,
      isAdmin: true,
      isService: false,
      via: "key",
      keyId: expect.any(Number),
    });
    ctx.home.users.change(ann.actor.userId, { name: "Anna" });
    expect(actorFromKey(ctx, key).name).toBe("Anna");
  });

  test("is refused for disabled users, and accepted again when they are enabled", async () => {
    using ctx = homeContext();
    const root = createUser(ctx, "root@example.com", { isAdmin: true });
    const ann = createUser(ctx, "ann@example.com");
    const key = createKey(ctx, ann, {});
    actorFromKey(ctx, key);
    disableUser(ctx, root, ann.actor.userId);
    expect(await errorCodeOf(() => actorFromKey(ctx, key))).toBe("forbidden");
    enableUser(ctx, root, ann.actor.userId);
    expect(actorFromKey(ctx, key).email).toBe("ann@example.com");
  });

  test("sees keys revoked by another process", async () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    const key = createKey(ctx, ann, {});
    actorFromKey(ctx, key);
    using other = openHome(ctx.folder);
    other.keys.remove(other.keys.profileKey(ann.actor.userId)?.id ?? 0);
    await new Promise(setImmediate);
    expect(await errorCodeOf(() => actorFromKey(ctx, key))).toBe("unauthenticated");
  });

  test("records time, address and number of uses outside of the requests", () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    const key = createKey(ctx, ann, {});
    const factsOf = (listed: ListedKey | undefined) => [listed?.lastUsedAt, listed?.lastUsedAddress, listed?.useCount];
    const stored = () => factsOf(ctx.home.keys.listOf(ann.actor.userId)[0]);
    const shown = () => factsOf(listKeys(ctx, ann)[0]);
    const first = ctx.clock.now();
    expect(shown()).toEqual([null, null, 0]);
    actorFromKey(ctx, key, "192.0.2.1");
    expect(stored()).toEqual([null, null, 0]);
    expect(shown()).toEqual([first, "192.0.2.1", 1]);
    ctx.identity.lastUses.flush();
    expect(stored()).toEqual([first, "192.0.2.1", 1]);
    ctx.clock.pass(MINUTE);
    actorFromKey(ctx, key, "192.0.2.1");
    actorFromKey(ctx, key, "192.0.2.2");
    expect(shown()).toEqual([first + MINUTE, "192.0.2.2", 3]);
    void ctx.identity.close();
    expect(stored()).toEqual([first + MINUTE, "192.0.2.2", 3]);
  });

  test("keeps the latest use when servers report in any order", () => {
    using ctx = homeContext();
    const ann = createUser(ctx, "ann@example.com");
    createKey(ctx, ann, {});
    const id = ctx.home.keys.profileKey(ann.actor.userId)?.id ?? 0;
    ctx.home.keys.recordUses([[id, 2000, "192.0.2.2", 3]]);
    ctx.home.keys.recordUses([[id, 1000, "192.0.2.1", 2]]);
    // From a server of an earlier version.
    ctx.home.keys.recordUses([[id, 3000]]);
    const { lastUsedAt, lastUsedAddress, useCount } = must(ctx.home.keys.listOf(ann.actor.userId)[0]);
    expect([lastUsedAt, lastUsedAddress, useCount]).toEqual([3000, "192.0.2.2", 6]);
  });
});
