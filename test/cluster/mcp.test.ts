/** Agents on two nodes: any node answers each of their requests, and undoes by the plan of the other. */
import { describe, expect, test } from "bun:test";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { callTool, connect, PROTOCOLS } from "../mcp/mcp-site.ts";
import { startNodes } from "./nodes.ts";

describe.skipIf(!HAS_POSTGRES)(`agents${POSTGRES_NEEDED}`, () => {
  test("work through any node, until their key is revoked", async () => {
    await using cluster = await startNodes(2);
    const [owner, other] = cluster.nodes;
    if (!owner || !other) throw new Error("no nodes");
    const workspace = await owner.call<number>("/orgs/current/workspaces", { name: "Work" });
    const doc = await owner.call<string>(`/workspaces/${workspace}/docs`, { name: "Stock" });
    const columns = [{ id: "A", fields: { type: "Text" } }];
    await owner.call(`/docs/${doc}/tables`, { tables: [{ id: "Notes", columns }] });
    const { id, key } = await other.call<{ id: number; key: string }>("/profile/keys", { label: "agent" });
    for (const protocol of PROTOCOLS) {
      const here = await connect(`${owner.address}/mcp`, { protocol, key });
      const there = await connect(`${other.address}/mcp`, { protocol, key });
      const inTable = { document: "Stock", table: "Notes" };

      const [latest] = (await callTool(there, "list_history", { document: "Stock", limit: 1 })).result.changes;
      const added = await callTool(there, "add_records", { ...inTable, records: [{ A: protocol }] });
      expect(added).toMatchObject({ isError: false, result: { ids: [expect.any(Number)] } });
      const filter = { A: { eq: protocol } };
      for (const client of [here, there])
        expect((await callTool(client, "query_records", { ...inTable, filter })).result.records).toHaveLength(1);

      const undo = { document: "Stock", since: latest.state };
      const plan = await callTool(here, "undo_my_changes", undo);
      expect(plan.result).toMatchObject({ isApplied: false, counts: { removedRows: 1, conflicts: 0 } });
      const applied = await callTool(there, "undo_my_changes", { ...undo, planId: plan.result.planId });
      expect(applied.result).toMatchObject({ isApplied: true });
      expect((await callTool(here, "query_records", { ...inTable, filter })).result.records).toEqual([]);
      await here.close();
      await there.close();
    }

    await other.call(`/profile/keys/${id}`, undefined, "DELETE");
    const statuses = await Promise.all(
      cluster.nodes.map(async (node) => {
        const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
        return (await node.fetch("/mcp", { method: "POST", headers, body: "{}" })).status;
      }),
    );
    expect(statuses).toEqual([401, 401]);
    expect(await owner.call(`/docs/${doc}/tables/Notes/records`)).toEqual({ records: [] });
  }, 60_000);
});
