/** Tokens for end users on two nodes: each verifies them, and revoking their key ends them on both. */
import { describe, expect, test } from "bun:test";
import { EventReader } from "../helpers/event-reader.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { startNodes, type TestNode } from "./nodes.ts";

const EVE = { email: "eve@app.example", role: "editors", scopes: ["records:write"] };

describe.skipIf(!HAS_POSTGRES)(`tokens for end users${POSTGRES_NEEDED}`, () => {
  test("are valid on every node until their key is revoked on one", async () => {
    await using cluster = await startNodes(2);
    const [owner, other] = cluster.nodes;
    if (!owner || !other) throw new Error("no nodes");
    const workspace = await owner.call<number>("/orgs/current/workspaces", { name: "Work" });
    const doc = await owner.call<string>(`/workspaces/${workspace}/docs`, { name: "Orders" });
    const second = await other.call<string>(`/workspaces/${workspace}/docs`, { name: "Other" });
    await other.call(`/docs/${second}/tables`);
    const { id, key } = await owner.call<{ id: number; key: string }>("/profile/keys", { label: "tokens" });

    const created = await other.fetch(`/api/docs/${doc}/tokens`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify(EVE),
    });
    const { token } = (await created.json()) as { token: string };
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const status = async (node: TestNode, path: string) => (await node.fetch(`/api${path}`, { headers })).status;
    const records = `/docs/${doc}/tables/Table1/records`;
    const add = (node: TestNode) =>
      node.fetch(`/api${records}`, { method: "POST", headers, body: JSON.stringify({ records: [{ fields: {} }] }) });
    expect([await status(owner, records), await status(other, records)]).toEqual([200, 200]);
    expect([(await add(owner)).status, (await add(other)).status]).toEqual([200, 200]);

    // Outside of the document, nodes answer alike, wherever the document is.
    for (const path of [`/docs/${second}/tables`, "/orgs", "/profile/user", `/docs/${crypto.randomUUID()}/tables`]) {
      const bodies = await Promise.all(
        cluster.nodes.map(async (node) => {
          const reply = await node.fetch(`/api${path}`, { headers });
          return [reply.status, await reply.text()];
        }),
      );
      expect(bodies[0]).toEqual(bodies[1]);
      expect(bodies[0]?.[0]).toBe(401);
    }

    const follow = async (node: TestNode) => {
      const reader = new EventReader(await node.fetch(`/api/docs/${doc}/events`, { headers }));
      await reader.until("ready");
      return reader;
    };
    await using here = await follow(owner);
    await using there = await follow(other);
    await other.call(`/profile/keys/${id}`, undefined, "DELETE");
    for (const reader of [here, there]) {
      expect((await reader.until("end")).data).toEqual({ reason: "signedOut" });
      expect(await reader.next()).toBeNull();
    }
    expect([await status(owner, records), await status(other, records)]).toEqual([401, 401]);

    // The next node has the secret of the installation, too.
    const again = await owner.call<{ token: string }>(`/docs/${doc}/tokens`, EVE);
    const later = { Authorization: `Bearer ${again.token}` };
    await owner.kill();
    await expectPoll(async () => (await other.fetch(`/api${records}`, { headers: later })).status).toBe(200);
  }, 120_000);
});
