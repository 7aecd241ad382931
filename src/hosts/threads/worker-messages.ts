/** What the main thread and the threads that hold documents say to each other. */
import type { DocumentGrant } from "../../authorization.ts";
import type { LogFields, LogLevel } from "../../lib/observability/log.ts";
import type { SerializedError } from "./serialized-error.ts";
import type { RuntimeOptions } from "../document-runtime.ts";
import type { VerbName } from "../verbs/verbs.ts";

/** What a thread is started with. */
export interface WorkerInit extends RuntimeOptions {
  /** Whether the server's log shows what is told at that level. */
  readonly showsDebug: boolean;
}

/** What a thread is asked. Each is answered under its `id`. */
export type WorkerRequest =
  | { readonly kind: "call"; readonly grant: DocumentGrant; readonly verb: VerbName; readonly args: unknown }
  | { readonly kind: "next"; readonly uuid: string; readonly cursor: string }
  | { readonly kind: "release"; readonly uuid: string; readonly cursor: string }
  | { readonly kind: "makeFile"; readonly path: string }
  | { readonly kind: "closeDocument"; readonly uuid: string }
  /** Closes a document that is open in another thread as well by then. */
  | { readonly kind: "handOver"; readonly uuid: string }
  /** Answers `Measured`. */
  | { readonly kind: "measure" }
  /** Gives memory back that nothing needs. */
  | { readonly kind: "shrink" }
  | { readonly kind: "closeAll" };

/**
 * What is said in one turn of the event loop goes together, since each message wakes the other side up; but no more than
 * this, so that on two cores one side works while the other does. Measured with 8 clients that read 100 rows: 3,800 a
 * second without an end to it, 4,900 by twos, 5,500 by fours; on one core it makes no difference.
 */
export const MAX_BATCH_SIZE = 4;

export type NumberedRequest = WorkerRequest & { readonly id: number };

/** What a thread answers, and what it tells unasked. */
export type WorkerReply =
  | { readonly kind: "result"; readonly id: number; readonly result: unknown }
  | { readonly kind: "error"; readonly id: number; readonly error: SerializedError }
  | { readonly kind: "opened"; readonly uuid: string }
  /** A document was closed; what was asked of it since opens it again. */
  | { readonly kind: "closed"; readonly uuid: string }
  /** A commit left something to be sent to webhooks. */
  | { readonly kind: "events"; readonly uuid: string }
  /** An idle document stays open for the upkeep of its attachments. */
  | { readonly kind: "upkeepDue"; readonly uuid: string }
  /** Formulas that read the clock gave something else. */
  | { readonly kind: "recalculated"; readonly uuid: string }
  | {
      readonly kind: "log";
      readonly level: LogLevel;
      readonly event: string;
      readonly fields: LogFields | undefined;
    };

/** The buffers of bytes that a value is, or has as members: they are handed over instead of being copied. */
export function transferablesOf(value: unknown): ArrayBuffer[] {
  if (value === null || typeof value !== "object") return [];
  const parts: unknown[] = value instanceof Uint8Array ? [value] : Object.values(value);
  return parts.filter(ownsBuffer).map(({ buffer }) => buffer);
}

/** Small ones may share a buffer with others, which has to stay where it is. */
const ownsBuffer = (part: unknown): part is Uint8Array<ArrayBuffer> =>
  part instanceof Uint8Array && part.buffer instanceof ArrayBuffer && part.byteLength === part.buffer.byteLength;
