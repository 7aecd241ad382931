import { describe, expect, test } from "bun:test";
import { appendRows } from "../../src/cluster/postgres/statements/appends.ts";
import { LOG_REFUSALS } from "../../src/cluster/postgres/refusals.ts";
import { addDocument, addNode, createTestLog, logRow } from "../cluster/postgres/log-fixture.ts";
import { createDatabase, HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { freePort } from "../helpers/server-process.ts";
import { quernJson, runQuern } from "../helpers/run-quern.ts";

const ADDRESS = /127\.0\.0\.1:\d+\/test_\w+/;

describe.skipIf(!HAS_POSTGRES)(`quern log status${POSTGRES_NEEDED}`, () => {
  test("shows server, standbys, nodes, sizes and documents", async () => {
    await using log = await createTestLog();
    await addNode(log.connection, "node-1");
    await addDocument(log.connection);
    await addDocument(log.connection, { doc: "doc-2" });
    const append = { doc: "doc-1", node: "node-1", epoch: 1, rows: [logRow(1, "", 250_000)], dueAtMs: null };
    await appendRows(log.connection, append);
    const { status, out, err } = await runQuern(["log", "status", "--from", log.url]);
    expect({ status, err }).toEqual({ status: 0, err: [] });
    const lines = out.map((line) => line.split("\t"));
    expect(out[0]).toMatch(new RegExp(`^PostgreSQL \\d.* at ${ADDRESS.source}, timeline 1$`));
    const find = (name: string) => lines.find(([first]) => first === name)?.slice(1);
    expect(find("installation")).toEqual(["installation-1"]);
    expect(find("synchronous standby")?.[0]).toStartWith("no: ");
    expect(find("node")).toEqual([
      "node-1",
      "http://node-1:8080",
      expect.stringContaining("lease ends in "),
      "1.0.0",
      expect.stringContaining("since 20"),
    ]);
    expect(find("documents")).toEqual(["2"]);
    expect(find("log")).toEqual(["1 rows", "0.3 MB", expect.stringMatching(/Z to 20.*Z$/)]);
    expect(find("doc-1")).toEqual([
      "on node-1",
      "commit 1",
      "log 0.3 MB, 0.3 MB since base",
      "bases 0, 0.0 MB",
      expect.stringMatching(/Z$/),
    ]);
    expect(out.join("\n")).not.toContain("test-password");

    const json = await quernJson<Record<string, unknown>>(["log", "status", "--documents", "1"], {
      QUERN_LOG_TO: log.url,
    });
    expect(json).toMatchObject({
      server: expect.stringMatching(ADDRESS),
      installationId: "installation-1",
      standbys: { synchronousNames: "", isSynchronous: false, standbys: [] },
      nodes: [{ id: "node-1", isAlive: true }],
      totals: { documents: 2, rows: 1 },
      documents: [{ doc: "doc-1", head: 1, bases: 0 }],
    });
    expect(JSON.stringify(json)).not.toContain("test-password");
  });

  test("fails in one line without a log, a database or a server", async () => {
    const url = await createDatabase();
    const errorOf = async (...args: string[]) => {
      const { status, out, err } = await runQuern(["log", "status", ...args]);
      expect({ status, out }).toEqual({ status: 1, out: [] });
      expect(err).toHaveLength(1);
      return err[0];
    };
    expect(await errorOf("--from", url)).toBe(`quern log status: ${LOG_REFUSALS.empty()}`);
    expect(await errorOf()).toBe("quern log status: --from URL is missing");
    expect(await errorOf("--from", url, "--documents", "many")).toContain("--documents must be a whole number");
    expect(await errorOf("--from", "postgres://u:secret@h/d?x=1")).not.toContain("secret");
    const unreachable = await errorOf("--from", `postgres://u:secret@127.0.0.1:${freePort()}/d`);
    expect(unreachable).toContain("cannot be reached");
    expect(unreachable).not.toContain("secret");
  });
});
