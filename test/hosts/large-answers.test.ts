/** A client that does not read its answer must not delay other clients that change the document. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { documentFile } from "../../src/hosts/files/document-files.ts";
import { decode, grantOf } from "../doc/read/sample.ts";
import { bytes, ENDLESS, failure, hosted, type Hosted, LONG, made } from "./hosted.ts";

describe("a document with unread cursors", () => {
  const LARGE = "x".repeat(4_000_000);

  /** Opens two documents in one worker: one with an open cursor, the other with a long call. */
  async function readAndBusy(h: Hosted) {
    const [busy = "", read = ""] = await made(h, 2);
    await h.host.call(grantOf(read), "columns.add", {
      table: "T",
      body: bytes({ columns: [{ id: "Text", fields: { type: "Text" } }] }),
    });
    for (let n = 0; n < 3; n++) await h.add(read, { A: n, Text: LARGE });
    await h.add(busy, { A: 1 });
    expect(h.host.workerCount).toBe(1);
    const answer = await h.host.call(grantOf(read), "records.fetch", { table: "T", hidden: false, typed: false });
    if (answer.kind !== "cursor") throw new Error(answer.kind);
    const done: string[] = [];
    const long = h.setFormula(busy, LONG).then(() => done.push("long"));
    return { busy, read, answer, done, long };
  }

  test("moves when its worker is busy, and the cursor is read to its end", async () => {
    await using h = hosted({ formulas: ENDLESS });
    const { read, answer, done, long } = await readAndBusy(h);
    await h.add(read, { A: 3 });
    done.push("written");
    await long;
    expect(done).toEqual(["written", "long"]);
    expect(h.host.workerCount).toBe(2);
    const parts = [answer.first];
    for (;;) {
      const part = await h.host.next(read, answer.cursor);
      if (part === null) break;
      parts.push(part);
    }
    const { records } = JSON.parse(decode(Buffer.concat(parts))) as { records: { fields: { A: number } }[] };
    // The snapshot from when the cursor was opened.
    expect(records.map(({ fields }) => fields.A)).toEqual([0, 1, 2]);
    expect(await failure(h.host.next(read, answer.cursor))).toMatchObject({ code: "unavailable" });
    await h.add(read, { A: 4 });
  });

  test("is one clean file during whileClosed, in whichever worker it was read", async () => {
    await using h = hosted({ formulas: ENDLESS });
    const { read, answer, long } = await readAndBusy(h);
    await h.add(read, { A: 3 });
    await long;
    const file = documentFile(h.folder, read);
    expect(existsSync(`${file}-wal`)).toBe(true);
    await h.host.whileClosed(read, () => expect(existsSync(`${file}-wal`)).toBe(false));
    expect(await failure(h.host.next(read, answer.cursor))).toMatchObject({ code: "unavailable" });
    await h.add(read, { A: 5 });
  });

  test("closes cursors that are released after it has moved", async () => {
    await using h = hosted({ formulas: ENDLESS });
    const { read, answer, long } = await readAndBusy(h);
    await h.add(read, { A: 3 });
    await long;
    await h.host.release(read, answer.cursor);
    expect(await failure(h.host.next(read, answer.cursor))).toMatchObject({ code: "unavailable" });
    await h.add(read, { A: 4 });
  });
});
