/** The home database in log mode: commits with their pages, bases, and content that is replaced in a replica. */
import { describe, expect, test } from "bun:test";
import { closeSync, copyFileSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openHomeDatabase } from "../../src/home/database.ts";
import { type Home, openHome } from "../../src/home/home.ts";
import type { LoggedCommit } from "../../src/home/home-log.ts";
import { prepareRestoredHome } from "../../src/home/home-copy.ts";
import { MIGRATIONS } from "../../src/home/migrations/index.ts";
import { Database } from "../../src/sqlite/database.ts";
import { readCommitCount } from "../../src/sqlite/wal/commit-count.ts";
import { applyPageSet, decodePageSet } from "../../src/sqlite/wal/page-set.ts";
import { cpuMs } from "../helpers/cpu-time.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const fileOf = (folder: string): string => join(folder, "home.sqlite");

/** An open home database in log mode. */
function opened(folder = tempFolder()): { home: Home; folder: string; log: NonNullable<Home["log"]> } {
  const home = openHome(folder, { isLogged: true, durability: "off" });
  if (!home.log) throw new Error("not in log mode");
  return { home, folder, log: home.log };
}

/** Copies the file as a base to another folder. */
function copyBase(log: NonNullable<Home["log"]>, to = tempFolder()): string {
  const base = log.beginBase();
  if (!base) throw new Error("no base");
  log.collect();
  copyFileSync(base.path, fileOf(to));
  expect(log.endBase()).toBe(true);
  return to;
}

function apply(path: string, commits: readonly LoggedCommit[]): void {
  const file = openSync(path, "r+");
  for (const { bytes } of commits) {
    if (!bytes) throw new Error("a commit needs a base");
    applyPageSet(file, decodePageSet(bytes));
  }
  closeSync(file);
}

let added = 0;
const addUser = (home: Home): number =>
  home.users.add({ email: `user${++added}@example.com`, name: "Someone", kind: "person" }).id;

describe("the home database in log mode", () => {
  test("is followed byte by byte by a copy, in transactions and in statements outside of them", () => {
    const { home, folder, log } = opened();
    const copy = copyBase(log);
    for (let round = 0; round < 30; round++) {
      const user = addUser(home);
      home.passwords.set(user, `hash ${round}`);
      home.transaction(() => home.users.change(user, { name: `Name ${round}` }));
      home.raw.run("update users set name = name || '!' where id = ?", user);
      if (round % 3 === 0) apply(fileOf(copy), log.collect());
    }
    apply(fileOf(copy), log.collect());
    home.close();
    expect(readFileSync(fileOf(copy)).equals(readFileSync(fileOf(folder)))).toBe(true);
  });

  test("collects everything since the last call as one commit, with numbers that rise by one", () => {
    const { home, log } = opened();
    using _home = home;
    log.collect();
    const before = log.count;
    const user = addUser(home);
    home.passwords.set(user, "hash");
    const [commit, ...others] = log.collect();
    expect(others).toEqual([]);
    expect(commit?.count.seq).toBe(before.seq + 1);
    expect(log.count).toEqual(commit?.count as never);
    expect(log.collect()).toEqual([]);
    expect(home.users.byId(user)).not.toBeNull();
    expect(log.collect()).toEqual([]);
    home.users.change(user, { name: "Other" });
    expect(log.collect().map(({ count }) => count.seq)).toEqual([before.seq + 2]);
  });

  test("rolled-back transactions are not collected", () => {
    const { home, log } = opened();
    using _home = home;
    log.collect();
    expect(() =>
      home.transaction(() => {
        addUser(home);
        throw new Error("rolled back");
      }),
    ).toThrow("rolled back");
    expect(log.collect()).toEqual([]);
  });

  test("commits of another process are collected, or need a base", () => {
    const { home, folder, log } = opened();
    using _home = home;
    const copy = copyBase(log);
    {
      // As `quern user add` opens it beside a server.
      using other = openHome(folder);
      addUser(other);
    }
    apply(fileOf(copy), log.collect());
    expect(readCommitCount(fileOf(copy))).toEqual(log.count);
    {
      using other = openHome(folder);
      addUser(home);
      addUser(other);
    }
    expect(log.collect().map(({ bytes }) => bytes)).toEqual([null]);
    addUser(home);
    expect(log.collect()[0]?.bytes).not.toBeNull();
  });

  test("a write that the counter does not count needs a base, and gets a number", () => {
    const { home, log } = opened();
    using _home = home;
    log.collect();
    const { seq } = log.count;
    home.raw.exec("pragma application_id = 77");
    expect(log.collect()).toMatchObject([{ count: { seq: seq + 1 }, bytes: null }]);
  });

  test("a migration is collected, although it changes no rows", () => {
    const folder = tempFolder();
    {
      using home = opened(folder).home;
      addUser(home);
    }
    const before = readCommitCount(fileOf(folder));
    const next = { version: MIGRATIONS.length + 1, sql: "create table later (x);" };
    const home = openHomeDatabase(folder, { isLogged: true, migrations: [...MIGRATIONS, next] });
    expect(home.log?.collect().map(({ count }) => count.seq)).toEqual([(before?.seq ?? 0) + 1]);
    home.close();
  });

  test("keeps its file unchanged while a base is made", () => {
    const { home, folder, log } = opened();
    using _home = home;
    expect(log.beginBase()).toMatchObject({ path: fileOf(folder), count: log.count });
    const held = readFileSync(fileOf(folder));
    for (let round = 0; round < 300; round++) home.passwords.set(addUser(home), "x".repeat(20_000));
    log.collect();
    expect(readFileSync(fileOf(folder)).equals(held)).toBe(true);
    expect(log.beginBase()).toBeNull();
    expect(log.endBase()).toBe(true);
    expect(log.endBase()).toBe(false);
  });

  test("continues after it was closed, with the number that it had", () => {
    const folder = tempFolder();
    const first = opened(folder);
    addUser(first.home);
    const commits = first.log.collect();
    first.home.close();
    const second = opened(folder);
    expect(second.log.count).toEqual(commits.at(-1)?.count as never);
    expect(second.log.collect()).toEqual([]);
    second.home.close();
  });
});

