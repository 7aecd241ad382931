import { closeSync, openSync } from "node:fs";
import type { Log } from "../../lib/observability/log.ts";
import { applyPageSet, decodePageSet } from "../../sqlite/wal/page-set.ts";
import type { LogDatabase } from "../postgres/log-database.ts";
import { type HandedOverDocument, readHandedOver } from "../postgres/statements/hand-overs.ts";
import { isHandedOver } from "../protocol/acquisition.ts";
import { type DatabaseIdentity, type LogPosition, sameIdentity } from "../protocol/log-types.ts";
import { chainedChecksum } from "./checksum-chain.ts";
import type { OwnedLogOptions } from "./owned-log.ts";
import type { PositionNoteWriter } from "./position-note.ts";
import type { Timeline } from "./timeline.ts";

/** The file of a document that another node owns, with the content of a position of the log. Nothing has it open. */
export interface PreparedCopy {
  readonly path: string;
  /** Says that the file is open, so that a power failure cannot make a copy that is being changed count as intact. */
  readonly note: PositionNoteWriter;
  readonly position: LogPosition;
  readonly bytesSinceBase: number;
  readonly identity: DatabaseIdentity;
  /** As `fileMark` when the copy was prepared: nothing has changed it since. */
  readonly mark: string | null;
}

export interface HandedOverOptions {
  readonly database: LogDatabase;
  readonly timeline: Timeline;
  /** The id of this node; null while it has no lease. */
  readonly nodeId: () => string | null;
  /** As `AcquisitionView.begunEpoch`. */
  readonly begunEpoch: number;
  readonly log: Log;
}

export type BegunDocument = Omit<OwnedLogOptions, "dueAtMs" | "onStopped"> & { readonly note: PositionNoteWriter };

/**
 * Begins with a document that another node has handed over to this one, whose copy is nearly current: one statement reads
 * owner and missing rows, where an acquisition takes a transaction, and opening a file another one.
 * @returns null if that is not possible; the document is acquired then
 */
export async function beginHandedOver(
  doc: string,
  copy: PreparedCopy,
  { database, timeline, nodeId, begunEpoch, log }: HandedOverOptions,
): Promise<BegunDocument | null> {
  const start = performance.now();
  const node = nodeId();
  if (node === null) return null;
  const session = await database.bulk();
  const { identity, waitMs } = await timeline.check(session);
  if (waitMs > 0 || !sameIdentity(identity, copy.identity)) return null;
  const found = await readHandedOver(session, { doc, node, seq: copy.position.seq });
  if (!found || !isHandedOver(node, { node, epoch: found.epoch }, begunEpoch)) return null;
  const head = reachedBy(found, copy.position);
  if (!head) return null;
  const { note, path } = copy;
  if (found.rows.length > 0) {
    applyRows(path, note, found);
    const ms = Math.round(performance.now() - start);
    log.info("cluster.document_prepared", { document: doc, how: "tailApplied", setAside: null, ms });
  }
  const { epoch } = found;
  note.acknowledge({ ...head, epoch });
  const bytes = found.rows.reduce((sum, { frames }) => sum + frames.length, 0);
  return { node, identity, epoch, head, note, bytesSinceBase: copy.bytesSinceBase + bytes };
}

/** Returns the head if the rows lead to it from a position; else null. */
function reachedBy({ head, checksum, rows }: HandedOverDocument, from: LogPosition): LogPosition | null {
  if (!checksum || hex(checksum) !== from.checksum) return null;
  let reached = from;
  for (const { seq, epoch, contentEpoch, frames, checksum: stored } of rows) {
    const expected = chainedChecksum(reached.checksum, { epoch, seq, contentEpoch, bytes: frames });
    if (seq !== reached.seq + 1 || hex(stored) !== expected) return null;
    reached = { seq, checksum: expected };
  }
  return reached.seq === head ? reached : null;
}

/** A crash meanwhile leaves a mixture, which the note says. It is not synced: the note already says that the file is open. */
function applyRows(path: string, note: PositionNoteWriter, { rows }: HandedOverDocument): void {
  note.markChanging();
  const file = openSync(path, "r+");
  try {
    for (const { frames } of rows) applyPageSet(file, decodePageSet(frames));
  } finally {
    closeSync(file);
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
