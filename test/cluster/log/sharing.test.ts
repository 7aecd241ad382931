/** Documents that move between nodes of one log. */
import { describe, expect, test } from "bun:test";
import { MIN_HOLD_MS } from "../../../src/cluster/log/sharing.ts";
import { readPositionNote } from "../../../src/cluster/log/position-note.ts";
import { Database } from "../../../src/sqlite/database.ts";
import { createDatabase, HAS_POSTGRES, POSTGRES_NEEDED, PostgresServer } from "../../helpers/postgres.ts";
import { expireNodes, publish, query, startNode, type TestNode, until } from "./replica-fixture.ts";

const DOC = "doc-1";
const MANY = Array.from({ length: 120 }, (_, index) => `row ${index}`);

async function ownerOf(url: string, doc = DOC): Promise<string | null> {
  const [row] = await query<{ node: string | null }>(url, `select node from quern.doc_owner where doc = '${doc}'`);
  return row?.node ?? null;
}

/** Two nodes that ask each other for documents. */
async function startNodes(url: string): Promise<[TestNode, TestNode]> {
  const others: TestNode[] = [];
  return [await startNode(url, { others }), await startNode(url, { others })];
}

describe.skipIf(!HAS_POSTGRES)(`asking the owner for a document${POSTGRES_NEEDED}`, () => {
  test("a node that needs the document of a living node gets it with all rows, and the former owner does not answer", async () => {
    const url = await createDatabase();
    const others: TestNode[] = [];
    await using first = await startNode(url, { sharing: { mayAsk: () => false } });
    others.push(first);
    await using second = await startNode(url, { others });
    await publish(first, DOC);
    await first.add(DOC, "one");
    await second.add(DOC, "two");
    expect(second.documents.texts(DOC)).toEqual(["one", "two"]);
    expect(first.owned.isOwned(DOC)).toBe(false);
    expect(first.owned.mayAnswer(DOC)).toBe(false);
    expect(await ownerOf(url)).toBe(second.session.id);
    expect(first.add(DOC, "three")).rejects.toThrow("Another server has this document open");
  });

  test("two nodes that need the same document all the time take turns of a second, and both make progress", async () => {
    await using nodes = new AsyncDisposableStack();
    const [first, second] = await startNodes(await createDatabase());
    nodes.use(first);
    nodes.use(second);
    await publish(first, DOC);
    const end = performance.now() + 5 * MIN_HOLD_MS;
    const owners: string[] = [];
    const hammer = async (node: TestNode) => {
      const name = String(node.session.id);
      for (let count = 0; ; count++) {
        if (performance.now() > end) return count;
        await node.add(DOC, name);
        if (owners.at(-1) !== name) owners.push(name);
      }
    };
    const counts = await Promise.all([hammer(first), hammer(second)]);
    for (const count of counts) expect(count).toBeGreaterThan(20);
    expect(owners.length).toBeLessThanOrEqual(7);
    const owner = first.owned.isOwned(DOC) ? first : second;
    expect(owner.documents.texts(DOC)).toHaveLength((counts[0] ?? 0) + (counts[1] ?? 0));
  }, 30_000);

  test("an owner that died while it was asked is waited for, and its document is taken when its lease has ended", async () => {
    const url = await createDatabase();
    await using first = await startNode(url);
    await publish(first, DOC);
    await first.add(DOC, "one");
    await using second = await startNode(url, { sharing: { mayAsk: () => true } });
    await first.crash();
    await second.add(DOC, "two");
    expect(second.documents.texts(DOC)).toEqual(["one", "two"]);
  }, 20_000);
});

