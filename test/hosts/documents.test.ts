import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Role } from "../../src/authorization.ts";
import type { Documents } from "../../src/hosts/documents.ts";
import { createDocumentFile } from "../../src/doc/create-document.ts";
import { FORMULA_LIMITS } from "../../src/doc/document.ts";
import { HISTORY_LIMITS } from "../../src/doc/history.ts";
import type { DocumentRuntime, RuntimeOptions } from "../../src/hosts/document-runtime.ts";
import { createInProcessRuntime } from "../../src/hosts/in-process-runtime.ts";
import { createStoredDocuments } from "../../src/hosts/stored-documents.ts";
import { WorkerRuntime } from "../../src/hosts/threads/worker-runtime.ts";
import { newUuid } from "../../src/lib/ids.ts";
import { systemClock } from "../../src/lib/time/clock.ts";
import { createLog, type Log, silentLog } from "../../src/lib/observability/log.ts";
import { Database } from "../../src/sqlite/database.ts";
import { addSampleTable, decode, grantOf } from "../doc/read/sample.ts";
import { pastReadsIn } from "./hosted.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

interface Store extends AsyncDisposable {
  readonly documents: Documents;
  readonly folder: string;
  fileOf(uuid: string): string;
  /** Returns the ids of a table's rows that `role` can see. */
  read(uuid: string, table?: string, role?: Role): Promise<number[]>;
}

const KEEPING = { durability: "normal", maxOpen: 100, idleMs: 60_000, groupCommit: true } as const;

/** All runtimes; each must behave the same. */
const HOSTS: Record<string, (keeping: RuntimeOptions, log: Log) => DocumentRuntime> = {
  "in this thread": (keeping, log) => createInProcessRuntime({ ...keeping, clock: systemClock, log }),
  "in threads": (runtimeOptions, log) =>
    new WorkerRuntime({ runtimeOptions, log, maxWorkers: 2, hangMs: 60_000, maxMemoryBytes: 0 }),
};

function startHost(
  make: (keeping: RuntimeOptions, log: Log) => DocumentRuntime,
  { log = silentLog }: { log?: Log } = {},
): Store {
  const folder = tempFolder();
  const keeping = { ...KEEPING, folder, history: HISTORY_LIMITS, formulas: FORMULA_LIMITS };
  const documents = createStoredDocuments({
    folder,
    clock: systemClock,
    log,
    past: pastReadsIn(folder),
    runtime: make(keeping, log),
  });
  return {
    documents,
    folder,
    fileOf: (uuid) => join(folder, "docs", uuid, "document.grist"),
    async read(uuid, table = "Table1", role = "owners") {
      const answer = await documents.call(grantOf(uuid, role), "records.fetch", { table, hidden: false, typed: false });
      if (answer.kind !== "bytes") throw new Error(answer.kind);
      return (JSON.parse(decode(answer.bytes)) as { records: { id: number }[] }).records.map(({ id }) => id);
    },
    [Symbol.asyncDispose]: () => documents.close(),
  };
}

/** Changes a document's file while the runtime has it closed. */
function change(file: string, work: (db: Database) => void): void {
  using db = new Database(file);
  work(db);
}

/** Returns the error of a rejected promise. (`rejects` would block the event loop, and with it messages of workers.) */
const failure = (refused: Promise<unknown>): Promise<unknown> =>
  refused.then(
    () => null,
    (error: unknown) => error,
  );

const failsWith = (code: string): unknown => expect.objectContaining({ code });

function overwrite(file: string): void {
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x5a, 1024, bytes.length - 4096));
}

