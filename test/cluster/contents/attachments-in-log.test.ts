/** The API of attachments, local folders, backups and restores while contents are in the log. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createBackup } from "../../../src/backup/create-backup.ts";
import { openTarget } from "../../../src/backup/open-target.ts";
import { restoreBackup } from "../../../src/backup/restore-backup.ts";
import { moveLocalContents, restoreContents } from "../../../src/cluster/contents/local-contents.ts";
import { openLogContents } from "../../../src/cluster/contents/open-contents.ts";
import type { AppError } from "../../../src/errors.ts";
import { isIdent, type StoreId } from "../../../src/files/attachment-store.ts";
import { partsOfLoggedContents } from "../../../src/files/attachment-stores.ts";
import { BucketObjects, openBucket } from "../../../src/files/bucket-objects.ts";
import { checkFile } from "../../../src/hosts/files/check-file.ts";
import { listStoredContentsInFile } from "../../../src/hosts/files/stored-contents.ts";
import { silentLog } from "../../../src/lib/observability/log.ts";
import { systemClock } from "../../../src/lib/time/clock.ts";
import type { Timers } from "../../../src/lib/time/timers.ts";
import { deleteExpiredContents } from "../../../src/services/attachments/attachment-cleanup.ts";
import { sampleDocument, testApp, type TestApp } from "../../helpers/app.ts";
import { formOf, upload } from "../../helpers/attachments.ts";
import { MINUTE, TestTimers } from "../../helpers/clock.ts";
import { expectPoll } from "../../helpers/expect-poll.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED, PostgresServer } from "../../helpers/postgres.ts";
import { S3_ACCESS, S3_BUCKET, startS3Server, type S3Server } from "../../helpers/s3.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { bucketOf, BUCKET, OWN, sample, sha1, startContents, type TestContents } from "./contents-fixture.ts";

const IDS = { own: OWN, bucket: BUCKET } as const;

let s3: S3Server;
beforeAll(() => {
  s3 = startS3Server();
});
afterAll(() => s3[Symbol.dispose]());

interface LoggedServer extends AsyncDisposable {
  readonly log: TestContents;
  readonly server: TestApp;
}

/** Starts a server whose attachments of more than 1 KB are in a log. */
async function start({
  withBucket = false,
  url,
  timers,
}: { withBucket?: boolean; url?: string; timers?: Timers } = {}): Promise<LoggedServer> {
  const log = await startContents({ ...(url !== undefined && { url }), ...(withBucket && { s3 }) });
  const bucketFlags = {
    "s3-endpoint": s3.endpoint,
    "s3-bucket": S3_BUCKET,
    "s3-access-key": S3_ACCESS.accessKeyId,
    "s3-secret-key": S3_ACCESS.secretAccessKey,
    "s3-prefix": "q/",
  };
  const flags = { "attachments-inside": "1KB", "max-parallel": "0", ...(withBucket && bucketFlags) };
  const server = await testApp({ flags, loggedContents: log.contents, ...(timers && { timers }) });
  return {
    log,
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await log[Symbol.asyncDispose]();
    },
  };
}

const { bytes: LARGE } = sample(2_500_000);

/** Creates an owned document with a small and a large attachment, each in a cell. */
async function filled({ server, log }: LoggedServer): Promise<string> {
  const { doc } = await sampleDocument(server);
  await log.own(doc);
  const files = [
    { name: "small.txt", content: "small" },
    { name: "large.bin", content: LARGE },
  ];
  expect((await upload(server, { doc, files })).body).toEqual([1, 2]);
  await server.must("POST", `/api/docs/${doc}/tables`, {
    tables: [{ id: "Things", columns: [{ id: "Files", fields: { type: "Attachments" } }] }],
  });
  await server.must("POST", `/api/docs/${doc}/tables/Things/records`, {
    records: [{ fields: { Files: ["L", 1, 2] } }],
  });
  return doc;
}

async function download({ server }: LoggedServer, doc: string, range?: string) {
  const response = await server.app.handle(
    new Request(`http://quern.test/o/team/api/docs/${doc}/attachments/2/download`, {
      headers: { Host: "quern.test", Authorization: `Bearer ${server.keys.owner}`, ...(range && { Range: range }) },
    }),
  );
  return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) };
}

const isLarge = (bytes: Uint8Array): boolean => sha1(bytes) === sha1(LARGE);
const folderOf = ({ server }: LoggedServer, doc: string): string => join(server.folder, "docs", doc, "attachments");

