import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { AppError, invalid } from "../../errors.ts";
import { IS_EXECUTABLE } from "../../lib/build.ts";
import { guarded } from "../../lib/callbacks.ts";
import type { Log } from "../../lib/observability/log.ts";
import { ConcurrencyLimiter } from "../../lib/concurrency/concurrency-limiter.ts";
import type { TemporaryJob, TemporarySpace } from "../../lib/temporary-space.ts";
import { systemTimers } from "../../lib/time/timers.ts";
import { deserializeError } from "./serialized-error.ts";
import type { FileJob, FileJobResult, FileJobResults } from "../files/file-job.ts";
import type { JobControl } from "../job-control.ts";
import type { FileJobReply, FileJobRequest } from "./file-worker-entry.ts";

/** Limit for concurrent jobs of each class: more would only cause disk seeks. */
const MAX_WORKERS = 2;

/** Idle time after which a spare worker is terminated. */
const WORKER_IDLE_MS = 10_000;

const HOUR_MS = 3_600_000;

/** Timeout for reading a past state. */
const MAX_PAST_MS = 120_000;

/** The executable preserves file paths below `src/`. */
const ENTRY = IS_EXECUTABLE
  ? "./hosts/threads/file-worker-entry.ts"
  : new URL("./file-worker-entry.ts", import.meta.url);

export interface FileWorkerPoolOptions {
  readonly log: Log;
  /** Timeout of a job; time in the queue does not count. */
  readonly jobTimeMs?: number | undefined;
  /** Limits the size of temporary files. */
  readonly temporary?: TemporarySpace | undefined;
  /** Another entry point, for tests of failing workers. */
  readonly entry?: URL;
}

/** Runs jobs on whole files in worker threads, so that the main thread keeps answering requests. */
export class FileWorkerPool {
  readonly #options: FileWorkerPoolOptions;
  readonly #jobTimeMs: number;
  readonly #copyLimiter = new ConcurrencyLimiter(MAX_WORKERS);
  /** Separate, because imports take much longer: copies and downloads do not queue behind them. */
  readonly #readLimiter = new ConcurrencyLimiter(MAX_WORKERS);
  /** Separate, because a reader of a past state may ask for many, one after the other. */
  readonly #pastLimiter = new ConcurrencyLimiter(MAX_WORKERS);
  readonly #running = new Set<Promise<unknown>>();
  /** The jobs that were aborted and have not ended. */
  readonly #ending = new Set<Promise<void>>();
  /**
   * The worker of the last job: starting one takes longer than most copies, and each terminated worker leaks some
   * kilobytes in the process.
   */
  #idleWorker: { readonly thread: Worker; readonly cancelEnd: () => void } | undefined;
  #isClosed = false;

  constructor(options: FileWorkerPoolOptions) {
    this.#options = options;
    this.#jobTimeMs = options.jobTimeMs ?? HOUR_MS;
  }

  /**
   * @param control ends the job, also while it is queued, and removes its files
   * @throws AppError as `runFileJob`, `invalid` when the job times out, and the reason of the signal
   */
  async run<K extends FileJob["kind"]>(
    job: Extract<FileJob, { kind: K }>,
    control?: JobControl,
  ): Promise<FileJobResults[K]> {
    const running = this.#limiterOf(job).run(() => this.#runInWorker(job, control));
    this.#running.add(running);
    try {
      return (await (control ? withReason(control.signal, running) : running)) as FileJobResults[K];
    } finally {
      this.#running.delete(running);
    }
  }

