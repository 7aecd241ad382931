/** Reads beside changes of the same document, in reader threads. */
import { describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { documentFile, logFileSize } from "../../src/hosts/files/document-files.ts";
import { decode, grantOf } from "../doc/read/sample.ts";
import { bytes, ENDLESS, failure, hosted, type Hosted, LONG } from "./hosted.ts";

const fetched = { table: "T", hidden: false, typed: false };

describe("while a change of the same document runs", () => {
  test("a document is read as it was before the change, without waiting", async () => {
    await using h = hosted({ formulas: ENDLESS });
    const uuid = await h.make();
    await h.add(uuid, { A: 1 });
    const done: string[] = [];
    const change = h.setFormula(uuid, LONG).then(() => done.push("changed"));
    for (let n = 0; n < 20; n++) expect(await h.read(uuid)).toEqual([1]);
    done.push("read");
    expect((await h.host.measure()).readers).toBeGreaterThan(0);
    await change;
    expect(done).toEqual(["read", "changed"]);
    expect(await h.read(uuid)).toEqual([1]);
  });

  test("a reader is started before anything is read, and kept until the change ends", async () => {
    await using h = hosted({ formulas: ENDLESS });
    const uuid = await h.make();
    const change = h.setFormula(uuid, LONG);
    await h.add(uuid, { A: 1 });
    await change;
    expect((await h.host.measure()).readers).toBe(1);
  });

  test("reads see every acknowledged change, in whichever thread they run", async () => {
    await using h = hosted({ formulas: ENDLESS });
    const uuid = await h.make();
    await h.add(uuid, { A: 0 });
    await h.setFormula(uuid, "n = 0\nwhile n < 100000:\n  n += 1\nreturn n");
    for (let n = 1; n <= 10; n++) {
      await h.add(uuid, { A: n });
      const change = h.add(uuid, { A: -1 });
      const first = await h.read(uuid);
      expect(first.filter((a) => a !== -1)).toEqual(Array.from({ length: n + 1 }, (_, at) => at));
      await change;
    }
  });

  test("the first response of a document that is being opened waits only for the opening", async () => {
    await using h = hosted({ formulas: ENDLESS });
    const uuid = await h.make();
    await h.add(uuid, { A: 1 });
    await h.host.whileClosed(uuid, () => undefined);
    const done: string[] = [];
    const change = h.setFormula(uuid, LONG).then(() => done.push("changed"));
    const read = h.read(uuid).then((rows) => done.push(`read ${rows.join()}`));
    await Promise.all([change, read]);
    expect(done).toEqual(["read 1", "changed"]);
  });

  test("the answer of a read that ran before does not wait for the change", async () => {
    await using h = hosted({ formulas: ENDLESS });
    const uuid = await h.make();
    await h.add(uuid, { A: 1 });
    const done: string[] = [];
    // Both are sent to the worker in one message.
    const read = h.read(uuid).then(() => done.push("read"));
    const change = h.setFormula(uuid, LONG).then(() => done.push("changed"));
    await h.read(uuid);
    expect(done).toEqual(["read"]);
    await Promise.all([read, change]);
  });

  test("ETags are those of the document's own thread", async () => {
    await using h = hosted({ formulas: ENDLESS });
    const uuid = await h.make();
    await h.add(uuid, { A: 1 });
    const fetch = (tags: string[]) =>
      h.host.call(grantOf(uuid), "records.fetch", { ...fetched, condition: { seed: "seed", tags } });
    const { tag } = await fetch([]);
    const change = h.setFormula(uuid, LONG);
    expect(await fetch([tag])).toEqual({ kind: "unchanged", tag });
    await change;
    expect((await fetch([tag])).kind).toBe("bytes");
  });

  test("large responses are read to their end", async () => {
    await using h = hosted({ formulas: ENDLESS });
    const uuid = await h.make();
    const columns = [{ id: "Text", fields: { type: "Text" } }];
    await h.host.call(grantOf(uuid), "columns.add", { table: "T", body: bytes({ columns }) });
    for (let n = 0; n < 3; n++) await h.add(uuid, { A: n, Text: "x".repeat(4_000_000) });
    const answer = await h.host.call(grantOf(uuid), "records.fetch", fetched);
    if (answer.kind !== "cursor") throw new Error(answer.kind);
    const done: string[] = [];
    const change = h.setFormula(uuid, LONG).then(() => done.push("changed"));
    const parts = [answer.first];
    for (let part = await h.host.next(uuid, answer.cursor); part; part = await h.host.next(uuid, answer.cursor)) {
      parts.push(part);
    }
    done.push("read");
    const { records } = JSON.parse(decode(Buffer.concat(parts))) as { records: { fields: { A: number } }[] };
    expect(records.map(({ fields }) => fields.A)).toEqual([0, 1, 2]);
    await change;
    expect(done).toEqual(["read", "changed"]);
  });

  test("a refused read is refused, and a reader changes nothing", async () => {
    await using h = hosted({ formulas: ENDLESS });
    const uuid = await h.make();
    await h.add(uuid, { A: 1 });
    const change = h.setFormula(uuid, LONG);
    const read = (table: string) => h.host.call(grantOf(uuid), "records.fetch", { ...fetched, table });
    expect(await failure(read("Nope"))).toMatchObject({ code: "notFound" });
    await change;
  });
});

describe("values over the rows of a table", () => {
  /** The answer, or the code of the refusal. */
  async function sumOf(h: Hosted, largestId: number): Promise<unknown> {
    const uuid = await h.make();
    const actions = [largestId - 1, largestId].map((id, at) => ["AddRecord", "T", id, { A: 3 + at }]);
    await h.host.call(grantOf(uuid), "actions.apply", { body: bytes(actions), noparse: false });
    const body = bytes({ measures: { sum: { sum: "A" } } });
    const call = h.host.call(grantOf(uuid), "records.aggregate", { table: "T", body });
    const answer = await call.catch((error: unknown) => (error as { code: string }).code);
    return typeof answer === "object" && answer.kind === "bytes" ? JSON.parse(decode(answer.bytes)) : answer;
  }
  const sum = { groups: [{ sum: 7 }], total: 1 };

  test.each([100, 100_001])("are computed, with ids up to %d", async (id) => {
    await using h = hosted({ formulas: ENDLESS });
    expect(await sumOf(h, id)).toEqual(sum);
  });

  test("are not computed in the thread of changes if there may be many rows", async () => {
    await using h = hosted({ formulas: ENDLESS, maxReaders: 0 });
    expect(await sumOf(h, 100)).toEqual(sum);
    expect(await sumOf(h, 100_001)).toBe("unavailable");
  });
});

describe("a document that readers have open", () => {
  test("is a single file while it is closed, and after the end of the server", async () => {
    const h = hosted({ formulas: ENDLESS });
    const uuid = await h.make();
    await h.add(uuid, { A: 1 });
    const folder = dirname(documentFile(h.folder, uuid));
    const change = h.setFormula(uuid, LONG);
    await h.read(uuid);
    await change;
    expect(existsSync(`${documentFile(h.folder, uuid)}-wal`)).toBe(true);
    await h.host.whileClosed(uuid, () => expect(readdirSync(folder)).toEqual(["document.grist"]));
    const other = h.setFormula(uuid, `${LONG} + 1`);
    await h.read(uuid);
    await other;
    await h.host.close();
    expect(readdirSync(folder)).toEqual(["document.grist"]);
  });

  test("keeps its log small although it is read all the time", async () => {
    await using h = hosted({ formulas: ENDLESS });
    const uuid = await h.make();
    const columns = [{ id: "Text", fields: { type: "Text" } }];
    await h.host.call(grantOf(uuid), "columns.add", { table: "T", body: bytes({ columns }) });
    await h.add(uuid, { A: 0, Text: "" });
    const reading = { isDone: false };
    const readers = Array.from({ length: 4 }, async () => {
      while (!reading.isDone) await h.read(uuid);
    });
    const body = (n: number) => bytes({ records: [{ id: 1, fields: { Text: String(n).padEnd(900_000, "x") } }] });
    let largest = 0;
    for (let n = 0; n < 60; n++) {
      await h.host.call(grantOf(uuid), "records.modify", { table: "T", noparse: true, body: body(n) });
      largest = Math.max(largest, logFileSize(documentFile(h.folder, uuid)));
    }
    while (logFileSize(documentFile(h.folder, uuid)) > 20 * 1024 ** 2) await h.read(uuid);
    reading.isDone = true;
    await Promise.all(readers);
    expect(largest).toBeGreaterThan(0);
  });

  test("is read as before or after its replacement, and only as after once that is acknowledged", async () => {
    await using h = hosted({ formulas: ENDLESS });
    const [uuid, source] = [await h.make(), await h.make()];
    await h.add(uuid, { A: 1 });
    await h.add(source, { A: 2 });
    const from = documentFile(h.folder, source);
    await h.host.whileClosed(source, () => copyFileSync(from, `${from}.new`));
    const change = h.setFormula(uuid, LONG);
    await h.read(uuid);
    const state = { isReplaced: false, isEnding: false, reads: 0 };
    const reading = Array.from({ length: 3 }, async () => {
      while (!state.isEnding) {
        const mustBeNew = state.isReplaced;
        const rows = await h.read(uuid).catch((error: unknown) => {
          // A reader may have been closed in the middle.
          expect(error).toMatchObject({ code: "unavailable" });
          return [];
        });
        if (rows.length > 0) expect(mustBeNew ? [2] : [1, 2]).toContain(rows[0] as number);
        if (mustBeNew) state.reads++;
      }
    });
    const replaced = h.host.whileClosed(uuid, () => {
      renameSync(`${from}.new`, documentFile(h.folder, uuid));
    });
    await Promise.all([change, replaced]);
    state.isReplaced = true;
    await h.setFormula(uuid, LONG);
    state.isEnding = true;
    await Promise.all(reading);
    expect(state.reads).toBeGreaterThan(10);
    expect(await h.read(uuid)).toEqual([2]);
  });
});