describe.skipIf(!HAS_POSTGRES)(`attachments in log mode${POSTGRES_NEEDED}`, () => {
  describe.each([
    ["in PostgreSQL", false],
    ["in a bucket", true],
  ])("%s", (_name, withBucket) => {
    test("are uploaded, downloaded whole and by range, and verified, with nothing in the local folder", async () => {
      await using logged = await start({ withBucket });
      const doc = await filled(logged);
      expect(existsSync(folderOf(logged, doc))).toBe(false);
      const whole = await download(logged, doc);
      expect([whole.status, isLarge(whole.bytes)]).toEqual([200, true]);
      const part = await download(logged, doc, "bytes=1048570-1048580");
      expect([part.status, Buffer.from(part.bytes).equals(LARGE.subarray(1_048_570, 1_048_581))]).toEqual([206, true]);
      await logged.server.must("POST", `/api/docs/${doc}/attachments/verifyFiles`);
    });

    test("are in archives, in downloaded documents, in copies, and in documents that are replaced", async () => {
      await using logged = await start({ withBucket });
      const { server, log } = logged;
      const doc = await filled(logged);
      const raw = async (path: string) => {
        const url = `http://quern.test/o/team/api/docs/${doc}${path}`;
        const headers = { Host: "quern.test", Authorization: `Bearer ${server.keys.owner}` };
        return new Uint8Array(await (await server.app.handle(new Request(url, { headers }))).arrayBuffer());
      };
      const archive = await raw("/attachments/archive");
      expect(Buffer.from(archive).includes(LARGE.subarray(0, 5000))).toBe(true);
      const document = await raw("/download");
      const file = join(tempFolder(), "document.grist");
      writeFileSync(file, document);
      expect(checkFile(file).problems).toEqual([]);
      expect(document.length).toBeGreaterThan(LARGE.length);
      const { id: workspace } = (await server.must<{ id: number }[]>("GET", "/api/orgs/team/workspaces"))[0] ?? {
        id: 0,
      };
      const copy = await server.must<string>("POST", `/api/docs/${doc}/copy`, {
        documentName: "Copy",
        workspaceId: workspace,
      });
      const { doc: other } = await sampleDocument(server);
      await server.must("POST", `/api/docs/${other}/replace`, { sourceDocId: doc });
      await log.own(copy);
      await log.own(other);
      // The copies do not depend on the first document.
      await log.sql(`update quern.doc_blob set removed_at = clock_timestamp(), removed_seq = 0 where doc = '${doc}'`);
      await log.age("8 days");
      expect(await log.contents.deleteExpired(doc, () => false)).toBe(1);
      for (const uuid of [copy, other]) expect(isLarge((await download(logged, uuid)).bytes)).toBe(true);
      expect((await download(logged, doc)).status).toBe(404);
      // An archive restores what is missing.
      const form = formOf([{ name: "files.zip", content: archive, type: "application/zip" }]);
      const restored = await server.call("owner", "POST", `/api/docs/${doc}/attachments/archive`, undefined, {
        raw: form,
      });
      expect(restored.body).toEqual({ added: 1, errored: 0, unused: 1 });
      expect(isLarge((await download(logged, doc)).bytes)).toBe(true);
    });

    test("are deleted when they were unused for the retention, unless they are uploaded again", async () => {
      await using logged = await start({ withBucket });
      const { server, log } = logged;
      const doc = await filled(logged);
      const removeAll = async () => {
        await server.must("PATCH", `/api/docs/${doc}/tables/Things/records`, {
          records: [{ id: 1, fields: { Files: null } }],
        });
        await server.must("POST", `/api/docs/${doc}/attachments/removeUnused`);
      };
      await removeAll();
      const count = async () => (await log.contents.list(doc)).length;
      await deleteExpiredContents(server.app.ctx);
      expect(await count()).toBe(1);
      await log.age("8 days");
      expect((await upload(server, { doc, files: [{ name: "again.bin", content: LARGE }] })).status).toBe(200);
      await deleteExpiredContents(server.app.ctx);
      expect(await count()).toBe(1);
      await server.must("POST", `/api/docs/${doc}/attachments/removeUnused`);
      await log.age("8 days");
      await deleteExpiredContents(server.app.ctx);
      expect(await count()).toBe(0);
    });

    test("are backed up, and restored into local folders", async () => {
      await using logged = await start({ withBucket });
      const doc = await filled(logged);
      await logged.server.app.close();
      const { folder } = logged.server;
      const target = () => openTarget(join(places, "backups"), { access: null, temporaryFolder: join(folder, "tmp") });
      const places = tempFolder();
      const parts = partsOfLoggedContents(withBucket ? bucketOf(s3) : null);
      await using loggedContents = await openLogContents<StoreId>(logged.log.url, parts);
      const options = { folder, keep: 0, keepSnapshots: 0, clock: systemClock };
      const { problems } = await createBackup({ ...options, target: target(), loggedContents });
      expect(problems).toEqual([]);
      const restored = join(places, "restored");
      const report = await restoreBackup({ target: target(), folder: restored, clock: systemClock });
      expect(report.documents).toMatchObject([{ uuid: doc, problems: [] }]);
      const attachments = join(restored, "docs", doc, "attachments");
      expect(readdirSync(attachments).map((name) => isLarge(readFileSync(join(attachments, name))))).toEqual([true]);
      expect(readdirSync(join(folder, "tmp"))).toEqual([]);
    });
  });

  test("are deleted by the server's own schedule, every hour", async () => {
    const timers = new TestTimers();
    await using logged = await start({ timers });
    const { server, log } = logged;
    const doc = await filled(logged);
    const remaining = async () => (await log.contents.list(doc)).length;
    await server.must("PATCH", `/api/docs/${doc}/tables/Things/records`, {
      records: [{ id: 1, fields: { Files: null } }],
    });
    for (const round of [1, 2]) {
      await server.must("POST", `/api/docs/${doc}/attachments/removeUnused`);
      await log.age("8 days");
      expect(await remaining()).toBe(1);
      await expectPoll(() => {
        timers.pass(60 * MINUTE);
        return remaining();
      }).toBe(0);
      if (round === 1) await upload(server, { doc, files: [{ name: "again.bin", content: LARGE }] });
    }
  });

  test("move between the server's own store and the bucket and back, and obey the retention in both", async () => {
    await using logged = await start({ withBucket: true });
    const { server, log } = logged;
    const doc = await filled(logged);
    const transfer = async (type: string) => {
      await server.must("POST", `/api/docs/${doc}/attachments/store`, { type });
      await server.must("POST", `/api/docs/${doc}/attachments/transferAll`);
      await server.app.ctx.transfers.find(doc)?.completed;
      return server.must("GET", `/api/docs/${doc}/attachments/transferStatus`);
    };
    expect(await transfer("external")).toMatchObject({ locationSummary: "external" });
    expect(isLarge((await download(logged, doc)).bytes)).toBe(true);
    expect(await transfer("internal")).toMatchObject({ locationSummary: "internal" });
    await log.age("8 days");
    await deleteExpiredContents(server.app.ctx);
    expect(isLarge((await download(logged, doc)).bytes)).toBe(true);
    expect((await log.contents.list(doc)).map(({ hash }) => hash.startsWith(BUCKET))).toEqual([false]);
  });

  test("uploads are refused while PostgreSQL is away, and change nothing", async () => {
    await using postgres = await PostgresServer.start();
    await using logged = await start({ url: await postgres.createDatabase() });
    const doc = await filled(logged);
    await postgres.stop("immediate");
    const files = [{ name: "other.bin", content: sample(5000, 3).bytes }];
    const refused = await upload(logged.server, { doc, files });
    expect(refused).toMatchObject({ status: 503, body: { details: { code: "log.unavailable" } } });
    expect(refused.headers.get("retry-after")).toBe("2");
    expect((await download(logged, doc)).status).toBe(503);
    const list = await logged.server.must<{ records: unknown[] }>("GET", `/api/docs/${doc}/attachments`);
    expect(list.records).toHaveLength(2);
    await postgres.launch();
    while ((await upload(logged.server, { doc, files })).status === 503) await Bun.sleep(50);
    expect(isLarge((await download(logged, doc)).bytes)).toBe(true);
  }, 60_000);
});

