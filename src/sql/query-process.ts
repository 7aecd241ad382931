import { readFileSync } from "node:fs";
import { AppError, type Reason, frozenError } from "../errors.ts";
import { FROZEN } from "../errors/frozen-messages.ts";
import { runEvery, systemTimers, referencedTimers } from "../lib/time/timers.ts";
import { frame, FRAME, type Frame, FrameReader } from "./process-frames.ts";
import type { QueryJob } from "./query-job.ts";
import { invalidStatement, statementLimit } from "./refusals.ts";

export interface QueryProcessOptions {
  /** The words that start a process that runs queries. */
  readonly command: readonly string[];
  /** Most memory that the system gives the process for data. Bun itself does not start with less than 250 MB. */
  readonly dataKib?: number;
  /** Most memory the process may be seen to have while it runs a query; where the system's own limit is of no use. */
  readonly residentKib?: number;
}

/** Where the process's own clock fails, the server ends it: it looks this much later, then once more after a while. */
const GRACE_MS = 25;
const SILENCE_MS = 50;
const START_TIMEOUT_MS = 10_000;
const BEGIN_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 50;
/** How long the process keeps a document open for the next query: no longer than the server, which closes it later. */
const KEEP_OPEN_MS = 300;
const DATA_KIB = 400 * 1024;
const RESIDENT_KIB = 320 * 1024;
/** A process that has grown beyond this is not kept: what a large query took does not all come back. */
const MAX_REUSABLE_BYTES = 128 * 1024 ** 2;

/**
 * Sets the limits that a process cannot get rid of, then becomes the program. What ends the server by the keyboard, or
 * by its supervisor, must not end queries that it still waits for.
 */
const LIMITED_COMMAND = `trap "" INT TERM; ulimit -d "$0" 2>/dev/null; exec "$@"`;

/**
 * Nothing of the server's settings and secrets; 'localtime' means the same everywhere. The room for machine code is
 * reserved whole, and what is usual does not fit under the limit: the runtime would then go without.
 */
const ENVIRONMENT = { TZ: "UTC", BUN_JSC_jitMemoryReservationSize: String(16 * 1024 ** 2) };

type Process = Bun.Subprocess<"pipe", "pipe", "ignore">;

interface Guard extends Disposable {
  /** From now on the query's time counts. */
  begin(): void;
}

interface CurrentQuery {
  readonly job: QueryJob;
  readonly guard: Guard;
  readonly chunks: Buffer[];
  complete(result: Uint8Array | null | AppError): void;
}

/** One process that runs queries, seen from the server. It runs one at a time, and may end at any moment. */
export class QueryProcess implements Disposable {
  readonly #process: Process;
  readonly #residentKib: number;
  readonly #started = Promise.withResolvers<void>();
  /** Fulfilled when the process has ended. */
  readonly ended: Promise<void>;
  #current: CurrentQuery | undefined;
  /** Why the server ended it. */
  #endReason: AppError | undefined;
  /** How many frames it has sent. */
  #frameCount = 0;
  #cancelRelease = (): void => {};
  #isUsable = true;
  #isEnded = false;

