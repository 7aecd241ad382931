/** The server's scheduled backups. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp, type App } from "../../src/app.ts";
import { FolderTarget } from "../../src/backup/folder-target.ts";
import { listBackups } from "../../src/backup/list-backups.ts";
import { readConfig } from "../../src/config.ts";
import { type Log, silentLog } from "../../src/lib/observability/log.ts";
import { describeBackups, makeBackup } from "../../src/services/administration/backups.ts";
import { acquireLock } from "../../src/sqlite/lock.ts";
import { MINUTE, TestTimers } from "../helpers/clock.ts";
import { createUser } from "../helpers/users.ts";

const HOUR = 60 * MINUTE;
let folder: string;
let place: string;
let timers: TestTimers;
let app: App | undefined;
let logged: { event: string; fields: Record<string, unknown> }[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quern-test-"));
  place = join(folder, "backups");
  timers = new TestTimers();
  logged = [];
});
afterEach(async () => {
  await app?.close();
  app = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** A server with a backup every six hours that keeps two backups. */
async function start(flags: Record<string, string> = {}): Promise<App> {
  const note = (event: string, fields: Record<string, unknown> = {}) => void logged.push({ event, fields });
  const log: Log = { ...silentLog, info: note, error: note, warn: note };
  const settings = { "backup-to": place, "backup-every": "6h", "backup-keep": "2", ...flags };
  const config = readConfig({ data: join(folder, "data"), ...settings }, {});
  app = createApp(config, { clock: timers.clock, timers, log });
  await app.ctx.backups.whenIdle();
  return app;
}

const pass = async (ms: number): Promise<void> => {
  timers.pass(ms);
  await app?.ctx.backups.whenIdle();
};
const names = async (): Promise<string[]> => (await listBackups(new FolderTarget(place))).map(({ name }) => name);
const status = () => app?.ctx.backups.status();

test("the first backup runs immediately if none exists, later ones at their times; old ones are pruned", async () => {
  await start();
  expect(status()).toMatchObject({ place, everyMs: 6 * HOUR, keep: 2, isRunning: false, lastSuccess: null });
  expect(status()?.nextAt).toBe(timers.clock.now());
  const before = timers.clock.now();
  await pass(0);
  const [first] = await names();
  expect(status()).toMatchObject({ lastSuccess: { name: first, at: before, documents: 0 }, lastFailure: null });
  expect(status()?.lastSuccess?.packedBytes).toBeGreaterThan(0);
  expect(status()?.nextAt).toBe(before + 6 * HOUR);
  await pass(6 * HOUR - 1);
  expect(await names()).toHaveLength(1);
  await pass(1);
  expect(await names()).toHaveLength(2);
  await pass(6 * HOUR);
  const kept = await names();
  expect(kept).toHaveLength(2);
  expect(kept).not.toContain(first);
  expect(logged.filter(({ event }) => event === "backup.completed")).toHaveLength(3);
});

test("a restart does not trigger an early backup", async () => {
  await start();
  await pass(0);
  await app?.close();
  const made = await listBackups(new FolderTarget(place));
  // The command uses the machine's clock.
  timers.clock.pass(Date.parse(made[0]?.createdAt ?? "") - timers.clock.now() + HOUR);
  await start();
  expect(status()).toMatchObject({ lastSuccess: { name: made[0]?.name }, lastFailure: null });
  expect(status()?.nextAt).toBe(timers.clock.now() + 5 * HOUR);
  await pass(5 * HOUR - 1);
  expect(await names()).toHaveLength(1);
  await pass(1);
  expect(await names()).toHaveLength(2);
});

test("a failed backup is logged as an error and retried", async () => {
  mkdirSync(place);
  writeFileSync(join(place, "thesis.txt"), "mine");
  await start();
  await pass(0);
  const error = `${place} contains other files than backups`;
  expect(status()).toMatchObject({ lastSuccess: null, lastFailure: { at: timers.clock.now(), error } });
  expect(logged.filter(({ event }) => event === "backup.failed")).toEqual([
    { event: "backup.failed", fields: { place, error } },
  ]);
  rmSync(join(place, "thesis.txt"));
  await pass(10 * MINUTE - 1);
  expect(await names()).toEqual([]);
  await pass(1);
  expect(await names()).toHaveLength(1);
  expect(status()?.lastSuccess).not.toBeNull();
  expect(status()?.lastFailure).toMatchObject({ error });
});

test("backups do not overlap, and closing the server aborts a running one", async () => {
  const server = await start();
  const making = Promise.all([server.ctx.backups.backUpNow(), server.ctx.backups.backUpNow()]);
  expect(status()).toMatchObject({ isRunning: true, nextAt: null });
  await making;
  expect(await names()).toHaveLength(1);
  const broken = server.ctx.backups.backUpNow();
  await server.close();
  await broken;
  expect(await names()).toHaveLength(1);
  expect(logged.filter(({ event }) => event === "backup.failed")).toEqual([]);
});

test("a server without a backup target makes none", async () => {
  await using server = createApp(readConfig({ data: join(folder, "data") }, {}), { clock: timers.clock, timers });
  server.ctx.backups.start();
  await server.ctx.backups.backUpNow();
  expect(server.ctx.backups.status()).toMatchObject({ place: null, nextAt: null, lastSuccess: null });
  expect(await server.ctx.backups.list()).toEqual([]);
});

describe("administrators", () => {
  test("see the status, and can start a backup", async () => {
    const { ctx } = await start();
    const admin = createUser(ctx, "root@example.com", { isAdmin: true });
    expect(await describeBackups(ctx, admin)).toMatchObject({ backups: [], listError: null });
    const { lastSuccess } = await makeBackup(ctx, admin);
    const { backups } = await describeBackups(ctx, admin);
    expect(backups).toMatchObject([{ name: lastSuccess?.name, documents: 0, problems: 0, damage: null }]);
  });

  test("see the error of a failed backup", async () => {
    const { ctx } = await start();
    const admin = createUser(ctx, "root@example.com", { isAdmin: true });
    using _lock = acquireLock(join(folder, "data/backup.lock"));
    expect((await makeBackup(ctx, admin)).lastFailure?.error).toContain("another backup of");
  });

  test("other users are rejected", async () => {
    const { ctx } = await start();
    const other = createUser(ctx, "somebody@example.com");
    expect(describeBackups(ctx, other)).rejects.toMatchObject({ code: "forbidden" });
    expect(makeBackup(ctx, other)).rejects.toMatchObject({ code: "forbidden" });
  });
});
