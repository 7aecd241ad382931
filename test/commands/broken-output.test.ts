/** Unwritable log or stdout: the server keeps serving, and commands report the failure. */
import { expect, test } from "bun:test";
import { existsSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import {
  createMounts,
  mountsUnavailableReason,
  type PrivateMounts,
} from "../../scripts/fault-injection/private-mounts.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import {
  addUserWithKey,
  eventually,
  freePort,
  runCommand,
  spawnServer,
  startServerProcess,
} from "../helpers/server-process.ts";

const MAIN = join(import.meta.dir, "../../src/main.ts");

test.each(["2>/dev/full", ">/dev/full", ">/dev/full 2>&1", "2>&-", ">&- 2>&-"])(
  "a server started with %s serves and ends with 0",
  async (redirect) => {
    const folder = tempFolder();
    await using server = await startServerProcess({ folder, redirect, settings: { QUERN_METRICS: "loopback" } });
    for (let i = 0; i < 20; i++) expect((await fetch(`${server.address}/api/orgs`)).status).toBe(200);
    expect(existsSync(join(folder, "first-run-link"))).toBe(true);
    expect(await server.stop()).toBe(0);
  },
);

test("log lines that cannot be written to stderr are counted in /metrics", async () => {
  const settings = { QUERN_METRICS: "loopback" };
  await using server = await startServerProcess({ folder: tempFolder(), redirect: "2>/dev/full", settings });
  await fetch(`${server.address}/api/orgs`);
  const dropped = async () => {
    const text = await (await fetch(`${server.address}/metrics`)).text();
    return Number(/^quern_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
  };
  expect(await eventually(async () => (await dropped()) >= 3)).toBe(true);
});

test("a closed pipe of the log does not end the server", async () => {
  const folder = tempFolder();
  const child = spawnServer({ folder, port: 0 });
  const link = join(folder, "first-run-link");
  expect(await eventually(() => existsSync(link))).toBe(true);
  await child.stderr.cancel();
  const address = await Bun.file(link).text();
  for (let i = 0; i < 20; i++) expect((await fetch(new URL("/status", address))).status).toBe(200);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});

test("a command fails when its result cannot be printed", async () => {
  const folder = tempFolder();
  await runCommand({ folder }, "user", "add", "--email", "ada@example.com", "--name", "Ada");
  const words = [process.execPath, MAIN, "key", "create", "--email", "ada@example.com", "--data", folder];
  const child = Bun.spawn(["sh", "-c", 'exec "$@" >/dev/full', "sh", ...words], { stderr: "pipe" });
  expect(await child.exited).toBe(1);
  expect(await child.stderr.text()).toBe("quern key create: stdout could not be written\n");
});

const missing = mountsUnavailableReason();
const onOwnDisk = test.skipIf(missing !== undefined);
const suffix = missing === undefined ? "" : ` (left out: ${missing})`;

onOwnDisk(`log and data on one full disk: a write gets 507, and works again when space is free${suffix}`, async () => {
  const disk = tempFolder();
  using mounts = await createMounts(disk, 16);
  const folder = join(disk, "data");
  const beside = { folder, under: mounts.wrapper };
  await using process = await startServerProcess({ ...beside, redirect: `2>${join(disk, "log")}` });
  const headers = { ...(await addUserWithKey(beside)), "Content-Type": "application/json" };
  const post = (path: string, body: unknown) =>
    fetch(`${process.address}/api${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const workspace = await (await post("/orgs/current/workspaces", { name: "W" })).text();
  const doc = (await (await post(`/workspaces/${workspace}/docs`, { name: "D" })).json()) as string;
  const add = (length: number) =>
    post(`/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: "x".repeat(length) } }] });
  expect((await add(10)).status).toBe(200);
  fill(mounts, disk);
  const statuses = new Set<number>();
  // SQLite may still use reserved space; each request also writes to the log.
  for (let i = 0; i < 300 && !statuses.has(507); i++) statuses.add((await add(20_000)).status);
  expect([...statuses].at(-1)).toBe(507);
  for (let i = 0; i < 20; i++) expect((await add(20_000)).status).toBe(507);
  expect((await fetch(`${process.address}/status?ready=1`)).status).toBe(200);
  rmSync(mounts.hostPath(join(disk, "filler")));
  expect(await eventually(async () => (await add(10)).status === 200)).toBe(true);
  expect(await process.stop()).toBe(0);
});

onOwnDisk.each([
  ["a new data folder, no space left", 0, false],
  ["a new data folder, 16 KB left", 16_384, false],
  ["existing data, no space left", 0, true],
  ["existing data, 16 KB left", 16_384, true],
])(`starting on a full disk reports it in one line: %s${suffix}`, async (_, leftBytes, isUsed) => {
  const disk = tempFolder();
  using mounts = await createMounts(disk, 4);
  const folder = join(disk, "data");
  if (isUsed)
    await runCommand({ folder, under: mounts.wrapper }, "user", "add", "--email", "ada@example.com", "--name", "Ada");
  fill(mounts, disk, leftBytes);
  const child = spawnServer({ folder, port: freePort(), under: mounts.wrapper });
  expect({ err: await child.stderr.text(), out: await child.stdout.text(), status: await child.exited }).toEqual({
    err: `quern serve: the disk that holds the data folder ${folder} is full: free some space and start again\n`,
    out: "",
    status: 1,
  });
});

/** Fills a disk except for so many bytes. */
function fill(mounts: PrivateMounts, disk: string, leftBytes = 0): void {
  const filler = join(disk, "filler");
  mounts.run(`head -c 64m /dev/zero >${filler} 2>/dev/null || true`);
  if (leftBytes === 0) return;
  const path = mounts.hostPath(filler);
  truncateSync(path, statSync(path).size - leftBytes);
}
