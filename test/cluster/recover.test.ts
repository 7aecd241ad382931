/** A PostgreSQL server that was set back to a backup, and what an administrator decides then. */
import { describe, expect, test } from "bun:test";
import { existsSync, renameSync, rmSync } from "node:fs";
import { HAS_POSTGRES, POSTGRES_NEEDED, PostgresServer } from "../helpers/postgres.ts";
import { runQuern } from "../helpers/run-quern.ts";
import { addUserWithKey, type ServerProcess, startServerProcess } from "../helpers/server-process.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

type Headers = { readonly Authorization: string };

async function call(server: ServerProcess, headers: Headers, path: string, body?: unknown): Promise<Response> {
  return fetch(`${server.address}/api${path}`, {
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    headers: { ...headers, "Content-Type": "application/json" },
  });
}

async function createDocument(server: ServerProcess, headers: Headers, name: string): Promise<string> {
  const response = await call(server, headers, "/workspaces/1/docs", { name });
  return (await response.json()) as string;
}

async function add(server: ServerProcess, headers: Headers, doc: string, text: string): Promise<void> {
  const body = { records: [{ fields: { A: text } }] };
  expect((await call(server, headers, `/docs/${doc}/tables/Table1/records`, body)).status).toBe(200);
}

async function texts(server: ServerProcess, headers: Headers, doc: string): Promise<string[]> {
  const response = await call(server, headers, `/docs/${doc}/tables/Table1/records`);
  expect(response.status).toBe(200);
  const { records } = (await response.json()) as { records: { fields: { A: string } }[] };
  return records.map(({ fields }) => fields.A);
}

/** Copies the folder of the stopped server, with owners and times. */
function copyFolder(from: string, to: string): void {
  expect(Bun.spawnSync(["cp", "-a", from, to]).exitCode).toBe(0);
}

describe.skipIf(!HAS_POSTGRES)(`quern cluster recover${POSTGRES_NEEDED}`, () => {
  test("after a restored backup of PostgreSQL: nothing is overwritten until the decision, and both ways work", async () => {
    await using postgres = await PostgresServer.start();
    const log = await postgres.createDatabase();
    const folder = tempFolder();
    const backup = `${postgres.folder}.backup`;
    const ada = await addUserWithKey({ folder });
    const start = () => startServerProcess({ folder, settings: { QUERN_LOG_TO: log } });
    const recover = (...args: string[]) =>
      runQuern(["cluster", "recover", ...args, "--data", folder], { QUERN_LOG_TO: log });
    let bo: Headers = ada;
    const docs: Record<"local" | "log", string> = { local: "", log: "" };
    {
      await using server = await start();
      for (const name of ["local", "log"] as const) {
        docs[name] = await createDocument(server, ada, name);
        await add(server, ada, docs[name], "one");
      }
      await server.stop();
    }
    await postgres.stop("fast");
    copyFolder(postgres.folder, backup);
    await postgres.launch();
    {
      await using server = await start();
      for (const doc of Object.values(docs)) await add(server, ada, doc, "two");
      await runQuern(["user", "add", "--email", "bo@example.com", "--name", "Bo", "--data", folder]);
      const { out } = await runQuern(["key", "create", "--email", "bo@example.com", "--data", folder]);
      bo = { Authorization: `Bearer ${out.join("")}` };
      expect((await call(server, bo, "/orgs")).status).toBe(200);
      await server.stop();
    }
    await postgres.stop("fast");
    renameSync(postgres.folder, `${postgres.folder}.later`);
    renameSync(backup, postgres.folder);
    await postgres.launch();

    // Starting again changes nothing.
    for (let i = 0; i < 2; i++) {
      const output = await start().then(
        () => "started",
        (error: Error) => error.message,
      );
      expect(output).toContain("quern cluster recover --keep-local home");
    }
    expect((await recover("--keep-local", docs.local)).err.join("")).toContain("documents that need a decision: home");
    expect(await recover("--keep-local", "home")).toMatchObject({ status: 0, err: [] });
    {
      await using server = await start();
      expect((await call(server, bo, "/orgs")).status).toBe(200);
      for (const doc of Object.values(docs)) {
        const refused = await call(server, ada, `/docs/${doc}/tables/Table1/records`);
        expect([refused.status, await refused.json()]).toMatchObject([503, { details: { code: "log.diverged" } }]);
      }
      await server.stop();
    }
    await using server = await start();
    // After a restart, too.
    expect((await call(server, ada, `/docs/${docs.log}/tables`)).status).toBe(503);
    expect(await recover("--keep-local", docs.local)).toMatchObject({ status: 0, err: [] });
    const { status, out } = await recover("--keep-log", docs.log, "--json");
    const { keptAs } = JSON.parse(out.join("")) as { keptAs: string };
    expect([status, existsSync(keptAs)]).toEqual([0, true]);
    expect(await texts(server, ada, docs.local)).toEqual(["one", "two"]);
    expect(await texts(server, ada, docs.log)).toEqual(["one"]);
    for (const doc of Object.values(docs)) await add(server, ada, doc, "three");
    server.process.kill("SIGKILL");
    await server.process.exited;
    rmSync(folder, { recursive: true });
    await using rebuilt = await start();
    expect(await texts(rebuilt, ada, docs.local)).toEqual(["one", "two", "three"]);
    expect(await texts(rebuilt, ada, docs.log)).toEqual(["one", "three"]);
    expect((await call(rebuilt, bo, "/orgs")).status).toBe(200);
  }, 180_000);
});
