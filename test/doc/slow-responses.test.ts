/** Large responses that a client reads slowly: their snapshot ends, and the rest comes from a temporary file. */
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { OpenDocument } from "../../src/doc/document.ts";
import { ResponseFile } from "../../src/doc/response-file.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { decode, sampleDocument } from "./read/sample.ts";

const ROWS = 60;

/** The chunks of a response: the rows of a table, read one by one. */
function* chunksOf(source: { db: OpenDocument["db"] }): Generator<string> {
  for (let id = 1; id <= ROWS; id++) {
    const row = source.db.get<{ A: string }>("select A from T where id = ?", id);
    yield `${row?.A.slice(0, 40_000)}\n`;
  }
}

function slowResponse() {
  const rows = Array.from({ length: ROWS }, (_, at) => ({ A: String(at).padEnd(50_000, "x") }));
  const writer = sampleDocument([{ id: "T", columns: { A: "Text" }, rows }]);
  const elapsed = { ms: 0 };
  const clock = { now: () => 0, elapsed: () => elapsed.ms };
  const reader = new OpenDocument(writer.path, { access: "read", clock });
  const source = { db: reader.db };
  const cursor = reader.readSnapshot(() => reader.cursors.open(source, chunksOf(source)));
  const folder = tempFolder();
  return {
    writer,
    reader,
    folder,
    next: () => reader.cursors.next(cursor),
    /** Writes the rest of responses that are older than 30 s. */
    copy(afterMs: number, maxMs = 1) {
      elapsed.ms = afterMs;
      return reader.cursors.copyOlderThan(afterMs - 30_000, { folder, maxMs });
    },
    change: () => writer.db.transaction(() => writer.db.exec("update T set A = 'changed'")),
    isLogFree: () => writer.db.get<{ busy: number }>("pragma wal_checkpoint(truncate)")?.busy === 0,
  };
}

const ORIGINAL = Array.from({ length: ROWS }, (_, at) => `${String(at).padEnd(40_000, "x")}\n`).join("");

function restOf({ next }: ReturnType<typeof slowResponse>): string {
  const parts: Uint8Array[] = [];
  for (let part = next(); part; part = next()) parts.push(part);
  return decode(Buffer.concat(parts));
}

describe("a response that is read slowly", () => {
  test("shows the state of its beginning, and holds the log until it is 30 s old", () => {
    const slow = slowResponse();
    const first = decode(slow.next() ?? new Uint8Array());
    slow.change();
    expect(slow.copy(29_999)).toBe(false);
    expect(slow.isLogFree()).toBe(false);
    expect(slow.copy(30_001)).toBe(false);
    expect(slow.isLogFree()).toBe(true);
    expect(first + restOf(slow)).toBe(ORIGINAL);
    slow.reader.close();
    slow.writer.close();
  });

  test("is written in slices between which it is read", () => {
    const slow = slowResponse();
    slow.change();
    // No time is left in the slice.
    expect(slow.copy(40_000, 0)).toBe(true);
    let text = "";
    for (let part = slow.next(); part; part = slow.next()) text += decode(part);
    expect(text).toBe(ORIGINAL);
    expect(slow.isLogFree()).toBe(true);
    slow.reader.close();
    slow.writer.close();
  });

  test("leaves no file behind", () => {
    const slow = slowResponse();
    slow.copy(31_000);
    expect(readdirSync(slow.folder)).toHaveLength(1);
    slow.reader.close();
    expect(readdirSync(slow.folder)).toEqual([]);
    slow.writer.close();
  });

  test("ends with an error when its rest cannot be read", () => {
    const file = new ResponseFile(join(tempFolder(), "new", "rest"));
    file.append(new TextEncoder().encode("part"), { isLast: false });
    file.fail(new Error("no more"));
    expect(decode(file.take(100).bytes)).toBe("part");
    expect(() => file.take(100)).toThrow("no more");
    file[Symbol.dispose]();
  });
});
