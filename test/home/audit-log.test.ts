import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type AuditRow, CHAIN_START, type ChainLink, ChainVerifier } from "../../src/home/identity/audit-chain.ts";
import { ENTRIES_AFTER, LAST_CHECKPOINT, type NewAuditEntry } from "../../src/home/identity/audit-log.ts";
import { homeContext } from "../helpers/home-context.ts";

const ENTRY: NewAuditEntry = {
  time: 0,
  event: "key.created",
  actorId: 7,
  actor: "anna@example.org",
  keyId: null,
  address: "192.0.2.1",
  target: { key: { id: 3, name: "Script" } },
  details: { scopes: ["a", "b"] },
  count: 1,
};

/** Returns a log of five entries, and access to its file past the store. */
function fiveEntries() {
  const t = homeContext();
  for (const time of [1000, 2000, 3000, 4000, 5000]) t.home.audit.append([{ ...ENTRY, time }]);
  const file = new Database(join(t.folder, "home.sqlite"));
  const rows = () => file.query(ENTRIES_AFTER).all(0, 100) as AuditRow[];
  /** Returns the number of the first entry that does not continue the chain; null if there is none. */
  const firstBad = (): number | null => {
    const verifier = new ChainVerifier((file.query(LAST_CHECKPOINT).get() as ChainLink | null) ?? CHAIN_START);
    return rows().find((row) => !verifier.accepts(row))?.number ?? null;
  };
  const tamper = (sql: string) => {
    file.run("drop trigger audit_entries_no_update; drop trigger audit_entries_no_delete");
    file.run(sql);
  };
  return {
    ...t,
    rows,
    firstBad,
    tamper,
    file,
    [Symbol.dispose]: () => {
      file.close();
      t[Symbol.dispose]();
    },
  };
}

describe("the chain", () => {
  test("is valid for entries as they were appended", () => {
    using t = fiveEntries();
    expect(t.rows().map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    expect(t.firstBad()).toBeNull();
    expect(t.home.audit.last()).toEqual({ number: 5, hash: t.rows().at(-1)?.hash ?? "" });
  });

  test.each([
    ["number", "update audit_entries set number = 9 where number = 5", 9],
    ["time", "update audit_entries set time = time + 1 where number = 3", 3],
    ["event", "update audit_entries set event = 'key.deleted' where number = 3", 3],
    ["actor id", "update audit_entries set actor_id = null where number = 3", 3],
    ["actor", "update audit_entries set actor = 'bob@example.org' where number = 3", 3],
    ["key", "update audit_entries set key_id = 1 where number = 3", 3],
    ["address", "update audit_entries set address = '192.0.2.2' where number = 3", 3],
    ["digest", "update audit_entries set address_digest = null where number = 3", 3],
    ["address without its salt", "update audit_entries set address_salt = null where number = 3", 3],
    ["salt without its address", "update audit_entries set address = null where number = 3", 3],
    ["target", "update audit_entries set target = '{}' where number = 3", 3],
    ["details", "update audit_entries set details = '{}' where number = 3", 3],
    ["count", "update audit_entries set count = 2 where number = 3", 3],
    ["hash", "update audit_entries set hash = '00' where number = 3", 3],
    ["deleted entry", "delete from audit_entries where number = 3", 4],
    ["deleted first entry", "delete from audit_entries where number = 1", 2],
    [
      "inserted entry",
      `insert into audit_entries (number, time, event, hash) select 6, time, event, hash from audit_entries where number = 5`,
      6,
    ],
    [
      "exchanged entries",
      `update audit_entries set number = 100 where number = 2; update audit_entries set number = 2 where number = 3;
       update audit_entries set number = 3 where number = 100`,
      2,
    ],
    ["checkpoint with another hash", "insert into audit_checkpoints values (2, 0, 'x')", 1],
  ])("finds a change: %s", (_, sql, bad) => {
    using t = fiveEntries();
    t.tamper(sql);
    expect(t.firstBad()).toBe(bad);
  });

  test("does not find entries that are missing at the end, as the documentation says", () => {
    using t = fiveEntries();
    t.tamper("delete from audit_entries where number > 3");
    expect(t.firstBad()).toBeNull();
  });
});

describe("the database refuses", () => {
  test.each([
    "update audit_entries set actor = null where number = 3",
    "update audit_entries set address = 'x' where number = 3",
    "update audit_entries set address = null where number = 3",
    "update audit_entries set number = 30 where number = 3",
    "delete from audit_entries where number = 3",
    "delete from audit_entries",
  ])("%s", (sql) => {
    using t = fiveEntries();
    expect(() => t.file.run(sql)).toThrow("entries of the audit log cannot be");
    expect(t.rows()).toHaveLength(5);
  });
});

describe("pruning", () => {
  test("leaves a checkpoint that the chain starts from", () => {
    using t = fiveEntries();
    const [, , third] = t.rows();
    expect(t.home.audit.prune(4000, 100)).toBe(3);
    expect(t.rows().map(({ number }) => number)).toEqual([4, 5]);
    expect(t.file.query(LAST_CHECKPOINT).get()).toEqual({ number: 3, hash: third?.hash ?? "" });
    expect(t.firstBad()).toBeNull();
    expect(t.home.audit.prune(4000, 100)).toBe(0);
  });

  test("of all entries continues numbers and hashes", () => {
    using t = fiveEntries();
    const last = t.home.audit.last();
    expect(t.home.audit.prune(6000, 100)).toBe(5);
    expect(t.home.audit.last()).toEqual(last);
    t.home.audit.append([ENTRY]);
    expect(t.rows().map(({ number }) => number)).toEqual([6]);
    expect(t.firstBad()).toBeNull();
  });

  test("proceeds in parts, and never past an entry that is kept", () => {
    using t = fiveEntries();
    // The clock was set back.
    t.home.audit.append([{ ...ENTRY, time: 500 }]);
    expect([t.home.audit.prune(4000, 2), t.home.audit.prune(4000, 2), t.home.audit.prune(4000, 2)]).toEqual([2, 1, 0]);
    expect(t.rows().map(({ number }) => number)).toEqual([4, 5, 6]);
    expect(t.firstBad()).toBeNull();
  });
});

test("dropped addresses leave the chain valid, and nothing that an address can be tried against", () => {
  using t = fiveEntries();
  expect(t.home.audit.dropAddresses(4000, 2)).toBe(2);
  expect(t.home.audit.dropAddresses(4000, 2)).toBe(1);
  expect(t.rows().map(({ address }) => address)).toEqual([null, null, null, "192.0.2.1", "192.0.2.1"]);
  expect(t.rows().map(({ addressSalt }) => addressSalt !== null)).toEqual([false, false, false, true, true]);
  expect(t.firstBad()).toBeNull();
});

test("entries of a transaction that fails do not exist", () => {
  using t = fiveEntries();
  const fail = () =>
    t.home.transaction(() => {
      t.home.audit.append([ENTRY, ENTRY]);
      throw new Error("failed");
    });
  expect(fail).toThrow("failed");
  expect(t.rows()).toHaveLength(5);
});

test("a minimum leaves numbers out, never repeats one", () => {
  using t = fiveEntries();
  t.home.audit.appendFrom(1_000, ENTRY);
  t.home.audit.appendFrom(1_000, ENTRY);
  t.home.audit.append([ENTRY]);
  expect(t.rows().map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 1000, 1001, 1002]);
  expect(t.firstBad()).toBeNull();
});
