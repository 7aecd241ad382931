/** A client that does not read its answer must not delay other clients that change the document. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { documentFile } from "../../src/hosts/files/document-files.ts";
import type { Rendered } from "../../src/hosts/documents.ts";
import { decode, grantOf } from "../doc/read/sample.ts";
import { bytes, ENDLESS, failure, hosted, type Hosted, LONG, made } from "./hosted.ts";

/** Returns the JSON of an answer that may have several parts. */
async function jsonOf({ host }: Hosted, uuid: string, answer: Rendered): Promise<unknown> {
  if (answer.kind === "unchanged") throw new Error(answer.kind);
  if (answer.kind === "bytes") return JSON.parse(decode(answer.bytes));
  const parts = [answer.first];
  for (let part = await host.next(uuid, answer.cursor); part; part = await host.next(uuid, answer.cursor)) {
    parts.push(part);
  }
  return JSON.parse(decode(Buffer.concat(parts)));
}

test("a request with a body is repeated by a reader if its answer, or what it reads, is large", async () => {
  await using h = hosted();
  const uuid = await h.make();
  const count = 80_000;
  const rows = {
    A: Array.from({ length: count }, (_, n) => n % 2),
    B: Array.from({ length: count }, () => "some text"),
  };
  await h.host.call(grantOf(uuid), "data.add", { table: "T", noparse: true, body: bytes(rows) });
  for (let n = 0; n < 2; n++) {
    // A transferred body is gone: only a body with a buffer of its own is transferred.
    const aggregated = await h.host.call(grantOf(uuid), "records.aggregate", {
      table: "T",
      body: bytes({ groupBy: ["A"] }).slice(),
    });
    expect(await jsonOf(h, uuid, aggregated)).toMatchObject({
      groups: [
        { A: 0, count: count / 2 },
        { A: 1, count: count / 2 },
      ],
    });
    const body = bytes({ filter: { A: [1] } }).slice();
    const listed = await h.host.call(grantOf(uuid), "records.list", { table: "T", body });
    expect(((await jsonOf(h, uuid, listed)) as { records: unknown[] }).records).toHaveLength(count / 2);
  }
}, 60_000);

test("live queries are read beside large answers", async () => {
  await using h = hosted();
  const uuid = await h.make();
  const rows = { A: Array.from({ length: 3 }, (_, n) => n), B: Array.from({ length: 3 }, () => "x".repeat(4_000_000)) };
  await h.host.call(grantOf(uuid), "data.add", { table: "T", noparse: true, body: bytes(rows) });
  const large = await h.host.call(grantOf(uuid), "records.fetch", { table: "T", hidden: false, typed: false });
  expect(large.kind).toBe("cursor");
  const query = { table: "T", hidden: false, fields: "A" };
  const args = { query, rights: "", seed: 5n, resumed: [] } as const;
  const first = await h.host.call(grantOf(uuid), "live.read", { ...args, known: null, whole: "yes" });
  await h.add(uuid, { A: 7 });
  const second = await h.host.call(grantOf(uuid), "live.read", { ...args, known: first?.state ?? null, whole: "no" });
  expect(JSON.parse(decode(second?.change ?? new Uint8Array()))).toMatchObject({ added: [{ fields: { A: 7 } }] });
});

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
