/** Servers whose acknowledged writes are in PostgreSQL. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { createDatabase, HAS_POSTGRES, POSTGRES_NEEDED, PostgresServer } from "../helpers/postgres.ts";
import { quernJson } from "../helpers/run-quern.ts";
import { addUserWithKey, type ServerProcess, startServerProcess } from "../helpers/server-process.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

type Headers = Awaited<ReturnType<typeof addUserWithKey>>;

/** A folder with a user, and the address of its log. */
async function installation(url?: string) {
  const folder = tempFolder();
  const headers = await addUserWithKey({ folder });
  const log = url ?? (await createDatabase());
  return { folder, headers, start: (...args: string[]) => startLogged(folder, log, ...args), log };
}

const startLogged = (folder: string, log: string, ...args: string[]): Promise<ServerProcess> =>
  startServerProcess({ folder, settings: { QUERN_LOG_TO: log, QUERN_METRICS: "loopback" }, args });

async function call<T>(server: ServerProcess, headers: Headers, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${server.address}/api${path}`, {
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    headers: { ...headers, "Content-Type": "application/json" },
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

async function createDocument(server: ServerProcess, headers: Headers): Promise<string> {
  const [workspace] = await call<{ id: number }[]>(server, headers, "/orgs/current/workspaces");
  return call<string>(server, headers, `/workspaces/${workspace?.id}/docs`, { name: "Orders" });
}

const add = (server: ServerProcess, headers: Headers, doc: string, text: string): Promise<unknown> =>
  call(server, headers, `/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: text } }] });

async function texts(server: ServerProcess, headers: Headers, doc: string): Promise<string[]> {
  const { records } = await call<{ records: { fields: { A: string } }[] }>(
    server,
    headers,
    `/docs/${doc}/tables/Table1/records`,
  );
  return records.map(({ fields }) => fields.A);
}

const metrics = async (server: ServerProcess): Promise<string> => (await fetch(`${server.address}/metrics`)).text();

