/** Webhooks of documents whose node stops, dies, or gives them up. */
import { describe, expect, test } from "bun:test";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { WebhookReceiver } from "../helpers/webhook-receiver.ts";
import { query, until } from "./log/replica-fixture.ts";
import { startNodes, type TestNode } from "./nodes.ts";

/** A document with a webhook, created on one node. */
async function createHooked(node: TestNode, receiver: WebhookReceiver): Promise<string> {
  const [workspace] = await node.call<{ id: number }[]>("/orgs/current/workspaces");
  const doc = await node.call<string>(`/workspaces/${workspace?.id}/docs`, { name: "Orders" });
  const fields = { url: receiver.url, tableId: "Table1", eventTypes: ["add"] };
  await node.call(`/docs/${doc}/webhooks`, { webhooks: [{ fields }] });
  return doc;
}

const add = (node: TestNode, doc: string): Promise<unknown> =>
  node.call(`/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: "one" } }] });

describe.skipIf(!HAS_POSTGRES)(`webhooks in a cluster${POSTGRES_NEEDED}`, () => {
  test("a delivery of a node that was killed is made by another one, with the same webhook-id", async () => {
    using receiver = new WebhookReceiver();
    await using cluster = await startNodes(2, { settings: { QUERN_WEBHOOK_ALLOW: receiver.host } });
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    const doc = await createHooked(first, receiver);
    // The first attempt does not end before the node does.
    receiver.replies.push(() => new Promise(() => {}));
    await add(first, doc);
    const [attempt] = await receiver.next();
    await first.kill();
    const [repeated] = await receiver.next();
    expect(repeated?.headers.get("webhook-id")).toBe(attempt?.headers.get("webhook-id") ?? "");
    expect(repeated?.text).toBe(attempt?.text ?? "");
  }, 60_000);

  test("a retry for which the document was released is made on time", async () => {
    using receiver = new WebhookReceiver();
    const settings = {
      QUERN_WEBHOOK_ALLOW: receiver.host,
      QUERN_WEBHOOK_RETRY_MS: "15000",
      QUERN_DOC_IDLE_MS: "1000",
    };
    await using cluster = await startNodes(2, { settings });
    const [first] = cluster.nodes;
    if (!first) throw new Error("no nodes");
    const doc = await createHooked(first, receiver);
    receiver.replies.push(500);
    await add(first, doc);
    const [attempt] = await receiver.next();
    const failedAt = performance.now();
    const state = async () => {
      const [row] = await query<{ node: string | null; due: number | null }>(
        cluster.url,
        `select node, extract(epoch from due_at - clock_timestamp())::float8 as due from quern.doc_owner where doc = '${doc}'`,
      );
      return row;
    };
    await until(async () => expect((await state())?.node).toBeNull());
    expect((await state())?.due).toBeGreaterThan(0);
    const [retry] = await receiver.next();
    expect(retry?.headers.get("webhook-id")).toBe(attempt?.headers.get("webhook-id") ?? "");
    expect(performance.now() - failedAt).toBeGreaterThan(14_000);
    expect(performance.now() - failedAt).toBeLessThan(20_000);
  }, 60_000);
});
