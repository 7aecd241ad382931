import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { AppError, type Reason, frozenError } from "../errors.ts";
import { FROZEN } from "../errors/frozen-messages.ts";
import type { TemporarySpace } from "../lib/temporary-space.ts";
import { runEvery, systemTimers, referencedTimers } from "../lib/time/timers.ts";
import { frame, FRAME, type Frame, FrameReader } from "./process-frames.ts";
import type { QueryJob } from "./query-job.ts";
import { invalidStatement, statementLimit } from "./refusals.ts";

export interface QueryProcessOptions {
  /** The command line that starts a query process. */
  readonly command: readonly string[];
  /** Memory limit for the process's data, enforced by the system (ulimit). Bun needs at least 250 MB to start. */
  readonly dataKib?: number;
  /** Limit of the resident memory during a query, enforced by polling; for systems where the ulimit has no effect. */
  readonly residentKib?: number;
  /** Limits the size of temporary files, in which SQLite sorts many rows; by default, the system's folder is used. */
  readonly temporary?: TemporarySpace | undefined;
}

/**
 * If the process's own watchdog fails, the server kills it: after this grace period, and if it sends nothing for a
 * while.
 */
const GRACE_MS = 25;
const SILENCE_MS = 50;
const START_TIMEOUT_MS = 10_000;
const BEGIN_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 50;
/** How long the process keeps a document open for the next query: shorter than the server, which closes it later. */
const KEEP_OPEN_MS = 300;
const DATA_KIB = 400 * 1024;
const RESIDENT_KIB = 320 * 1024;
/** A process larger than this is not reused: the memory of a large query is not fully released. */
const MAX_REUSABLE_BYTES = 128 * 1024 ** 2;

/**
 * Sets the process's limits, then executes the program. Signals that stop the server (from the keyboard or a
 * supervisor) must not stop queries that it still waits for.
 */
const LIMITED_COMMAND = `trap "" INT TERM; ulimit -d "$0" 2>/dev/null; exec "$@"`;

/**
 * Without the server's settings and secrets; 'localtime' is UTC everywhere. The JIT memory is reserved as a whole, and
 * the default does not fit under the limit: the runtime would disable the JIT.
 */
const ENVIRONMENT = { TZ: "UTC", BUN_JSC_jitMemoryReservationSize: String(16 * 1024 ** 2) };

type Process = Bun.Subprocess<"pipe", "pipe", "ignore">;

interface Guard extends Disposable {
  /** Starts the query's time limit. */
  begin(): void;
}

interface SentQuery {
  readonly job: QueryJob;
  /** Enforces its limits once it runs. */
  guard?: Guard;
  readonly chunks: Buffer[];
  complete(result: Uint8Array | null | Error): void;
}

/** The process ended before the query began: another process can run it. */
export class QueryNotStarted extends Error {}

/**
 * The server's side of a query process. It runs one query at a time, in the order in which they were sent, and may exit
 * at any moment.
 */
export class QueryProcess implements Disposable {
  readonly #process: Process;
  readonly #residentKib: number;
  readonly #temporary: TemporarySpace | undefined;
  readonly #started = Promise.withResolvers<void>();
  /** Resolves when the process has exited. */
  readonly ended: Promise<void>;
  /** The first one is running. */
  readonly #sent: SentQuery[] = [];
  #runningSince = 0;
  /** The reason the server killed it for. */
  #endReason: AppError | undefined;
  /** Number of frames received. */
  #frameCount = 0;
  #cancelRelease = (): void => {};
  #isUsable = true;
  #isEnded = false;

