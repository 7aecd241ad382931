/** Jobs of documents whose node dies or stops. */
import { describe, expect, test } from "bun:test";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { query, until } from "./log/replica-fixture.ts";
import { startNodes, type TestCluster, type TestNode } from "./nodes.ts";

const LINES = 20_000;
/** On a loaded machine. */
const TIMEOUT_MS = 60_000;

interface Job {
  readonly id: string;
  readonly status: string;
  readonly processed: number;
}

/** Starts a job in a document of the first node, by a request to the second one. */
async function startJob({ nodes, headers }: TestCluster): Promise<{ doc: string; job: Job }> {
  const [first, second] = nodes as [TestNode, TestNode];
  const [workspace] = await first.call<{ id: number }[]>("/orgs/current/workspaces");
  const doc = await first.call<string>(`/workspaces/${workspace?.id}/docs`, { name: "Orders" });
  await first.call(`/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: 0 } }] });
  const response = await second.fetch(`/api/docs/${doc}/tables/Table1/records`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/x-ndjson" },
    body: Array.from({ length: LINES }, (_, n) => `{"A":${n + 1}}\n`).join(""),
  });
  expect(response.status).toBe(202);
  return { doc, job: (await response.json()) as Job };
}

const ownerOf = async ({ url }: TestCluster, doc: string): Promise<string | null> => {
  const [row] = await query<{ node: string | null }>(url, `select node from quern.doc_owner where doc = '${doc}'`);
  return row?.node ?? null;
};

/** Waits until a job has completed, and checks that each line was applied once. */
async function expectCompleted(node: TestNode, { doc, job }: { doc: string; job: Job }): Promise<void> {
  await until(async () => expect((await node.call<Job>(`/jobs/${job.id}`)).status).toBe("completed"), TIMEOUT_MS);
  const sql = "select count(*) as n, count(distinct A) as d, sum(A) as s from Table1";
  const { records } = await node.call<{ records: { fields: object }[] }>(`/docs/${doc}/sql`, { sql });
  expect(records[0]?.fields).toEqual({ n: LINES + 1, d: LINES + 1, s: (LINES * (LINES + 1)) / 2 });
}

describe.skipIf(!HAS_POSTGRES)(`jobs in a cluster${POSTGRES_NEEDED}`, () => {
  test.each(["is killed", "stops"])(
    "a job of a node that %s is continued by another one",
    async (how) => {
      await using cluster = await startNodes(2);
      const [first, second] = cluster.nodes as [TestNode, TestNode];
      const started = await startJob(cluster);
      const formerOwner = await ownerOf(cluster, started.doc);
      expect(formerOwner).not.toBeNull();
      if (how === "stops") expect(await first.stop()).toBe(0);
      else await first.kill();
      // The other node finds the document without a request for it.
      await until(async () => {
        const owner = await ownerOf(cluster, started.doc);
        expect(owner).not.toBeNull();
        expect(owner).not.toBe(formerOwner);
      });
      await expectCompleted(second, started);
    },
    90_000,
  );

  test("any node answers requests about a job", async () => {
    await using cluster = await startNodes(2);
    const started = await startJob(cluster);
    for (const node of cluster.nodes) {
      expect((await node.call<Job>(`/jobs/${started.job.id}`)).id).toBe(started.job.id);
      const { jobs } = await node.call<{ jobs: Job[] }>(`/docs/${started.doc}/jobs`);
      expect(jobs.map(({ id }) => id)).toEqual([started.job.id]);
    }
    for (const node of cluster.nodes) await expectCompleted(node, started);
  }, 180_000);
});
