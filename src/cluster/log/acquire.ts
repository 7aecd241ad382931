import { AppError } from "../../errors.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { LogDatabase } from "../postgres/log-database.ts";
import { acquireDocument, type Owner } from "../postgres/statements/ownership.ts";
import { noLease, ownedElsewhere } from "./refusals.ts";
import type { OwnedEpoch } from "./owned-log.ts";
import type { Timeline } from "./timeline.ts";

/** Requests to other nodes about documents. */
export interface Peers {
  /**
   * Asks the owner of a document to hand it over to the node `to`. Resolves with false if the owner cannot be reached or
   * keeps the document.
   */
  askForDocument(owner: Owner, request: { doc: string; to: string; deadlineMs: number }): Promise<boolean>;
}

export interface AcquireOptions {
  readonly database: LogDatabase;
  readonly timeline: Timeline;
  readonly timers: Timers;
  readonly nodeId: () => string | null;
  /** Whom to ask for a document that another living node owns; null to leave it there. */
  readonly peers: Peers | null;
  /** As `AcquisitionView.begunEpoch`. */
  readonly begunEpoch: number;
}

export interface Acquired extends OwnedEpoch {
  readonly baseSeq: number | null;
}

/** How long a request waits for a document that another node owns. */
export const ACQUIRE_DEADLINE_MS = 8000;
const RETRY_MS = 100;

/**
 * Makes this node the owner of a document. Waits for a lease after a failover of PostgreSQL, and asks the living owner if
 * there is one and `peers` is set.
 * @throws AppError `document.not_found`, `log.unavailable`, or `document.elsewhere` if another node keeps it
 */
export async function acquire(doc: string, options: AcquireOptions): Promise<Acquired> {
  const { database, timeline, nodeId, peers, begunEpoch } = options;
  const end = performance.now() + ACQUIRE_DEADLINE_MS;
  for (;;) {
    const node = nodeId();
    if (node === null) throw noLease();
    const connection = await database.control();
    const { identity, waitMs } = await timeline.check(connection);
    if (waitMs > 0) {
      await timeline.wait(waitMs);
      continue;
    }
    const outcome = await acquireDocument(connection, { doc, node, begunEpoch });
    switch (outcome.kind) {
      case "missing":
      case "deleted":
        throw new AppError("document.not_found", "document not found");
      case "expired":
        throw noLease();
      case "acquired":
        return { node, identity, epoch: outcome.state.epoch, baseSeq: outcome.state.baseSeq };
      case "raced":
        if (performance.now() > end) throw noLease();
        break;
      case "owned": {
        const deadlineMs = end - performance.now();
        if (!peers || deadlineMs <= 0) throw ownedElsewhere();
        // An owner that does not answer may be dead: its lease ends soon.
        if (!(await peers.askForDocument(outcome.owner, { doc, to: node, deadlineMs }))) await timeline.wait(RETRY_MS);
      }
    }
  }
}
