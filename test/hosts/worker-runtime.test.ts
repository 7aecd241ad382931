import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { AnswerGate } from "../../src/hosts/answer-gate.ts";
import { documentFile, documentFolder } from "../../src/hosts/files/document-files.ts";
import { DocumentWorker } from "../../src/hosts/threads/document-worker.ts";
import { newUuid } from "../../src/lib/ids.ts";
import { createLog } from "../../src/lib/observability/log.ts";
import { measurements, drainMeasurements } from "../../src/lib/observability/measurements.ts";
import { grantOf } from "../doc/read/sample.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { ENDLESS, failure, hosted, keepingIn, LONG, made, unavailable } from "./hosted.ts";

describe("concurrent changes", () => {
  test("are all committed, except the rejected ones", async () => {
    await using h = hosted();
    const uuid = await h.make();
    const asked = Array.from({ length: 60 }, (_, n) => h.add(uuid, n % 3 === 1 ? { Nothing: n } : { A: n }));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.map(({ status }) => status)).toEqual(
      Array.from({ length: 60 }, (_, n) => (n % 3 === 1 ? "rejected" : "fulfilled")),
    );
    const kept = Array.from({ length: 60 }, (_, n) => n).filter((n) => n % 3 !== 1);
    expect(await h.read(uuid)).toEqual(kept);
    const states = await h.host.call(grantOf(uuid), "history.states", {});
    // One for the table.
    expect(states).toHaveLength(kept.length + 2);
  });

  test("are committed before the documents are closed", async () => {
    await using h = hosted();
    const uuid = await h.make();
    const asked = Array.from({ length: 20 }, (_, n) => h.add(uuid, { A: n }));
    await h.host.close();
    expect((await Promise.allSettled(asked)).every(({ status }) => status === "fulfilled")).toBe(true);
    expect(await failure(h.read(uuid))).toMatchObject({ code: "unavailable" });
  });
});