  #limiterOf({ kind }: FileJob): ConcurrencyLimiter {
    if (kind === "past" || kind === "states") return this.#pastLimiter;
    return kind === "copy" ? this.#copyLimiter : this.#readLimiter;
  }

  /** Resolves when the jobs that were aborted until now have ended, and their files are removed. */
  async ended(): Promise<void> {
    await Promise.all(this.#ending);
  }

  /** Waits for running jobs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#takeIdle()?.terminate();
    await Promise.allSettled(this.#running);
  }

  async #runInWorker(job: FileJob, control: JobControl | undefined): Promise<FileJobResult> {
    control?.signal.throwIfAborted();
    using temporaryJob = this.#options.temporary?.startJob(minBytesOf(job));
    const thread = this.#takeIdle() ?? new Worker(this.#options.entry ?? ENTRY);
    thread.ref();
    let isReusable = false;
    let isAborted = false;
    const aborted = Promise.withResolvers<never>();
    const ended = Promise.withResolvers<void>();
    const abort = (reason: unknown): void => {
      isAborted = true;
      this.#ending.add(ended.promise);
      aborted.reject(reason);
    };
    const unlink = [temporaryJob?.signal, control?.signal].map((signal) => onAbort(signal, abort));
    // Formulas of an imported document have a time budget of the same size; when it is used up, their cells show an
    // error.
    const isPast = job.kind === "past" || job.kind === "states";
    const limitMs = job.kind === "import" ? 2 * this.#jobTimeMs : this.#jobTimeMs;
    const timeoutMs = isPast ? Math.min(limitMs, MAX_PAST_MS) : limitMs;
    const cancelTimeout = systemTimers.after(timeoutMs, () => {
      this.#options.log.warn("job.ended", { kind: job.kind, afterS: timeoutMs / 1000 });
      abort(isPast ? pastTimeout() : jobTimeout(timeoutMs));
    });
    try {
      const answer = await Promise.race([runJob(thread, { job, memory: control?.shared.memory }), aborted.promise]);
      if ("result" in answer) {
        isReusable = true;
        checkSpace(temporaryJob, job);
        return answer.result;
      }
      const error = deserializeError(answer.error);
      // A rejected file is not the worker's fault; after any other error its state is unknown.
      isReusable = error instanceof AppError;
      throw error;
    } finally {
      cancelTimeout();
      for (const remove of unlink) remove();
      // The caller does not wait for termination: a thread may be stuck in uninterruptible code.
      const isKept = isReusable && !this.#idleWorker && !this.#isClosed;
      guarded(async () => {
        try {
          if (isKept) this.#keepIdle(thread);
          else await terminateWorker(thread, isAborted ? job : null);
        } finally {
          this.#ending.delete(ended.promise);
          ended.resolve();
        }
      })();
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

/** Resolves with `work`, or rejects with the reason when the signal aborts first. */
async function withReason<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const remove = onAbort(signal, aborted.reject);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    remove();
  }
}

/** Calls `abort` with the reason when the signal aborts. Returns a function that removes the listener. */
function onAbort(signal: AbortSignal | undefined, abort: (reason: unknown) => void): () => void {
  const listener = guarded(() => abort(signal?.reason));
  signal?.addEventListener("abort", listener);
  return () => signal?.removeEventListener("abort", listener);
}

/** Sends a job to a worker and resolves with its reply. */
function runJob(thread: Worker, request: FileJobRequest): Promise<FileJobReply> {
  return new Promise<FileJobReply>((resolve, reject) => {
    thread.once("message", guarded(resolve));
    thread.once("error", guarded(reject));
    thread.once(
      "exit",
      guarded(() => reject(new Error("The worker thread exited without a reply"))),
    );
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- applies to windows, not to worker threads
    thread.postMessage(request);
  });
}

/** @param abortedJob the job that the worker was running, if any: its partial files are removed */
async function terminateWorker(thread: Worker, abortedJob: FileJob | null): Promise<void> {
  thread.unref();
  await thread.terminate();
  if (abortedJob) removeFiles(abortedJob);
}

/** Removes the files of a job that ended between two measurements, if they exceed the limit. */
function checkSpace(temporaryJob: TemporaryJob | undefined, job: FileJob): void {
  try {
    temporaryJob?.check();
  } catch (error) {
    removeFiles(job);
    throw error;
  }
}

function removeFiles({ to }: FileJob): void {
  const folder = dirname(to);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(basename(to))) rmSync(join(folder, name), { force: true });
  }
}

/** Returns the minimum size of the files that a job writes. */
const minBytesOf = (job: FileJob): number =>
  job.kind === "copy" || job.kind === "past" ? (statSync(job.from, { throwIfNoEntry: false })?.size ?? 0) : 0;

const jobTimeout = (timeoutMs: number) =>
  invalid(`The job took longer than ${timeoutMs / 1000} seconds (see QUERN_JOB_TIME_S); nothing was changed`);

const pastTimeout = () =>
  new AppError("server.deadline", "Reverting the changes since the state takes too long", { retryAfterS: 60 });
