/** Times of last use and of changes on the nodes of a cluster. */
import { describe, expect, test } from "bun:test";
import { noteWriter } from "../../../src/composition/replication.ts";
import { systemTimers } from "../../../src/lib/time/timers.ts";
import { silentLog } from "../../../src/lib/observability/log.ts";
import { systemClock } from "../../../src/lib/time/clock.ts";
import { type CachedCaller, LastUses } from "../../../src/services/accounts/identity.ts";
import { LastVisits } from "../../../src/services/documents/last-visits.ts";
import { type Notes, writeNotes } from "../../../src/services/notes.ts";
import { MINUTE, TestClock } from "../../helpers/clock.ts";
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

  test("about visits of documents get from each node to the owner, and are seen on all", async () => {
    await using pair = await startPair();
    const { owner, replica } = pair;
    const uuids = ["0c1b5e7c-8f0e-4b4b-9d52-000000000001", "0c1b5e7c-8f0e-4b4b-9d52-000000000002"] as const;
    await owner.change((home) => {
      const orgId = home.orgs.createPersonal(home.users.byEmail("ada@example.com")?.id ?? 0);
      const workspaceId = home.workspaces.add({ orgId, name: "Work" });
      for (const uuid of uuids) home.documents.add({ uuid, workspaceId, name: "Sample" });
    });
    await replica.replication.freshHome();
    const userId = owner.home.users.byEmail("ada@example.com")?.id ?? 0;
    // As between servers, which send JSON.
    replica.replication.setNoteSender(async (notes) =>
      writeNotes(owner.home, JSON.parse(JSON.stringify(notes)) as Notes),
    );
    const clock = new TestClock();
    for (const [at, { home, replication }] of [owner, replica].entries()) {
      const write = noteWriter(home, replication);
      const lastVisits = new LastVisits({ write, clock, timers: systemTimers, log: silentLog });
      clock.pass(MINUTE);
      lastVisits.record(userId, uuids[at] ?? "");
      expect(lastVisits.pendingOf(userId).length).toBe(1);
      lastVisits.flush();
      expect(lastVisits.pendingOf(userId)).toEqual([]);
      await owner.replication.settled(owner.replication.homeTerm());
    }
    await replica.replication.freshHome();
    for (const node of [owner, replica]) {
      expect(node.home.visits.listOf(userId).map(({ uuid }) => uuid)).toEqual([uuids[1], uuids[0]]);
    }
    await owner.change((home) => home.documents.remove(home.documents.listAll(userId)[0]?.id ?? 0));
    await replica.replication.freshHome();
    expect(replica.home.visits.listOf(userId).length).toBe(1);
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
