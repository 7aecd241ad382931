/** `quern cluster drain` and `quern cluster release` with running nodes. */
import { describe, expect, test } from "bun:test";
import { createDatabase, HAS_POSTGRES, POSTGRES_NEEDED, PostgresServer } from "../helpers/postgres.ts";
import { quernJson, runQuern } from "../helpers/run-quern.ts";
import { createTestLog } from "./postgres/log-fixture.ts";
import { startNodes, type TestCluster, type TestNode } from "./nodes.ts";

interface Status {
  readonly nodes: readonly { readonly id: string; readonly isDraining: boolean; readonly documents: number }[];
}

const statusOf = ({ url }: TestCluster): Promise<Status> => quernJson(["cluster", "status", "--cluster", url]);

/** Creates a document on a node. */
async function createDocument(node: TestNode): Promise<string> {
  const [workspace] = await node.call<{ id: number }[]>("/orgs/current/workspaces");
  return node.call<string>(`/workspaces/${workspace?.id}/docs`, { name: "Orders" });
}

const add = (node: TestNode, doc: string, text: string): Promise<unknown> =>
  node.call(`/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: text } }] });

async function texts(node: TestNode, doc: string): Promise<string[]> {
  const { records } = await node.call<{ records: { fields: { A: string } }[] }>(`/docs/${doc}/tables/Table1/records`);
  return records.map(({ fields }) => fields.A);
}

const quern = (...args: string[]) => runQuern(["cluster", ...args]);

describe.skipIf(!HAS_POSTGRES)(`quern cluster drain${POSTGRES_NEEDED}`, () => {
  test("empties a node, which is not ready, and still forwards requests; another node has its documents", async () => {
    await using cluster = await startNodes(2, { settings: { QUERN_METRICS: "loopback" } });
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    const doc = await createDocument(first);
    await add(first, doc, "one");
    expect((await statusOf(cluster)).nodes).toMatchObject([{ documents: 1 }, { documents: 0 }]);
    const drained = await quern("drain", "--this", "--data", first.folder, "--cluster", cluster.url);
    expect(drained).toMatchObject({ status: 0, err: [] });
    expect(drained.out[0]).toMatch(/^Node [0-9a-f]{16} is drained; it had 1 document$/);
    const { nodes } = await statusOf(cluster);
    expect(nodes).toMatchObject([
      { documents: 0, isDraining: true, ownsHome: false },
      { documents: 1, isDraining: false, ownsHome: true },
    ]);
    expect((await first.fetch("/status?ready=1")).status).toBe(503);
    expect((await second.fetch("/status?ready=1")).status).toBe(200);
    await add(first, doc, "two");
    expect(await texts(second, doc)).toEqual(["one", "two"]);
    const metrics = async (node: TestNode): Promise<string> => (await node.fetch("/metrics", { headers: {} })).text();
    expect(await metrics(first)).toMatch(/quern_cluster_requests_proxied_total\{direction="sent"\} [1-9]/);
    expect(await metrics(second)).toMatch(/quern_cluster_requests_proxied_total\{direction="received"\} [1-9]/);
    const [, last] = nodes;
    const refused = await quern("drain", last?.id ?? "", "--cluster", cluster.url);
    expect(refused).toMatchObject({ status: 1, out: [] });
    expect(refused.err).toEqual([
      `quern cluster drain: no other node can take the documents of ${last?.id}: start one first`,
    ]);
  }, 120_000);

  test("says in one line which nodes there are, and what is missing", async () => {
    await using log = await createTestLog();
    expect((await quern("drain", "node-9", "--cluster", log.url)).err).toEqual([
      "quern cluster drain: no living node node-9; living nodes: none",
    ]);
    for (const args of [[], ["node-1", "--this"]]) {
      expect((await quern("drain", ...args, "--cluster", log.url)).err).toEqual([
        "quern cluster drain: either NODE or --this is required",
      ]);
    }
    expect((await quern("drain", "node-1", "--cluster", await createDatabase())).err).toEqual([
      "quern cluster drain: The database has no log of Quern.",
    ]);
  });
});

describe.skipIf(!HAS_POSTGRES)(`quern cluster release${POSTGRES_NEEDED}`, () => {
  test("has the owner close a document, which the node with the next request opens", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    const doc = await createDocument(first);
    await add(first, doc, "one");
    const released = await quern("release", doc, "--cluster", cluster.url);
    expect(released).toMatchObject({ status: 0, err: [] });
    expect(released.out[0]).toMatch(new RegExp(`^Node [0-9a-f]{16} has released document ${doc}$`));
    expect((await quern("release", doc, "--cluster", cluster.url)).out).toEqual([`No node has document ${doc} open`]);
    expect(await texts(second, doc)).toEqual(["one"]);
    expect((await statusOf(cluster)).nodes).toMatchObject([{ documents: 0 }, { documents: 1 }]);
  }, 120_000);

  test("says in one line when there is no such document, and when PostgreSQL is away", async () => {
    await using log = await createTestLog();
    expect((await quern("release", "doc-9", "--cluster", log.url)).err).toEqual([
      "quern cluster release: the log has no document doc-9",
    ]);
    expect((await quern("release", "home", "--cluster", log.url)).err).toEqual([
      "quern cluster release: the home database moves with quern cluster drain",
    ]);
    await using postgres = await PostgresServer.start();
    const url = await postgres.createDatabase();
    await postgres.stop("immediate");
    for (const command of ["release", "drain"]) {
      const { status, out, err } = await quern(command, "doc-1", "--cluster", url);
      expect({ status, out, lines: err.length }).toEqual({ status: 1, out: [], lines: 1 });
      expect(err[0]).toContain("cannot be reached");
    }
  }, 60_000);
});
