/** The files of permanently deleted documents, in the folders of all nodes. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expectPoll } from "../helpers/expect-poll.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { runQuern } from "../helpers/run-quern.ts";
import { query } from "./log/replica-fixture.ts";
import { startNodes, type TestNode } from "./nodes.ts";

const hasCopy = (node: TestNode, doc: string): boolean => existsSync(join(node.folder, "docs", doc));

describe.skipIf(!HAS_POSTGRES)(`copies of deleted documents${POSTGRES_NEEDED}`, () => {
  test("are removed from the folders of all nodes, also of one that was down; other copies stay", async () => {
    await using cluster = await startNodes(3);
    const [first, second, third] = cluster.nodes;
    if (!first || !second || !third) throw new Error("no nodes");
    const [workspace] = await first.call<{ id: number }[]>("/orgs/current/workspaces");
    const create = () => first.call<string>(`/workspaces/${workspace?.id}/docs`, { name: "Orders" });
    const [deleted, kept, unknown, known] = [await create(), await create(), await create(), await create()];
    const documents = [deleted, kept, unknown, known];
    // Opened on each node in turn, which leaves a copy there.
    for (const node of [second, third]) {
      for (const doc of documents) {
        expect((await runQuern(["cluster", "release", doc, "--cluster", cluster.url])).status).toBe(0);
        await node.call(`/docs/${doc}/tables`);
      }
    }
    const copies = (node: TestNode) => documents.map((doc) => hasCopy(node, doc));
    for (const node of cluster.nodes) expect(copies(node)).toEqual([true, true, true, true]);
    await third.stop();
    // As if the log had gone back in time: it does not know the document, whose copies may be the last ones.
    await query(cluster.url, `delete from quern.doc_owner where doc = '${unknown}'`);
    // As if the home database had been restored from before the deletion: it still has the document.
    await query(cluster.url, `update quern.doc_owner set deleted_at = clock_timestamp() where doc = '${known}'`);
    await first.call(`/docs/${deleted}`, undefined, "DELETE");
    await expectPoll(() => copies(first)).toEqual([false, true, true, true]);
    await expectPoll(() => copies(second)).toEqual([false, true, true, true]);
    await third.start();
    await expectPoll(() => copies(third)).toEqual([false, true, true, true]);
    expect(await third.call<unknown>(`/docs/${kept}/tables`)).toBeDefined();
  }, 90_000);
});
