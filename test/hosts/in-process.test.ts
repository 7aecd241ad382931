import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Role } from "../../src/access.ts";
import type { Documents } from "../../src/hosts/documents.ts";
import { HISTORY_LIMITS } from "../../src/doc/history.ts";
import { inProcessDocuments, type InProcessOptions } from "../../src/hosts/in-process.ts";
import { OpenDocuments } from "../../src/hosts/open-documents.ts";
import type { Verb } from "../../src/hosts/verb.ts";
import { verbs } from "../../src/hosts/verbs.ts";
import { newUuid } from "../../src/lib/ids.ts";
import { createLog, silentLog } from "../../src/lib/log.ts";
import { Database } from "../../src/sqlite/database.ts";
import { addSampleTable, decode, grantOf } from "../doc/read/sample.ts";
import { SECOND, TestClock } from "../helpers/clock.ts";
import { tempFolder } from "../helpers/folder.ts";

interface Host extends AsyncDisposable {
  readonly documents: Documents;
  readonly folder: string;
  readonly clock: TestClock;
  fileOf(uuid: string): string;
  /** Ids of a table's rows, as `role` gets them. */
  read(uuid: string, table?: string, role?: Role): Promise<number[]>;
}

function host(options: Partial<InProcessOptions> = {}): Host {
  const folder = options.folder ?? tempFolder();
  const clock = new TestClock();
  const documents = inProcessDocuments({ folder, clock, log: silentLog, durability: "normal", ...options });
  return {
    documents,
    folder,
    clock,
    fileOf: (uuid) => join(folder, "docs", uuid, "document.grist"),
    async read(uuid, table = "Table1", role = "owners") {
      const answer = await documents.call(grantOf(uuid, role), "records.fetch", { table, hidden: false, typed: false });
      if (answer.kind !== "bytes") throw new Error(answer.kind);
      return (JSON.parse(decode(answer.bytes)) as { records: { id: number }[] }).records.map(({ id }) => id);
    },
    [Symbol.asyncDispose]: () => documents.close(),
  };
}

/** Changes a document's file while the host has it closed. */
function change(file: string, work: (db: Database) => void): void {
  using db = new Database(file);
  work(db);
}

const failsWith = (code: string): unknown => expect.objectContaining({ code });

