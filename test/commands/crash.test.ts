/** Uncaught exceptions and unhandled rejections in a running server. */
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { EXIT_CRASHED } from "../../src/commands/command.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { addUserWithKey, eventually, startServerProcess } from "../helpers/server-process.ts";

const preload = join(import.meta.dir, "../helpers/throw-on-signal.ts");

test("an uncaught exception is logged, requests in flight are answered, and the exit status is EXIT_CRASHED", async () => {
  const folder = tempFolder();
  await using server = await startServerProcess({ folder, preload });
  const headers = { ...(await addUserWithKey({ folder })), "Content-Type": "application/json" };
  const post = (path: string, body: unknown) =>
    fetch(`${server.address}/api${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const workspace = await (await post("/orgs/current/workspaces", { name: "W" })).text();
  const doc = (await (await post(`/workspaces/${workspace}/docs`, { name: "D" })).json()) as string;
  const body = Promise.withResolvers<string>();
  const isUnderWay = Promise.withResolvers<void>();
  const stream = new ReadableStream({
    async pull(controller) {
      controller.enqueue(new TextEncoder().encode('{"records":'));
      isUnderWay.resolve();
      controller.enqueue(new TextEncoder().encode(await body.promise));
      controller.close();
    },
  });
  const path = `${server.address}/api/docs/${doc}/tables/Table1/records`;
  const slow = fetch(path, { method: "POST", headers, body: stream });
  await isUnderWay.promise;
  // The headers have arrived once a later request on another connection was answered.
  await fetch(`${server.address}/status`);
  server.process.kill("SIGUSR2");
  const isDraining = async () => (await fetch(`${server.address}/status`).catch(() => null))?.status !== 200;
  expect(await eventually(isDraining)).toBe(true);
  body.resolve('[{"fields":{"A":"kept"}}]}');
  expect((await slow).status).toBe(200);
  expect(await server.process.exited).toBe(EXIT_CRASHED);
  expect(EXIT_CRASHED).toBe(70);
  const log = await server.stderr;
  expect(log).toContain('"event":"process.uncaught_exception","error":"Error: a bug that nothing catches');
  expect(log).toContain('"event":"server.stopped"');
  // A clean shutdown leaves single files.
  expect(readdirSync(join(folder, "docs", doc)).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
});

test("an unhandled rejection is logged, and the server continues", async () => {
  await using server = await startServerProcess({ folder: tempFolder(), preload });
  for (let i = 0; i < 5; i++) server.process.kill("SIGHUP");
  for (let i = 0; i < 5; i++) expect((await fetch(`${server.address}/status`)).status).toBe(200);
  expect(await server.stop()).toBe(0);
  expect(await server.stderr).toContain('"event":"process.unhandled_rejection"');
});
