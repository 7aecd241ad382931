/**
 * The thread that ends its process when a query takes too long: SQLite cannot be interrupted from within, and the
 * server may be busy, or dead. An entry point of its own; see `deadline.ts`.
 */
import { workerData } from "node:worker_threads";
import { CLAIMED, IDLE, READY } from "./deadline.ts";

const [time, state] = workerData as [time: Int32Array, state: Int32Array];
Atomics.store(state, 0, READY);
Atomics.notify(state, 0);
for (;;) {
  const ms = Atomics.load(time, 0);
  const outcome = ms === IDLE ? Atomics.wait(time, 0, IDLE) : Atomics.wait(time, 0, ms, ms);
  if (outcome === "timed-out" && Atomics.compareExchange(time, 0, ms, CLAIMED) === ms) {
    // The signal tells the server why.
    process.kill(process.pid, "SIGALRM");
  }
}
