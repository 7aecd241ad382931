import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { createDocumentFile } from "../../src/doc/create-document.ts";
import { HISTORY_LIMITS } from "../../src/doc/history.ts";
import { documentFile, documentFolder } from "../../src/hosts/files/document-files.ts";
import { OpenDocuments } from "../../src/hosts/open-documents.ts";
import { newUuid } from "../../src/lib/ids.ts";
import { silentLog } from "../../src/lib/observability/log.ts";
import { decode } from "../doc/read/sample.ts";
import { SECOND, TestClock } from "../helpers/clock.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

describe("the number of open documents", () => {
  const open = (folder: string, clock: TestClock, onMaintenanceDue?: (uuid: string) => void) =>
    new OpenDocuments({
      folder,
      clock,
      onMaintenanceDue,
      log: silentLog,
      durability: "normal",
      maxOpen: 3,
      idleMs: 60 * SECOND,
      history: HISTORY_LIMITS,
    });

  interface Made {
    readonly pool: OpenDocuments;
    readonly uuids: string[];
    readonly clock: TestClock;
    isOpen(uuid: string): boolean;
  }

  function made(count: number, onMaintenanceDue?: (uuid: string) => void): Made {
    const folder = tempFolder();
    const clock = new TestClock();
    const uuids = Array.from({ length: count }, newUuid);
    for (const uuid of uuids) {
      mkdirSync(documentFolder(folder, uuid), { recursive: true });
      createDocumentFile(documentFile(folder, uuid));
    }
    const isOpen: Made["isOpen"] = (uuid) => existsSync(`${documentFile(folder, uuid)}-wal`);
    return { pool: open(folder, clock, onMaintenanceDue), uuids, clock, isOpen };
  }

  test("closes the least recently used one above the limit", () => {
    const { pool, uuids, isOpen } = made(5);
    const [a = "", b = "", c = "", d = "", e = ""] = uuids;
    const first = pool.get(a);
    for (const uuid of [b, c, a, d, e]) pool.get(uuid);
    expect(uuids.map((uuid) => isOpen(uuid))).toEqual([true, false, false, true, true]);
    expect(pool.get(a)).toBe(first);
    expect(pool.size).toBe(3);
    pool[Symbol.dispose]();
    expect(uuids.some((uuid) => isOpen(uuid))).toBe(false);
  });

  test("documents of brief use do not displace others, and are closed first", () => {
    const { pool, uuids, isOpen } = made(7);
    const [a = "", b = "", c = "", d = "", e = "", f = "", g = ""] = uuids;
    for (const uuid of [a, b, c]) pool.get(uuid);
    for (const uuid of [d, e, f]) pool.get(uuid, { isBrief: true });
    // The last one is in use.
    expect(uuids.map((uuid) => isOpen(uuid))).toEqual([true, true, true, false, false, true, false]);
    pool.get(g);
    expect(uuids.map((uuid) => isOpen(uuid))).toEqual([false, true, true, false, false, false, true]);
    // Another use makes it one of the others.
    pool.get(a, { isBrief: true });
    pool.get(a);
    pool.get(d, { isBrief: true });
    expect(uuids.map((uuid) => isOpen(uuid))).toEqual([true, false, true, true, false, false, true]);
    pool[Symbol.dispose]();
  });

  test("closes idle documents and idle cursors", () => {
    const { pool, uuids, clock, isOpen } = made(2);
    const [a = "", b = ""] = uuids;
    pool.get(a);
    clock.pass(40 * SECOND);
    pool.get(b);
    clock.pass(30 * SECOND);
    pool.closeIdle();
    expect([isOpen(a), isOpen(b)]).toEqual([false, true]);
    const document = pool.get(b);
    document.cursors.open({ db: document.db }, [].values());
    clock.pass(10 * SECOND);
    pool.closeIdle();
    expect(document.cursors.size).toBe(1);
    // Setting the wall clock does not affect idle times.
    clock.jump(3_600_000 * SECOND);
    pool.closeIdle();
    expect([pool.size, document.cursors.size]).toEqual([1, 1]);
    clock.jump(-7_200_000 * SECOND);
    clock.pass(60 * SECOND);
    pool.closeIdle();
    expect(pool.size).toBe(0);
  });

  test("requests maintenance once before an idle document with attachments is closed", () => {
    const asked: string[] = [];
    const { pool, uuids, clock, isOpen } = made(3, (uuid) => asked.push(uuid));
    const [plain = "", fresh = "", old = ""] = uuids;
    const attach = (uuid: string, timeDeleted: number) => {
      const { db } = pool.get(uuid);
      db.run("insert into _grist_Attachments (id, timeDeleted) values (1, ?)", timeDeleted);
    };
    const idle = () => {
      clock.pass(60 * SECOND);
      pool.closeIdle();
    };
    attach(fresh, clock.now() / 1000 - 6 * 86_400);
    attach(old, clock.now() / 1000 - 8 * 86_400);
    pool.get(plain);
    idle();
    expect(asked).toEqual([old]);
    expect([isOpen(plain), isOpen(fresh), isOpen(old)]).toEqual([false, false, true]);
    pool.closeIdle();
    expect([asked, isOpen(old)]).toEqual([[old], false]);
    // The change may have removed the last reference.
    const { db } = pool.get(fresh);
    db.transaction(() => db.run("update _grist_DocInfo set timezone = timezone"));
    idle();
    expect(asked).toEqual([old, fresh]);
    pool[Symbol.dispose]();
  });

  test("keeps a document with an open cursor open", () => {
    const { pool, uuids, isOpen } = made(5);
    const document = pool.get(uuids[0] ?? "");
    const cursor = document.cursors.open({ db: document.db }, ["piece"].values());
    for (const uuid of uuids) pool.get(uuid);
    expect(isOpen(uuids[0] ?? "")).toBe(true);
    expect(decode(document.cursors.next(cursor) ?? new Uint8Array())).toBe("piece");
    expect(document.cursors.next(cursor)).toBeNull();
    pool[Symbol.dispose]();
  });

  test("an invalid UUID never becomes a path", () => {
    for (const name of ["", "..", "a/b", "../../etc", "a\\b", "x".repeat(65)])
      expect(() => documentFile("/data", name)).toThrow();
  });
});