describe("concurrent documents", () => {
  test("share a worker if there are few; a blocked document moves", async () => {
    await using h = hosted({ formulas: ENDLESS });
    const [busy, other] = [await h.make(), await h.make()];
    await h.add(busy, { A: 1 });
    await h.add(other, { A: 2 });
    expect(h.host.workerCount).toBe(1);
    const done: string[] = [];
    const long = h.setFormula(busy, LONG).then(() => done.push("long"));
    // It is not known yet that the other one takes long.
    expect(await h.read(other)).toEqual([2]);
    done.push("short");
    await h.add(other, { A: 3 });
    await long;
    expect(done).toEqual(["short", "long"]);
    expect(h.host.workerCount).toBe(2);
    expect(await h.read(other)).toEqual([2, 3]);
    expect(await h.read(busy)).toEqual([1]);
  });

  test("a document that moves during several calls is open in one worker only", async () => {
    await using h = hosted({ formulas: ENDLESS });
    const [busy, other] = [await h.make(), await h.make()];
    await h.add(busy, { A: 1 });
    const before = Array.from({ length: 5 }, (_, n) => h.add(other, { A: n }));
    const long = h.setFormula(busy, LONG);
    const meanwhile = Array.from({ length: 40 }, (_, n) => h.add(other, { A: n + 5 }));
    await Promise.all([...before, ...meanwhile, long]);
    await h.add(other, { A: 45 });
    expect(await h.read(other)).toEqual(Array.from({ length: 46 }, (_, n) => n));
    expect((await h.host.measure()).open).toBe(2);
  });

  test("queued documents are served in order of arrival", async () => {
    await using h = hosted({ maxWorkers: 1, maxReaders: 0, formulas: ENDLESS });
    const [busy = "", ...others] = await made(h, 8);
    await h.setFormula(busy, LONG);
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    const long = h.add(busy, { A: 1 });
    const waiting = others.slice(0, 6).map((uuid, at) => h.read(uuid).then(note(`waiting ${at}`)));
    // A call that arrives when the worker becomes idle does not overtake queued ones.
    const late = long.then(() => h.read(others[6] ?? "")).then(note("late"));
    // Nor does a later call for a document that is queued itself.
    const more = h.read(others[0] ?? "").then(note("waiting 0 again"));
    await Promise.all([...waiting, late, more]);
    expect(order).toEqual([
      "waiting 0",
      "waiting 0 again",
      "waiting 1",
      "waiting 2",
      "waiting 3",
      "waiting 4",
      "waiting 5",
      "late",
    ]);
  });

  test("a busy document does not block the others", async () => {
    await using h = hosted({ maxWorkers: 1, formulas: ENDLESS });
    const [busy = "", other = ""] = await made(h, 2);
    await h.setFormula(busy, "n = 0\nwhile n < 300000:\n  n += 1\nreturn n");
    const state = { answered: 0, isOver: false };
    // Two at a time, so that it always has work.
    const always = Array.from({ length: 2 }, async () => {
      while (!state.isOver) {
        await h.add(busy, { A: 1 });
        state.answered++;
      }
    });
    while (state.answered < 2) await new Promise(setImmediate);
    const before = state.answered;
    await h.read(other);
    // Earlier calls, and the one that its worker was running.
    expect(state.answered - before).toBeLessThanOrEqual(3);
    state.isOver = true;
    await Promise.all(always);
  });

  test("two busy documents do not stay in the same worker", async () => {
    await using h = hosted();
    const uuids = [await h.make(), await h.make()];
    const keepAdding = async (uuid: string): Promise<void> => {
      for (let n = 0; n < 60; n++) await h.add(uuid, { A: n });
    };
    await Promise.all([...uuids, ...uuids].map(keepAdding));
    expect(h.host.workerCount).toBe(2);
    for (const uuid of uuids) expect(await h.read(uuid)).toHaveLength(120);
  });

  test("the number of open documents is limited", async () => {
    await using h = hosted({ maxOpen: 3 });
    const uuids: string[] = [];
    for (let n = 0; n < 6; n++) uuids.push(await h.make());
    for (const uuid of uuids) await h.add(uuid, { A: 1 });
    while ((await h.host.measure()).open > 3) await Bun.sleep(1);
    for (const uuid of uuids) expect(await h.read(uuid)).toEqual([1]);
  });

  test("searching many documents does not close documents of other users", async () => {
    const closed: string[] = [];
    await using h = hosted({ maxOpen: 3, onClosed: (uuid) => closed.push(uuid) });
    const searched: string[] = [];
    for (let n = 0; n < 6; n++) searched.push(await h.make());
    const used: string[] = [];
    for (let n = 0; n < 3; n++) used.push(await h.make());
    for (const uuid of used) await h.add(uuid, { A: 1 });
    while ((await h.host.measure()).open > 3) await Bun.sleep(1);
    closed.length = 0;
    for (const uuid of searched) await h.host.call(grantOf(uuid), "document.search", { query: "x", limit: 1 });
    while ((await h.host.measure()).open > 4) await Bun.sleep(1);
    expect(closed.filter((uuid) => used.includes(uuid))).toEqual([]);
    expect(closed.length).toBeGreaterThanOrEqual(searched.length - 1);
    for (const uuid of used) expect(await h.read(uuid)).toEqual([1]);
  });

  test("unused documents are closed when memory is scarce", async () => {
    await using h = hosted({ maxMemoryBytes: 1 });
    const uuids = [await h.make(), await h.make()];
    for (const uuid of uuids) await h.add(uuid, { A: 1 });
    while ((await h.host.measure()).open > 0) await Bun.sleep(10);
    for (const uuid of uuids) expect(await h.read(uuid)).toEqual([1]);
  });

  test("calls during whileClosed wait for its end", async () => {
    await using h = hosted();
    const uuid = await h.make();
    await h.add(uuid, { A: 1 });
    let isAway = false;
    const away = h.host.whileClosed(uuid, () => {
      isAway = true;
    });
    const reading = h.read(uuid).then((rows) => [isAway, rows]);
    await away;
    expect(await reading).toEqual([true, [1]]);
  });
});

