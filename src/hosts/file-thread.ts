/** A thread that does one job on files and answers with what came of it. An entry point of the executable. */
import { parentPort } from "node:worker_threads";
import { guarded } from "../lib/callbacks.ts";
import { type CarriedError, packError } from "./carried-error.ts";
import { type FileJob, type FileResult, runFileJob } from "./file-job.ts";

/** What came of a job: its result, or the refusal. */
export type FileAnswer = { readonly result: FileResult } | { readonly error: CarriedError };

parentPort?.on("message", guarded(work));

async function work(job: FileJob): Promise<void> {
  const answer = await answerTo(job);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows, not for threads
  parentPort?.postMessage(answer);
  // Reading foreign files takes much memory, and the thread may be kept for the next one.
  if (job.kind !== "copy" && job.kind !== "embed") Bun.gc(true);
}

async function answerTo(job: FileJob): Promise<FileAnswer> {
  try {
    return { result: await runFileJob(job) };
  } catch (error) {
    return { error: packError(error) };
  }
}