describe.skipIf(!HAS_POSTGRES)(`a server with a log${POSTGRES_NEEDED}`, () => {
  test("is rebuilt from the log after its folder was lost, with users, keys and each acknowledged row", async () => {
    const { folder, headers, start } = await installation();
    const rows: string[] = [];
    let doc = "";
    {
      await using server = await start();
      doc = await createDocument(server, headers);
      for (let i = 0; i < 20; i++) {
        await add(server, headers, doc, `row ${i}`);
        rows.push(`row ${i}`);
      }
      server.process.kill("SIGKILL");
      await server.process.exited;
    }
    rmSync(folder, { recursive: true });
    await using server = await start();
    expect(await texts(server, headers, doc)).toEqual(rows);
    await add(server, headers, doc, "after");
    expect(await texts(server, headers, doc)).toEqual([...rows, "after"]);
  }, 60_000);

  test("imports, copies and replaced contents are in the log, too", async () => {
    const { folder, headers, start } = await installation();
    let copied = 0;
    let doc = "";
    {
      await using server = await start();
      doc = await createDocument(server, headers);
      await add(server, headers, doc, "one");
      copied = await call<number>(server, headers, `/docs/${doc}/copy`, { workspaceId: 1, documentName: "Copy" });
      await add(server, headers, doc, "two");
      server.process.kill("SIGKILL");
      await server.process.exited;
    }
    rmSync(folder, { recursive: true });
    await using server = await start();
    expect(await texts(server, headers, doc)).toEqual(["one", "two"]);
    expect(await texts(server, headers, String(copied))).toEqual(["one"]);
  }, 60_000);

  test("attachments are in the log before their rows, and those of an adopted folder are moved there", async () => {
    const folder = tempFolder();
    const headers = await addUserWithKey({ folder });
    const attach = async (server: ServerProcess, doc: string, bytes: number): Promise<number> => {
      const form = new FormData();
      form.append("upload", new Blob([Buffer.alloc(bytes, `${bytes} `)]), "file.txt");
      const response = await fetch(`${server.address}/api/docs/${doc}/attachments`, {
        method: "POST",
        headers: { ...headers, "X-Requested-With": "XMLHttpRequest" },
        body: form,
      });
      const [id = 0] = (await response.json()) as number[];
      return id;
    };
    const sizeOf = async (server: ServerProcess, doc: string, id: number): Promise<number> => {
      const response = await fetch(`${server.address}/api/docs/${doc}/attachments/${id}/download`, { headers });
      return (await response.arrayBuffer()).byteLength;
    };
    const sizes = [10_000, 1_000_000, 20_000_000];
    const ids: number[] = [];
    let doc = "";
    {
      await using server = await startServerProcess({ folder });
      doc = await createDocument(server, headers);
      ids.push(await attach(server, doc, sizes[2] ?? 0));
      await server.stop();
    }
    const log = await createDatabase();
    {
      await using server = await startLogged(folder, log, "--adopt");
      for (const size of sizes) ids.push(await attach(server, doc, size + 1));
      server.process.kill("SIGKILL");
      await server.process.exited;
    }
    rmSync(folder, { recursive: true });
    await using server = await startLogged(folder, log);
    const found = await Promise.all(ids.map((id) => sizeOf(server, doc, id)));
    expect(found).toEqual([20_000_000, ...sizes.map((size) => size + 1)]);
  }, 60_000);

  test("a second server on the same log says so and does not start, and a stopped one hands over at once", async () => {
    const { folder, headers, start, log } = await installation();
    const second = tempFolder();
    let doc = "";
    {
      await using server = await start();
      doc = await createDocument(server, headers);
      await add(server, headers, doc, "one");
      expect(startLogged(second, log)).rejects.toThrow("Another server writes to this log");
      await server.stop();
    }
    await using server = await startLogged(second, log);
    expect(await texts(server, headers, doc)).toEqual(["one"]);
    await add(server, headers, doc, "two");
    await server.stop();
    // The first folder is behind now.
    await using first = await startLogged(folder, log);
    expect(await texts(first, headers, doc)).toEqual(["one", "two"]);
  }, 60_000);

  test("a folder with documents starts on an empty log only with --adopt, and its documents are in the log then", async () => {
    const folder = tempFolder();
    const headers = await addUserWithKey({ folder });
    let doc = "";
    {
      await using server = await startServerProcess({ folder });
      doc = await createDocument(server, headers);
      await add(server, headers, doc, "one");
      await server.stop();
    }
    const log = await createDatabase();
    expect(startLogged(folder, log)).rejects.toThrow("start once with --adopt");
    {
      await using server = await startLogged(folder, log, "--adopt");
      await add(server, headers, doc, "two");
      server.process.kill("SIGKILL");
      await server.process.exited;
    }
    rmSync(folder, { recursive: true });
    await using server = await startLogged(folder, log);
    expect(await texts(server, headers, doc)).toEqual(["one", "two"]);
  }, 60_000);

  test("a folder of another installation is refused, and so is a logged folder without its log", async () => {
    const one = await installation();
    {
      await using server = await one.start();
      await server.stop();
    }
    const other = await installation();
    {
      await using server = await other.start();
      await server.stop();
    }
    expect(startLogged(one.folder, other.log)).rejects.toThrow("another installation");
    expect(startServerProcess({ folder: one.folder })).rejects.toThrow("set QUERN_LOG_TO");
    {
      await using server = await startServerProcess({ folder: one.folder, args: ["--leave-log"] });
      await createDocument(server, one.headers);
      await server.stop();
    }
    expect(startLogged(one.folder, one.log)).rejects.toThrow("another installation");
  }, 60_000);

  test("writes and /status?ready=1 get 503 while PostgreSQL is away and resume when it is back, without a restart", async () => {
    await using postgres = await PostgresServer.start();
    const { headers, start, folder } = await installation(await postgres.createDatabase());
    await using server = await start();
    const doc = await createDocument(server, headers);
    await add(server, headers, doc, "one");
    await postgres.stop("immediate");
    expect(add(server, headers, doc, "two")).rejects.toThrow("503");
    // The lease ends.
    await Bun.sleep(4000);
    expect(texts(server, headers, doc)).rejects.toThrow("503");
    expect((await fetch(`${server.address}/status`)).status).toBe(200);
    const unready = await fetch(`${server.address}/status?ready=1`);
    expect(unready.status).toBe(503);
    expect(unready.headers.get("Retry-After")).toBe("2");
    expect(await metrics(server)).toContain("quern_replicated_log_usable 0");
    await postgres.launch();
    const since = performance.now();
    for (;;) {
      try {
        await add(server, headers, doc, "three");
        break;
      } catch (error) {
        if (performance.now() - since > 20_000) throw error;
        await Bun.sleep(50);
      }
    }
    expect((await texts(server, headers, doc)).filter((text) => text !== "two")).toEqual(["one", "three"]);
    expect(existsSync(join(folder, "home.sqlite"))).toBe(true);
    expect((await fetch(`${server.address}/status?ready=1`)).status).toBe(200);
    expect(await metrics(server)).toContain('quern_cluster_ownership_changes_total{change="lost"}');
  }, 90_000);

  test("metrics show the documents that the server owns, and the commits that it appends", async () => {
    const { headers, start } = await installation();
    await using server = await start();
    const doc = await createDocument(server, headers);
    const before = await metrics(server);
    const valueOf = (text: string, name: string): number =>
      Number(
        text
          .split("\n")
          .find((line) => line.startsWith(`${name} `))
          ?.slice(name.length),
      );
    await add(server, headers, doc, "one");
    const after = await metrics(server);
    const grew = (name: string): number => valueOf(after, name) - valueOf(before, name);
    expect(grew("quern_replicated_log_append_duration_seconds_count")).toBeGreaterThan(0);
    expect(grew("quern_replicated_log_appended_bytes_total")).toBeGreaterThan(100);
    expect(valueOf(after, "quern_replicated_log_commits_pending")).toBe(0);
    expect(valueOf(after, "quern_replicated_log_usable")).toBe(1);
    // home, and the document.
    expect(valueOf(after, "quern_cluster_documents_owned")).toBe(2);
    expect(valueOf(after, 'quern_cluster_ownership_changes_total{change="gained"}')).toBe(2);
  }, 60_000);

  test("backups skip closed documents that have not changed", async () => {
    const { headers, start, folder, log } = await installation();
    {
      await using server = await start();
      await add(server, headers, await createDocument(server, headers), "one");
      await server.stop();
    }
    const backup = () =>
      quernJson<{ documents: number; unchanged: number }>(["backup", "--to", backups, "--data", folder], {
        QUERN_LOG_TO: log,
      });
    const backups = join(tempFolder(), "backups");
    expect(await backup()).toMatchObject({ documents: 1, unchanged: 0 });
    expect(await backup()).toMatchObject({ documents: 1, unchanged: 1 });
    await using server = await start();
    const [doc = ""] = readdirSync(join(folder, "docs"));
    await add(server, headers, doc, "two");
    expect(await backup()).toMatchObject({ documents: 1, unchanged: 0 });
  }, 60_000);

  test("attachments above 100 MB are refused unless the setting allows them", async () => {
    const { headers, folder, log } = await installation();
    const attach = async (server: ServerProcess, doc: string): Promise<number> => {
      const form = new FormData();
      form.append("upload", new Blob([Buffer.alloc(100 * 1024 ** 2 + 1)]), "file.bin");
      const response = await fetch(`${server.address}/api/docs/${doc}/attachments`, {
        method: "POST",
        headers: { ...headers, "X-Requested-With": "XMLHttpRequest" },
        body: form,
      });
      return response.status;
    };
    let doc = "";
    {
      await using server = await startLogged(folder, log);
      doc = await createDocument(server, headers);
      expect(await attach(server, doc)).toBe(413);
    }
    await using server = await startLogged(folder, log, "--max-attachment", "101MB");
    expect(await attach(server, doc)).toBe(200);
  }, 120_000);

  test("a change that was committed before the lease was lost is never answered as if it had not happened", async () => {
    await using postgres = await PostgresServer.start();
    const log = await postgres.createDatabase();
    const { headers, start } = await installation(log);
    await using server = await start();
    const doc = await createDocument(server, headers);
    await add(server, headers, doc, "one");
    const blocker = new Client(log);
    await blocker.connect();
    await blocker.query("begin; lock table quern.doc_log in exclusive mode");
    const answer = add(server, headers, doc, "two").catch((error: Error) => error.message);
    // Until the append waits for the lock.
    const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock'";
    while ((await postgres.query(waiting)).length === 0) await Bun.sleep(10);
    server.process.kill("SIGSTOP");
    await blocker.query("commit");
    await blocker.end();
    // The lease ends.
    await Bun.sleep(4000);
    server.process.kill("SIGCONT");
    expect(await answer).toContain('"outcome":"unknown"');
    while (!(await texts(server, headers, doc).catch((): string[] => [])).includes("two")) await Bun.sleep(50);
  }, 60_000);
});
