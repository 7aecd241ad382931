/** Restoring what servers have written to a log. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { connect } from "../../src/cluster/postgres/connect.ts";
import { parseLogUrl } from "../../src/cluster/postgres/log-url.ts";
import { createDatabase, HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { quernJson, runQuern } from "../helpers/run-quern.ts";
import { addUserWithKey, type ServerProcess, startServerProcess } from "../helpers/server-process.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { sql } from "./postgres/log-fixture.ts";

type Headers = Awaited<ReturnType<typeof addUserWithKey>>;

async function call<T>({ address }: ServerProcess, headers: Headers, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${address}/api${path}`, {
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    headers: { ...headers, "Content-Type": "application/json" },
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

const rowsOf = async (server: ServerProcess, headers: Headers, doc: string): Promise<string[]> => {
  const path = `/docs/${doc}/tables/Table1/records`;
  const { records } = await call<{ records: { fields: { A: string } }[] }>(server, headers, path);
  return records.map(({ fields }) => fields.A);
};

/** PostgreSQL's time, after everything that was acknowledged. */
async function timeOf(url: string): Promise<string> {
  await using connection = await connect(parseLogUrl(url));
  const [row] = await sql<{ at: string }>(
    connection,
    `select to_char(clock_timestamp() + interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, pg_sleep(0.002)`,
  );
  return row?.at ?? "";
}

describe.skipIf(!HAS_POSTGRES)(`restoring the log of a running server${POSTGRES_NEEDED}`, () => {
  test("gives everything as it was at each moment, with users, keys and documents", async () => {
    const folder = tempFolder();
    const headers = await addUserWithKey({ folder });
    const url = await createDatabase();
    await using server = await startServerProcess({ folder, settings: { QUERN_LOG_TO: url } });
    const [workspace] = await call<{ id: number }[]>(server, headers, "/orgs/current/workspaces");
    const create = (name: string) => call<string>(server, headers, `/workspaces/${workspace?.id}/docs`, { name });
    const add = (doc: string, text: string) =>
      call(server, headers, `/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: text } }] });
    const doc = await create("Orders");
    const moments: { at: string; rows: string[] }[] = [];
    const rows: string[] = [];
    for (let i = 0; i < 3; i++) {
      for (let n = 0; n < 5; n++) {
        rows.push(`row ${i}.${n}`);
        await add(doc, `row ${i}.${n}`);
      }
      moments.push({ at: await timeOf(url), rows: [...rows] });
    }
    const status = await quernJson<{ totals: { restorableFromMs: number }; nodes: unknown[] }>([
      "log",
      "status",
      "--from",
      url,
    ]);
    expect(status.totals.restorableFromMs).toBeLessThan(Date.parse(moments[0]?.at ?? ""));
    expect(status).toMatchObject({ nodes: [{ isAlive: true }], totals: { documents: 2 } });
    const later = await create("Later");
    for (const [i, { at, rows: expected }] of moments.entries()) {
      const to = join(tempFolder(), "restored");
      const restored = await runQuern(["restore", "--from-log", url, "--to", to, "--at", at]);
      expect({ ...restored, out: restored.out.length }).toEqual({ status: 0, out: 2, err: [] });
      await using copy = await startServerProcess({ folder: to });
      expect(await rowsOf(copy, headers, doc)).toEqual(expected);
      expect((await fetch(`${copy.address}/api/docs/${later}`, { headers })).status).toBe(404);
      if (i === 0)
        await call(copy, headers, `/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: "x" } }] });
    }
    expect(await rowsOf(server, headers, doc)).toEqual(rows);
    const all = join(tempFolder(), "restored");
    expect((await runQuern(["restore", "--from-log", url, "--to", all])).out).toHaveLength(3);
  });
});
