/** Messages between the main thread and document workers. */
import type { DocumentGrant } from "../../authorization.ts";
import type { LogFields, LogLevel } from "../../lib/observability/log.ts";
import type { SerializedError } from "./serialized-error.ts";
import type { SeenCommit } from "../answer-gate.ts";
import type { LoggedCommit } from "../../doc/document.ts";
import type { ClosedFile, RuntimeOptions } from "../document-runtime.ts";
import type { VerbName } from "../verbs/verbs.ts";

/** Initial data of a document worker. */
export interface WorkerInit extends RuntimeOptions {
  /** `read`: for a thread that reads documents which other threads have open. */
  readonly access: "write" | "read";
  /** Whether the server logs debug lines. */
  readonly showsDebug: boolean;
}

/** A request to a worker. Each is answered under its `id`. */
export type WorkerRequest =
  | { readonly kind: "call"; readonly grant: DocumentGrant; readonly verb: VerbName; readonly args: unknown }
  | { readonly kind: "next"; readonly uuid: string; readonly cursor: string }
  | { readonly kind: "release"; readonly uuid: string; readonly cursor: string }
  | { readonly kind: "createFile"; readonly path: string }
  /** As `DocumentRuntime.warmUp`. */
  | { readonly kind: "warmUp"; readonly grant: DocumentGrant }
  | { readonly kind: "closeDocument"; readonly uuid: string }
  /** Empties the write-ahead log of a document. */
  | { readonly kind: "checkpoint"; readonly uuid: string }
  /** Closes a document that another worker has also opened by then. */
  | { readonly kind: "handOver"; readonly uuid: string }
  /** Answers a `HeldFile`, or null while a snapshot needs an older content of the file. */
  | { readonly kind: "beginBase"; readonly uuid: string }
  /** Answers whether the file has not changed since `beginBase`. */
  | { readonly kind: "endBase"; readonly uuid: string }
  /** Answers `Measurements`. */
  | { readonly kind: "measure" }
  /** Releases unused memory. */
  | { readonly kind: "shrink" }
  | { readonly kind: "closeAll" };

/**
 * Messages of one turn of the event loop are batched, since each message wakes the other side up; the batch size is
 * limited so that on two cores both sides work at the same time. Measured with 8 clients that read 100 rows: 3,800
 * requests per second without a limit, 4,900 with batches of two, 5,500 with batches of four; on one core it makes no
 * difference.
 */
export const MAX_BATCH_SIZE = 4;

export type NumberedRequest = WorkerRequest & { readonly id: number };

/** A reply or notification of a worker. */
export type WorkerReply =
  | { readonly kind: "result"; readonly id: number; readonly result: unknown; readonly seen?: SeenCommit }
  | { readonly kind: "error"; readonly id: number; readonly error: SerializedError; readonly seen?: SeenCommit }
  /** The response is large: a reader repeats the read. */
  | { readonly kind: "large"; readonly id: number }
  | { readonly kind: "opened"; readonly uuid: string }
  /** In log mode: a commit, sent before the answers that saw it. */
  | { readonly kind: "committed"; readonly uuid: string; readonly commit: LoggedCommit }
  /** A document was closed; later requests reopen it. */
  | { readonly kind: "closed"; readonly uuid: string; readonly file: ClosedFile }
  /** An idle document may be closed. */
  | { readonly kind: "closeDue"; readonly uuid: string }
  /** The write-ahead log of a document is large, and snapshots are in use. */
  | { readonly kind: "logLarge"; readonly uuid: string }
  /** A commit queued events for webhooks. */
  | { readonly kind: "events"; readonly uuid: string; readonly seen: SeenCommit }
  /** An idle document stays open for attachment maintenance. */
  | { readonly kind: "maintenanceDue"; readonly uuid: string }
  /** Recomputing clock-dependent formulas changed cells. */
  | { readonly kind: "recalculated"; readonly uuid: string; readonly seen: SeenCommit }
  /** A commit changed access rules. */
  | {
      readonly kind: "rulesChanged";
      readonly uuid: string;
      readonly grant: DocumentGrant;
      readonly count: number;
      readonly seen: SeenCommit;
    }
  | {
      readonly kind: "log";
      readonly level: LogLevel;
      readonly event: string;
      readonly fields: LogFields | undefined;
    };

/** Returns the buffers of byte arrays in a value (itself or its members), to be transferred instead of copied. */
export function transferablesOf(value: unknown): ArrayBuffer[] {
  if (value === null || typeof value !== "object") return [];
  const parts: unknown[] = value instanceof Uint8Array ? [value] : Object.values(value);
  return parts.filter(ownsBuffer).map(({ buffer }) => buffer);
}

/** Small arrays may share a pooled buffer, which must not be transferred. */
const ownsBuffer = (part: unknown): part is Uint8Array<ArrayBuffer> =>
  part instanceof Uint8Array && part.buffer instanceof ArrayBuffer && part.byteLength === part.buffer.byteLength;
