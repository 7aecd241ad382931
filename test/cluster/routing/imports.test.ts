/** Imports in a cluster: the node that owns the home database has the uploads; every node answers for them. */
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expectPoll } from "../../helpers/expect-poll.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../../helpers/postgres.ts";
import { startNodes, type TestNode } from "../nodes.ts";

const ROWS = 300_000;
const CSV = `Item,Price\n${Array.from({ length: ROWS }, (_, r) => `item ${r},${r / 4}`).join("\n")}\n`;

interface Status {
  readonly progress: { readonly step: string; readonly done: number; readonly total: number | null } | null;
}

const filesOf = ({ folder }: TestNode, part: string) => readdirSync(join(folder, part));

describe.skipIf(!HAS_POSTGRES)(`an import of many rows${POSTGRES_NEEDED}`, () => {
  test("is followed and cancelled on any node", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    const workspace = await second.call<number>("/orgs/current/workspaces", { name: "Work" });
    const uploads = `/workspaces/${workspace}/uploads`;
    for (const [importing, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const body = new FormData();
      body.append("upload", new File([CSV], "items.csv"));
      const headers = { ...cluster.headers, "X-Requested-With": "XMLHttpRequest" };
      const uploaded = await other.fetch(`/api${uploads}`, { method: "POST", body, headers });
      const { uploadId } = (await uploaded.json()) as { uploadId: number };
      const answer = importing.fetch(`/api/workspaces/${workspace}/import`, {
        method: "POST",
        body: JSON.stringify({ uploadId }),
        headers: { ...cluster.headers, "Content-Type": "application/json" },
      });
      await expectPoll(async () => {
        const { progress } = await other.call<Status>(`${uploads}/${uploadId}`);
        return progress?.step === "writing" && progress.total === ROWS;
      }).toBe(true);
      await other.call(`${uploads}/${uploadId}`, undefined, "DELETE");
      const response = await answer;
      expect([response.status, await response.json()]).toMatchObject([409, { details: { code: "import.cancelled" } }]);
      for (const node of cluster.nodes) {
        await expectPoll(() => filesOf(node, "tmp").filter((name) => /^(upload|import|document)/.test(name))).toEqual(
          [],
        );
        expect(filesOf(node, "docs")).toEqual([]);
      }
    }
  }, 120_000);
});
