/** Reader threads that fail, and their end. */
import { expect, test } from "bun:test";
import { AnswerGate } from "../../src/hosts/answer-gate.ts";
import { ReaderPool } from "../../src/hosts/threads/reader-pool.ts";
import { silentLog } from "../../src/lib/observability/log.ts";
import { drainMeasurements } from "../../src/lib/observability/measurements.ts";
import { grantOf } from "../doc/read/sample.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { failure, keepingIn, unavailable } from "./hosted.ts";

function poolOf(entry: string, hangMs = 60_000) {
  const free = { resolve: (): void => undefined };
  const ended: unknown[] = [];
  const pool = new ReaderPool({
    data: { ...keepingIn(tempFolder()), access: "read", showsDebug: false },
    gate: new AnswerGate(),
    log: silentLog,
    maxReaders: 2,
    hangMs,
    entry: new URL(entry, import.meta.url),
    onFree: () => free.resolve(),
    onEnded: (reader) => ended.push(reader),
  });
  /** Starts a reader, and waits until it is ready or has failed. */
  const grow = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    free.resolve = () => resolve(undefined);
    pool.grow();
    await promise;
    await Promise.resolve();
  };
  return { pool, ended, grow };
}

const read = { kind: "call", grant: grantOf("a"), verb: "tables.list", args: { expandColumns: false } } as const;

test("a reader that hangs is terminated, its read is refused, and another one can be started", async () => {
  drainMeasurements();
  const { pool, ended, grow } = poolOf("./hanging-reader.ts", 0);
  await grow();
  const reader = pool.leastBusy();
  const refused = failure(reader?.call(read) ?? Promise.resolve());
  pool.sweep(() => false);
  expect(await refused).toEqual(unavailable);
  expect([pool.size, ended.length, pool.canGrow]).toEqual([0, 1, true]);
  expect(drainMeasurements().counts.threadsLost).toBe(1);
  await grow();
  expect(pool.size).toBe(1);
  await pool.close();
});

test("a reader that crashes is counted, and no other one is started for some seconds", async () => {
  drainMeasurements();
  const { pool, ended, grow } = poolOf("./failing-worker.ts");
  await grow();
  expect([pool.leastBusy(), pool.size, ended.length, pool.canGrow]).toEqual([null, 0, 1, false]);
  expect(drainMeasurements().counts.threadsLost).toBe(1);
});
