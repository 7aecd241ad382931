/** An entry point for file workers that rejects every file, and reports its thread id. */
import { parentPort, threadId } from "node:worker_threads";
import type { FileJob } from "../../src/hosts/files/file-job.ts";
import type { FileJobReply } from "../../src/hosts/threads/file-worker-entry.ts";

parentPort?.on("message", ({ job }: { job: Extract<FileJob, { kind: "stage" }> }) => {
  const reason = job.from.name === "bug" ? null : "file.invalid";
  const answer: FileJobReply = { error: { reason, message: String(threadId) } };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows, not for threads
  parentPort?.postMessage(answer);
});
