/** A worker that starts files and never finishes its job; it only answers jobs named "quick". */
import { writeFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import type { FileJob } from "../../src/hosts/files/file-job.ts";

parentPort?.on("message", ({ job }: { job: Extract<FileJob, { kind: "stage" }> }) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows, not for threads
  if (job.from.name === "quick") return parentPort?.postMessage({ result: [] });
  writeFileSync(`${job.to}-1`, "begun");
  for (;;) Math.random();
});
