/** Times of last use and of changes on the nodes of a cluster. */
import { describe, expect, test } from "bun:test";
import { noteWriter } from "../../../src/composition/replication.ts";
import { systemTimers } from "../../../src/lib/time/timers.ts";
import { silentLog } from "../../../src/lib/observability/log.ts";
import { systemClock } from "../../../src/lib/time/clock.ts";
import { type CachedCaller, LastUses } from "../../../src/services/accounts/identity.ts";
import { writeNotes } from "../../../src/services/notes.ts";
import { createDatabase, HAS_POSTGRES, POSTGRES_NEEDED } from "../../helpers/postgres.ts";
import { HomeNode } from "./home-node.ts";

const HASH = "a".repeat(64);

const cachedCaller = (): CachedCaller => ({
  actor: {
    kind: "user",
    userId: 1,
    email: "ada@example.com",
    name: "Ada",
    ref: "ada",
    isAdmin: false,
    isService: false,
    via: "session",
  },
  isDisabled: false,
  expiresAt: null,
  keyId: null,
});

/** An owner and a replica of a home with one user, who has a session. */
async function startPair() {
  const url = await createDatabase();
  const owner = await HomeNode.start({ url });
  await owner.change(({ users }) => users.add({ email: "ada@example.com", name: "Ada", kind: "person" }));
  await owner.addSession(HASH);
  const replica = await HomeNode.start({ url });
  return {
    owner,
    replica,
    async [Symbol.asyncDispose]() {
      await replica.stop();
      await owner.stop();
    },
  };
}

const lastUsesOf = ({ home, replication }: HomeNode) =>
  new LastUses({ write: noteWriter(home, replication), clock: systemClock, timers: systemTimers, log: silentLog });

const expiryOn = ({ home }: HomeNode) => home.callers.bySession(HASH)?.expiresAt;

describe.skipIf(!HAS_POSTGRES)(`notes${POSTGRES_NEEDED}`, () => {
  test("of the owner are written there, and those of a replica get to the owner", async () => {
    await using pair = await startPair();
    const { owner, replica } = pair;
    replica.replication.setNoteSender(async (notes) => writeNotes(owner.home, notes));
    for (const [node, expiresAt] of [
      [owner, 4_000_000_000_000],
      [replica, 4_100_000_000_000],
    ] as const) {
      const lastUses = lastUsesOf(node);
      lastUses.extendSession(cachedCaller(), HASH, expiresAt);
      lastUses.flush();
      expect(expiryOn(owner)).toBe(expiresAt);
      await owner.replication.settled(owner.replication.homeTerm());
      await replica.replication.freshHome();
      expect(expiryOn(replica)).toBe(expiresAt);
    }
  }, 60_000);

  test("of a replica are dropped when the owner cannot be reached: nothing waits, and nothing is tried again", async () => {
    await using pair = await startPair();
    const { replica } = pair;
    let attempts = 0;
    replica.replication.setNoteSender(() => {
      attempts++;
      return Promise.reject(new Error("away"));
    });
    const lastUses = lastUsesOf(replica);
    const before = expiryOn(replica);
    lastUses.extendSession(cachedCaller(), HASH, 4_000_000_000_000);
    lastUses.flush();
    lastUses.flush();
    await lastUses.close();
    expect(attempts).toBe(1);
    expect(expiryOn(replica)).toBe(before);
  }, 60_000);
});
