/** The process that runs queries, one at a time, for the server that started it: see `query-process.ts`. */
import { readSync, writeSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { AppError } from "../errors.ts";
import { Deadline } from "./deadline.ts";
import { type Frame, frame, FRAME, FrameReader } from "./process-frames.ts";
import type { QueryJob } from "./query-job.ts";
import { CachedDocument } from "./cached-document.ts";
import { runQuery } from "./run-query.ts";

const STDIN = 0;
const STDOUT = 1;
const CHUNK_BYTES = 65_536;
/** Opening a document is fast even on a busy machine. */
const OPEN_TIMEOUT_MS = 5000;

/** A query faster than this cannot have grown the process much, so memory is measured only once in a while. */
const QUICK_QUERY_MS = 2;
const MEASURE_INTERVAL = 32;

/**
 * Runs queries until the server closes stdin or exits. Reads and writes are blocking: this process has nothing else to
 * do.
 */
export function runQueries(): void {
  const runner = new QueryRunner();
  // Lower priority than the server, which answers other requests meanwhile. On Linux this affects the calling thread
  // only, not the watchdog.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  write([frame(FRAME.ready)]);
  for (const incoming of receiveFrames()) {
    if (incoming.kind === FRAME.release) runner.release();
    else runner.run(JSON.parse(incoming.payload.toString()) as QueryJob);
  }
}

class QueryRunner {
  readonly #deadline = new Deadline();
  readonly #document = new CachedDocument();
  /** The last chunks of the answer, sent together with its end. */
  #buffered: Buffer[] = [];
  #rssBytes = 0;
  #runs = 0;

  /** Closes the document of the last query. */
  release(): void {
    this.#document.close();
  }

  /** Runs a query and sends its result. */
  run(job: QueryJob): void {
    const start = performance.now();
    this.#deadline.start(OPEN_TIMEOUT_MS);
    const end = this.#execute(job);
    this.#deadline.pause();
    const isQuick = performance.now() - start < QUICK_QUERY_MS && this.#runs++ % MEASURE_INTERVAL !== 0;
    if (!isQuick) this.#rssBytes = process.memoryUsage.rss();
    write([...this.#buffered, end ?? frame(FRAME.done, JSON.stringify({ rssBytes: this.#rssBytes }))]);
    this.#buffered = [];
  }

  /** Returns the frame that ends the answer; undefined on success. */
  #execute(job: QueryJob): Buffer | undefined {
    try {
      const progress = {
        begin: (statement: { isRepeated: boolean }) => this.#begin(job, statement),
        put: (piece: string) => this.#write(piece),
      };
      return runQuery(job, progress, this.#document) ? undefined : frame(FRAME.closed);
    } catch (error) {
      const { reason, message } = error instanceof AppError ? error : unexpectedError(error);
      return frame(FRAME.refused, JSON.stringify({ reason, message }));
    }
  }

  #begin({ timeoutMs }: QueryJob, { isRepeated }: { isRepeated: boolean }): void {
    // Most repeated statements are quick: the server then gets one message instead of two.
    if (isRepeated) this.#buffered.push(frame(FRAME.began));
    else write([frame(FRAME.began)]);
    this.#deadline.pause();
    this.#deadline.start(timeoutMs);
  }

  /** Splits the answer into chunks that the server can handle efficiently. */
  #write(chunk: string): void {
    const bytes = Buffer.from(chunk);
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      this.#buffered.push(frame(FRAME.piece, bytes.subarray(at, at + CHUNK_BYTES)));
    }
    if (bytes.length < CHUNK_BYTES) return;
    // The time limit does not include the time the server takes to read.
    this.#deadline.pause();
    write(this.#buffered);
    this.#buffered = [];
    this.#deadline.resume();
  }
}

/** Unexpected errors in this process are caused by the statement. */
const unexpectedError = (cause: unknown) => new AppError("sql.invalid", "The statement cannot be run", { cause });

function write(frames: readonly Buffer[]): void {
  const [only] = frames;
  const bytes = only && frames.length === 1 ? only : Buffer.concat(frames);
  for (let at = 0; at < bytes.length;) at += writeSync(STDOUT, bytes, at);
}

/** Yields the frames from the server until the end of the input. */
function* receiveFrames(): Generator<Frame> {
  const reader = new FrameReader();
  const bytes = Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    const count = readSync(STDIN, bytes, 0, CHUNK_BYTES, null);
    if (count === 0) return;
    yield* reader.push(bytes.subarray(0, count));
  }
}