describe.skipIf(!HAS_POSTGRES)(`contents in local folders${POSTGRES_NEEDED}`, () => {
  /** A data folder with contents beside two documents, and files that are none. */
  function localFolder() {
    const folder = tempFolder();
    const files = [sample(0), sample(10_240, 2), sample(3_000_000, 3)];
    for (const doc of ["one", "two"]) {
      mkdirSync(join(folder, "docs", doc, "attachments"), { recursive: true });
      for (const { ident, bytes } of files) {
        writeFileSync(join(folder, "docs", doc, "attachments", encodeURIComponent(ident)), bytes);
      }
    }
    writeFileSync(join(folder, "docs", "two", "attachments", "leftover.part"), "half");
    mkdirSync(join(folder, "docs", "three"));
    return { folder, files };
  }

  test("are moved into the log once, again after a crash, and are deleted after they were read back", async () => {
    await using log = await startContents();
    const { folder, files } = localFolder();
    const options = { contents: log.contents, ids: IDS, isContentName: isIdent, log: silentLog };
    // As after a crash between storing and deleting.
    const [, second] = files;
    if (second) await log.contents.storeOf("one", OWN).put(second.ident, second.file);
    expect(await moveLocalContents({ ...options, folder })).toBe(6);
    expect(await moveLocalContents({ ...options, folder })).toBe(0);
    expect(existsSync(join(folder, "docs", "one", "attachments"))).toBe(false);
    expect(readdirSync(join(folder, "docs", "two", "attachments"))).toEqual(["leftover.part"]);
    for (const doc of ["one", "two"]) {
      for (const { ident, bytes } of files) {
        expect(await log.contents.storeOf(doc, OWN).size(ident)).toBe(bytes.length);
      }
    }
    expect(await moveLocalContents({ ...options, folder: tempFolder() })).toBe(0);
  });

  test("are kept if the log does not have the same bytes", async () => {
    await using log = await startContents();
    const { folder, files } = localFolder();
    const options = { contents: log.contents, ids: IDS, isContentName: isIdent, log: silentLog, folder };
    const [, , large] = files;
    if (!large) throw new Error("no file");
    await log.contents.storeOf("one", OWN).put(large.ident, large.file);
    await log.sql("update quern.doc_blob_chunk set bytes = '\\x00' where chunk = 1");
    const path = join(folder, "docs", "one", "attachments", large.ident);
    const refusal: unknown = await moveLocalContents(options).catch((error: unknown) => error);
    expect((refusal as AppError).message).toBe(
      `The attachment ${path} differs from the content of that name in the log`,
    );
    expect(existsSync(path)).toBe(true);
    // A damaged local file does not replace the content of the log.
    await log.sql("delete from quern.doc_blob");
    await log.contents.storeOf("one", OWN).put(large.ident, large.file);
    writeFileSync(path, "damaged");
    await moveLocalContents(options);
    expect(existsSync(path)).toBe(false);
    expect(await log.contents.storeOf("one", OWN).size(large.ident)).toBe(3_000_000);
  });

  test("get the contents that a restored document refers to", async () => {
    await using logged = await start({ withBucket: true });
    const { server, log } = logged;
    const doc = await filled(logged);
    const chosen = sample(2000, 5);
    await server.must("POST", `/api/docs/${doc}/attachments/store`, { type: "external" });
    await upload(server, { doc, files: [{ name: "chosen.bin", content: chosen.bytes }] });
    await server.app.close();
    const file = join(server.folder, "docs", doc, "document.grist");
    const referenced = listStoredContentsInFile(file);
    expect(referenced).toHaveLength(2);
    const objects = new BucketObjects(openBucket(bucketOf(s3)), "q/");
    const folder = tempFolder();
    const lost = { ident: sample(7, 7).ident, storageId: OWN };
    const options = { contents: log.contents, ids: IDS, isContentName: isIdent };
    const restore = (bucket: typeof objects | null) =>
      restoreContents(options, { doc, referenced: [...referenced, lost], folder, bucket });
    expect(await restore(null)).toEqual([chosen.ident, lost.ident]);
    expect(await restore(objects)).toEqual([lost.ident]);
    const names = readdirSync(join(folder, "attachments"));
    expect(names.map((name) => isLarge(readFileSync(join(folder, "attachments", name))))).toEqual([true]);
    expect(s3.objects.get(`q/${doc}/${chosen.ident}`)).toEqual(chosen.bytes);
    rmSync(join(folder, "attachments"), { recursive: true });
    expect(await restoreContents(options, { doc, referenced: [], folder, bucket: null })).toEqual([]);
    expect(existsSync(join(folder, "attachments"))).toBe(false);
  });

  test("a document in the log is checked without its contents, and another one with them", async () => {
    await using logged = await start();
    const doc = await filled(logged);
    await logged.server.app.close();
    const folder = join(logged.server.folder, "docs", doc);
    const problems = () => checkFile(join(folder, "document.grist")).problems;
    expect(problems()).toEqual(["Attachment 2: its content is missing."]);
    writeFileSync(join(folder, "log-state"), "{}");
    expect(problems()).toEqual([]);
  });

  test("a command gets one clear sentence for a database without a log", async () => {
    await using postgres = await PostgresServer.start();
    const opening = openLogContents<StoreId>(await postgres.createDatabase(), partsOfLoggedContents(null));
    expect(opening).rejects.toThrow("The database has no log of Quern.");
    await opening.catch(() => {});
  });
});
