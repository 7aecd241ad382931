import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { AppError, invalid } from "../../errors.ts";
import { IS_EXECUTABLE } from "../../lib/build.ts";
import { guarded } from "../../lib/callbacks.ts";
import type { Log } from "../../lib/observability/log.ts";
import { ConcurrencyLimiter } from "../../lib/concurrency/concurrency-limiter.ts";
import { systemTimers } from "../../lib/time/timers.ts";
import { deserializeError } from "./serialized-error.ts";
import type { FileJob, FileJobResult, FileJobResults } from "../files/file-job.ts";
import type { FileJobReply } from "./file-worker-entry.ts";

/** So many jobs of a sort run at the same time: more would only make the disk seek. */
const MAX_WORKERS = 2;

/** How long a spare thread is kept. */
const WORKER_IDLE_MS = 10_000;

const HOUR_MS = 3_600_000;

/** In the executable files keep their places below `src/`. */
const ENTRY = IS_EXECUTABLE
  ? "./hosts/threads/file-worker-entry.ts"
  : new URL("./file-worker-entry.ts", import.meta.url);

export interface FileWorkerPoolOptions {
  readonly log: Log;
  /** How long a job may run; waiting for others does not count. */
  readonly jobTimeMs?: number | undefined;
  /** Another program for the threads to run: for trying out what becomes of one that fails. */
  readonly entry?: URL;
}

/** Does jobs on whole files in threads of their own, so that requests are answered meanwhile. */
export class FileWorkerPool {
  readonly #options: FileWorkerPoolOptions;
  readonly #jobTimeMs: number;
  readonly #copyLimiter = new ConcurrencyLimiter(MAX_WORKERS);
  /** Apart, since it takes much longer: who copies or downloads does not wait for it. */
  readonly #readLimiter = new ConcurrencyLimiter(MAX_WORKERS);
  readonly #running = new Set<Promise<unknown>>();
  /**
   * The thread that did the last job: starting one takes longer than most copying, and each that ends leaves some
   * kilobytes behind in the process.
   */
  #idleWorker: { readonly thread: Worker; readonly cancelEnd: () => void } | undefined;
  #isClosed = false;

  constructor(options: FileWorkerPoolOptions) {
    this.#options = options;
    this.#jobTimeMs = options.jobTimeMs ?? HOUR_MS;
  }

  /** @throws AppError as `runFileJob`, and `invalid` for a job that takes too long */
  async run<K extends FileJob["kind"]>(job: Extract<FileJob, { kind: K }>): Promise<FileJobResults[K]> {
    const limiter = job.kind === "copy" ? this.#copyLimiter : this.#readLimiter;
    const running = limiter.run(() => this.#runInWorker(job));
    this.#running.add(running);
    try {
      return (await running) as FileJobResults[K];
    } finally {
      this.#running.delete(running);
    }
  }

  /** Waits for the jobs under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#takeIdle()?.terminate();
    await Promise.allSettled(this.#running);
  }

  async #runInWorker(job: FileJob): Promise<FileJobResult> {
    const thread = this.#takeIdle() ?? new Worker(this.#options.entry ?? ENTRY);
    thread.ref();
    let isReusable = false;
    let isTimedOut = false;
    const timeout = Promise.withResolvers<never>();
    // Formulas of an imported document have as much for themselves, and show an error when it is used up.
    const timeoutMs = job.kind === "import" ? 2 * this.#jobTimeMs : this.#jobTimeMs;
    const cancelTimeout = systemTimers.after(timeoutMs, () => {
      isTimedOut = true;
      this.#options.log.warn("job.ended", { kind: job.kind, afterS: timeoutMs / 1000 });
      timeout.reject(jobTimeout(timeoutMs));
    });
    try {
      const answer = await Promise.race([runJob(thread, job), timeout.promise]);
      if ("result" in answer) {
        isReusable = true;
        return answer.result;
      }
      const error = deserializeError(answer.error);
      // A file that is refused is no fault of the thread; after any other error its state is unknown.
      isReusable = error instanceof AppError;
      throw error;
    } finally {
      cancelTimeout();
      if (isReusable && !this.#idleWorker && !this.#isClosed) this.#keepIdle(thread);
      // Its end is nothing that the caller has to wait for: a thread may be stuck where it cannot be interrupted.
      else guarded(() => terminateWorker(thread, isTimedOut ? job : null))();
    }
  }

  #keepIdle(thread: Worker): void {
    const terminateIdle = guarded(() =>
      this.#idleWorker?.thread === thread ? this.#takeIdle()?.terminate() : undefined,
    );
    thread.removeAllListeners();
    thread.once("error", terminateIdle);
    thread.once("exit", terminateIdle);
    thread.unref();
    this.#idleWorker = { thread, cancelEnd: systemTimers.after(WORKER_IDLE_MS, terminateIdle) };
  }

  #takeIdle(): Worker | undefined {
    const idleWorker = this.#idleWorker;
    this.#idleWorker = undefined;
    idleWorker?.cancelEnd();
    return idleWorker?.thread;
  }
}

/** What a thread makes of a job. */
function runJob(thread: Worker, job: FileJob): Promise<FileJobReply> {
  return new Promise<FileJobReply>((resolve, reject) => {
    thread.once("message", guarded(resolve));
    thread.once("error", guarded(reject));
    thread.once(
      "exit",
      guarded(() => reject(new Error("The thread ended without an answer"))),
    );
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows, not for threads
    thread.postMessage(job);
  });
}

/** @param abortedJob the job that it was at work for, if any: files that it began are removed */
async function terminateWorker(thread: Worker, abortedJob: FileJob | null): Promise<void> {
  thread.unref();
  await thread.terminate();
  if (!abortedJob) return;
  const folder = dirname(abortedJob.to);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(basename(abortedJob.to))) rmSync(join(folder, name), { force: true });
  }
}

const jobTimeout = (timeoutMs: number) =>
  invalid(`The job took longer than ${timeoutMs / 1000} seconds (see QUERN_JOB_TIME_S); nothing was changed`);
