/** Past states of documents of a cluster: read on the owner, through any node, and by the next owner. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { quernJson } from "../helpers/run-quern.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { until } from "./log/replica-fixture.ts";
import { startNodes, type TestNode } from "./nodes.ts";

const TIMEOUT_MS = 60_000;

/** Returns the state and the words of a response, or the status and the code. */
async function read(node: TestNode, doc: string, at: number): Promise<string> {
  const response = await node.fetch(`/api/docs/${doc}/tables/Table1/records?at=${at}`);
  const body = (await response.json()) as { records?: { fields: { A: string } }[]; details?: { code: string } };
  const words = body.records?.map(({ fields }) => fields.A).join(" ");
  return words === undefined
    ? `${response.status} ${body.details?.code}`
    : `${response.headers.get("x-quern-state")}: ${words}`;
}

describe.skipIf(!HAS_POSTGRES)(`past states in a cluster${POSTGRES_NEEDED}`, () => {
  test(
    "are read through every node, from snapshots in the log as well, also after the loss of the owner",
    async () => {
      await using cluster = await startNodes(2, { settings: { QUERN_SNAPSHOTS_KEEP: "3" } });
      const [first, second] = cluster.nodes as [TestNode, TestNode];
      const [workspace] = await first.call<{ id: number }[]>("/orgs/current/workspaces");
      const doc = await first.call<string>(`/workspaces/${workspace?.id}/docs`, { name: "Orders" });
      const add = (A: string) => first.call(`/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A } }] });
      for (const word of ["a", "b", "c"]) await add(word);
      await quernJson(["backup", "--to", join(tempFolder(), "backups"), "--data", first.folder], {
        QUERN_CLUSTER: cluster.url,
      });
      await add("d");
      await first.call(`/docs/${doc}/states/remove`, { keep: 1 });
      const ats = [5, 4, 3, 2, 1, 9];
      const expected = ["5: a b c d", "4: a b c", "3: a b", "2: a", "1: ", "404 state.not_found"];
      for (const node of [first, second]) {
        for (const [i, at] of ats.entries()) expect(await read(node, doc, at)).toBe(expected[i] ?? "");
      }
      await first.kill();
      await until(async () => expect(await read(second, doc, 3)).toBe("3: a b"), TIMEOUT_MS);
      for (const [i, at] of ats.entries()) expect(await read(second, doc, at)).toBe(expected[i] ?? "");
    },
    2 * TIMEOUT_MS,
  );
});
