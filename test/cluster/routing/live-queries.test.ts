/** Live queries through a node that does not own the document, on real nodes. */
import { describe, expect, test } from "bun:test";
import { LiveReader } from "../../helpers/live-reader.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../../helpers/postgres.ts";
import { runQuern } from "../../helpers/run-quern.ts";
import { startNodes, type TestNode } from "../nodes.ts";

describe.skipIf(!HAS_POSTGRES)(`a live query in a cluster${POSTGRES_NEEDED}`, () => {
  test("is answered by the owner of the document, ends when the document moves, and resumes there", async () => {
    await using cluster = await startNodes(2);
    const [owner, other] = cluster.nodes;
    if (!owner || !other) throw new Error("no nodes");
    const workspace = await owner.call<number>("/orgs/current/workspaces", { name: "Work" });
    const doc = await owner.call<string>(`/workspaces/${workspace}/docs`, { name: "Orders" });
    const path = `/api/docs/${doc}/tables/Table1/records`;
    const add = (node: TestNode, A: string) => node.call(path.slice("/api".length), { records: [{ fields: { A } }] });
    const open = async (node: TestNode, after?: string | null) =>
      new LiveReader(await node.fetch(`${path}/live?fields=A${after ? `&after=${after}` : ""}`));
    await add(owner, "first");
    await using here = await open(owner);
    await using there = await open(other);
    for (const reader of [here, there]) expect((await reader.next())?.event).toBe("reset");
    await add(other, "second");
    for (const reader of [here, there]) {
      expect((await reader.next())?.data).toMatchObject({ added: [{ id: 2, fields: { A: "second" } }] });
    }
    await runQuern(["cluster", "release", doc, "--cluster", cluster.url]);
    for (const reader of [here, there]) {
      expect((await reader.until("closed")).data).toEqual({ reason: "stopping" });
      expect(await reader.next()).toBeNull();
    }
    await add(other, "third");
    for (const [node, reader] of [
      [owner, here],
      [other, there],
    ] as const) {
      await using again = await open(node, reader.lastId);
      // Each state is in the history, whichever node reads it.
      expect(await again.next()).toMatchObject({
        event: "change",
        data: { updated: [{ id: 3, fields: { A: "third" } }] },
      });
    }
  }, 90_000);
});
