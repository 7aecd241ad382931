/** Requests with an `Idempotency-Key` that are repeated through another node. */
import { describe, expect, test } from "bun:test";
import { isReplay } from "../helpers/idempotency.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { until } from "./log/replica-fixture.ts";
import { startNodes, type TestCluster, type TestNode } from "./nodes.ts";

interface Sent {
  readonly key: string;
  readonly path: string;
  readonly body: unknown;
}

const send = ({ headers }: TestCluster, node: TestNode, { key, path, body }: Sent): Promise<Response> =>
  node.fetch(path, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json", "Idempotency-Key": key },
    body: JSON.stringify(body),
  });

/** Sends a request until a node that takes over answers it. */
async function repeated(cluster: TestCluster, node: TestNode, sent: Sent): Promise<Response> {
  let reply: Response | undefined;
  await until(async () => {
    reply = await send(cluster, node, sent);
    expect(reply.status).toBeLessThan(500);
  }, 60_000);
  return reply ?? Response.error();
}

describe.skipIf(!HAS_POSTGRES)(`keys in a cluster${POSTGRES_NEEDED}`, () => {
  test("a request is repeated through another node, also after the one that answered was lost", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = cluster.nodes as [TestNode, TestNode];
    const workspace = await first.call<number>("/orgs/current/workspaces", { name: "W" });
    const doc = await first.call<string>(`/workspaces/${workspace}/docs`, { name: "D" });
    const records = `/docs/${doc}/tables/Table1/records`;
    const requests: readonly Sent[] = [
      { key: "a", path: `/api${records}`, body: { records: [{ fields: { A: 1 } }] } },
      { key: "a", path: "/api/orgs/current/workspaces", body: { name: "New" } },
      { key: "a", path: `/api/workspaces/${workspace}/docs`, body: { name: "New" } },
      { key: "refused", path: `/api${records}`, body: { records: [{ fields: { Nope: 1 } }] } },
    ];
    const counts = async (node: TestNode) => [
      (await node.call<{ records: unknown[] }>(records)).records.length,
      (await node.call<unknown[]>("/orgs/current/workspaces")).length,
      (await node.call<{ docs: unknown[] }>(`/workspaces/${workspace}`)).docs.length,
    ];
    const answers: { status: number; body: string }[] = [];
    for (const sent of requests) {
      const reply = await send(cluster, first, sent);
      expect(isReplay(reply)).toBe(false);
      answers.push({ status: reply.status, body: await reply.text() });
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400]);
    const expected = await counts(first);
    const expectRepeated = async (node: TestNode) => {
      for (const [at, sent] of requests.entries()) {
        const reply = await repeated(cluster, node, sent);
        const { status } = reply;
        expect({ status, body: await reply.text(), isReplay: isReplay(reply) }).toEqual({
          ...(answers[at] ?? { status: 0, body: "" }),
          isReplay: true,
        });
        const other = await repeated(cluster, node, { ...sent, body: {} });
        expect(other.status).toBe(422);
      }
      expect(await counts(node)).toEqual(expected);
    };
    await expectRepeated(second);
    await first.kill();
    await expectRepeated(second);
  }, 120_000);
});
