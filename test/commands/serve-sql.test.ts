/** The processes that run SQL, when the server stops in different ways. */
import { afterEach, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { tempFolder } from "../helpers/temp-folder.ts";
import { PROGRAM_COMMAND } from "../helpers/run-quern.ts";
import { eventually } from "../helpers/server-process.ts";

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const work of cleanUp.splice(0)) work();
});

interface Server {
  readonly pid: number;
  readonly exited: Promise<number>;
  kill(signal: NodeJS.Signals): void;
  /** Waits until it has `count` queries in flight. */
  hasQueries(count: number): Promise<boolean>;
  sql(statement: string, timeoutMs?: number): Promise<Response>;
}

/** Longer than a shutdown takes, also on a loaded machine. */
const TIMEOUT_MS = 3000;

/** A server with a user, a key and a document. */
async function startServer(): Promise<Server> {
  const folder = tempFolder();
  const quern = async (...args: string[]): Promise<string> => {
    const child = Bun.spawn([...PROGRAM_COMMAND, ...args, "--data", folder], { stdout: "pipe", stderr: "inherit" });
    return (await child.stdout.text()).trim();
  };
  await quern("user", "add", "--email", "ada@example.com", "--name", "Ada");
  const key = await quern("key", "create", "--email", "ada@example.com");
  const settings = ["--port", "0", "--metrics", "loopback", "--sql-timeout-ms", String(TIMEOUT_MS)];
  const child = Bun.spawn([...PROGRAM_COMMAND, "serve", "--data", folder, ...settings], {
    stdout: "pipe",
    stderr: "ignore",
  });
  cleanUp.push(() => child.kill("SIGKILL"));
  const { value } = await child.stdout.getReader().read();
  const address = /http:\S+/.exec(new TextDecoder().decode(value))?.[0] ?? "";
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const post = (path: string, body: unknown) =>
    fetch(`${address}/api${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const workspace = await (await post("/orgs/current/workspaces", { name: "W" })).text();
  const doc = (await (await post(`/workspaces/${workspace}/docs`, { name: "D" })).json()) as string;
  return {
    pid: child.pid,
    exited: child.exited,
    kill: (signal) => child.kill(signal),
    hasQueries: (count) =>
      eventually(async () => {
        const metrics = await (await fetch(`${address}/metrics`)).text();
        const found = metrics.matchAll(/^quern_sql_(?:processes\{state="busy"\}|queries_queued) (\d+)$/gm);
        return [...found].reduce((sum, [, value]) => sum + Number(value), 0) === count;
      }),
    sql: (statement, timeoutMs = 0) =>
      post(`/docs/${doc}/sql`, { sql: statement, ...(timeoutMs > 0 && { timeout: timeoutMs }) }),
  };
}

/** Processes whose parent is `pid`. */
function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => new RegExp(`^PPid:\\s+${pid}$`, "m").test(statusOf(child)));
}

/** The system's status of a process; empty when it has ended. */
function statusOf(pid: number): string {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return /^State:\s+[ZX]/m.test(status) ? "" : status;
  } catch {
    return "";
  }
}

const allEnd = (pids: readonly number[]) => eventually(() => pids.every((pid) => statusOf(pid) === ""));

const ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";

test("a server that shuts down answers queries in flight, then stops them", async () => {
  const server = await startServer();
  expect((await server.sql("select 1")).status).toBe(200);
  const children = childrenOf(server.pid);
  expect(children).not.toBeEmpty();
  const underWay = server.sql(ENDLESS);
  expect(await server.hasQueries(1)).toBe(true);
  server.kill("SIGTERM");
  const answer = await underWay;
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("The statement was cancelled");
  expect(await server.exited).toBe(0);
  expect(await allEnd(children)).toBe(true);
});

test("a server that shuts down answers all received queries, running or queued", async () => {
  const server = await startServer();
  // One at a time: the others are queued.
  const answers = [TIMEOUT_MS, ...Array.from({ length: 7 }, () => 300)].map((ms) => server.sql(ENDLESS, ms));
  expect(await server.hasQueries(8)).toBe(true);
  server.kill("SIGTERM");
  for (const answer of await Promise.all(answers)) {
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("The statement was cancelled");
  }
  expect(await server.exited).toBe(0);
});

test("they exit when the server is killed, also during a query", async () => {
  const server = await startServer();
  expect((await server.sql("select 1")).status).toBe(200);
  const children = childrenOf(server.pid);
  expect(children).not.toBeEmpty();
  const lost = server.sql(ENDLESS).catch(() => "lost");
  expect(await server.hasQueries(1)).toBe(true);
  server.kill("SIGKILL");
  await server.exited;
  expect(await allEnd(children)).toBe(true);
  expect(await lost).toBe("lost");
});
