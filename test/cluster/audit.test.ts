/** The audit log of a cluster: entries of all nodes are in one chain. */
import { describe, expect, test } from "bun:test";
import type { AuditPage } from "../../src/wire/audit/audit.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { quernJson, runQuern } from "../helpers/run-quern.ts";
import { startNodes, type TestNode } from "./nodes.ts";

describe.skipIf(!HAS_POSTGRES)(`the audit log of a cluster${POSTGRES_NEEDED}`, () => {
  test("has a download through another node once, also after that node has taken over", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    const workspace = await first.call<number>("/orgs/current/workspaces", { name: "Work" });
    const doc = await second.call<string>(`/workspaces/${workspace}/docs`, { name: "Orders" });
    const root = ["--email", "root@example.com"];
    const environment = { QUERN_DATA: first.folder };
    await quernJson(["user", "add", "--name", "Root", "--admin", ...root], environment);
    const { key } = await quernJson<{ key: string }>(["key", "create", ...root], environment);
    const administrator = { headers: { Authorization: `Bearer ${key}` } };
    const download = async (path: string) => {
      const reply = await second.fetch(`/api/docs/${doc}/${path}`, { headers: cluster.headers });
      await reply.arrayBuffer();
      return reply.status;
    };
    // The document is open on the second node: it reports the downloads to the owner of the home database.
    await second.call(`/docs/${doc}/tables`);
    const events = async (node: TestNode) => {
      const reply = await node.fetch(`/api/audit?document=${doc}`, administrator);
      if (!reply.ok) return [reply.status];
      const { entries } = (await reply.json()) as AuditPage;
      return entries.map(({ event, actor }) => `${event} ${actor}`).toReversed();
    };
    expect(await download("download")).toBe(200);
    const created = ["document.created ada@example.com", "document.downloaded ada@example.com"];
    for (const node of [first, second]) await expectPoll(() => events(node)).toEqual(created);
    // A message that was sent twice would be written before a later one.
    expect(await download("download/xlsx")).toBe(200);
    const all = [...created, "document.exported ada@example.com"];
    for (const node of [first, second]) await expectPoll(() => events(node)).toEqual(all);

    await first.kill();
    await expectPoll(() => events(second)).toEqual(all);
    // Written by the new owner.
    await expectPoll(() => download("download/csv?tableId=Table1")).toBe(200);
    await expectPoll(() => events(second)).toEqual([...all, "document.exported ada@example.com"]);
    const verified = await runQuern(["audit", "verify", "--data", second.folder, "--json"]);
    expect([verified.status, verified.err]).toEqual([0, []]);
    const report = JSON.parse(verified.out.join("")) as { entries: number; first: number };
    expect([report.first, report.entries > all.length]).toEqual([1, true]);
  }, 120_000);
});
