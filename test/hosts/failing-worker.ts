/** A worker that crashes on its first message. */
import { parentPort } from "node:worker_threads";

parentPort?.on("message", () => {
  throw new Error("this thread is broken");
});