  private constructor({ command, temporary, dataKib = DATA_KIB, residentKib = RESIDENT_KIB }: QueryProcessOptions) {
    this.#residentKib = residentKib;
    this.#temporary = temporary;
    this.#process = Bun.spawn(["/bin/sh", "-c", LIMITED_COMMAND, String(dataKib), ...command], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
      env: { ...ENVIRONMENT, ...(temporary && { SQLITE_TMPDIR: temporary.folder }) },
    });
    this.#process.unref();
    this.ended = this.#watch();
  }

  /** @throws Error when the process does not start */
  static async start(options: QueryProcessOptions): Promise<QueryProcess> {
    const child = new QueryProcess(options);
    const cancel = referencedTimers.after(START_TIMEOUT_MS, () =>
      child.#kill(invalidStatement("the query process took too long to start")),
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

  /** False once the process has exited, is about to, or should not be reused. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** Number of queries that were sent and have not ended. */
  get pending(): number {
    return this.#sent.length;
  }

  /** How long the current query has been running, in milliseconds. */
  get busyMs(): number {
    return this.#sent.length === 0 ? 0 : performance.now() - this.#runningSince;
  }

  /** Returns true while a query runs; false while it waits for the queries before it. */
  isRunning(job: QueryJob): boolean {
    return this.#sent[0]?.job === job;
  }

  /**
   * Runs a query after the ones that were sent before.
   * @returns the answer as JSON; null when the server does not have the document open
   * @throws AppError `invalid` for an invalid statement, or when the process was killed
   * @throws QueryNotStarted when the process ended during a query before it
   */
  run(job: QueryJob): Promise<Uint8Array | null> {
    if (this.#isEnded) return Promise.reject(this.#endReason ?? statementLimit(ENDED_MESSAGE));
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | null>();
    const complete = (answer: Uint8Array | null | Error) =>
      answer instanceof Error ? reject(answer) : resolve(answer);
    this.#cancelRelease();
    this.#sent.push({ job, chunks: [], complete });
    if (this.#sent.length === 1) this.#begin();
    this.#send(frame(FRAME.job, JSON.stringify(job)));
    return promise;
  }

  /** Kills the process: SQLite cannot be interrupted from within. Its query is rejected with the reason. */
  stop(reason: AppError): void {
    this.#kill(reason);
  }

  /** Kills the process and rejects its query. */
  [Symbol.dispose](): void {
    this.stop(new AppError("server.shutting_down", "The server is shutting down", { retryAfterS: 5 }));
  }

  #send(bytes: Buffer): void {
    const { stdin } = this.#process;
    // If the process has just exited, its exit handler reports that.
    void Promise.try(async () => [await stdin.write(bytes), await stdin.flush()]).catch(() => {});
  }

  /** Enforces a query's memory limit, and its time limit in case the process itself does not. */
  #guard({ timeoutMs }: QueryJob): Guard {
    const end = () => this.#kill(frozenError(FROZEN.statementCancelled, timeoutMs));
    const onDeadline = () => {
      const frameCount = this.#frameCount;
      // If the server was busy, the answer may be unread: only silence counts.
      cancel = systemTimers.after(SILENCE_MS, () => (this.#frameCount === frameCount ? end() : onDeadline()));
    };
    let cancel = systemTimers.after(BEGIN_TIMEOUT_MS, end);
    const unlisted = this.#temporary?.addUnlisted();
    const stopPolling = runEvery(POLL_INTERVAL_MS, () => {
      if (residentKib(this.pid) > this.#residentKib)
        this.#kill(statementLimit("The statement exceeds the memory limit"));
      if (unlisted?.resize(temporaryBytes(this.pid)) === false)
        this.#kill(statementLimit("The statement exceeds the limit of temporary files (QUERN_TEMP_BYTES)"));
    });
    return {
      begin() {
        cancel();
        cancel = systemTimers.after(timeoutMs + GRACE_MS, onDeadline);
      },
      [Symbol.dispose]() {
        cancel();
        stopPolling();
        unlisted?.[Symbol.dispose]();
      },
    };
  }

  /** Starts the guard of the first query that was sent. */
  #begin(): void {
    const [next] = this.#sent;
    if (!next) return;
    this.#runningSince = performance.now();
    next.guard = this.#guard(next.job);
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
      // The output can no longer be parsed.
      this.#kill(statementLimit(ENDED_MESSAGE));
    }
    await this.#process.exited;
    this.#isEnded = true;
    this.#isUsable = false;
    this.#cancelRelease();
    const [current, ...others] = this.#sent.splice(0);
    this.#started.reject(this.#endReason ?? new Error(`it exited with ${this.#process.exitCode ?? "a signal"}`));
    current?.guard?.[Symbol.dispose]();
    // The last one first, as each of them becomes the first one in the queue.
    for (const each of others.toReversed()) each.complete(new QueryNotStarted());
    current?.complete(this.#endReason ?? this.#exitError(current.job));
  }

  /** Returns the error for a process that the server did not kill. */
  #exitError({ timeoutMs }: QueryJob): AppError {
    if (this.#process.signalCode === "SIGALRM") return frozenError(FROZEN.statementCancelled, timeoutMs);
    return statementLimit(ENDED_MESSAGE);
  }

  #onFrame({ kind, payload }: Frame): void {
    this.#frameCount++;
    if (kind === FRAME.ready) this.#started.resolve();
    const [current] = this.#sent;
    if (!current) return;
    if (kind === FRAME.began) {
      current.guard?.begin();
      return;
    }
    if (kind === FRAME.piece) {
      // A copy, so that the larger read buffer is not retained.
      current.chunks.push(Buffer.from(payload));
      return;
    }
    this.#sent.shift();
    current.guard?.[Symbol.dispose]();
    if (this.#sent.length > 0) this.#begin();
    else this.#cancelRelease = systemTimers.after(KEEP_OPEN_MS, () => this.#send(frame(FRAME.release)));
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

const ENDED_MESSAGE = "The statement crashed the query process; most likely it exceeds the memory limit";

/** Returns the resident memory of a process; 0 when it has exited, or on systems without /proc. */
function residentKib(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Names of SQLite's temporary files, which have no name in a folder if the system supports that. */
const TEMPORARY_FILE = /^(#\d+|etilqs_\w+) \(deleted\)$/;

/** Returns the size of the temporary files of a process; 0 when it has exited, or on systems without /proc. */
function temporaryBytes(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  let bytes = 0;
  try {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (TEMPORARY_FILE.test(basename(readlinkSync(path)))) bytes += statSync(path).size;
    }
  } catch {
    // The process has exited, or closed a file meanwhile.
  }
  return bytes;
}
