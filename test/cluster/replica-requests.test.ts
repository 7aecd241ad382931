/** Requests to a node with a replica of home, while the node opens connections to PostgreSQL. */
import { describe, expect, test } from "bun:test";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { startNodes } from "./nodes.ts";

describe.skipIf(!HAS_POSTGRES)(`a replica of home${POSTGRES_NEEDED}`, () => {
  test("answers requests while a document's first append opens another connection to the same database", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    const workspace = await first.call<number>("/orgs/current/workspaces", { name: "Requests" });
    const documents: string[] = [];
    for (let i = 0; i < 4; i++) documents.push(await first.call(`/workspaces/${workspace}/docs`, { name: `${i}` }));
    // Afterwards the first node owns home, and the second one documents.
    await second.stop();
    await first.stop();
    await first.start();
    await second.start();
    const body = JSON.stringify({ records: [{ fields: { A: "a row" } }] });
    const headers = { ...cluster.headers, "Content-Type": "application/json" };
    const statuses: number[] = [];
    for (const doc of documents) {
      for (let i = 0; i < 3; i++) {
        const path = `/api/docs/${doc}/tables/Table1/records`;
        statuses.push((await second.fetch(path, { method: "POST", body, headers })).status);
      }
    }
    expect(statuses).toEqual(statuses.map(() => 200));
  }, 60_000);
});
