/** Nodes that stop, and the nodes that take their documents. */
import { describe, expect, test } from "bun:test";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { query, until } from "./log/replica-fixture.ts";
import { startNodes, type TestCluster, type TestNode } from "./nodes.ts";

/** As a load balancer: looks at the nodes once a second, and uses one that is ready. */
class Balancer {
  readonly #cluster: TestCluster;
  #current: TestNode;
  #timer: Timer;

  constructor(cluster: TestCluster, first: TestNode) {
    this.#cluster = cluster;
    this.#current = first;
    this.#timer = setInterval(() => void this.#check(), 1000);
  }

  get node(): TestNode {
    return this.#current;
  }

  async #check(): Promise<void> {
    const isReady = async (node: TestNode) => {
      const response = await node.fetch("/status?ready=1").catch(() => null);
      return response?.ok === true;
    };
    if (await isReady(this.#current)) return;
    for (const node of this.#cluster.nodes) if (node !== this.#current && (await isReady(node))) this.#current = node;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

async function createDocument(node: TestNode, name: string): Promise<string> {
  const [workspace] = await node.call<{ id: number }[]>("/orgs/current/workspaces");
  return node.call<string>(`/workspaces/${workspace?.id}/docs`, { name });
}

const addRow = (node: TestNode, doc: string): Promise<unknown> =>
  node.call(`/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: "row" } }] });

interface Written {
  readonly failures: string[];
  readonly count: number;
  /** The longest time between two acknowledged writes. */
  readonly largestGapMs: number;
}

/** Writes to a document without a pause and without retries, until `isOver`. */
async function writeTo(doc: string, balancer: Balancer, isOver: () => boolean): Promise<Written> {
  const failures: string[] = [];
  let count = 0;
  let largestGapMs = 0;
  let lastMs = performance.now();
  while (!isOver()) {
    const { node } = balancer;
    try {
      await addRow(node, doc);
      count++;
    } catch (error) {
      failures.push(String(error));
    }
    largestGapMs = Math.max(largestGapMs, performance.now() - lastMs);
    lastMs = performance.now();
  }
  return { failures, count, largestGapMs };
}

async function rowsOf(node: TestNode, doc: string): Promise<number> {
  const { records } = await node.call<{ records: unknown[] }>(`/docs/${doc}/tables/Table1/records`);
  return records.length;
}

describe.skipIf(!HAS_POSTGRES)(`a node that stops${POSTGRES_NEEDED}`, () => {
  test("hands its documents and home over without a failed request of a client that follows the health check", async () => {
    await using cluster = await startNodes(2, { settings: { QUERN_DRAIN_MS: "3000" } });
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    const docs = [await createDocument(first, "One"), await createDocument(first, "Two")];
    using balancer = new Balancer(cluster, first);
    const run = { isOver: false };
    const writing = Promise.all(docs.map((doc) => writeTo(doc, balancer, () => run.isOver)));
    await Bun.sleep(500);
    expect(await first.stop()).toBe(0);
    await Bun.sleep(300);
    run.isOver = true;
    const written = await writing;
    for (const { count, largestGapMs } of written) {
      console.info(`${count} writes, ${Math.round(largestGapMs)} ms between two at most`);
    }
    for (const [index, { failures, count }] of written.entries()) {
      expect(failures).toEqual([]);
      expect(await rowsOf(second, docs[index] ?? "")).toBe(count);
    }
  }, 60_000);

  test("keeps its documents when there is no other node, and stops", async () => {
    await using cluster = await startNodes(1, { settings: { QUERN_DRAIN_MS: "60000" } });
    const [only] = cluster.nodes;
    if (!only) throw new Error("no nodes");
    const doc = await createDocument(only, "One");
    await addRow(only, doc);
    const start = performance.now();
    expect(await only.stop()).toBe(0);
    expect(performance.now() - start).toBeLessThan(20_000);
    await only.start();
    expect(await rowsOf(only, doc)).toBe(1);
  }, 60_000);

  test("that is killed while it hands over loses no acknowledged write", async () => {
    await using cluster = await startNodes(2);
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    const docs: string[] = [];
    for (let index = 0; index < 6; index++) {
      const doc = await createDocument(first, `Document ${index}`);
      await addRow(first, doc);
      docs.push(doc);
    }
    first.server.process.kill("SIGTERM");
    // Some documents have left, others have not.
    const left = "select count(*)::int as count from quern.doc_owner a, quern.doc_owner b where a.node < b.node";
    await until(async () => expect((await query<{ count: number }>(cluster.url, left))[0]?.count).toBeGreaterThan(0));
    await first.kill();
    for (const doc of docs) {
      await until(() => addRow(second, doc), 30_000);
      expect(await rowsOf(second, doc)).toBe(2);
    }
  }, 90_000);

  test("stops at once after a second signal", async () => {
    await using cluster = await startNodes(2, { settings: { QUERN_DRAIN_MS: "60000" } });
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("no nodes");
    const doc = await createDocument(first, "One");
    await addRow(first, doc);
    first.server.process.kill("SIGTERM");
    await until(async () => expect((await first.fetch("/status?ready=1")).status).toBe(503));
    // Requests are answered until the end.
    expect(await rowsOf(first, doc)).toBe(1);
    expect(await first.stop()).toBe(0);
    expect(await rowsOf(second, doc)).toBe(1);
  }, 60_000);
});
