/** A reader that starts, and then hangs in its first read. */
import { parentPort } from "node:worker_threads";
import type { NumberedRequest, WorkerReply } from "../../src/hosts/threads/worker-messages.ts";

parentPort?.on("message", (requests: readonly NumberedRequest[]) => {
  for (const { id, kind } of requests) {
    if (kind === "call") for (;;) Math.random();
    const replies: WorkerReply[] = [{ kind: "result", id, result: { counts: {}, durations: {} } }];
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows, not for threads
    parentPort?.postMessage(replies);
  }
});
