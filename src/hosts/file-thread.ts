/** A thread that does one job on files and answers with what came of it. An entry point of the executable. */
import { parentPort } from "node:worker_threads";
import { AppError, type ErrorCode } from "../errors.ts";
import { type FileJob, type FileResult, runFileJob } from "./file-job.ts";

/** What came of a job: its result, or the refusal. */
export type FileAnswer =
  | { readonly result: FileResult }
  | {
      readonly code: ErrorCode | null;
      readonly message: string;
      readonly retryAfterS?: number | undefined;
      readonly cause?: string;
    };

parentPort?.on("message", (job: FileJob) => void work(job));

async function work(job: FileJob): Promise<void> {
  const answer = await answerTo(job);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows, not for threads
  parentPort?.postMessage(answer);
}

async function answerTo(job: FileJob): Promise<FileAnswer> {
  try {
    return { result: await runFileJob(job) };
  } catch (error) {
    if (error instanceof AppError) {
      const { code, message, retryAfterS, cause } = error;
      return { code, message, retryAfterS, ...(cause !== undefined && { cause: describe(cause) }) };
    }
    return { code: null, message: describe(error) };
  }
}

const describe = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
