/** Documents whose commits are in PostgreSQL before their answers leave. */
import { describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import type { AppError } from "../../../src/errors.ts";
import { readUndecided } from "../../../src/cluster/log/undecided.ts";
import { createDatabase, HAS_POSTGRES, POSTGRES_NEEDED, PostgresServer } from "../../helpers/postgres.ts";
import { Database } from "../../../src/sqlite/database.ts";
import { expireNodes, PlainDocuments, publish, query, startNode, until } from "./replica-fixture.ts";

const DOC = "doc-1";

describe.skipIf(!HAS_POSTGRES)(`documents in the log${POSTGRES_NEEDED}`, () => {
  test("a document survives the loss of its folder, with each acknowledged row", async () => {
    const url = await createDatabase();
    await using node = await startNode(url);
    await publish(node, DOC);
    const rows = Array.from({ length: 40 }, (_, index) => `row ${index}`);
    for (const row of rows) await node.add(DOC, row);
    await node.crash();
    node.documents.wipe(DOC);
    await expireNodes(url);
    await using next = await startNode(url, { documents: node.documents });
    await next.owned.own(DOC);
    expect(next.documents.texts(DOC)).toEqual(rows);
    await next.add(DOC, "after");
    expect(next.documents.texts(DOC)).toEqual([...rows, "after"]);
  });

  test("concurrent commits are appended together, and each answer leaves after its own commit", async () => {
    await using node = await startNode(await createDatabase());
    await publish(node, DOC);
    const left: number[] = [];
    const adding = Array.from({ length: 100 }, async (_, index) => {
      await node.add(DOC, `row ${index}`);
      left.push(index);
    });
    await Promise.all(adding);
    expect(left).toEqual(Array.from({ length: 100 }, (_, index) => index));
  });

  test("a second node gets nothing while the first has a valid lease, and everything after it is gone", async () => {
    const url = await createDatabase();
    await using first = await startNode(url);
    await publish(first, DOC);
    await first.add(DOC, "one");
    await using second = await startNode(url);
    expect(second.owned.own(DOC)).rejects.toThrow("Another server has this document open");
    await first.crash();
    await until(async () => {
      await second.owned.own(DOC);
    });
    await second.add(DOC, "two");
    expect(second.documents.texts(DOC)).toEqual(["one", "two"]);
  }, 20_000);

  test("a node that loses its lease while it prepares the file of a document does not own it", async () => {
    const url = await createDatabase();
    await using first = await startNode(url);
    await publish(first, DOC);
    await first.add(DOC, "one");
    await first.owned.release(DOC);
    await using second = await startNode(url);
    const client = new Client(url);
    await client.connect();
    try {
      // Preparing the file reads it; acquiring the document does not.
      await client.query("begin");
      await client.query("lock table quern.doc_base in access exclusive mode");
      const former = second.session.id;
      const owning = second.owned.own(DOC)?.then(
        () => "owned",
        (error: unknown) => (error as AppError).reason,
      );
      const ownerIs = "select node from quern.doc_owner";
      await until(async () => expect(await query<{ node: string }>(url, ownerIs)).toEqual([{ node: former ?? "" }]));
      await query(url, `update quern.node set lease_until = clock_timestamp() - interval '1 s' where id = '${former}'`);
      await until(() => expect([null, former]).not.toContain(second.session.id));
      await client.query("rollback");
      expect(await owning).toBe("log.unavailable");
    } finally {
      await client.end();
    }
    expect(second.owned.isOwned(DOC)).toBe(false);
    expect(second.owned.mayAnswer(DOC)).toBe(false);
    await first.add(DOC, "two");
    expect(second.owned.own(DOC)).rejects.toThrow("Another server has this document open");
    await first.owned.release(DOC);
    await second.owned.own(DOC);
    expect(second.documents.texts(DOC)).toEqual(["one", "two"]);
  }, 30_000);

  test("a commit of a former owner is refused, its answer does not leave, and its file is set aside", async () => {
    const url = await createDatabase();
    await using node = await startNode(url);
    await publish(node, DOC);
    await node.add(DOC, "one");
    // Another node took over, whose lease has expired by now.
    await query(url, "update quern.doc_owner set epoch = epoch + 1, node = 'other'");
    expect(node.add(DOC, "lost")).rejects.toThrow("moved to another server");
    await until(() => expect(readdirSync(join(node.documents.folder, "diverged", DOC))).toHaveLength(1));
    await node.add(DOC, "two");
    expect(node.documents.texts(DOC)).toEqual(["one", "two"]);
  });

  test("a file that was closed cleanly is used as it is, also after a reboot; after a crash with a reboot it is rebuilt", async () => {
    const url = await createDatabase();
    const documents = new PlainDocuments();
    const start = async (bootId: string) => startNode(url, { documents, bootId });
    {
      await using node = await start("boot-1");
      await publish(node, DOC);
      await node.add(DOC, "one");
      await node.owned.release(DOC);
    }
    {
      await using node = await start("boot-2");
      await node.add(DOC, "two");
      expect(node.events()).not.toContain("cluster.document_prepared");
      await node.crash();
    }
    await expireNodes(url);
    {
      await using node = await start("boot-2");
      await node.add(DOC, "three");
      expect(node.events()).not.toContain("cluster.document_prepared");
      await node.crash();
    }
    await expireNodes(url);
    await using node = await start("boot-3");
    await node.owned.own(DOC);
    expect(node.events()).toContain('"how":"rebuilt"');
    expect(node.documents.texts(DOC)).toEqual(["one", "two", "three"]);
  });

  test("an older file of this machine gets the rows that are missing", async () => {
    const url = await createDatabase();
    await using first = await startNode(url);
    await publish(first, DOC);
    await first.add(DOC, "one");
    await first.owned.release(DOC);
    await using second = await startNode(url);
    for (const text of ["two", "three"]) await second.add(DOC, text);
    await second.owned.release(DOC);
    await first.add(DOC, "four");
    expect(first.events()).toContain('"how":"tailApplied"');
    expect(first.documents.texts(DOC)).toEqual(["one", "two", "three", "four"]);
  });

  test("a file that was copied to the place of a closed one is not trusted: it is rebuilt, and the copy is kept", async () => {
    await using node = await startNode(await createDatabase());
    await publish(node, DOC);
    await node.add(DOC, "one");
    await node.owned.release(DOC);
    const { path } = node.documents.files(DOC);
    const copy = `${path}-copy`;
    copyFileSync(path, copy);
    {
      // As a copy that was made in the middle of a write: its counter says nothing about its rows.
      using file = new Database(copy);
      file.exec("update items set text = 'torn'; pragma journal_mode = delete");
    }
    renameSync(copy, path);
    await node.owned.own(DOC);
    expect(node.documents.texts(DOC)).toEqual(["one"]);
    expect(existsSync(join(node.documents.folder, "diverged", DOC))).toBe(true);
  });

  test("after a failover and a crash, a file that cannot be compared with the log is kept, with a warning", async () => {
    const url = await createDatabase();
    await using node = await startNode(url, { bootId: "boot-1" });
    await publish(node, DOC);
    await node.add(DOC, "one");
    node.documents.onCommitted = () => {};
    node.documents.add(DOC, "perhaps acknowledged before the failover");
    await node.crash();
    await expireNodes(url);
    await query(url, "update quern.installation set history_id = 'other'");
    {
      await using other = await startNode(url);
      await other.add(DOC, "two");
      await other.owned.release(DOC);
    }
    await using next = await startNode(url, { documents: node.documents, bootId: "boot-2" });
    await next.owned.own(DOC);
    expect(next.documents.texts(DOC)).toEqual(["one", "two"]);
    expect(next.events()).toContain('"event":"cluster.may_have_lost"');
  });

  test("a commit that was not appended is not kept after a crash", async () => {
    const url = await createDatabase();
    await using node = await startNode(url);
    await publish(node, DOC);
    await node.add(DOC, "one");
    node.documents.onCommitted = () => {};
    node.documents.add(DOC, "never acknowledged");
    await node.crash();
    await expireNodes(url);
    await using next = await startNode(url, { documents: node.documents });
    await next.add(DOC, "two");
    expect(next.documents.texts(DOC)).toEqual(["one", "two"]);
    expect(existsSync(join(node.documents.folder, "diverged", DOC))).toBe(true);
  });

  test("a gap between commits ends the ownership, and the next request continues with the acknowledged content", async () => {
    await using node = await startNode(await createDatabase());
    await publish(node, DOC);
    await node.add(DOC, "one");
    const report = node.documents.onCommitted;
    node.documents.onCommitted = () => {};
    node.documents.add(DOC, "not reported");
    node.documents.onCommitted = report;
    expect(node.add(DOC, "after the gap")).rejects.toThrow("moved to another server");
    await until(() => node.add(DOC, "two"));
    expect(node.documents.texts(DOC)).toEqual(["one", "two"]);
  });

  test("a change that only a base holds is acknowledged when the base is in the log", async () => {
    const url = await createDatabase();
    await using node = await startNode(url);
    await publish(node, DOC);
    await node.add(DOC, "one");
    node.documents.isLarge = true;
    await Promise.all(["two", "three"].map((text) => node.add(DOC, text)));
    node.documents.isLarge = false;
    await node.add(DOC, "four");
    await node.crash();
    node.documents.wipe(DOC);
    await expireNodes(url);
    await using next = await startNode(url, { documents: node.documents });
    await next.owned.own(DOC);
    expect(next.documents.texts(DOC)).toEqual(["one", "two", "three", "four"]);
  });

  test("a deleted document cannot be acquired", async () => {
    await using node = await startNode(await createDatabase());
    await publish(node, DOC);
    await node.owned.remove(DOC);
    expect(node.owned.own(DOC)).rejects.toThrow("document not found");
    expect(node.owned.own("unknown")).rejects.toThrow("document not found");
  });
});

describe.skipIf(!HAS_POSTGRES)(`PostgreSQL in trouble${POSTGRES_NEEDED}`, () => {
  test("writes wait, then get 503, and resume when it is back; nothing acknowledged is lost or doubled", async () => {
    await using server = await PostgresServer.start();
    const url = await server.createDatabase();
    await using node = await startNode(url);
    await publish(node, DOC);
    await node.add(DOC, "one");
    await server.stop("immediate");
    const unknown = node.add(DOC, "unknown");
    await until(() => expect(node.owned.refusalOf(DOC)).not.toBeNull());
    expect(node.add(DOC, "refused")).rejects.toThrow("cannot reach its log");
    expect(unknown).rejects.toThrow();
    await server.launch();
    await until(() => node.add(DOC, "two"));
    const texts = node.documents.texts(DOC);
    expect(texts.filter((text) => text !== "unknown")).toEqual(["one", "two"]);
    await node.crash();
    node.documents.wipe(DOC);
    await expireNodes(url);
    await using next = await startNode(url, { documents: node.documents });
    await next.owned.own(DOC);
    expect(next.documents.texts(DOC)).toEqual(texts);
  }, 60_000);
});

describe.skipIf(!HAS_POSTGRES)(`PostgreSQL that went back in time${POSTGRES_NEEDED}`, () => {
  test("the document stops, its file with the acknowledged rows is kept, and nothing is overwritten", async () => {
    await using server = await PostgresServer.start();
    const url = await server.createDatabase();
    const documents = new PlainDocuments();
    await using node = await startNode(url, { documents });
    await publish(node, DOC);
    await node.add(DOC, "one");
    await server.stop("fast");
    const backup = `${server.folder}-backup`;
    await Bun.$`cp -a ${server.folder} ${backup}`;
    await server.launch();
    await until(() => node.add(DOC, "two"));
    await server.stop("fast");
    await Bun.$`rm -r ${server.folder} && mv ${backup} ${server.folder}`;
    await server.launch();
    await until(() => expect(node.add(DOC, "three")).rejects.toThrow("lost changes that had been acknowledged"));
    expect(node.events()).toContain("cluster.log_went_backwards");
    const kept = readUndecided(join(documents.folder, "diverged"), DOC)?.keptAs ?? "";
    using file = new Database(kept, { journal: "wal" });
    const texts = file.all<{ text: string }>("select text from items order by id").map(({ text }) => text);
    expect(texts.slice(0, 2)).toEqual(["one", "two"]);
    // A restarted server does not open it either.
    await node.crash();
    await expireNodes(url);
    await using next = await startNode(url, { documents });
    expect(next.owned.own(DOC)).rejects.toThrow("lost changes that had been acknowledged");
  }, 60_000);
});
