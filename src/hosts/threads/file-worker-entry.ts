/** Entry point of the worker threads that run jobs on files. */
import { parentPort } from "node:worker_threads";
import { guarded } from "../../lib/callbacks.ts";
import { SharedJob, type SharedJobMemory } from "../../lib/concurrency/shared-job.ts";
import { type SerializedError, serializeError } from "./serialized-error.ts";
import { type FileJob, type FileJobResult, runFileJob } from "../files/file-job.ts";

/** A job, with the memory of its `SharedJob`. */
export interface FileJobRequest {
  readonly job: FileJob;
  readonly memory?: SharedJobMemory | undefined;
}

/** The reply to a job: its result, or the error. */
export type FileJobReply = { readonly result: FileJobResult } | { readonly error: SerializedError };

parentPort?.on("message", guarded(handleJob));

async function handleJob({ job, memory }: FileJobRequest): Promise<void> {
  const reply = await createReply(job, new SharedJob(memory));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- applies to windows, not to worker threads
  parentPort?.postMessage(reply);
  // Parsing imported files takes much memory, and the worker may be reused.
  if (job.kind !== "copy" && job.kind !== "embed") Bun.gc(true);
}

async function createReply(job: FileJob, shared: SharedJob): Promise<FileJobReply> {
  try {
    return { result: await runFileJob(job, shared) };
  } catch (error) {
    return { error: serializeError(error) };
  }
}
