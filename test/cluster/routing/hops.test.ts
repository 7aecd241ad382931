/** What a node checks of requests that claim to come from another node, sent with the installation's own secret. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Hop, HOP_HEADER, signHop } from "../../../src/cluster/proxy/hop.ts";
import { hashOfBody } from "../../../src/cluster/proxy/peer-calls.ts";
import { Database } from "../../../src/sqlite/database.ts";
import { expectPoll } from "../../helpers/expect-poll.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../../helpers/postgres.ts";
import { runQuern } from "../../helpers/run-quern.ts";
import { query, until } from "../log/replica-fixture.ts";
import { startNodes, type TestCluster, type TestNode } from "../nodes.ts";

interface Sent {
  readonly changes?: Partial<Hop>;
  readonly secret?: Uint8Array;
  readonly ageMs?: number;
  /** What arrives, where it differs from what is signed. */
  readonly body?: string;
}

describe.skipIf(!HAS_POSTGRES)(`hops that a node receives${POSTGRES_NEEDED}`, () => {
  let cluster: TestCluster;
  let owner: TestNode;
  let other: TestNode;
  let doc = "";
  let secret: Uint8Array;
  let serial = 0;
  const sender = randomUUID().replaceAll("-", "").slice(0, 16);

  beforeAll(async () => {
    cluster = await startNodes(2);
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    [owner, other] = [first, second];
    const [workspace] = await owner.call<{ id: number }[]>("/orgs/current/workspaces");
    doc = await owner.call<string>(`/workspaces/${workspace?.id}/docs`, { name: "Orders" });
    using home = new Database(join(owner.folder, "home.sqlite"), { readonly: true });
    secret =
      home.get<{ value: Uint8Array }>("select value from installation_secrets where name = 'hop'")?.value ??
      new Uint8Array();
  }, 60_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  /** A node that has lost its lease has another id. */
  async function idOf({ address }: TestNode): Promise<string> {
    const alive = `select id from quern.node where address = '${address}' and lease_until > clock_timestamp()`;
    let id: string | undefined;
    await until(async () => {
      [id] = (await query<{ id: string }>(cluster.url, alive)).map((row) => row.id);
      expect(id).toBeDefined();
    });
    return id ?? "";
  }

  const hopOf = async (to: TestNode, method: string, path: string): Promise<Hop> => ({
    method,
    path,
    requestId: randomUUID(),
    address: "198.51.100.7",
    origin: "http://quern.example.org",
    host: null,
    proxyUser: null,
    homeSeq: 0,
    doc: null,
    bodyHash: null,
    to: await idOf(to),
    sender,
    serial: ++serial,
  });

  /** Returns the answer to a call between nodes. */
  async function call(to: TestNode, name: string, content: object, sent: Sent = {}) {
    const body = JSON.stringify(content);
    const path = `/cluster/${name}`;
    const hop = { ...(await hopOf(to, "POST", path)), bodyHash: hashOfBody(Buffer.from(body)), ...sent.changes };
    const header = signHop(sent.secret ?? secret, hop, Date.now() - (sent.ageMs ?? 0));
    const headers = { "Content-Type": "application/json", [HOP_HEADER]: header };
    const response = await to.fetch(path, { method: "POST", headers, body: sent.body ?? body });
    return { status: response.status, text: await response.text() };
  }

  // The id of a document without an owner: the handler would answer with an outcome.
  const REQUEST = { doc: "4f9f4b2e-0000-4000-8000-000000000001", to: "0000000000000000" };

  // A node that loses its lease meanwhile, on a loaded machine, answers 503 or 421, and is asked again.
  test("a call is answered", async () => {
    const answer = { status: 200, text: '{"outcome":"notOwned"}' };
    await expectPoll(() => call(owner, "release", REQUEST)).toEqual(answer);
  });

  test.each<[string, Sent, number]>([
    ["with another body than the signed one", { body: JSON.stringify({ ...REQUEST, to: "other" }) }, 403],
    ["with a body and no hash of it", { changes: { bodyHash: null } }, 403],
    ["with another secret", { secret: Buffer.alloc(32, 1) }, 400],
    ["from a node whose clock is 31 s behind", { ageMs: 31_000 }, 400],
    ["from a node whose clock is 31 s ahead", { ageMs: -31_000 }, 400],
    ["for another node", { changes: { to: "0000000000000000" } }, 421],
  ])("a call %s is refused", async (_, sent, status) => {
    await expectPoll(async () => {
      const answer = await call(owner, "release", REQUEST, sent);
      expect(answer.text).not.toContain("outcome");
      return answer.status;
    }).toBe(status);
  });

  const records = () => `/api/docs/${doc}/tables/Table1/records`;

  test("a request is accepted once", async () => {
    const body = JSON.stringify({ records: [{ fields: { A: "once" } }] });
    let accepted = 0;
    const sendTwice = async () => {
      // It may have moved.
      await runQuern(["cluster", "release", doc, "--cluster", cluster.url]);
      await owner.fetch(records());
      const header = signHop(secret, { ...(await hopOf(owner, "POST", records())), doc }, Date.now());
      const headers = { ...cluster.headers, "Content-Type": "application/json", [HOP_HEADER]: header };
      const statuses: number[] = [];
      for (let i = 0; i < 2; i++) {
        const { status } = await owner.fetch(records(), { method: "POST", headers, body });
        if (status === 200) accepted++;
        statuses.push(status);
      }
      return statuses;
    };
    await expectPoll(sendTwice).toEqual([200, 400]);
    const count = async () => (await owner.call<{ records: unknown[] }>(records().slice(4))).records.length;
    await expectPoll(() => count().catch(() => -1)).toBe(accepted);
  });

  test("a node whose home is older than the one that decided about the request refuses it", async () => {
    const send = async (replica: TestNode, homeSeq: number) => {
      const header = signHop(secret, { ...(await hopOf(replica, "GET", records())), doc, homeSeq }, Date.now());
      return (await replica.fetch(records(), { headers: { ...cluster.headers, [HOP_HEADER]: header } })).status;
    };
    const refusals = async () => {
      const [home] = await query<{ node: string }>(cluster.url, "select node from quern.doc_owner where doc = 'home'");
      const replica = (await idOf(owner)) === home?.node ? other : owner;
      await runQuern(["cluster", "release", doc, "--cluster", cluster.url]);
      await replica.fetch(records());
      return [await send(replica, 0), await send(replica, 1_000_000)];
    };
    await expectPoll(refusals).toEqual([200, 503]);
  });
});
