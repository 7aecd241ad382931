/** A thread that does one job on files and answers with what came of it. An entry point of the executable. */
import { parentPort } from "node:worker_threads";
import { AppError, type ErrorCode } from "../errors.ts";
import { type FileJob, runFileJob } from "./file-job.ts";

/** What came of a job: its result, or the refusal. */
export type FileAnswer =
  | { readonly result: ReturnType<typeof runFileJob> }
  | {
      readonly code: ErrorCode | null;
      readonly message: string;
      readonly retryAfterS?: number | undefined;
      readonly cause?: string;
    };

parentPort?.on("message", (job: FileJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows, not for threads
  parentPort?.postMessage(answerTo(job));
});

function answerTo(job: FileJob): FileAnswer {
  try {
    return { result: runFileJob(job) };
  } catch (error) {
    if (error instanceof AppError) {
      const { code, message, retryAfterS, cause } = error;
      return { code, message, retryAfterS, ...(cause !== undefined && { cause: describe(cause) }) };
    }
    return { code: null, message: describe(error) };
  }
}

const describe = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
