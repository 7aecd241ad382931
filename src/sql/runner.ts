/** The process that runs queries, one at a time, for a server that started it: see `child.ts`. */
import { readSync, writeSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { AppError } from "../errors.ts";
import { Deadline } from "./deadline.ts";
import { frame, FRAME, type FrameKind, HEADER_BYTES, readHeader } from "./frames.ts";
import type { Job } from "./job.ts";
import { runQuery } from "./query.ts";

const STDIN = 0;
const STDOUT = 1;
const PIECE_BYTES = 65_536;
/** Opening a document is quick, whatever the machine does besides. */
const OPEN_WITHIN_MS = 5000;

/**
 * Runs queries as they come until the server closes its end, or is gone. Reading and writing wait: there is nothing
 * else to do for this process.
 */
export function runQueries(): void {
  const deadline = new Deadline();
  // Queries give way to the server, which answers everybody else meanwhile. Not the thread that keeps the time: on Linux
  // this concerns the calling thread alone.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  send(FRAME.ready);
  for (let job = receive(); job; job = receive()) {
    deadline.start(OPEN_WITHIN_MS);
    const [kind, payload] = outcome(job, deadline);
    deadline.pause();
    send(kind, payload);
  }
}

type Outcome = readonly [kind: FrameKind, payload: string];

function outcome(job: Job, deadline: Deadline): Outcome {
  try {
    const isRead = runQuery(job, {
      begin() {
        send(FRAME.began);
        deadline.pause();
        deadline.start(job.timeoutMs);
      },
      put(piece) {
        // Time that the server takes to read is not the query's.
        deadline.pause();
        sendPiece(piece);
        deadline.resume();
      },
    });
    return isRead ? [FRAME.done, JSON.stringify({ rssBytes: process.memoryUsage.rss() })] : [FRAME.closed, ""];
  } catch (error) {
    const { code, message } = error instanceof AppError ? error : unforeseen(error);
    return [FRAME.refused, JSON.stringify({ code, message })];
  }
}

/** Whatever happens in here is the statement's doing. */
const unforeseen = (cause: unknown) => new AppError("invalid", "The statement cannot be run", { cause });

/** In parts of a size that the server puts together without effort. */
function sendPiece(piece: string): void {
  const bytes = Buffer.from(piece);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) send(FRAME.piece, bytes.subarray(at, at + PIECE_BYTES));
}

function send(kind: FrameKind, payload: string | Uint8Array = ""): void {
  const bytes = frame(kind, payload);
  for (let at = 0; at < bytes.length;) at += writeSync(STDOUT, bytes, at);
}

/** The next job; undefined at the end of the input. */
function receive(): Job | undefined {
  const header = readExactly(HEADER_BYTES);
  if (!header) return undefined;
  const payload = readExactly(readHeader(header).length);
  return payload ? (JSON.parse(payload.toString()) as Job) : undefined;
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
