/** A client that never reads what it asked for must not delay others who change the document. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { documentFile } from "../../src/hosts/document-files.ts";
import { decode, grantOf } from "../doc/read/sample.ts";
import { bytes, ENDLESS, failure, hosted, type Hosted, LONG, made } from "./hosted.ts";

describe("a document with large answers that nobody takes", () => {
  const LARGE = "x".repeat(4_000_000);

  /** Two documents in one thread, one of them with a large answer in progress and the other one at work for long. */
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

  test("moves all the same when it has to wait, and the answer is given to its end", async () => {
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
    // As it was when the answer began.
    expect(records.map(({ fields }) => fields.A)).toEqual([0, 1, 2]);
    expect(await failure(h.host.next(read, answer.cursor))).toMatchObject({ code: "unavailable" });
    await h.add(read, { A: 4 });
  });

  test("is one clean file while it is kept closed, wherever it was read", async () => {
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

  test("gives them back when they are released after it has moved", async () => {
    await using h = hosted({ formulas: ENDLESS });
    const { read, answer, long } = await readAndBusy(h);
    await h.add(read, { A: 3 });
    await long;
    await h.host.release(read, answer.cursor);
    expect(await failure(h.host.next(read, answer.cursor))).toMatchObject({ code: "unavailable" });
    await h.add(read, { A: 4 });
  });
});