test("a restored copy has no number of the log, since restoring changes it", () => {
  const { home, folder, log } = opened();
  const user = addUser(home);
  log.collect();
  home.close();
  const copy = join(folder, "copy.sqlite");
  copyFileSync(fileOf(folder), copy);
  expect(readCommitCount(copy)).toEqual(log.count);
  prepareRestoredHome(copy, { nowMs: 0, withWebhooks: true, source: {} });
  expect(readCommitCount(copy)).toBeNull();
  expect(user).toBeGreaterThan(0);
});

test("without log mode the home database has no counter, and stays a database of other processes", () => {
  const folder = tempFolder();
  using home = openHome(folder);
  addUser(home);
  expect(home.log).toBeNull();
  expect(home.raw.all("select * from _quern_commit")).toEqual([]);
});

describe("a replica of the home database", () => {
  test("has the applied content at once, behind the same handle and prepared statements", () => {
    const { home, log } = opened();
    using _home = home;
    const folder = copyBase(log);
    using replica = openHome(folder);
    const generation = replica.generation();
    for (let round = 0; round < 5; round++) {
      const user = addUser(home);
      expect(replica.users.byId(user)).toBeNull();
      replica.replaceContent((path) => apply(path, log.collect()));
      expect(replica.users.byId(user)).toEqual(home.users.byId(user));
      expect(replica.users.list().length).toBe(home.users.list().length);
    }
    expect(replica.generation()).not.toBe(generation);
    expect(readCommitCount(fileOf(folder))).toEqual(log.count);
  });

  test("keeps the content that another process reads", () => {
    const { home, log } = opened();
    using _home = home;
    const folder = copyBase(log);
    using replica = openHome(folder);
    using other = new Database(fileOf(folder), { readonly: true });
    const count = () => other.values("select count(*) from users")[0]?.[0];
    const before = Number(count());
    addUser(home);
    replica.replaceContent((path) => apply(path, log.collect()));
    expect(replica.users.list().length).toBe(home.users.list().length);
    expect(count()).toBe(before);
    using later = new Database(fileOf(folder), { readonly: true });
    expect(later.values("select count(*) from users")).toEqual([[before + 1]]);
  });

  test("opens again when the content cannot be replaced", () => {
    const { home } = opened();
    using _home = home;
    const user = addUser(home);
    expect(() =>
      home.replaceContent(() => {
        throw new Error("no content");
      }),
    ).toThrow("no content");
    expect(home.users.byId(user)).not.toBeNull();
  });

  test("of 20 MB is replaced within a few milliseconds", () => {
    const { home, log } = opened();
    using _home = home;
    home.transaction(() => {
      for (let round = 0; round < 1000; round++) home.passwords.set(addUser(home), "x".repeat(20_000));
    });
    log.collect();
    const folder = copyBase(log);
    using replica = openHome(folder);
    const took: number[] = [];
    for (let round = 0; round < 20; round++) {
      const user = addUser(home);
      const commits = log.collect();
      took.push(cpuMs(() => replica.replaceContent((path) => apply(path, commits))));
      expect(replica.users.byId(user)).not.toBeNull();
    }
    expect(took.toSorted((a, b) => a - b)[10]).toBeLessThan(10);
  });
});