describe.skipIf(!HAS_POSTGRES)(`handing documents over${POSTGRES_NEEDED}`, () => {
  test("waits for requests that use the document, lets new ones wait, and loses none of them", async () => {
    const url = await createDatabase();
    await using first = await startNode(url);
    await using second = await startNode(url);
    await publish(first, DOC);
    const end = first.owned.use(DOC);
    const handedOver = first.owned.handOver(DOC, String(second.session.id), { minHoldMs: 0 });
    await until(() => expect(first.owned.whenLeft(DOC)).not.toBeNull());
    expect(first.owned.use(DOC)).toBeNull();
    // The request that has begun goes on.
    await first.add(DOC, "one");
    const unanswered = first.add(DOC, "two");
    end?.();
    expect(await handedOver).toBe("handedOver");
    await unanswered;
    await second.add(DOC, "three");
    expect(second.documents.texts(DOC)).toEqual(["one", "two", "three"]);
  });

  test("a document stays while a request uses it for too long, and takes requests again", async () => {
    const url = await createDatabase();
    await using first = await startNode(url);
    await using second = await startNode(url);
    await publish(first, DOC);
    const end = first.owned.use(DOC);
    expect(await first.owned.handOver(DOC, String(second.session.id), { minHoldMs: 0, useWaitMs: 50 })).toBe("kept");
    first.owned.use(DOC)?.();
    await first.add(DOC, "one");
    end?.();
    expect(await ownerOf(url)).toBe(first.session.id);
  });

  test("to a node without a lease releases the document, and any node takes it", async () => {
    const url = await createDatabase();
    await using first = await startNode(url);
    await using third = await startNode(url);
    await publish(first, DOC);
    await first.add(DOC, "one");
    expect(await first.owned.handOver(DOC, "unknown", { minHoldMs: 0 })).toBe("handedOver");
    expect(await ownerOf(url)).toBeNull();
    await third.add(DOC, "two");
    expect(third.documents.texts(DOC)).toEqual(["one", "two"]);
  });

  test("to a node that dies at once leaves the document to any node after the lease", async () => {
    const url = await createDatabase();
    await using first = await startNode(url);
    await using second = await startNode(url);
    await publish(first, DOC);
    await first.add(DOC, "one");
    expect(await first.owned.handOver(DOC, String(second.session.id), { minHoldMs: 0 })).toBe("handedOver");
    await second.crash();
    await until(() => first.add(DOC, "two"));
    expect(first.documents.texts(DOC)).toEqual(["one", "two"]);
  }, 20_000);

  test("the successor applies only the rows after its copy, which was prepared before", async () => {
    const url = await createDatabase();
    await using first = await startNode(url);
    await using second = await startNode(url);
    await publish(first, DOC);
    await first.add(DOC, "one");
    await second.owned.prepareCopy(DOC);
    expect(second.owned.isOwned(DOC)).toBe(false);
    await first.add(DOC, "two");
    await first.owned.handOver(DOC, String(second.session.id), { minHoldMs: 0 });
    await second.add(DOC, "three");
    expect(second.events()).toContain('"how":"tailApplied"');
    expect(second.documents.texts(DOC)).toEqual(["one", "two", "three"]);
  });

  /** A document with one row that the second node has prepared, and a second row that it has not. */
  async function prepared(first: TestNode, second: TestNode): Promise<void> {
    await publish(first, DOC);
    await first.add(DOC, "one");
    await second.owned.prepareCopy(DOC);
    await first.add(DOC, "two");
  }

  const handOver = (from: TestNode, to: TestNode) => from.owned.handOver(DOC, String(to.session.id), { minHoldMs: 0 });

  const epochOf = async (url: string) =>
    (await query<{ epoch: string }>(url, `select epoch from quern.doc_owner where doc = '${DOC}'`))[0]?.epoch;

  test("the successor begins under the epoch of the hand-over; under one that it had before it does not", async () => {
    const url = await createDatabase();
    await using first = await startNode(url);
    await using second = await startNode(url);
    await prepared(first, second);
    await handOver(first, second);
    await second.add(DOC, "three");
    expect(await epochOf(url)).toBe("2");
    // As a thread that was lost: commits under this epoch may be in flight.
    second.owned.lose([DOC]);
    await until(() => expect(second.owned.isOwned(DOC)).toBe(false));
    await second.add(DOC, "four");
    expect(await epochOf(url)).toBe("3");
    expect(second.documents.texts(DOC)).toEqual(["one", "two", "three", "four"]);
  });

  test.each<[string, (nodes: { first: TestNode; second: TestNode; url: string }) => unknown, string[]?]>([
    [
      "was changed since",
      ({ second }) => {
        using db = new Database(second.documents.files(DOC).path);
        db.exec("create table other (id integer)");
      },
    ],
    [
      "was made in another history of the log",
      ({ url }) =>
        query(
          url,
          `update quern.installation set history_id = 'other',
          settled_identity = jsonb_set(settled_identity::jsonb, '{historyId}', '"other"')::text`,
        ),
    ],
    [
      "misses more rows than one statement reads",
      async ({ first }) => {
        await Promise.all(MANY.map((text) => first.add(DOC, text)));
      },
      MANY,
    ],
  ])(
    "a prepared copy that %s is not used",
    async (_, change, added = []) => {
      const url = await createDatabase();
      await using first = await startNode(url);
      await using second = await startNode(url);
      await prepared(first, second);
      await change({ first, second, url });
      await handOver(first, second);
      await until(async () => {
        await second.owned.own(DOC);
      });
      expect(second.documents.texts(DOC)).toEqual(["one", "two", ...added]);
      const { path, notePath } = second.documents.files(DOC);
      using db = new Database(path);
      expect(db.get("select 1 from sqlite_master where name = 'other'")).toBeNull();
      const [{ history } = {}] = await query<{ history: string }>(
        url,
        "select history_id as history from quern.installation",
      );
      expect(readPositionNote(notePath)?.identity.historyId).toBe(history ?? "");
    },
    20_000,
  );

  test.each([
    ["a prepared copy", true],
    ["nothing", false],
  ])("a node that loses its lease while it opens a document, with %s, does not begin", async (_, isPrepared) => {
    const url = await createDatabase();
    await using first = await startNode(url);
    let isLost = false;
    await using second = await startNode(url, { nodeId: (id) => (isLost ? "next" : id) });
    if (isPrepared) await prepared(first, second);
    else await publish(first, DOC);
    await handOver(first, second);
    const owning = second.owned.own(DOC);
    // The first statement names the node before.
    queueMicrotask(() => {
      isLost = true;
    });
    expect(await Promise.resolve(owning).catch((error: unknown) => String(error))).toContain("cannot reach its log");
    expect(second.owned.isOwned(DOC)).toBe(false);
  });

  test("while PostgreSQL is away the document stays with its owner", async () => {
    await using server = await PostgresServer.start();
    const url = await server.createDatabase();
    await using first = await startNode(url);
    await using second = await startNode(url);
    const to = String(second.session.id);
    await publish(first, DOC);
    await server.stop("immediate");
    const unknown = first.add(DOC, "one").catch(() => {});
    expect(await first.owned.handOver(DOC, to, { minHoldMs: 0 })).not.toBe("handedOver");
    await unknown;
    await server.launch();
    await until(() => first.add(DOC, "two"));
    expect(first.documents.texts(DOC)).toContain("two");
  }, 30_000);
});

