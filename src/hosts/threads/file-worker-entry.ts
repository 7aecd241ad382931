/** A thread that does one job on files and answers with what came of it. An entry point of the executable. */
import { parentPort } from "node:worker_threads";
import { guarded } from "../../lib/callbacks.ts";
import { type SerializedError, serializeError } from "./serialized-error.ts";
import { type FileJob, type FileJobResult, runFileJob } from "../files/file-job.ts";

/** What came of a job: its result, or the refusal. */
export type FileJobReply = { readonly result: FileJobResult } | { readonly error: SerializedError };

parentPort?.on("message", guarded(handleJob));

async function handleJob(job: FileJob): Promise<void> {
  const reply = await createReply(job);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows, not for threads
  parentPort?.postMessage(reply);
  // Reading foreign files takes much memory, and the thread may be kept for the next one.
  if (job.kind !== "copy" && job.kind !== "embed") Bun.gc(true);
}

async function createReply(job: FileJob): Promise<FileJobReply> {
  try {
    return { result: await runFileJob(job) };
  } catch (error) {
    return { error: serializeError(error) };
  }
}
