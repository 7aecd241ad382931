import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { AppError, invalid } from "../errors.ts";
import { IS_EXECUTABLE } from "../lib/build.ts";
import { guarded } from "../lib/callbacks.ts";
import type { Log } from "../lib/log.ts";
import { Slots } from "../lib/slots.ts";
import { systemTimers } from "../lib/timers.ts";
import { unpackError } from "./carried-error.ts";
import type { FileJob, FileResult, FileResults } from "./file-job.ts";
import type { FileAnswer } from "./file-thread.ts";

/** So many jobs of a sort run at the same time: more would only make the disk seek. */
const THREADS = 2;

/** How long a spare thread is kept. */
const SPARE_MS = 10_000;

const HOUR_MS = 3_600_000;

/** In the executable files keep their places below `src/`. */
const ENTRY = IS_EXECUTABLE ? "./hosts/file-thread.ts" : new URL("./file-thread.ts", import.meta.url);

export interface FileThreadsOptions {
  readonly log: Log;
  /** How long a job may run; waiting for others does not count. */
  readonly jobTimeMs?: number | undefined;
  /** Another program for the threads to run: for trying out what becomes of one that fails. */
  readonly entry?: URL;
}

/** Does jobs on whole files in threads of their own, so that requests are answered meanwhile. */
export class FileThreads {
  readonly #options: FileThreadsOptions;
  readonly #jobTimeMs: number;
  readonly #copying = new Slots(THREADS);
  /** Apart, since it takes much longer: who copies or downloads does not wait for it. */
  readonly #reading = new Slots(THREADS);
  readonly #running = new Set<Promise<unknown>>();
  /**
   * The thread that did the last job: starting one takes longer than most copying, and each that ends leaves some
   * kilobytes behind in the process.
   */
  #spare: { readonly thread: Worker; readonly cancelEnd: () => void } | undefined;
  #isFinished = false;

  constructor(options: FileThreadsOptions) {
    this.#options = options;
    this.#jobTimeMs = options.jobTimeMs ?? HOUR_MS;
  }

  /** @throws AppError as `runFileJob`, and `invalid` for a job that takes too long */
  async run<K extends FileJob["kind"]>(job: Extract<FileJob, { kind: K }>): Promise<FileResults[K]> {
    const slots = job.kind === "copy" ? this.#copying : this.#reading;
    const running = slots.run(() => this.#runInThread(job));
    this.#running.add(running);
    try {
      return (await running) as FileResults[K];
    } finally {
      this.#running.delete(running);
    }
  }

  /** Waits for the jobs under way. */
  async finish(): Promise<void> {
    this.#isFinished = true;
    await this.#takeSpare()?.terminate();
    await Promise.allSettled(this.#running);
  }

  async #runInThread(job: FileJob): Promise<FileResult> {
    const thread = this.#takeSpare() ?? new Worker(this.#options.entry ?? ENTRY);
    thread.ref();
    let isReusable = false;
    let isLate = false;
    const tooLate = Promise.withResolvers<never>();
    // Formulas of an imported document have as much for themselves, and show an error when it is used up.
    const limitMs = job.kind === "import" ? 2 * this.#jobTimeMs : this.#jobTimeMs;
    const cancelLimit = systemTimers.after(limitMs, () => {
      isLate = true;
      this.#options.log.warn("job.ended", { kind: job.kind, afterS: limitMs / 1000 });
      tooLate.reject(takesTooLong(limitMs));
    });
    try {
      const answer = await Promise.race([answerOf(thread, job), tooLate.promise]);
      if ("result" in answer) {
        isReusable = true;
        return answer.result;
      }
      const error = unpackError(answer.error);
      // A file that is refused is no fault of the thread; after any other error its state is unknown.
      isReusable = error instanceof AppError;
      throw error;
    } finally {
      cancelLimit();
      if (isReusable && !this.#spare && !this.#isFinished) this.#keepSpare(thread);
      // Its end is nothing that the caller has to wait for: a thread may be stuck where it cannot be interrupted.
      else guarded(() => endThread(thread, isLate ? job : null))();
    }
  }

  #keepSpare(thread: Worker): void {
    const giveUp = guarded(() => (this.#spare?.thread === thread ? this.#takeSpare()?.terminate() : undefined));
    thread.removeAllListeners();
    thread.once("error", giveUp);
    thread.once("exit", giveUp);
    thread.unref();
    this.#spare = { thread, cancelEnd: systemTimers.after(SPARE_MS, giveUp) };
  }

  #takeSpare(): Worker | undefined {
    const spare = this.#spare;
    this.#spare = undefined;
    spare?.cancelEnd();
    return spare?.thread;
  }
}

/** What a thread makes of a job. */
function answerOf(thread: Worker, job: FileJob): Promise<FileAnswer> {
  return new Promise<FileAnswer>((resolve, reject) => {
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

/** @param broken the job that it was at work for, if any: files that it began are removed */
async function endThread(thread: Worker, broken: FileJob | null): Promise<void> {
  thread.unref();
  await thread.terminate();
  if (!broken) return;
  const folder = dirname(broken.to);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(basename(broken.to))) rmSync(join(folder, name), { force: true });
  }
}

const takesTooLong = (limitMs: number) =>
  invalid(`The job took longer than ${limitMs / 1000} seconds (see QUERN_JOB_TIME_S); nothing was changed`);
