import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { randomRuns } from "../../helpers/random-runs.ts";
import { addUserWithKey, type ServerProcess, startServerProcess } from "../../helpers/server-process.ts";
import { spoiltFile } from "./spoilt-files.ts";

/** `QUERN_TEST_SEQUENCES=10000 bun test test/api/imports-fuzz` after a change to a reader. */
const FILES = randomRuns(30, 300);
/** The usual timeout for a change, longer for many files. */
const TIMEOUT_MS = Math.max(120_000, FILES * 400);
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);
/** Imports before handles are counted: the first ones start threads and open files that the server keeps open. */
const WARM_UP = 20;

const folder = tempFolder();
let server: ServerProcess;
let Authorization: string;
let workspace: number;
beforeAll(async () => {
  ({ Authorization } = await addUserWithKey({ folder }));
  server = await startServerProcess({ folder });
  const headers = { "Content-Type": "application/json" };
  const made = async (path: string, body: object) =>
    Number((await send("POST", path, { headers, body: JSON.stringify(body) })).body);
  const org = await made("/o/docs/api/orgs", { name: "Fuzz" });
  workspace = await made(`/o/docs/api/orgs/${org}/workspaces`, { name: "Imports" });
});
afterAll(() => server[Symbol.asyncDispose]());

async function send(
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: string | FormData } = {},
): Promise<{ status: number; body: unknown }> {
  const init = { method, headers: { Authorization, ...headers }, ...(body !== undefined && { body }) };
  const response = await fetch(`${server.address}${path}`, init);
  return { status: response.status, body: await response.json() };
}

/** Imports a file into a new document, and deletes it. Returns the status of the import. */
async function importFile(own: number): Promise<number> {
  const { name, bytes } = spoiltFile(own);
  const form = new FormData();
  form.append("upload", new File([new Uint8Array(bytes)], name));
  const headers = { "X-Requested-With": "XMLHttpRequest" };
  const { status, body } = await send("POST", `/o/docs/api/workspaces/${workspace}/import`, { headers, body: form });
  const what = `QUERN_TEST_SEED=${own} QUERN_TEST_SEQUENCES=1 ${JSON.stringify(body)}`;
  expect([200, 400, 413], what).toContain(status);
  expect(readdirSync(join(folder, "tmp")), what).toEqual([]);
  if (status === 200) {
    const { id } = body as { id: string };
    expect((await send("DELETE", `/o/docs/api/docs/${id}`)).status, what).toBe(200);
  }
  return status;
}

/** Returns the files in the data folder that the server has open, including deleted ones. */
function openFiles(): string[] {
  const handles = join("/proc", String(server.process.pid), "fd");
  const paths = readdirSync(handles).flatMap((handle) => {
    try {
      return [readlinkSync(join(handles, handle))];
    } catch {
      // Closed in the meantime.
      return [];
    }
  });
  return paths.filter((path) => path.startsWith(folder)).toSorted();
}

const handleCount = (): number => readdirSync(join("/proc", String(server.process.pid), "fd")).length;

test(
  `a server that imports ${FILES} corrupted files answers none with a 5xx and leaves nothing behind (QUERN_TEST_SEED=${seed})`,
  async () => {
    for (let own = seed; own < seed + WARM_UP; own++) await importFile(own);
    const [files, count] = [openFiles(), handleCount()];
    const statuses: Record<number, number> = {};
    for (let own = seed + WARM_UP; own < seed + WARM_UP + FILES; own++) {
      const status = await importFile(own);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    if (process.env["QUERN_TEST_SEQUENCES"]) console.log(statuses, { before: count, after: handleCount() });
    expect(openFiles()).toEqual(files);
    expect(readdirSync(join(folder, "docs"))).toEqual([]);
    expect(handleCount()).toBeLessThanOrEqual(count + 4);
    expect(server.process.exitCode).toBeNull();
  },
  TIMEOUT_MS,
);