describe.each(Object.entries(HOSTS))("documents %s", (_where, make) => {
  const host = (options?: { log?: Log }) => startHost(make, options);

  describe("creating and deleting", () => {
    test("a new document can be read immediately; its file is clean when the runtime is closed", async () => {
      const { documents, fileOf, read } = host();
      const uuid = newUuid();
      await documents.create(uuid);
      expect(readdirSync(dirname(fileOf(uuid)))).toEqual(["document.grist"]);
      expect(await read(uuid)).toEqual([]);
      await documents.close();
      await documents.close();
      expect(readdirSync(dirname(fileOf(uuid)))).toEqual(["document.grist"]);
      expect(await failure(read(uuid))).toEqual(failsWith("unavailable"));
    });

    test("creation never overwrites a document, and a failed creation leaves no files", async () => {
      await using h = host();
      const uuid = newUuid();
      await h.documents.create(uuid);
      const before = readFileSync(h.fileOf(uuid));
      expect(await failure(h.documents.create(uuid))).toEqual(failsWith("conflict"));
      const broken = join(h.folder, "upload.grist");
      writeFileSync(broken, "not a document");
      const other = newUuid();
      expect(await failure(h.documents.importFile(other, { path: broken, name: "upload.grist" }))).toEqual(
        failsWith("invalid"),
      );
      expect(readFileSync(h.fileOf(uuid)).equals(before)).toBe(true);
      expect(readdirSync(join(h.folder, "docs"))).toEqual([uuid]);
      expect(readdirSync(join(h.folder, "tmp"))).toEqual([]);
    });

    test("imports a file unchanged and counts its content", async () => {
      await using h = host();
      const [first, second] = [newUuid(), newUuid()];
      await h.documents.create(first);
      change(h.fileOf(first), (db) => addSampleTable(db, { id: "T", columns: {}, rows: [{}, {}] }));
      expect(await h.documents.importFile(second, { path: h.fileOf(first), name: "first.grist" })).toEqual({
        tables: 2,
        rows: 2,
      });
      expect(await h.read(second, "T")).toEqual([1, 2]);
    });

    test("copies are independent, templates have no rows", async () => {
      await using h = host();
      const [original, copy, template] = [newUuid(), newUuid(), newUuid()];
      await h.documents.create(original);
      change(h.fileOf(original), (db) => addSampleTable(db, { id: "T", columns: {}, rows: [{}, {}] }));
      expect(await h.read(original, "T")).toEqual([1, 2]);
      await h.documents.copy(grantOf(original), copy, { asTemplate: false });
      await h.documents.copy(grantOf(original), template, { asTemplate: true });
      await h.documents.remove(original);
      await h.documents.remove(original);
      expect(existsSync(dirname(h.fileOf(original)))).toBe(false);
      expect(await failure(h.read(original, "T"))).toEqual(failsWith("damaged"));
      expect(await h.read(copy, "T")).toEqual([1, 2]);
      expect(await h.read(template, "T")).toEqual([]);
    });

    test("jobs on files do not block other requests, and finish before the runtime is closed", async () => {
      await using h = host();
      const [uuid, copy, made] = [newUuid(), newUuid(), newUuid()];
      await h.documents.create(uuid);
      const path = join(h.folder, "tea.grist");
      createDocumentFile(path);
      const done: string[] = [];
      const jobs = [
        h.documents.copy(grantOf(uuid), copy, { asTemplate: false }).then(() => done.push("copy")),
        h.documents.importFile(made, { path, name: "tea.grist" }).then(() => done.push("import")),
      ];
      expect(await h.read(uuid)).toEqual([]);
      expect(done).toEqual([]);
      await h.documents.close();
      await Promise.all(jobs);
      expect(done.toSorted()).toEqual(["copy", "import"]);
      expect(readdirSync(join(h.folder, "docs")).toSorted()).toEqual([uuid, copy, made].toSorted());
    });
  });

  describe("access", () => {
    test("access rules restrict a document to owners for verbs that do not enforce them", async () => {
      await using h = host();
      const { documents } = h;
      const [ruled, other] = [newUuid(), newUuid()];
      await documents.create(ruled);
      await documents.create(other);
      change(h.fileOf(ruled), (db) =>
        db.exec(`insert into _grist_ACLResources (id, tableId, colIds) values (2, 'Table1', '*');
        insert into _grist_ACLRules (resource, aclFormula, permissionsText) values (2, 'user.Access == VIEWER', '-R')`),
      );
      expect(await h.read(ruled)).toEqual([]);
      expect(await h.read(ruled, "Table1", "editors")).toEqual([]);
      expect(await failure(h.read(ruled, "Table1", "viewers"))).toEqual(failsWith("forbidden"));
      for (const role of ["editors", "viewers"] as const) {
        const copied = documents.copy(grantOf(ruled, role), newUuid(), { asTemplate: false });
        expect(await failure(copied)).toEqual(failsWith("forbidden"));
        expect(
          await failure(documents.exportFile(grantOf(ruled, role), { asTemplate: false, withoutHistory: false })),
        ).toEqual(failsWith("forbidden"));
        expect(await failure(documents.replace(grantOf(other), grantOf(ruled, role), {}))).toEqual(
          failsWith("forbidden"),
        );
        const changed = documents.call(grantOf(ruled, role), "states.remove", { body: null });
        expect(await failure(changed)).toEqual(failsWith("forbidden"));
      }
    });
  });

  describe("unreadable files", () => {
    const spoilt: [name: string, spoil: (file: string) => void][] = [
      ["missing", (file) => rmSync(file)],
      ["no database", (file) => writeFileSync(file, "oops ".repeat(3000))],
      ["empty", (file) => writeFileSync(file, "")],
      ["cut short", (file) => truncateSync(file, 9000)],
      ["overwritten in the middle", (file) => overwrite(file)],
    ];
    test.each(spoilt)("%s: returns a clear error, for that document only", async (_name, spoil) => {
      const events: string[] = [];
      await using h = host({ log: createLog({ write: (text) => void events.push(text) }) });
      const [good, bad] = [newUuid(), newUuid()];
      await h.documents.create(good);
      await h.documents.create(bad);
      spoil(h.fileOf(bad));
      for (let times = 0; times < 2; times++) {
        expect(await failure(h.read(bad))).toEqual(failsWith("damaged"));
        expect(await h.read(good)).toEqual([]);
      }
    });

    test("reopens a document after an unexpected error", async () => {
      await using h = host();
      const uuid = newUuid();
      await h.documents.create(uuid);
      change(h.fileOf(uuid), (db) => addSampleTable(db, { id: "T", columns: {}, rows: [{}] }));
      expect(await h.read(uuid, "T")).toEqual([1]);
      // Behind the back of the open document, whose cached schema is then wrong.
      change(h.fileOf(uuid), (db) => db.exec("drop table T"));
      expect(await failure(h.read(uuid, "T"))).toBeInstanceOf(Error);
      expect(await h.read(uuid, "T")).toEqual([]);
    });
  });

  describe("cursors", () => {
    test("are read to the end, or released", async () => {
      await using h = host();
      const uuid = newUuid();
      await h.documents.create(uuid);
      const row = { Long: "x".repeat(1000) };
      change(h.fileOf(uuid), (db) =>
        addSampleTable(db, { id: "T", columns: { Long: "Text" }, rows: Array.from({ length: 6000 }, () => row) }),
      );
      const grant = grantOf(uuid);
      const fetchAll = () => h.documents.call(grant, "records.fetch", { table: "T", hidden: false, typed: false });
      const answer = await fetchAll();
      if (answer.kind !== "cursor") throw new Error(answer.kind);
      const parts = [answer.first];
      for (let next = await h.documents.next(uuid, answer.cursor); next;) {
        parts.push(next);
        next = await h.documents.next(uuid, answer.cursor);
      }
      const { records } = JSON.parse(decode(Buffer.concat(parts))) as { records: object[] };
      expect(records).toHaveLength(6000);
      const another = await fetchAll();
      if (another.kind !== "cursor") throw new Error(another.kind);
      await h.documents.release(uuid, another.cursor);
      await h.documents.release(uuid, another.cursor);
      await h.documents.release(newUuid(), another.cursor);
      expect(await failure(h.documents.next(uuid, another.cursor))).toEqual(failsWith("unavailable"));
      expect(await failure(h.documents.next(newUuid(), another.cursor))).toEqual(failsWith("unavailable"));
    });
  });
});