describe("measurements of workers", () => {
  const commits = () => {
    const histogram = measurements().durations.documentCommit;
    return histogram?.counts.reduce((a, b) => a + b) ?? 0;
  };

  test("are merged in the main thread on request, once", async () => {
    await using h = hosted();
    const uuids = [await h.make(), await h.make()];
    await h.host.measure();
    const before = commits();
    for (const uuid of [...uuids, ...uuids]) await h.add(uuid, { A: 1 });
    expect(commits()).toBe(before);
    expect(await h.host.measure()).toMatchObject({ open: 2, threads: h.host.workerCount });
    expect(commits()).toBe(before + 4);
    await h.host.measure();
    expect(commits()).toBe(before + 4);
  });

  test("are collected without waiting for busy workers", async () => {
    await using h = hosted({ formulas: ENDLESS, hangMs: 3000, maxWorkers: 1 });
    const uuid = await h.make();
    await h.add(uuid, { A: 1 });
    let isHanging = true;
    const hanging = failure(h.setFormula(uuid, "while True:\n  n = 1\nreturn 1")).finally(() => {
      isHanging = false;
    });
    expect(await h.host.measure()).toMatchObject({ open: 1, threads: 1 });
    expect(isHanging).toBe(true);
    await hanging;
  });
});

test("closing idle documents and measuring do not keep an idle worker", async () => {
  const thread = new DocumentWorker({
    data: { ...keepingIn(tempFolder()), access: "write", showsDebug: false },
    gate: new AnswerGate(),
    onNotification() {},
    onCrash() {},
  });
  const { idleSince } = thread;
  await thread.call({ kind: "measure" });
  await thread.call({ kind: "closeDocument", uuid: "a" });
  await thread.call({ kind: "shrink" });
  expect(thread.idleSince).toBe(idleSince);
  await failure(thread.call({ kind: "next", uuid: "a", cursor: "b" }));
  expect(thread.idleSince).toBeGreaterThan(idleSince);
  await thread.terminate();
});

describe("a failing worker", () => {
  test("is terminated and counted when it hangs, without affecting other workers", async () => {
    drainMeasurements();
    await using h = hosted({ formulas: ENDLESS, hangMs: 4000 });
    const [bad, good] = [await h.make(), await h.make()];
    await h.add(bad, { A: 1 });
    await h.add(good, { A: 2 });
    const hanging = failure(h.setFormula(bad, "while True:\n  n = 1\nreturn 1"));
    await Bun.sleep(30);
    expect(await h.read(good)).toEqual([2]);
    const behind = h.read(bad);
    expect(await hanging).toEqual(unavailable);
    // The other call had not started, and another worker answers it.
    expect(await behind).toEqual([1]);
    expect(await h.read(bad)).toEqual([1]);
    await h.add(bad, { A: 3 });
    expect(await h.read(bad)).toEqual([1, 3]);
    expect(await h.read(good)).toEqual([2]);
    expect(drainMeasurements().counts.threadsLost).toBe(1);
  });

  test("rejects its pending calls when it crashes, and reports the crash once", async () => {
    const lost: unknown[] = [];
    const thread = new DocumentWorker({
      data: { ...keepingIn(tempFolder()), access: "write", showsDebug: false },
      gate: new AnswerGate(),
      onNotification() {},
      onCrash: (error) => lost.push(error),
      entry: new URL("./failing-worker.ts", import.meta.url),
    });
    const asked = [failure(thread.call({ kind: "shrink" })), failure(thread.call({ kind: "shrink" }))];
    expect(await Promise.all(asked)).toEqual([unavailable, unavailable]);
    expect(await failure(thread.call({ kind: "shrink" }))).toEqual(unavailable);
    expect(lost).toHaveLength(1);
    expect(thread.pending).toBe(0);
  });

  test("log lines of workers appear in the server's log", async () => {
    const lines: string[] = [];
    await using h = hosted({ log: createLog({ write: (text) => void lines.push(text) }) });
    const uuid = newUuid();
    mkdirSync(documentFolder(h.folder, uuid), { recursive: true });
    writeFileSync(documentFile(h.folder, uuid), "no database ".repeat(1000));
    expect(await failure(h.read(uuid))).toMatchObject({ code: "damaged" });
    expect(lines.join("")).toContain("document.open_failed");
    // A document that cannot be opened takes no placement.
    expect((await h.host.measure()).open).toBe(0);
  });
});
