import type { Timers } from "../../lib/time/timers.ts";
import type { DocumentUses } from "./document-uses.ts";
import type { LocalDocuments } from "./local-documents.ts";
import { type OwnedLog, withAnswerDeadline } from "./owned-log.ts";
import type { Phases } from "./phases.ts";
import type { HandOver, SharingOptions } from "./sharing.ts";

export interface AppendRestOptions {
  readonly local: LocalDocuments;
  readonly timers: Timers;
  readonly uses: DocumentUses;
  readonly sharing?: SharingOptions | undefined;
  readonly phases: Phases;
}

/**
 * Prepares a document to leave: waits for the requests that use it, closes it, and appends the rest to the log.
 * @returns false if it has to stay: it is still in use, or the log cannot be reached
 */
export async function appendRest(
  owned: OwnedLog,
  handOver: HandOver | null,
  { local, timers, uses, sharing, phases }: AppendRestOptions,
): Promise<boolean> {
  const { doc, log } = owned;
  // These requests go on: they may need the document several times.
  const isUnused = !handOver || ((await uses.whenUnused(doc, handOver.useWaitMs)) && !sharing?.isStreaming(doc));
  phases.end("uses");
  if (!isUnused && !handOver.isForced) return false;
  try {
    owned.isClosing = true;
    // The requests that threads have been sent come first.
    if (local.keptOpen?.(doc)) local.collect?.(doc);
    else await local.whileClosed(doc, () => {});
    phases.end("close");
    await withAnswerDeadline(log.whenAcknowledged(log.lastSeq), timers);
    phases.end("append");
    return true;
  } catch {
    return false;
  }
}
