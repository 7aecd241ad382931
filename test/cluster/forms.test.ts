/** Published forms on two nodes: keys, answers that are sent again, and the count of answers. */
import { describe, expect, test } from "bun:test";
import { expectPoll } from "../helpers/expect-poll.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { startNodes, type TestNode } from "./nodes.ts";

interface Form {
  readonly doc: string;
  readonly section: number;
  readonly share: number;
}

async function publish(node: TestNode): Promise<Form> {
  const workspace = await node.call<number>("/orgs/current/workspaces", { name: "Work" });
  const doc = await node.call<string>(`/workspaces/${workspace}/docs`, { name: "Club" });
  const apply = async <T>(...actions: unknown[][]): Promise<T> =>
    (await node.call<{ retValues: T }>(`/docs/${doc}/apply`, actions)).retValues;
  const [made] = await apply<{ sectionRef: number; viewRef: number }[]>([
    "CreateViewSection",
    1,
    0,
    "form",
    null,
    null,
  ]);
  const [share] = await apply<number[]>([
    "AddRecord",
    "_grist_Shares",
    null,
    { linkId: "a", options: '{"publish":true}' },
  ]);
  const { records } = await node.call<{ records: { id: number; fields: { viewRef: number } }[] }>(
    `/docs/${doc}/tables/_grist_Pages/records`,
  );
  const page = records.find(({ fields }) => fields.viewRef === made?.viewRef);
  await apply(
    ["UpdateRecord", "_grist_Pages", page?.id, { shareRef: share }],
    ["UpdateRecord", "_grist_Views_section", made?.sectionRef, { shareOptions: '{"form":true,"publish":true}' }],
  );
  return { doc, section: made?.sectionRef ?? 0, share: share ?? 0 };
}

const answer = (node: TestNode, key: string, value: string, idempotencyKey = value) =>
  node.fetch(`/api/s/${key}/tables/Table1/records`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": idempotencyKey },
    body: JSON.stringify({ records: [{ fields: { A: value } }] }),
  });

describe.skipIf(!HAS_POSTGRES)(`forms${POSTGRES_NEEDED}`, () => {
  test("are read and answered through every node, once, also after the owner was lost", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = cluster.nodes as [TestNode, TestNode];
    // The second node owns the document, the first one the home database.
    const form = await publish(second);
    const keyOf = async (node: TestNode) =>
      (await node.call<{ key: string }[]>(`/docs/${form.doc}/shares`))[0]?.key ?? "";
    const key = await keyOf(second);
    expect(key).toMatch(/^[A-Za-z0-9]{22}$/);
    expect(await keyOf(first)).toBe(key);
    const read = (node: TestNode, with_ = key) => node.fetch(`/api/s/${with_}/forms/${form.section}`, { headers: {} });
    const [here, there] = await Promise.all([read(first), read(second)]);
    expect([here.status, there.status]).toEqual([200, 200]);
    expect(await here.text()).toBe(await there.text());
    for (const node of cluster.nodes) expect((await read(node, "x".repeat(22))).status).toBe(404);

    const rows = async (node: TestNode) =>
      (
        await node.call<{ records: { fields: { A: string } }[] }>(`/docs/${form.doc}/tables/Table1/records`)
      ).records.map(({ fields }) => fields.A);
    // The same answers through both nodes at once.
    const values = Array.from({ length: 30 }, (_, i) => `v${i}`);
    const sent = await Promise.all(
      values
        .flatMap((value) => [answer(first, key, value), answer(second, key, value)])
        .map(async (reply) => (await reply).status),
    );
    expect(sent.filter((status) => status !== 200)).toEqual([]);
    expect((await rows(first)).toSorted()).toEqual(values.toSorted());

    // Closed through one node: closed on the other.
    const options = JSON.stringify({ quern: { v: 1, form: { maxAnswers: 31 } } });
    await first.call(`/docs/${form.doc}/apply`, [["UpdateRecord", "_grist_Views_section", form.section, { options }]]);
    expect((await answer(second, key, "last")).status).toBe(200);
    expect((await answer(first, key, "further")).status).toBe(403);

    await second.kill();
    // The next owner finds the answers, their number and the keys of requests.
    await expectPoll(async () => (await answer(first, key, "v0")).status, { timeoutMs: 60_000 }).toBe(200);
    expect((await answer(first, key, "further")).status).toBe(403);
    expect((await rows(first)).toSorted()).toEqual([...values, "last"].toSorted());
  }, 120_000);

  test("a key ends on every node with its share", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = cluster.nodes as [TestNode, TestNode];
    const { doc, section, share } = await publish(second);
    const keyOf = async (node: TestNode) => (await node.call<{ key: string }[]>(`/docs/${doc}/shares`))[0]?.key;
    const statusOf = async (node: TestNode, key = "") =>
      (await node.fetch(`/api/s/${key}/forms/${section}`, { headers: {} })).status;
    const key = await keyOf(first);
    await first.call(`/docs/${doc}/apply`, [["UpdateRecord", "_grist_Shares", share, { linkId: "b" }]]);
    expect([await statusOf(first, key), await statusOf(second, key)]).toEqual([404, 404]);
    await second.call(`/docs/${doc}/apply`, [["UpdateRecord", "_grist_Shares", share, { linkId: "a" }]]);
    expect([await statusOf(first, key), await statusOf(second, key)]).toEqual([404, 404]);
    const next = await keyOf(second);
    expect(next).not.toBe(key);
    expect([await statusOf(first, next), await statusOf(second, next)]).toEqual([200, 200]);
    expect([await statusOf(first, key), await statusOf(second, key)]).toEqual([404, 404]);
  }, 120_000);
});
