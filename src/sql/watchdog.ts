/**
 * Watchdog thread that kills its process when a query takes too long: SQLite cannot be interrupted from within, and the
 * server may be busy or dead. A separate entry point; see `deadline.ts`.
 */
import { workerData } from "node:worker_threads";
import {
  NEXT_CHECK,
  EXPIRED,
  IDLE,
  timestampIn,
  msBetweenTimestamps,
  NEVER,
  WATCHING,
  STATE,
  TIME,
} from "./deadline.ts";

const cells = workerData as Int32Array;
Atomics.store(cells, STATE, WATCHING);
Atomics.notify(cells, STATE);
for (;;) {
  const end = Atomics.load(cells, TIME);
  if (end === IDLE || end === EXPIRED) {
    Atomics.store(cells, NEXT_CHECK, NEVER);
    Atomics.wait(cells, TIME, end);
    continue;
  }
  const leftMs = msBetweenTimestamps(timestampIn(0), end);
  if (leftMs > 0) {
    Atomics.store(cells, NEXT_CHECK, end);
    Atomics.wait(cells, TIME, end, leftMs);
  } else if (Atomics.compareExchange(cells, TIME, end, EXPIRED) === end) {
    // The signal tells the server the reason.
    process.kill(process.pid, "SIGALRM");
  }
}