describe.skipIf(!HAS_POSTGRES)(`idle documents${POSTGRES_NEEDED}`, () => {
  test("are released when nothing has them open, and not before", async () => {
    const url = await createDatabase();
    await using first = await startNode(url, { sharing: { idleMs: 100 } });
    await using second = await startNode(url);
    await publish(first, DOC);
    await first.add(DOC, "one");
    await Bun.sleep(300);
    // The file is open.
    expect(await ownerOf(url)).toBe(first.session.id);
    first.documents.close(DOC);
    await until(async () => expect(await ownerOf(url)).toBeNull());
    await second.add(DOC, "two");
    expect(second.documents.texts(DOC)).toEqual(["one", "two"]);
    expect(first.owned.mayAnswer(DOC)).toBe(false);
  });

  test("requests that arrive during the release wait, and own the document again; none fails", async () => {
    const url = await createDatabase();
    await using first = await startNode(url);
    await publish(first, DOC);
    const writers = { areOver: false };
    const write = async () => {
      let count = 0;
      for (; !writers.areOver; count++) await first.add(DOC, "row");
      return count;
    };
    const writing = Promise.all([write(), write(), write(), write()]);
    for (let round = 0; round < 20; round++) {
      await first.add(DOC, "released next");
      await first.owned.release(DOC);
    }
    writers.areOver = true;
    const written = (await writing).reduce((sum, count) => sum + count, 20);
    await first.owned.own(DOC);
    expect(first.documents.texts(DOC)).toHaveLength(written);
    expect(await ownerOf(url)).toBe(first.session.id);
  });

  test("a write in flight is answered before the document is released", async () => {
    const url = await createDatabase();
    await using first = await startNode(url);
    await publish(first, DOC);
    await first.owned.own(DOC);
    const writing = [first.add(DOC, "a"), first.add(DOC, "b")];
    await Promise.all([first.owned.release(DOC), ...writing]);
    await using second = await startNode(url);
    await second.owned.own(DOC);
    expect(second.documents.texts(DOC)).toEqual(["a", "b"]);
  });
});

describe.skipIf(!HAS_POSTGRES)(`deliveries due${POSTGRES_NEEDED}`, () => {
  const dueInS = async (url: string): Promise<number | null> => {
    const [row] = await query<{ due: number | null }>(
      url,
      "select extract(epoch from due_at - clock_timestamp())::float8 as due from quern.doc_owner",
    );
    return row?.due ?? null;
  };

  test("are noted with each append, so that they are found when the owner dies, and with the time of the next attempt at a release", async () => {
    const url = await createDatabase();
    let next: number | null = 60_000;
    const acquired: string[] = [];
    const deliveries = { dueAtMs: () => 0, acquired: (doc: string) => void acquired.push(doc), leaving: () => next };
    await using node = await startNode(url, { sharing: { deliveries } });
    // Commits that only a base holds count as well.
    await publish(node, DOC);
    expect(await dueInS(url)).toBeLessThan(0);
    await node.add(DOC, "one");
    expect(await dueInS(url)).toBeLessThan(0);
    await node.owned.release(DOC);
    expect(await dueInS(url)).toBeCloseTo(60, 0);
    await node.add(DOC, "two");
    expect(acquired).toEqual([DOC]);
    next = null;
    await node.owned.release(DOC);
    expect(await dueInS(url)).toBeNull();
  });
});

describe.skipIf(!HAS_POSTGRES)(`a failover of PostgreSQL${POSTGRES_NEEDED}`, () => {
  test("no node acquires a document for one lease on a new timeline, and all nodes at once after it", async () => {
    await using primary = await PostgresServer.start();
    const url = await primary.createDatabase();
    {
      await using node = await startNode(url);
      for (const doc of [DOC, "doc-2"]) await publish(node, doc);
    }
    await using standby = await PostgresServer.start({ standbyOf: primary });
    await primary.stop("immediate");
    await standby.promote();
    const promoted = standby.url(new URL(url).pathname.slice(1));
    await using node = await startNode(promoted);
    const start = performance.now();
    await node.owned.own(DOC);
    expect(performance.now() - start).toBeGreaterThan(2500);
    await using other = await startNode(promoted);
    const second = performance.now();
    await other.owned.own("doc-2");
    expect(performance.now() - second).toBeLessThan(1000);
    await expireNodes(promoted);
  }, 60_000);
});
