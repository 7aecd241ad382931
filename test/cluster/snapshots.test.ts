/** Snapshots of documents of a cluster: each node has them, and they survive the loss of a node. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { quernJson } from "../helpers/run-quern.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { query } from "./log/replica-fixture.ts";
import { startNodes, type TestNode } from "./nodes.ts";

const texts = async (node: TestNode, doc: string): Promise<string[]> => {
  const { records } = await node.call<{ records: { fields: { A: string } }[] }>(`/docs/${doc}/tables/Table1/records`);
  return records.map(({ fields }) => fields.A);
};

const add = (node: TestNode, doc: string, text: string): Promise<unknown> =>
  node.call(`/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: text } }] });

/** Newest first, without the current content. */
const snapshots = async (node: TestNode, doc: string): Promise<string[]> => {
  const { snapshots: found } = await node.call<{ snapshots: { snapshotId: string }[] }>(`/docs/${doc}/snapshots`);
  expect(found[0]?.snapshotId).toBe("current");
  return found.slice(1).map(({ snapshotId }) => snapshotId);
};

const restore = (node: TestNode, doc: string, snapshotId: string): Promise<unknown> =>
  node.call(`/docs/${doc}/replace`, { snapshotId });

describe.skipIf(!HAS_POSTGRES)(`snapshots in a cluster${POSTGRES_NEEDED}`, () => {
  test("of backups and replaced contents are listed and restored by every node, also after the loss of one", async () => {
    await using cluster = await startNodes(2, { settings: { QUERN_SNAPSHOTS_KEEP: "3" } });
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    const [workspace] = await first.call<{ id: number }[]>("/orgs/current/workspaces");
    const create = (name: string) => first.call<string>(`/workspaces/${workspace?.id}/docs`, { name });
    const [doc, source] = [await create("Orders"), await create("Source")];
    await add(first, doc, "backed up");
    const backups = join(tempFolder(), "backups");
    const backUp = (node: TestNode) =>
      quernJson(["backup", "--to", backups, "--data", node.folder], { QUERN_CLUSTER: cluster.url });
    await backUp(first);
    // Nothing has changed.
    await backUp(second);
    const listed = await snapshots(first, doc);
    expect(listed).toHaveLength(1);
    expect(await snapshots(second, doc)).toEqual(listed);
    await add(first, doc, "replaced");
    await add(first, source, "source");
    await second.call(`/docs/${doc}/replace`, { sourceDocId: source });
    expect(await texts(second, doc)).toEqual(["source"]);
    const [before = "", backedUp = ""] = await snapshots(second, doc);
    expect(listed).toEqual([backedUp]);
    await first.kill();
    const isTaken = async () => (await second.fetch(`/api/docs/${doc}/tables/Table1/records`)).status === 200;
    while (!(await isTaken())) await Bun.sleep(50);
    await restore(second, doc, before);
    expect(await texts(second, doc)).toEqual(["backed up", "replaced"]);
    await restore(second, doc, backedUp);
    expect(await texts(second, doc)).toEqual(["backed up"]);
    // What a restore replaced can be restored, too: the oldest of four is removed.
    const found = await snapshots(second, doc);
    expect(found).toHaveLength(3);
    expect(found).not.toContain(backedUp);
    await restore(second, doc, found[1] ?? "");
    expect(await texts(second, doc)).toEqual(["source"]);
    const unknown = "20260101T000000000Z-00000000";
    const removed = { snapshotIds: [found[0], unknown] };
    expect(await second.call<object>(`/docs/${doc}/snapshots/remove`, removed)).toEqual({ snapshotIds: [found[0]] });
    const body = JSON.stringify({ snapshotId: unknown });
    const headers = { ...cluster.headers, "Content-Type": "application/json" };
    expect((await second.fetch(`/api/docs/${doc}/replace`, { method: "POST", body, headers })).status).toBe(404);
    // The log no longer has the content of older snapshots.
    await query(cluster.url, `update quern.doc_snapshot set seq = 0 where doc = '${doc}'`);
    expect(await snapshots(second, doc)).toEqual([]);
    await query(cluster.url, `update quern.doc_snapshot set seq = 1 where doc = '${doc}'`);
    expect(await second.call<object>(`/docs/${doc}/snapshots/remove`, { select: "past" })).toMatchObject({
      snapshotIds: expect.arrayContaining([expect.any(String)]),
    });
    expect(await snapshots(second, doc)).toEqual([]);
  }, 120_000);

  test("saved before a change are restored by another node, unless the document has changed since", async () => {
    await using cluster = await startNodes(2, {});
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    const [workspace] = await first.call<{ id: number }[]>("/orgs/current/workspaces");
    const doc = await first.call<string>(`/workspaces/${workspace?.id}/docs`, { name: "Orders" });
    await add(first, doc, "before");
    const save = (node: TestNode) =>
      node.call<{ snapshotId: string; state: { n: number } }>(`/docs/${doc}/snapshots`, {});
    const change = (node: TestNode) =>
      node.call<{ actionNum: number; actionHash: string }>(`/docs/${doc}/tables/Table1/records/change`, {
        filter: {},
        expectedRows: 1,
        fields: { A: "changed" },
      });
    for (const [saving, restoring] of [
      [first, second],
      [second, first],
    ] as const) {
      const { snapshotId, state } = await save(saving);
      expect(await snapshots(restoring, doc)).toContain(snapshotId);
      const { actionNum, actionHash: ifState } = await change(saving);
      expect(actionNum).toBe(state.n + 1);
      await restoring.call(`/docs/${doc}/replace`, { snapshotId, ifState });
      expect(await texts(saving, doc)).toEqual(["before"]);
    }
    const { snapshotId } = await save(second);
    const { actionHash: ifState } = await change(first);
    await add(second, doc, "later");
    const headers = { ...cluster.headers, "Content-Type": "application/json" };
    const body = JSON.stringify({ snapshotId, ifState });
    const reply = await first.fetch(`/api/docs/${doc}/replace`, { method: "POST", body, headers });
    expect(reply.status).toBe(409);
    expect(await texts(first, doc)).toEqual(["changed", "later"]);
  }, 120_000);
});
