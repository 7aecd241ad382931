/** The process that runs queries, one at a time, for a server that started it: see `child.ts`. */
import { readSync, writeSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { AppError } from "../errors.ts";
import { Deadline } from "./deadline.ts";
import { type Frame, frame, FRAME, HEADER_BYTES, readHeader } from "./process-frames.ts";
import type { QueryJob } from "./query-job.ts";
import { CachedDocument } from "./cached-document.ts";
import { runQuery } from "./run-query.ts";

const STDIN = 0;
const STDOUT = 1;
const CHUNK_BYTES = 65_536;
/** Opening a document is quick, whatever the machine does besides. */
const OPEN_TIMEOUT_MS = 5000;

/** A query that took less, of which little is told, cannot have made the process much larger. */
const QUICK_QUERY_MS = 2;
const MEASURE_INTERVAL = 32;

/**
 * Runs queries as they come until the server closes its end, or is gone. Reading and writing wait: there is nothing
 * else to do for this process.
 */
export function runQueries(): void {
  const runner = new QueryRunner();
  // Queries give way to the server, which answers everybody else meanwhile. Not the thread that keeps the time: on Linux
  // this concerns the calling thread alone.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  write([frame(FRAME.ready)]);
  for (let incoming = receiveFrame(); incoming; incoming = receiveFrame()) {
    if (incoming.kind === FRAME.release) runner.release();
    else runner.run(JSON.parse(incoming.payload.toString()) as QueryJob);
  }
}

class QueryRunner {
  readonly #deadline = new Deadline();
  readonly #document = new CachedDocument();
  /** The last of the answer, which goes out together with its end. */
  #buffered: Buffer[] = [];
  #rssBytes = 0;
  #runs = 0;

  /** Lets go of the document of the last query. */
  release(): void {
    this.#document.close();
  }

  /** Runs a query and sends what comes of it. */
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

  /** What to send besides the answer; undefined when it is complete. */
  #execute(job: QueryJob): Buffer | undefined {
    try {
      const progress = { begin: () => this.#begin(job), put: (piece: string) => this.#write(piece) };
      return runQuery(job, progress, this.#document) ? undefined : frame(FRAME.closed);
    } catch (error) {
      const { reason, message } = error instanceof AppError ? error : unexpectedError(error);
      return frame(FRAME.refused, JSON.stringify({ reason, message }));
    }
  }

  #begin({ timeoutMs }: QueryJob): void {
    write([frame(FRAME.began)]);
    this.#deadline.pause();
    this.#deadline.start(timeoutMs);
  }

  /** In parts of a size that the server puts together without effort. */
  #write(chunk: string): void {
    const bytes = Buffer.from(chunk);
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      this.#buffered.push(frame(FRAME.piece, bytes.subarray(at, at + CHUNK_BYTES)));
    }
    if (bytes.length < CHUNK_BYTES) return;
    // Time that the server takes to read is not the query's.
    this.#deadline.pause();
    write(this.#buffered);
    this.#buffered = [];
    this.#deadline.resume();
  }
}

/** Whatever happens in here is the statement's doing. */
const unexpectedError = (cause: unknown) => new AppError("sql.invalid", "The statement cannot be run", { cause });

function write(frames: readonly Buffer[]): void {
  const [only] = frames;
  const bytes = only && frames.length === 1 ? only : Buffer.concat(frames);
  for (let at = 0; at < bytes.length;) at += writeSync(STDOUT, bytes, at);
}

/** What the server asks for next; undefined at the end of the input. */
function receiveFrame(): Frame | undefined {
  const header = readExactly(HEADER_BYTES);
  if (!header) return undefined;
  const { kind, length } = readHeader(header);
  const payload = readExactly(length);
  return payload && { kind, payload };
}

function readExactly(length: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length;) {
    const count = readSync(STDIN, bytes, at, length - at, null);
    if (count === 0) return undefined;
    at += count;
  }
  return bytes;
}