  private constructor({ command, dataKib = DATA_KIB, residentKib = RESIDENT_KIB }: QueryProcessOptions) {
    this.#residentKib = residentKib;
    this.#process = Bun.spawn(["/bin/sh", "-c", LIMITED_COMMAND, String(dataKib), ...command], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
      env: ENVIRONMENT,
    });
    this.#process.unref();
    this.ended = this.#watch();
  }

  /** @throws Error when the process does not come up */
  static async start(options: QueryProcessOptions): Promise<QueryProcess> {
    const child = new QueryProcess(options);
    const cancel = referencedTimers.after(START_TIMEOUT_MS, () =>
      child.#kill(invalidStatement("it took too long to start")),
    );
    try {
      await child.#started.promise;
      return child;
    } finally {
      cancel();
    }
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** False once the process has ended, is about to, or should not be given more work. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /**
   * Runs a query.
   * @returns the answer as JSON; null when the server does not have the document open
   * @throws AppError `invalid` for what is wrong with the statement, and when it was ended
   */
  async run(job: QueryJob): Promise<Uint8Array | null> {
    if (this.#isEnded) throw this.#endReason ?? statementLimit(ENDED_MESSAGE);
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | null>();
    using guard = this.#guard(job);
    this.#cancelRelease();
    this.#current = {
      job,
      guard,
      chunks: [],
      complete: (answer) => (answer instanceof AppError ? reject(answer) : resolve(answer)),
    };
    this.#send(frame(FRAME.job, JSON.stringify(job)));
    return await promise;
  }

  /** Ends the process at once: SQLite cannot be interrupted from within. What it runs is refused with the reason. */
  stop(reason: AppError): void {
    this.#kill(reason);
  }

  /** Ends the process at once; what it runs is refused. */
  [Symbol.dispose](): void {
    this.stop(new AppError("server.shutting_down", "The server is shutting down", { retryAfterS: 5 }));
  }

  #send(bytes: Buffer): void {
    const { stdin } = this.#process;
    // When the process has just ended, its end tells so.
    void Promise.try(async () => [await stdin.write(bytes), await stdin.flush()]).catch(() => {});
  }

  /** Watches over a query: its memory, and its time, should the process itself not do so. */
  #guard({ timeoutMs }: QueryJob): Guard {
    const end = () => this.#kill(frozenError(FROZEN.statementCancelled, timeoutMs));
    const onDeadline = () => {
      const frameCount = this.#frameCount;
      // When this server was busy, the answer may just not have been read: only silence counts.
      cancel = systemTimers.after(SILENCE_MS, () => (this.#frameCount === frameCount ? end() : onDeadline()));
    };
    let cancel = systemTimers.after(BEGIN_TIMEOUT_MS, end);
    const stopPolling = runEvery(POLL_INTERVAL_MS, () => {
      if (residentKib(this.pid) > this.#residentKib)
        this.#kill(statementLimit("The statement takes more memory than it may"));
    });
    return {
      begin() {
        cancel();
        cancel = systemTimers.after(timeoutMs + GRACE_MS, onDeadline);
      },
      [Symbol.dispose]() {
        cancel();
        stopPolling();
      },
    };
  }

  #kill(reason: AppError): void {
    this.#isUsable = false;
    this.#endReason ??= reason;
    this.#process.kill("SIGKILL");
  }

  async #watch(): Promise<void> {
    const reader = new FrameReader();
    try {
      for await (const bytes of this.#process.stdout) for (const one of reader.push(bytes)) this.#onFrame(one);
    } catch {
      // Nothing that it says can be understood from here on.
      this.#kill(statementLimit(ENDED_MESSAGE));
    }
    await this.#process.exited;
    this.#isEnded = true;
    this.#isUsable = false;
    this.#cancelRelease();
    const current = this.#current;
    this.#current = undefined;
    this.#started.reject(this.#endReason ?? new Error(`it ended with ${this.#process.exitCode ?? "a signal"}`));
    current?.complete(this.#endReason ?? this.#exitError(current.job));
  }

  /** Why the process ended, when it was not the server that ended it. */
  #exitError({ timeoutMs }: QueryJob): AppError {
    if (this.#process.signalCode === "SIGALRM") return frozenError(FROZEN.statementCancelled, timeoutMs);
    return statementLimit(ENDED_MESSAGE);
  }

  #onFrame({ kind, payload }: Frame): void {
    this.#frameCount++;
    if (kind === FRAME.ready) this.#started.resolve();
    const current = this.#current;
    if (!current) return;
    if (kind === FRAME.began) {
      current.guard.begin();
      return;
    }
    if (kind === FRAME.piece) {
      // A copy, so that not all of what was read together with it is kept.
      current.chunks.push(Buffer.from(payload));
      return;
    }
    this.#current = undefined;
    this.#cancelRelease = systemTimers.after(KEEP_OPEN_MS, () => this.#send(frame(FRAME.release)));
    if (kind === FRAME.done) {
      const { rssBytes } = JSON.parse(payload.toString()) as { rssBytes: number };
      this.#isUsable &&= rssBytes <= MAX_REUSABLE_BYTES;
      current.complete(Buffer.concat(current.chunks));
    } else if (kind === FRAME.refused) {
      const { reason, message } = JSON.parse(payload.toString()) as { reason: Reason; message: string };
      current.complete(new AppError(reason, message));
    } else current.complete(null);
  }
}

const ENDED_MESSAGE = "The statement ended the process that ran it; most likely it takes more memory than it may";

/** Memory a process has right now; 0 when it has ended, or the system does not tell. */
function residentKib(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
