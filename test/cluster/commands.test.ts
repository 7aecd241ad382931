/** Commands on a folder whose documents are in a replicated log, beside the server and without it. */
import { describe, expect, test } from "bun:test";
import { cpSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDatabase, HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { runQuern } from "../helpers/run-quern.ts";
import { addUserWithKey, type ServerProcess, startServerProcess } from "../helpers/server-process.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

type Headers = Awaited<ReturnType<typeof addUserWithKey>>;

/** A folder that a server with a log has used, with one document. */
async function loggedFolder() {
  const folder = tempFolder();
  const headers = await addUserWithKey({ folder });
  const log = await createDatabase();
  const start = () => startServerProcess({ folder, settings: { QUERN_LOG_TO: log } });
  const run = async (...args: string[]) => {
    const { status, err } = await runQuern([...args, "--data", folder]);
    return { status, error: err.join("\n") };
  };
  return { folder, headers, log, start, run };
}

async function createDocument(server: ServerProcess, headers: Headers): Promise<string> {
  const response = await fetch(`${server.address}/api/workspaces/1/docs`, {
    method: "POST",
    body: JSON.stringify({ name: "Orders" }),
    headers: { ...headers, "Content-Type": "application/json" },
  });
  return (await response.json()) as string;
}

const mayOpen = async (server: ServerProcess, headers: Headers, path: string): Promise<number> =>
  (await fetch(`${server.address}/api${path}`, { headers })).status;

/** What each command does: `done`, or the beginning of the refusal. */
interface Decision {
  readonly args: (place: { csv: string; file: string; backups: string }) => readonly string[];
  readonly running: string;
  readonly stopped: string;
}

const DONE = "done";
const START_FIRST = "start the server first";
const UNLOGGED = "which would not have the change";
const EMAIL = ["--email", "ada@example.com"];

const DECISIONS: Readonly<Record<string, Decision>> = {
  "user add": { args: () => ["--email", "bo@example.com", "--name", "Bo"], running: DONE, stopped: START_FIRST },
  "user list": { args: () => [], running: DONE, stopped: DONE },
  "user reset": { args: () => EMAIL, running: DONE, stopped: START_FIRST },
  "group list": { args: () => [], running: DONE, stopped: DONE },
  "group create": { args: () => ["--name", "Sales"], running: DONE, stopped: START_FIRST },
  "user sign-in-link": { args: () => EMAIL, running: DONE, stopped: START_FIRST },
  "key create": { args: () => [...EMAIL, "--label", "second"], running: DONE, stopped: START_FIRST },
  "key list": { args: () => EMAIL, running: DONE, stopped: DONE },
  "key revoke": { args: () => [...EMAIL, "--label", "second"], running: DONE, stopped: START_FIRST },
  "org create": {
    args: () => ["--domain", "tea", "--name", "Tea", "--owner", "ada@example.com"],
    running: DONE,
    stopped: START_FIRST,
  },
  "org deleted": { args: () => [], running: DONE, stopped: DONE },
  "org restore": {
    args: () => ["--id", "9", "--to", "ada@example.com"],
    running: "no deleted site 9",
    stopped: START_FIRST,
  },
  "user disable": { args: () => ["--email", "bo@example.com"], running: DONE, stopped: START_FIRST },
  "doc import": {
    args: ({ csv }) => ["--org", "docs-1", "--workspace", "Home", "--as", "ada@example.com", csv],
    running: "import the file in the browser",
    stopped: "import the file in the browser",
  },
  "doc check": { args: ({ file }) => [file], running: DONE, stopped: DONE },
  "doc describe": { args: ({ file }) => [file], running: DONE, stopped: DONE },
  "doc recalculate": { args: ({ file }) => [file], running: UNLOGGED, stopped: UNLOGGED },
  "doc recalculate --check": { args: ({ file }) => [file], running: DONE, stopped: DONE },
  backup: { args: ({ backups }) => ["--to", backups], running: DONE, stopped: DONE },
  restore: { args: ({ backups }) => ["--from", backups], running: "not empty", stopped: "not empty" },
  "upgrade --check": { args: () => [], running: DONE, stopped: DONE },
  upgrade: { args: () => [], running: "stop it first", stopped: "the server upgrades them when it starts" },
};

describe.skipIf(!HAS_POSTGRES)(`commands on a folder with a replicated log${POSTGRES_NEEDED}`, () => {
  test("each command runs or is refused, beside the server and without it, and nothing is set aside", async () => {
    const { folder, headers, start, run } = await loggedFolder();
    const backups = tempFolder();
    const csv = join(tempFolder(), "people.csv");
    writeFileSync(csv, "Name\nAda\n");
    const found: Record<string, { running: string; stopped: string }> = {};
    const expected = Object.fromEntries(
      Object.entries(DECISIONS).map(([name, { running, stopped }]) => [name, { running, stopped }]),
    );
    let doc = "";
    const outcomes = async (state: "running" | "stopped"): Promise<void> => {
      const place = { csv, backups, file: join(folder, "docs", doc, "document.grist") };
      for (const [name, decision] of Object.entries(DECISIONS)) {
        const { status, error } = await run(...name.split(" "), ...decision.args(place));
        const outcome = status === 0 ? DONE : error;
        const entry = (found[name] ??= { running: "", stopped: "" });
        entry[state] = outcome.includes(decision[state]) ? decision[state] : outcome;
      }
    };
    {
      await using server = await start();
      doc = await createDocument(server, headers);
      await outcomes("running");
      await server.stop();
    }
    await outcomes("stopped");
    await using server = await start();
    expect(await mayOpen(server, headers, `/docs/${doc}/tables`)).toBe(200);
    expect(found).toEqual(expected);
    expect(existsSync(join(folder, "diverged"))).toBe(false);
  }, 120_000);

  test("a user and a key that were added beside a server survive the loss of the folder", async () => {
    const { folder, headers, start, run, log } = await loggedFolder();
    let key = "";
    {
      await using server = await start();
      expect(await run("user", "add", "--email", "bo@example.com", "--name", "Bo")).toEqual({ status: 0, error: "" });
      const created = await runQuern(["key", "create", "--email", "bo@example.com", "--data", folder]);
      key = created.out.join("");
      // The answer to any later request leaves after the commits of other processes are in the log.
      expect(await mayOpen(server, headers, "/orgs")).toBe(200);
      server.process.kill("SIGKILL");
      await server.process.exited;
    }
    rmSync(folder, { recursive: true });
    await using server = await startServerProcess({ folder, settings: { QUERN_LOG_TO: log } });
    expect(await mayOpen(server, { Authorization: `Bearer ${key}` }, "/profile/user")).toBe(200);
  }, 60_000);

  test("a copy of a document file can be recalculated", async () => {
    const { folder, headers, start, run } = await loggedFolder();
    let doc = "";
    {
      await using server = await start();
      doc = await createDocument(server, headers);
      await server.stop();
    }
    const copy = join(tempFolder(), "copy.grist");
    cpSync(join(folder, "docs", doc, "document.grist"), copy);
    expect((await run("doc", "recalculate", copy)).status).toBe(0);
  }, 60_000);
});
