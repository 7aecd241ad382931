/** Contents of attachments in the log: in PostgreSQL, and in a bucket. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { AppError } from "../../../src/errors.ts";
import { applyRetention, markDocumentDeleted } from "../../../src/cluster/postgres/statements/retention.ts";
import { deleteLeftoverChunks, writeBlobChunk } from "../../../src/cluster/postgres/statements/blobs.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED, PostgresServer } from "../../helpers/postgres.ts";
import { startS3Server, type S3Server } from "../../helpers/s3.ts";
import {
  BUCKET,
  bytesOf,
  DOC,
  OWN,
  RETENTION_MS,
  sample,
  startContents,
  type TestContents,
} from "./contents-fixture.ts";

const MB = 1024 ** 2;
const never = () => false;

let s3: S3Server;
beforeAll(() => {
  s3 = startS3Server();
});
afterAll(() => s3[Symbol.dispose]());

async function owned(s3Server?: S3Server): Promise<TestContents> {
  const test = await startContents(s3Server && { s3: s3Server });
  await test.own(DOC);
  return test;
}

const chunkCount = async ({ sql }: TestContents): Promise<number> =>
  (await sql<{ n: number }>("select count(*) as n from quern.doc_blob_chunk"))[0]?.n ?? 0;

describe.skipIf(!HAS_POSTGRES)(`contents in the log${POSTGRES_NEEDED}`, () => {
  describe.each([
    ["in PostgreSQL", false],
    ["in a bucket", true],
  ])("%s", (_name, isInBucket) => {
    const start = () => owned(isInBucket ? s3 : undefined);

    test.each([0, 1, 10_240, MB - 1, MB, MB + 1, 20 * MB])(
      "%p bytes are stored and read, whole and by range",
      async (sizeBytes) => {
        await using log = await start();
        const store = log.contents.storeOf(DOC, OWN);
        const { bytes, ident, file } = sample(sizeBytes);
        expect([await store.size(ident), await store.read(ident)]).toEqual([null, null]);
        await store.put(ident, file);
        expect(await store.size(ident)).toBe(sizeBytes);
        expect((await bytesOf(await store.read(ident)))?.equals(bytes)).toBe(true);
        const ranges = [
          [0, 1],
          [MB - 1, MB + 1],
          [MB, 2 * MB],
          [5, 3 * MB + 7],
          [sizeBytes - 1, sizeBytes + 5],
        ] as const;
        for (const [start, end] of ranges.filter(([first]) => first >= 0 && first < sizeBytes)) {
          const part = await bytesOf(await store.read(ident, { start, end }));
          expect([start, end, part?.equals(bytes.subarray(start, end))]).toEqual([start, end, true]);
        }
        expect(await chunkCount(log)).toBe(isInBucket ? 0 : Math.ceil(sizeBytes / MB));
      },
      30_000,
    );

    test("a content that is stored by many requests at once is stored once", async () => {
      await using log = await start();
      const before = s3.objects.size;
      const { ident, file, bytes } = sample(2 * MB);
      const store = log.contents.storeOf(DOC, OWN);
      await Promise.all(Array.from({ length: 8 }, () => store.put(ident, file)));
      expect((await bytesOf(await store.read(ident)))?.equals(bytes)).toBe(true);
      expect(await chunkCount(log)).toBe(isInBucket ? 0 : 2);
      expect(s3.objects.size - before).toBe(isInBucket ? 1 : 0);
    });

    test("two servers that store the same content leave one, without leftovers", async () => {
      await using log = await start();
      await using other = await startContents({ url: log.url, ...(isInBucket && { s3 }) });
      const before = s3.objects.size;
      const { ident, file, bytes } = sample(3 * MB);
      await Promise.all([log, other].map(({ contents }) => contents.storeOf(DOC, OWN).put(ident, file)));
      expect((await bytesOf(await other.contents.storeOf(DOC, OWN).read(ident)))?.equals(bytes)).toBe(true);
      expect(await chunkCount(log)).toBe(isInBucket ? 0 : 3);
      expect(s3.objects.size - before).toBe(isInBucket ? 1 : 0);
    });

    test("a removed content stays readable until the retention has passed, and is then deleted with its bytes", async () => {
      await using log = await start();
      const before = s3.objects.size;
      const store = log.contents.storeOf(DOC, OWN);
      const { ident, file } = sample(10_240);
      await store.put(ident, file);
      await store.remove(ident);
      await store.remove(ident);
      await log.age("6 days");
      expect(await log.contents.documentsWithExpired()).toEqual([]);
      expect(await log.contents.deleteExpired(DOC, never)).toBe(0);
      expect(await store.size(ident)).toBe(10_240);
      await log.age("2 days");
      expect(await log.contents.documentsWithExpired()).toEqual([DOC]);
      // A document that another living node owns is that node's work.
      const [owner] = [log.owners.get(DOC)];
      log.owners.delete(DOC);
      expect(await log.contents.documentsWithExpired()).toEqual([]);
      await log.sql("update quern.doc_owner set node = null");
      expect(await log.contents.documentsWithExpired()).toEqual([DOC]);
      await log.sql("update quern.doc_owner set node = 'node-1'");
      if (owner) log.owners.set(DOC, owner);
      expect(await log.contents.deleteExpired(DOC, never)).toBe(1);
      expect([await store.size(ident), await chunkCount(log), s3.objects.size]).toEqual([null, 0, before]);
      await store.put(ident, sample(10_240).file);
      expect(await store.size(ident)).toBe(10_240);
    });

    test("a removed content that is stored again, or that the document refers to, is not deleted", async () => {
      await using log = await start();
      const store = log.contents.storeOf(DOC, OWN);
      const [again, referenced] = [sample(10, 1), sample(10, 2)];
      for (const { ident, file } of [again, referenced]) {
        await store.put(ident, file);
        await store.remove(ident);
      }
      await log.age("8 days");
      await store.put(again.ident, again.file);
      expect(await log.contents.deleteExpired(DOC, (ident) => ident === referenced.ident)).toBe(0);
      expect(await log.contents.documentsWithExpired()).toEqual([]);
      expect([await store.size(again.ident), await store.size(referenced.ident)]).toEqual([10, 10]);
    });

    test("storing and deleting the same content at the same time never loses it", async () => {
      await using log = await start();
      const store = log.contents.storeOf(DOC, OWN);
      const { ident, file } = sample(10_240);
      for (let round = 0; round < 12; round++) {
        await store.put(ident, file);
        await store.remove(ident);
        await log.age("8 days");
        const put = () => store.put(ident, file);
        const remove = () => log.contents.deleteExpired(DOC, never);
        await Promise.all(round % 2 === 0 ? [put(), remove()] : [remove(), put()]);
        expect((await bytesOf(await store.read(ident)))?.length).toBe(10_240);
      }
      expect(log.renewed).toEqual([]);
    });

    test("another document gets a copy that does not depend on the first one", async () => {
      await using log = await start();
      await log.own("copy");
      const { ident, file, bytes } = sample(2 * MB + 5);
      const [from, to] = [log.contents.storeOf(DOC, OWN), log.contents.storeOf("copy", OWN)];
      await from.put(ident, file);
      const copy = () => log.contents.copy(ident, { id: OWN, from: DOC, to: "copy" });
      expect(await copy()).toBe(!isInBucket);
      // The caller does this for contents in the bucket.
      if (isInBucket) await to.put(ident, file);
      expect(await copy()).toBe(true);
      await from.remove(ident);
      await log.age("8 days");
      expect(await log.contents.deleteExpired(DOC, never)).toBe(1);
      expect((await bytesOf(await to.read(ident)))?.equals(bytes)).toBe(true);
      expect(await log.contents.copy(sample(3, 9).ident, { id: OWN, from: DOC, to: "copy" })).toBe(false);
    });

    test("a permanently deleted document keeps its contents for the retention", async () => {
      await using log = await start();
      const before = s3.objects.size;
      const store = log.contents.storeOf(DOC, OWN);
      const { ident, file } = sample(MB + 1);
      await store.put(ident, file);
      await store.clear();
      const connection = await log.database.control();
      const deleteObjects = (doc: string) => log.contents.deleteObjects(doc);
      await markDocumentDeleted(connection, DOC);
      await applyRetention(connection, { retentionMs: RETENTION_MS, deleteObjects });
      expect(await store.size(ident)).toBe(MB + 1);
      await log.sql("update quern.doc_owner set deleted_at = deleted_at - interval '8 days'");
      await applyRetention(connection, { retentionMs: RETENTION_MS, deleteObjects });
      expect([await store.size(ident), await chunkCount(log), s3.objects.size]).toEqual([null, 0, before]);
    });
  });

  test("only the owner under the current epoch marks and deletes, and after the removal is in the log", async () => {
    await using log = await owned();
    const store = log.contents.storeOf(DOC, OWN);
    const { ident, file } = sample(10);
    await store.put(ident, file);
    const as = (owner: { node?: string; epoch?: number; acknowledgedSeq?: number; mayRead?: boolean }) =>
      void log.owners.set(DOC, { node: "node-1", epoch: 1, acknowledgedSeq: 100, mayRead: true, ...owner });
    as({ epoch: 2 });
    await store.remove(ident);
    await log.age("8 days");
    as({});
    expect(await log.contents.deleteExpired(DOC, never)).toBe(0);
    await log.sql("update quern.doc_owner set head = 7");
    await store.remove(ident);
    await log.age("8 days");
    for (const stale of [{ epoch: 2 }, { node: "node-2", epoch: 3 }]) {
      as(stale);
      expect(await log.contents.deleteExpired(DOC, never)).toBe(0);
    }
    for (const unchecked of [
      { epoch: 1, acknowledgedSeq: 6 },
      { epoch: 1, mayRead: false },
    ]) {
      as(unchecked);
      expect(await log.contents.deleteExpired(DOC, never)).toBe(0);
    }
    as({});
    // A failover lost the removal.
    await log.sql("update quern.doc_owner set head = 6");
    expect(await log.contents.deleteExpired(DOC, never)).toBe(0);
    await log.sql("update quern.doc_owner set head = 7, epoch = 5");
    as({ epoch: 5 });
    expect(await store.size(ident)).toBe(10);
    expect(await log.contents.deleteExpired(DOC, never)).toBe(1);
    log.owners.delete(DOC);
    expect(store.remove(ident)).resolves.toBeUndefined();
  });

  test("after a deletion of unknown outcome the content is stored only under a new epoch", async () => {
    await using log = await owned();
    const store = log.contents.storeOf(DOC, OWN);
    const { ident, file } = sample(10);
    await store.put(ident, file);
    await store.remove(ident);
    await log.age("8 days");
    const connection = await log.database.control();
    await connection.transaction("read committed", async (session) => {
      await session.run({ name: "", text: "select 1 from quern.doc_owner for update" });
      const deleting = log.contents.deleteExpired(DOC, never);
      const waiting =
        "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
      for (let pids = 0; pids === 0;) {
        pids = (await session.run({ name: "", text: `select pg_terminate_backend(pid) from (${waiting}) as w` })).count;
      }
      expect(await deleting).toBe(0);
    });
    expect(await codeOf(store.put(ident, file))).toBe("log.unavailable");
    expect(log.renewed).toEqual([DOC]);
    log.owners.set(DOC, { node: "node-1", epoch: 2, acknowledgedSeq: 100, mayRead: true });
    await store.put(ident, file);
    expect(await store.size(ident)).toBe(10);
  });

  test("nothing of an upload is visible after its connections were killed or PostgreSQL stopped, and its rest is swept", async () => {
    await using postgres = await PostgresServer.start();
    await using log = await startContents({ url: await postgres.createDatabase() });
    await log.own(DOC);
    const store = log.contents.storeOf(DOC, OWN);
    const { ident, file, bytes } = sample(20 * MB);
    const putting = codeOf(store.put(ident, file));
    while ((await chunkCount(log)) < 3) await Bun.sleep(1);
    await postgres.stop("immediate");
    expect(await putting).toBe("log.unavailable");
    expect(await codeOf(store.put(ident, file))).toBe("log.unavailable");
    expect(await codeOf(store.size(ident))).toBe("log.unavailable");
    await postgres.launch();
    const size = async () => store.size(ident).catch(() => "unavailable");
    // Every connection is replaced in the background.
    for (let answers = 0; answers < 10;) {
      answers = (await size()) === "unavailable" ? 0 : answers + 1;
      await Bun.sleep(20);
    }
    expect(await size()).toBeNull();
    const left = await chunkCount(log);
    expect(left).toBeWithin(3, 20);
    const killing = (async () => {
      while ((await chunkCount(log)) < left + 3) await Bun.sleep(1);
      await log.sql(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`);
    })();
    // One lost connection is replaced during the upload.
    await Promise.all([store.put(ident, file), killing]);
    expect((await bytesOf(await store.read(ident)))?.equals(bytes)).toBe(true);
    expect(await deleteLeftoverChunks(await log.database.control(), { olderThanMs: 3_600_000 })).toBe(0);
    await log.age("2 hours");
    expect(await deleteLeftoverChunks(await log.database.control(), { olderThanMs: 3_600_000 })).toBe(left);
    expect((await bytesOf(await store.read(ident)))?.equals(bytes)).toBe(true);
  }, 120_000);

  test("an upload whose chunks were swept is refused", async () => {
    await using log = await owned();
    const connection = await log.database.control();
    const store = log.contents.storeOf(DOC, OWN);
    const { ident, file } = sample(20 * MB);
    const putting = codeOf(store.put(ident, file));
    while ((await chunkCount(log)) < 2) await Bun.sleep(1);
    await connection.run({ name: "", text: "delete from quern.doc_blob_chunk" });
    expect(await putting).toBe("log.unavailable");
    expect(await store.size(ident)).toBeNull();
  });

  test("a failing bucket makes nothing visible", async () => {
    await using log = await owned(s3);
    const { ident, file } = sample(10);
    const store = log.contents.storeOf(DOC, OWN);
    s3.failing = true;
    expect(await codeOf(store.put(ident, file))).toBe("server.unavailable");
    s3.failing = false;
    expect(await store.size(ident)).toBeNull();
    await store.put(ident, file);
    expect(await store.size(ident)).toBe(10);
  });

  test("a sweep removes unreferenced contents of its own store, and objects that nothing refers to", async () => {
    await using log = await owned(s3);
    const [own, bucket] = [log.contents.storeOf(DOC, OWN), log.contents.storeOf(DOC, BUCKET)];
    const [kept, orphan] = [sample(10, 1), sample(10, 2)];
    for (const store of [own, bucket]) for (const { ident, file } of [kept, orphan]) await store.put(ident, file);
    const leftover = `q/log/${DOC}/left/over`;
    s3.objects.set(leftover, new Uint8Array(1));
    expect(await own.sweep((ident) => ident === kept.ident, Date.now() - 3_600_000)).toBe(0);
    expect(s3.objects.has(leftover)).toBe(true);
    await log.age("2 hours");
    expect(await own.sweep((ident) => ident === kept.ident, Date.now() + 60_000)).toBe(1);
    expect(s3.objects.has(leftover)).toBe(false);
    await log.age("8 days");
    expect(await log.contents.deleteExpired(DOC, never)).toBe(1);
    const sizes = [own, bucket].flatMap((store) => [store.size(kept.ident), store.size(orphan.ident)]);
    expect(await Promise.all(sizes)).toEqual([10, null, 10, 10]);
  });

  test("contents that users stored in the bucket before log mode stay readable, and obey the retention", async () => {
    await using log = await owned(s3);
    const { ident, bytes } = sample(100);
    const name = `q/${DOC}/${ident}`;
    s3.objects.set(name, bytes);
    const store = log.contents.storeOf(DOC, BUCKET);
    expect(await log.contents.storeOf(DOC, OWN).size(ident)).toBeNull();
    expect((await bytesOf(await store.read(ident, { start: 10, end: 20 })))?.equals(bytes.subarray(10, 20))).toBe(true);
    await store.remove(ident);
    expect(await log.contents.deleteExpired(DOC, never)).toBe(0);
    expect(s3.objects.has(name)).toBe(true);
    await log.age("8 days");
    expect(await log.contents.deleteExpired(DOC, never)).toBe(1);
    expect(s3.objects.has(name)).toBe(false);
  });

  test("a download holds little memory and reads one chunk at a time", async () => {
    await using log = await owned();
    const store = log.contents.storeOf(DOC, OWN);
    const { ident, file } = sample(20 * MB);
    await store.put(ident, file);
    const content = await store.read(ident);
    if (!(content instanceof ReadableStream)) throw new Error("not a stream");
    const reader = content.getReader();
    expect((await reader.read()).value?.length).toBe(MB);
    // The stream is not read meanwhile: chunks that it has not fetched are missing when they are deleted.
    await log.sql("delete from quern.doc_blob_chunk where chunk > 4");
    const rest = (async () => {
      for (;;) if ((await reader.read()).done) return "complete";
    })();
    expect(rest).rejects.toThrow("is missing");
  });

  test("names that are no contents are refused", async () => {
    await using log = await owned();
    const store = log.contents.storeOf(DOC, OWN);
    const { file } = sample(1);
    for (const name of ["..", "", "../home.sqlite", "x".repeat(40), `${BUCKET}/${sample(1).ident}`]) {
      expect([await store.size(name), await store.read(name)]).toEqual([null, null]);
      await store.remove(name);
      expect(await codeOf(store.put(name, file))).toBe("attachment.not_found");
    }
  });
});

test.skipIf(!HAS_POSTGRES)(`chunks of one name are never mixed${POSTGRES_NEEDED}`, async () => {
  await using log = await owned();
  const connection = await log.database.control();
  const chunk = { doc: DOC, ref: "same", chunk: 0 };
  await writeBlobChunk(connection, { ...chunk, bytes: new Uint8Array([1]) });
  await writeBlobChunk(connection, { ...chunk, bytes: new Uint8Array([2]) });
  expect(await log.sql("select encode(bytes, 'hex') as bytes from quern.doc_blob_chunk")).toEqual([{ bytes: "01" }]);
});

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "none",
    (error: unknown) => (error as AppError).reason ?? (error as AppError).code,
  );
