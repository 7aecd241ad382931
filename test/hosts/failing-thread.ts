/** A thread that breaks down as soon as it is asked for something. */
import { parentPort } from "node:worker_threads";

parentPort?.on("message", () => {
  throw new Error("this thread is broken");
});
