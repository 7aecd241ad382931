import type { Log } from "../../lib/observability/log.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { OwnedDocuments } from "../log/owned-documents.ts";
import { HOME, type HomeConnection } from "../local-documents.ts";
import type { LogDatabase } from "../postgres/log-database.ts";
import { documentStates } from "../postgres/statements/ownership.ts";
import { markOrphanDeleted } from "../postgres/statements/retention.ts";
import { isOrphan } from "../protocol/acquisition.ts";

export interface OrphanSweepOptions {
  readonly database: LogDatabase;
  readonly owned: Pick<OwnedDocuments, "isOwned" | "ownershipOf">;
  readonly log: Log;
  readonly timers: Timers;
  /** The open database of home; null when it is closed. */
  readonly home: () => HomeConnection | null;
  /** Returns all documents of home, including those in the trash. */
  readonly uuids: () => Iterable<string>;
}

const INTERVAL_MS = 3_600_000;
/** Soon after home was acquired, but not in the way of requests. */
const FIRST_DELAY_MS = 120_000;

/**
 * Marks documents as permanently deleted that are in the log and not in home: their creation, or their deletion, did not
 * get to its last step. Each is marked only if home has not changed since it was read, and this server still owns it.
 * @returns the ids
 */
export async function sweepOrphans({ database, owned, log, home, uuids }: OrphanSweepOptions): Promise<string[]> {
  const found: string[] = [];
  const connection = await database.bulk();
  const candidates: string[] = [];
  for await (const { doc, ageMs, deletedAtMs } of documentStates(connection)) {
    if (doc === HOME || deletedAtMs !== null) continue;
    // A request on this server may be creating it, or is deleting it.
    const isBeingCreated = owned.isOwned(doc);
    if (isOrphan({ isInHome: false, isBeingCreated, ageMs })) candidates.push(doc);
  }
  for (const doc of candidates) {
    const ownership = owned.ownershipOf(HOME);
    const seq = home()?.log.count.seq;
    if (!ownership?.mayRead || seq !== ownership.acknowledgedSeq) return found;
    if (new Set(uuids()).has(doc)) continue;
    const fence = { homeEpoch: ownership.epoch, homeHead: ownership.acknowledgedSeq };
    if (!(await markOrphanDeleted(connection, { doc, ...fence }))) continue;
    log.warn("cluster.orphan_deleted", { document: doc });
    found.push(doc);
  }
  return found;
}

/** Sweeps once an hour. @returns a function that stops it */
export function scheduleOrphanSweep(options: OrphanSweepOptions): () => void {
  const { timers, log } = options;
  let isStopped = false;
  let cancel = (): void => {};
  const later = (ms: number) => {
    cancel = timers.after(ms, async () => {
      try {
        await sweepOrphans(options);
      } catch (error) {
        log.warn("cluster.orphan_sweep_failed", { error: String(error) });
      }
      if (!isStopped) later(INTERVAL_MS);
    });
  };
  later(FIRST_DELAY_MS);
  return () => {
    isStopped = true;
    cancel();
  };
}
