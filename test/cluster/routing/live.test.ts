/** Requests that arrive at a node which does not own their document, on real nodes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { EventReader } from "../../helpers/event-reader.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../../helpers/postgres.ts";
import { runQuern } from "../../helpers/run-quern.ts";
import { eventually } from "../../helpers/server-process.ts";
import { startNodes, type TestCluster, type TestNode } from "../nodes.ts";
import { BEHIND_PROXY } from "./alternating.ts";

interface Place {
  readonly cluster: TestCluster;
  readonly workspace: number;
  /** Owned by `owner`. */
  readonly doc: string;
  readonly owner: TestNode;
  readonly other: TestNode;
}

/** Starts nodes, and a document on the first one, which owns home, too. */
async function start(settings: Readonly<Record<string, string>> = {}): Promise<Place> {
  const cluster = await startNodes(2, { settings });
  const [owner, other] = cluster.nodes;
  if (!owner || !other) throw new Error("no nodes");
  const workspace = await owner.call<number>("/orgs/current/workspaces", { name: "Work" });
  const doc = await owner.call<string>(`/workspaces/${workspace}/docs`, { name: "Orders" });
  return { cluster, workspace, doc, owner, other };
}

const records = (doc: string) => `/api/docs/${doc}/tables/Table1/records`;

/** Everything of a response that a client can see, but for its time and id. */
async function visible(response: Response) {
  const headers = [...response.headers].filter(([name]) => name !== "date" && name !== "x-request-id");
  return { status: response.status, headers, body: await response.text() };
}

