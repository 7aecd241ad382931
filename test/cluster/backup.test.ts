/** Backups of a cluster. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Database } from "../../src/sqlite/database.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { quernJson, runQuern } from "../helpers/run-quern.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { startNodes, type TestNode } from "./nodes.ts";

const add = (node: TestNode, doc: string, text: string): Promise<unknown> =>
  node.call(`/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: text } }] });

describe.skipIf(!HAS_POSTGRES)(`a backup of a cluster${POSTGRES_NEEDED}`, () => {
  test("has the newest content of each document, wherever it is open, and skips unchanged ones", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    const [workspace] = await first.call<{ id: number }[]>("/orgs/current/workspaces");
    const create = (name: string) => first.call<string>(`/workspaces/${workspace?.id}/docs`, { name });
    const [moved, other] = [await create("Moved"), await create("Other")];
    await add(first, moved, "on the first node");
    await add(first, other, "here");
    // The first node keeps a file that is behind then.
    const released = await runQuern(["cluster", "release", moved, "--cluster", cluster.url]);
    expect(released.status).toBe(0);
    await add(second, moved, "on the second node");
    const backups = join(tempFolder(), "backups");
    const backUp = (node: TestNode) =>
      quernJson(["backup", "--to", backups, "--data", node.folder], { QUERN_CLUSTER: cluster.url });
    expect(await backUp(first)).toMatchObject({ documents: 2, unchanged: 0, problems: [] });
    expect(await backUp(second)).toMatchObject({ documents: 2, unchanged: 2, problems: [] });
    const restored = join(tempFolder(), "restored");
    expect((await runQuern(["restore", "--from", backups, "--data", restored])).status).toBe(0);
    using file = new Database(join(restored, "docs", moved, "document.grist"), { readonly: true });
    expect(file.all("select A from Table1 order by id")).toEqual([
      { A: "on the first node" },
      { A: "on the second node" },
    ]);
  }, 120_000);
});