describe("making and removing", () => {
  test("a new document can be read at once; its file is clean when the host is closed", async () => {
    const { documents, fileOf, read } = host();
    const uuid = newUuid();
    await documents.create(uuid);
    expect(readdirSync(dirname(fileOf(uuid)))).toEqual(["document.grist"]);
    expect(await read(uuid)).toEqual([]);
    await documents.close();
    await documents.close();
    expect(readdirSync(dirname(fileOf(uuid)))).toEqual(["document.grist"]);
    expect(read(uuid)).rejects.toEqual(failsWith("unavailable"));
  });

  test("nothing is put over a document, and nothing is left of one that could not be made", async () => {
    await using h = host();
    const uuid = newUuid();
    await h.documents.create(uuid);
    const before = readFileSync(h.fileOf(uuid));
    expect(h.documents.create(uuid)).rejects.toEqual(failsWith("conflict"));
    const broken = join(h.folder, "upload.grist");
    writeFileSync(broken, "not a document");
    const other = newUuid();
    expect(h.documents.importFile(other, { path: broken, name: "upload.grist" })).rejects.toEqual(failsWith("invalid"));
    expect(readFileSync(h.fileOf(uuid)).equals(before)).toBe(true);
    expect(readdirSync(join(h.folder, "docs"))).toEqual([uuid]);
    expect(readdirSync(join(h.folder, "tmp"))).toEqual([]);
  });

  test("a file is taken in as it is, with what it holds counted", async () => {
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

  test("copies go on their own, templates without rows", async () => {
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
    expect(h.read(original, "T")).rejects.toEqual(failsWith("damaged"));
    expect(await h.read(copy, "T")).toEqual([1, 2]);
    expect(await h.read(template, "T")).toEqual([]);
  });

  test("work on files lets others go on, and is finished before everything is closed", async () => {
    await using h = host();
    const [uuid, copy, made] = [newUuid(), newUuid(), newUuid()];
    await h.documents.create(uuid);
    const path = join(h.folder, "tea.csv");
    writeFileSync(path, "Name\nAssam\n");
    const done: string[] = [];
    const jobs = [
      h.documents.copy(grantOf(uuid), copy, { asTemplate: false }).then(() => done.push("copy")),
      h.documents.importFile(made, { path, name: "tea.csv" }).then(() => done.push("import")),
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
  test("rules inside a document close it to all but owners, for what does not keep them", async () => {
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
    expect(h.read(ruled, "Table1", "viewers")).rejects.toEqual(failsWith("forbidden"));
    for (const role of ["editors", "viewers"] as const) {
      const copied = documents.copy(grantOf(ruled, role), newUuid(), { asTemplate: false });
      expect(copied).rejects.toEqual(failsWith("forbidden"));
      expect(documents.exportFile(grantOf(ruled, role), { asTemplate: false, withoutHistory: false })).rejects.toEqual(
        failsWith("forbidden"),
      );
      expect(documents.replace(grantOf(other), grantOf(ruled, role), {})).rejects.toEqual(failsWith("forbidden"));
      const changed = documents.call(grantOf(ruled, role), "states.remove", { body: null });
      expect(changed).rejects.toEqual(failsWith("forbidden"));
    }
  });

  test("verbs that answer readers say what becomes of rules", () => {
    const open = Object.entries(verbs as Record<string, Pick<Verb<never, unknown>, "needs" | "underRules">>);
    const silent = open.filter(([, { needs, underRules }]) => needs === "viewers" && underRules === undefined);
    expect(silent.map(([name]) => name)).toEqual([]);
  });
});

describe("files that cannot be read", () => {
  const spoilt: [name: string, spoil: (file: string) => void][] = [
    ["missing", (file) => rmSync(file)],
    ["no database", (file) => writeFileSync(file, "oops ".repeat(3000))],
    ["empty", (file) => writeFileSync(file, "")],
    ["cut short", (file) => truncateSync(file, 9000)],
    ["overwritten in the middle", (file) => overwrite(file)],
  ];
  test.each(spoilt)("%s: a clear refusal, for that document only", async (_name, spoil) => {
    const events: string[] = [];
    await using h = host({ log: createLog({ write: (text) => void events.push(text) }) });
    const [good, bad] = [newUuid(), newUuid()];
    await h.documents.create(good);
    await h.documents.create(bad);
    spoil(h.fileOf(bad));
    for (let times = 0; times < 2; times++) {
      expect(h.read(bad)).rejects.toEqual(failsWith("damaged"));
      expect(await h.read(good)).toEqual([]);
    }
  });

  test("a document that fails in an unexpected way is opened anew", async () => {
    await using h = host();
    const uuid = newUuid();
    await h.documents.create(uuid);
    change(h.fileOf(uuid), (db) => addSampleTable(db, { id: "T", columns: {}, rows: [{}] }));
    expect(await h.read(uuid, "T")).toEqual([1]);
    // Behind the back of the open document, whose idea of the tables is then wrong.
    change(h.fileOf(uuid), (db) => db.exec("drop table T"));
    expect(h.read(uuid, "T")).rejects.toThrow();
    expect(await h.read(uuid, "T")).toEqual([]);
  });
});

function overwrite(file: string): void {
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x5a, 1024, bytes.length - 4096));
}

describe("how many are open", () => {
  const open = (folder: string, clock: TestClock) =>
    new OpenDocuments({
      folder,
      clock,
      log: silentLog,
      durability: "normal",
      maxOpen: 3,
      idleMs: 60 * SECOND,
      history: HISTORY_LIMITS,
    });
  const isOpen = (pool: OpenDocuments, uuid: string) => existsSync(`${pool.fileOf(uuid)}-wal`);

  async function made(count: number): Promise<{ pool: OpenDocuments; uuids: string[]; clock: TestClock }> {
    await using h = host();
    const uuids = Array.from({ length: count }, newUuid);
    for (const uuid of uuids) await h.documents.create(uuid);
    return { pool: open(h.folder, h.clock), uuids, clock: h.clock };
  }

  test("the one not used for longest makes room", async () => {
    const { pool, uuids } = await made(5);
    const [a = "", b = "", c = "", d = "", e = ""] = uuids;
    const first = pool.get(a);
    for (const uuid of [b, c, a, d, e]) pool.get(uuid);
    expect(uuids.map((uuid) => isOpen(pool, uuid))).toEqual([true, false, false, true, true]);
    expect(pool.get(a)).toBe(first);
    expect(pool.size).toBe(3);
    pool[Symbol.dispose]();
    expect(uuids.some((uuid) => isOpen(pool, uuid))).toBe(false);
  });

  test("what is unused for long is closed, with the large answers nobody takes", async () => {
    const { pool, uuids, clock } = await made(2);
    const [a = "", b = ""] = uuids;
    pool.get(a);
    clock.pass(40 * SECOND);
    pool.get(b);
    clock.pass(30 * SECOND);
    pool.closeIdle();
    expect([isOpen(pool, a), isOpen(pool, b)]).toEqual([false, true]);
    const document = pool.get(b);
    document.cursors.open({ db: document.db }, [].values());
    clock.pass(10 * SECOND);
    pool.closeIdle();
    expect(document.cursors.size).toBe(1);
    // Somebody sets the clock: it is not later for that, nor earlier.
    clock.jump(3_600_000 * SECOND);
    pool.closeIdle();
    expect([pool.size, document.cursors.size]).toEqual([1, 1]);
    clock.jump(-7_200_000 * SECOND);
    clock.pass(60 * SECOND);
    pool.closeIdle();
    expect(pool.size).toBe(0);
  });

  test("a document with a large answer under way stays open", async () => {
    const { pool, uuids } = await made(5);
    const document = pool.get(uuids[0] ?? "");
    const cursor = document.cursors.open({ db: document.db }, ["piece"].values());
    for (const uuid of uuids) pool.get(uuid);
    expect(isOpen(pool, uuids[0] ?? "")).toBe(true);
    expect(decode(document.cursors.next(cursor) ?? new Uint8Array())).toBe("piece");
    expect(document.cursors.next(cursor)).toBeNull();
    pool[Symbol.dispose]();
  });

  test("a name that is no UUID never becomes a path", async () => {
    const { pool } = await made(0);
    for (const name of ["", "..", "a/b", "../../etc", "a\\b", "x".repeat(65)])
      expect(() => pool.fileOf(name)).toThrow();
  });
});

describe("large answers through the door", () => {
  test("are read to the end, or given up", async () => {
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
    expect(h.documents.next(uuid, another.cursor)).rejects.toEqual(failsWith("unavailable"));
    expect(h.documents.next(newUuid(), another.cursor)).rejects.toEqual(failsWith("unavailable"));
  });
});
