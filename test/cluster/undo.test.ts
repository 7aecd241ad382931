/** Undo on two nodes: a plan of one is applied by the other, unless the document has changed in between. */
import { describe, expect, test } from "bun:test";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { startNodes, type TestNode } from "./nodes.ts";

interface Undone {
  readonly planId: string;
  readonly isApplied: boolean;
  readonly counts: { readonly cells: number; readonly conflicts: number };
}

interface Answer {
  readonly status: number;
  readonly body: Undone & { readonly details: { readonly code: string; readonly plan: Undone } };
}

describe.skipIf(!HAS_POSTGRES)(`undo${POSTGRES_NEEDED}`, () => {
  test("applies a plan of another node once, refuses it after a change of its cells, and survives the end of the node", async () => {
    await using cluster = await startNodes(2);
    const [owner, other] = cluster.nodes;
    if (!owner || !other) throw new Error("no nodes");
    const workspace = await owner.call<number>("/orgs/current/workspaces", { name: "Work" });
    const doc = await other.call<string>(`/workspaces/${workspace}/docs`, { name: "Stock" });
    const columns = [{ id: "A", fields: { type: "Int" } }];
    await other.call(`/docs/${doc}/tables`, { tables: [{ id: "Notes", columns }] });
    const records = `/docs/${doc}/tables/Notes/records`;
    await other.call(records, { records: [1, 2, 3].map((A) => ({ fields: { A } })) });
    const { key } = await owner.call<{ key: string }>("/profile/keys", { label: "agent" });

    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const write = async (node: TestNode, id: number, A: number) => {
      const body = JSON.stringify({ records: [{ id, fields: { A } }] });
      expect((await node.fetch(`/api${records}`, { method: "PATCH", headers, body })).status).toBe(200);
    };
    const writeAsOther = (node: TestNode, id: number, A: number) =>
      node.call(records, { records: [{ id, fields: { A } }] }, "PATCH");
    const undo = async (node: TestNode, since: number, planId?: string): Promise<Answer> => {
      const body = JSON.stringify({ since, ...(planId !== undefined && { planId }) });
      const reply = await node.fetch(`/api/docs/${doc}/undo-changes`, { method: "POST", headers, body });
      return { status: reply.status, body: (await reply.json()) as Answer["body"] };
    };
    const newest = async () => (await owner.call<{ states: { n: number }[] }>(`/docs/${doc}/states`)).states[0]?.n ?? 0;
    const values = async (node: TestNode) =>
      (await node.call<{ records: { fields: { A: number } }[] }>(records)).records.map(({ fields }) => fields.A);

    const since = await newest();
    for (const id of [1, 2]) await write(owner, id, 10 * id);
    const { planId } = (await undo(owner, since)).body;
    expect((await undo(other, since)).body.planId).toBe(planId);

    // A change of another row does not matter; one of a cell of the plan does.
    await writeAsOther(other, 3, 33);
    expect((await undo(other, since)).body.planId).toBe(planId);
    await writeAsOther(owner, 2, 22);
    const state = await newest();
    const refused = await undo(other, since, planId);
    expect([refused.status, refused.body.details.code]).toEqual([409, "undo.plan_changed"]);
    expect(refused.body.details.plan).toMatchObject({ isApplied: false, counts: { cells: 1, conflicts: 1 } });
    expect([await newest(), await values(other)]).toEqual([state, [10, 22, 33]]);

    // Both nodes apply the present plan: one of them does.
    const present = refused.body.details.plan.planId;
    const answers = await Promise.all([owner, other].map((node) => undo(node, since, present)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect([await newest(), await values(owner)]).toEqual([state + 1, [1, 22, 33]]);

    // The node with the document ends between the plan and its application.
    const later = await newest();
    await write(other, 3, 30);
    const last = await undo(other, later);
    await other.stop();
    const applied = await undo(owner, later, last.body.planId);
    expect(applied).toMatchObject({ status: 200, body: { isApplied: true, counts: { cells: 1, conflicts: 0 } } });
    expect(await values(owner)).toEqual([1, 22, 33]);
  }, 180_000);
});