describe.skipIf(!HAS_POSTGRES)(`a node that does not own the document${POSTGRES_NEEDED}`, () => {
  let place: Place;
  beforeAll(async () => {
    const settings = { QUERN_METRICS: "loopback", QUERN_FORWARD_AUTH_HEADER: "X-Forwarded-User" };
    place = await start({ ...BEHIND_PROXY, ...settings });
  }, 60_000);
  afterAll(() => place.cluster[Symbol.asyncDispose]());

  test("answers exactly as the owner does, also with refusals", async () => {
    const { owner, other, doc } = place;
    const headers = {
      ...place.cluster.headers,
      "Content-Type": "application/json",
      Origin: "http://quern.example.org",
    };
    const requests: [string, RequestInit][] = [
      [records(doc), {}],
      [records(doc), { method: "HEAD" }],
      [`${records(doc)}?sort=Unknown`, {}],
      [`/api/docs/${doc}/tables/Unknown/records`, {}],
      [`/api/docs/${doc}/unknown`, {}],
      [records(doc), { method: "POST", body: "{" }],
      [records(doc), { method: "POST", body: "" }],
      [records(doc), { method: "POST", body: "x".repeat(2_000_000) }],
      [records(doc), { method: "OPTIONS" }],
      [`/api/docs/${doc}/tables/Table1/records/?limit=1&x=%2F%20+a`, {}],
      [`/o/docs/api/docs/${doc}/tables/Table1//records`, {}],
      [`/API/Docs/${doc}/Tables/Table1/records`, {}],
    ];
    for (const [path, init] of requests) {
      const [here, there] = await Promise.all(
        [owner, other].map(async (n) => visible(await n.fetch(path, { headers, ...init }))),
      );
      expect([path, there]).toEqual([path, here]);
    }
  }, 60_000);

  /** How many requests the nodes have forwarded. */
  const forwarded = async (): Promise<number[]> =>
    Promise.all(
      place.cluster.nodes.map(async ({ address }) => {
        const text = await (await fetch(`${address}/metrics`)).text();
        return Number(/requests_proxied_total\{direction="sent"\} (\d+)/.exec(text)?.[1]);
      }),
    );

  test("tells callers without access nothing about the owner, and does not forward their requests", async () => {
    const { cluster, workspace } = place;
    const docs = await Promise.all(
      cluster.nodes.map(async (node, i) => {
        const doc = await node.call<string>(`/workspaces/${workspace}/docs`, { name: `Secret ${i}` });
        await node.call(`/docs/${doc}/tables`);
        return doc;
      }),
    );
    const strangers: Record<string, string>[] = [
      {},
      { Authorization: `Bearer ${"0".repeat(40)}` },
      { Authorization: "Basic x" },
      { Cookie: "quern_session=0" },
      { "X-Quern-Hop": "" },
    ];
    const answers = new Map<string, Set<string>>();
    const before = await forwarded();
    expect(before.every((count) => count > 0)).toBe(false);
    expect(before.some((count) => count > 0)).toBe(true);
    for (const headers of strangers) {
      for (const node of cluster.nodes) {
        for (const [i, doc] of [...docs, "4f9f4b2e-0000-4000-8000-000000000001"].entries()) {
          for (const path of [records(doc), `/docs/${doc}`, `/api/docs/${doc}/events`]) {
            for (const method of ["GET", "POST"]) {
              const seen = await visible(await node.fetch(path, { method, headers }));
              // Unknown documents differ from those without access on any server.
              const key = JSON.stringify([headers, method, i === 2, path.replace(doc, "doc")]);
              const text = JSON.stringify(seen).replaceAll(doc, "doc");
              answers.set(key, (answers.get(key) ?? new Set()).add(text));
            }
          }
        }
      }
    }
    for (const [key, texts] of answers) expect([key, texts.size]).toEqual([key, 1]);
    expect(await forwarded()).toEqual(before);
  }, 60_000);

  test("refuses forged hops, and hides calls between nodes", async () => {
    const { owner, other, doc, cluster } = place;
    for (const node of [owner, other]) {
      for (const hop of ["1;2;3", "x", `2;${Date.now()};a;b;1;r;127.0.0.1;http%3A%2F%2Fx;;;1;;;AAAA`]) {
        const headers = { ...cluster.headers, "X-Quern-Hop": hop };
        const refused = await node.fetch(records(doc), { headers });
        expect([refused.status, ((await refused.json()) as { details: object }).details]).toEqual([
          400,
          { code: "cluster.hop_invalid" },
        ]);
      }
      const unknown = await visible(await node.fetch("/unknown", { method: "POST" }));
      for (const name of ["notes", "release", "open"]) {
        const called = await visible(await node.fetch(`/cluster/${name}`, { method: "POST", body: "{}" }));
        expect([called.status, called.body.replace(`cluster/${name}`, "unknown")]).toEqual([
          unknown.status,
          unknown.body,
        ]);
      }
      expect(await (await node.fetch("/openapi.json")).text()).not.toContain("/cluster/");
    }
  }, 60_000);

  test("adds a user whom a proxy names for the first time, and knows them on every node", async () => {
    const { owner, other, doc } = place;
    const headers = { Host: "quern.example.org", "X-Forwarded-Proto": "https", "X-Forwarded-User": "new@example.com" };
    const read = (node: TestNode) => node.fetch(records(doc), { headers });
    const profile = async (node: TestNode) => (await node.fetch("/api/profile/user", { headers })).json();
    const first = await profile(other);
    expect(first).toMatchObject({ email: "new@example.com", name: "new" });
    expect(await profile(owner)).toEqual(first);
    for (const node of [owner, other]) expect((await read(node)).status).toBe(403);
    await other.call(`/docs/${doc}/access`, { delta: { users: { "new@example.com": "viewers" } } }, "PATCH");
    for (const node of [owner, other]) expect((await read(node)).status).toBe(200);
    await owner.call(`/docs/${doc}/access`, { delta: { users: { "new@example.com": null } } }, "PATCH");
    for (const node of [other, owner]) expect((await read(node)).status).toBe(403);
  }, 60_000);

  test("compares two documents that different nodes own", async () => {
    const { cluster, owner, other, doc } = place;
    const copied = await owner.call<string>(`/docs/${doc}/copy`, {
      workspaceId: place.workspace,
      documentName: "Copy",
    });
    await runQuern(["cluster", "release", copied, "--cluster", cluster.url]);
    await other.call(`/docs/${copied}/tables/Table1/records`, { records: [{ fields: { A: "only here" } }] });
    for (const node of [other, owner]) {
      expect(await node.call(`/docs/${doc}/compare/${copied}`)).toMatchObject({ summary: "right" });
      await runQuern(["cluster", "release", copied, "--cluster", cluster.url]);
      await other.call(`/docs/${copied}/tables/Table1/records`);
    }
  }, 60_000);

  test("passes the client's address and the site of the request on", async () => {
    const { owner, other, doc } = place;
    const headers = {
      ...place.cluster.headers,
      Host: "quern.example.org",
      "X-Forwarded-Proto": "https",
      "X-Forwarded-For": "203.0.113.99",
      Origin: "https://quern.example.org",
    };
    const response = await other.fetch(records(doc), { headers });
    // Same-origin for the owner, too.
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, null]);
    const requestId = response.headers.get("x-request-id") ?? "";
    await response.text();
    await Promise.all([owner.stop(), other.stop()]);
    const lines = async (node: TestNode) =>
      (await node.server.stderr)
        .split("\n")
        .filter((line) => line.includes(requestId))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const [there, here] = [await lines(owner), await lines(other)];
    expect(there).toMatchObject([{ event: "http.request", address: "203.0.113.99", document: doc }]);
    expect(here).toMatchObject([{ event: "http.request", address: "203.0.113.99", document: doc, status: 200 }]);
    expect(here[0]?.["forwardedTo"]).toBeString();
    expect(there[0]?.["forwardedTo"]).toBeUndefined();
    expect(here[0]?.["route"]).toBe(there[0]?.["route"]);
  }, 60_000);
});

