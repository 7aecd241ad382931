import { AppError } from "../../errors.ts";
import type { Context } from "../context.ts";

/** Maximum number of streams per document and in total; 0 = no limit. */
export interface StreamLimits {
  readonly perDocument: number;
  readonly total: number;
}

interface StreamCounts {
  total: number;
  readonly byDocument: Map<string, number>;
}

const countsByContext = new WeakMap<Context, StreamCounts>();

/**
 * Counts a stream of a document, of events or of a live query; call the returned function when it has ended. Idempotent.
 * @throws AppError `tooMany`
 */
export function reserveStream(ctx: Context, uuid: string, limits: StreamLimits): () => void {
  let counts = countsByContext.get(ctx);
  if (!counts) countsByContext.set(ctx, (counts = { total: 0, byDocument: new Map() }));
  const { byDocument } = counts;
  const ofDocument = byDocument.get(uuid) ?? 0;
  if (isFull(ofDocument, limits.perDocument)) throw tooMany("this document");
  if (isFull(counts.total, limits.total)) throw tooMany("this server");
  counts.total++;
  byDocument.set(uuid, ofDocument + 1);
  let isReleased = false;
  return () => {
    if (isReleased) return;
    isReleased = true;
    counts.total--;
    const rest = (byDocument.get(uuid) ?? 1) - 1;
    if (rest > 0) byDocument.set(uuid, rest);
    else byDocument.delete(uuid);
  };
}

const isFull = (size: number, max: number): boolean => max > 0 && size >= max;

const tooMany = (scope: string): AppError =>
  new AppError("limit.streams", `Too many event streams for ${scope}; close one and retry`, { retryAfterS: 10 });
