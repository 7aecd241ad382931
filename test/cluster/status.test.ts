/** What `quern cluster status` says about the nodes in a database. */
import { describe, expect, test } from "bun:test";
import { acquireDocument } from "../../src/cluster/postgres/statements/ownership.ts";
import { renewLease } from "../../src/cluster/postgres/statements/nodes.ts";
import { createDatabase, HAS_POSTGRES, POSTGRES_NEEDED, PostgresServer } from "../helpers/postgres.ts";
import { quernJson, runQuern } from "../helpers/run-quern.ts";
import { addDocument, addNode, createTestLog, expireLease } from "./postgres/log-fixture.ts";

describe.skipIf(!HAS_POSTGRES)(`quern cluster status${POSTGRES_NEEDED}`, () => {
  test("shows each node with its version, lease, documents and pending commits, and the owner of home", async () => {
    await using log = await createTestLog();
    const { connection, url } = log;
    await addNode(connection, "node-1");
    for (const doc of ["home", "doc-1", "doc-2"]) await addDocument(connection, { doc });
    await expireLease(connection, "node-1");
    await addNode(connection, "node-2");
    await acquireDocument(connection, { doc: "home", node: "node-2" });
    await acquireDocument(connection, { doc: "doc-1", node: "node-2" });
    await renewLease(connection, "node-2", { report: { pendingCommits: 4, isDraining: true } });
    const { status, out, err } = await runQuern(["cluster", "status"], { QUERN_CLUSTER: url });
    expect({ status, err }).toEqual({ status: 0, err: [] });
    const lines = out.map((line) =>
      line.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME").replace(/ends in [\d.]+ s/, "ends"),
    );
    expect(lines.slice(1)).toEqual([
      "installation\tinstallation-1",
      "synchronous standby\tno: every write is on one PostgreSQL server only, as far as PostgreSQL knows",
      "home database\ton node-2",
      "documents\t2, 1 without owner",
      "node\tnode-1\thttp://node-1:8080\t1.0.0\tlost at TIME\t1 document\t0 commits pending\tsince TIME",
      "node\tnode-2\thttp://node-2:8080\t1.0.0\tdraining, lease ends\t1 document\t4 commits pending\tsince TIME",
    ]);
    const json = await quernJson<{ nodes: unknown[] }>(["cluster", "status", "--cluster", url]);
    expect(json).toMatchObject({
      documents: { total: 2, withoutOwner: 1 },
      nodes: [
        { id: "node-1", isAlive: false },
        { id: "node-2", isAlive: true, ownsHome: true, isDraining: true, pendingCommits: 4, documents: 1 },
      ],
    });
  });

  test("says in one line what is wrong without a database, without a cluster in it, and while PostgreSQL is away", async () => {
    const lineOf = async (url: string): Promise<string> => {
      const { status, out, err } = await runQuern(["cluster", "status"], { QUERN_CLUSTER: url });
      expect({ status, out, lines: err.length }).toEqual({ status: 1, out: [], lines: 1 });
      return err[0] ?? "";
    };
    expect(await lineOf(await createDatabase())).toBe("quern cluster status: The database has no log of Quern.");
    await using postgres = await PostgresServer.start();
    const url = await postgres.createDatabase();
    await postgres.stop("immediate");
    expect(await lineOf(url)).toMatch(/^quern cluster status: PostgreSQL at .* cannot be reached: .*\.$/);
    const missing = await runQuern(["cluster", "status"]);
    expect(missing).toMatchObject({ status: 1, err: ["quern cluster status: --cluster URL is missing"] });
  }, 60_000);
});