describe.skipIf(!HAS_POSTGRES)(`events of another node${POSTGRES_NEEDED}`, () => {
  test("arrive at once, end with their client, and do not keep a node from stopping", async () => {
    const { cluster, doc, owner, other } = await start({ QUERN_METRICS: "loopback" });
    await using _ = cluster;
    const follow = () => other.fetch(`/api/docs/${doc}/events`);
    await using events = new EventReader(await follow());
    expect([events.status, events.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    expect((await events.next())?.event).toBe("ready");
    await owner.call(`/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: "x" } }] });
    expect((await events.next())?.event).toBe("change");
    const many = await Promise.all(Array.from({ length: 60 }, follow));
    expect(many.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 200));
    expect((await other.fetch(records(doc))).status).toBe(200);
    for (const { body } of many) await body?.cancel();
    const open = async () =>
      /quern_event_streams_open (\d+)/.exec(await (await fetch(`${owner.address}/metrics`)).text())?.[1];
    expect(await eventually(async () => (await open()) === "1")).toBe(true);
    const begun = performance.now();
    await other.stop();
    expect(performance.now() - begun).toBeLessThan(15_000);
    expect(await eventually(async () => (await open()) === "0")).toBe(true);
  }, 90_000);
});

describe.skipIf(!HAS_POSTGRES)(`the owner of a document is gone${POSTGRES_NEEDED}`, () => {
  test("killed: the next request is answered by another node, after the lease at most", async () => {
    const { cluster, workspace, owner: home, other } = await start();
    await using _ = cluster;
    const doc = await other.call<string>(`/workspaces/${workspace}/docs`, { name: "On the other node" });
    await home.call(`/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: "before" } }] });
    await home.kill();
    const begun = performance.now();
    await other.call(`/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: "after" } }] });
    expect(performance.now() - begun).toBeLessThan(8000);
    const { records: all } = await other.call<{ records: object[] }>(`/docs/${doc}/tables/Table1/records`);
    expect(all).toHaveLength(2);
  }, 90_000);

  test("paused: reads are answered by another node when the lease is over", async () => {
    const { cluster, doc, owner, other } = await start();
    await using _ = cluster;
    await other.call(`/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: "before" } }] });
    owner.pause();
    const { records: all } = await other.call<{ records: object[] }>(`/docs/${doc}/tables/Table1/records`);
    expect(all).toHaveLength(1);
    owner.resume();
    const again = async () => (await owner.fetch(records(doc))).status === 200;
    expect(await eventually(again)).toBe(true);
  }, 90_000);
});

describe.skipIf(!HAS_POSTGRES)(`limits of requests in a cluster${POSTGRES_NEEDED}`, () => {
  test("count each request once, on the owner of its document", async () => {
    const limit = 40;
    const { cluster, doc } = await start({ QUERN_RATE_PER_KEY: String(limit) });
    await using _ = cluster;
    const statuses: number[] = [];
    for (let i = 0; i < limit + 20; i++) {
      for (const node of cluster.nodes) statuses.push((await node.fetch(records(doc))).status);
    }
    const answered = statuses.filter((status) => status === 200).length;
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    // Creating the document has counted, too, and some of the limit comes back meanwhile.
    expect(answered).toBeGreaterThan(limit / 2);
    expect(answered).toBeLessThan(limit + 20);
  }, 60_000);
});
