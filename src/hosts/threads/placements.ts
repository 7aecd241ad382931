import type { DocumentGrant } from "../../authorization.ts";
import type { Log } from "../../lib/observability/log.ts";
import { incrementCounter } from "../../lib/observability/measurements.ts";
import { excessDocuments } from "../excess-documents.ts";
import { collectMeasurements, type DocumentWorker, loadOf } from "./document-worker.ts";

/** The worker of a document that is open or about to be opened. */
export interface Placement {
  worker: DocumentWorker;
  /** As for `excessDocuments`. */
  isBrief: boolean;
  /** Whether it is open there, according to the worker's notifications. */
  isOpen: boolean;
  /** True while its readers, and then it, are being closed. */
  isClosing: boolean;
  /** True while its log is being emptied, which waits until nothing reads it. */
  isCheckpointing: boolean;
  /** True while its file is held for a base. */
  isHeld: boolean;
  /** Pending calls in its current worker, without cursor reads. */
  pending: number;
  /** Pending reads in reader threads. */
  reads: number;
  /** Open cursors, each with the thread that opened it. */
  readonly cursors: Map<string, DocumentWorker>;
  /** Reads whose responses are large, which go to readers at once. */
  readonly largeReads: Set<string>;
  /** How often its worker was busy with another document since the last sweep. */
  conflicts: number;
  /** Monotonic, in milliseconds. */
  movedAt: number;
}

const createPlacement = (worker: DocumentWorker, isBrief: boolean): Placement => ({
  worker,
  isBrief,
  isOpen: false,
  isClosing: false,
  isCheckpointing: false,
  isHeld: false,
  pending: 0,
  reads: 0,
  cursors: new Map(),
  largeReads: new Set(),
  conflicts: 0,
  movedAt: 0,
});

/** True while a document is not used by any request or base. */
export const isUnused = ({ pending, reads, cursors, isHeld }: Placement): boolean =>
  pending === 0 && reads === 0 && cursors.size === 0 && !isHeld;

const leastLoaded = (workers: readonly DocumentWorker[]): DocumentWorker | undefined =>
  workers.reduce<DocumentWorker | undefined>(
    (best, one) => (best && loadOf(best) <= loadOf(one) ? best : one),
    undefined,
  );

export interface PlacementsOptions {
  readonly log: Log;
  /** Maximum number of worker threads. */
  readonly maxWorkers: number;
  readonly startWorker: () => DocumentWorker;
  /** Maximum number of placed documents. */
  readonly maxOpen: number;
  /** Called for a document that should be closed, since there are too many. */
  readonly onExcess: (uuid: string, place: Placement) => void;
  /** As `RuntimeCallbacks.onLost`. */
  readonly onLost?: ((uuids: readonly string[]) => void) | undefined;
}

/** Idle time without documents after which a worker is terminated. */
const WORKER_IDLE_MS = 5000;
/** A document whose worker is blocked by another one for this long moves to another worker. */
export const STUCK_AFTER_MS = 10;
/** A document with this many conflicts within a second moves to an idle worker. */
const MAX_CONFLICTS = 20;
/** Minimum time between two moves of a document. */
const MIN_MOVE_INTERVAL_MS = 1000;

/** The workers, and which documents are open in each. */
export class Placements {
  readonly #options: PlacementsOptions;
  readonly #workers = new Set<DocumentWorker>();
  /** In LRU order. */
  readonly #placements = new Map<string, Placement>();
  readonly #warmUps = new WeakMap<DocumentWorker, Promise<unknown>>();

  constructor(options: PlacementsOptions) {
    this.#options = options;
  }

  get workers(): ReadonlySet<DocumentWorker> {
    return this.#workers;
  }

  get size(): number {
    return this.#placements.size;
  }

  get(uuid: string): Placement | undefined {
    return this.#placements.get(uuid);
  }

  uuids(): MapIterator<string> {
    return this.#placements.keys();
  }

  /** Yields the placements, least recently used first. */
  [Symbol.iterator](): MapIterator<[string, Placement]> {
    return this.#placements.entries();
  }

  /** Returns the document's placement, choosing a worker if it has none. @param isBrief as `isBriefUse` */
  use(uuid: string, isBrief = false): Placement {
    const place = this.#placements.get(uuid);
    if (!place) {
      const worker = this.leastBusyWorker();
      const newPlacement = createPlacement(worker, isBrief);
      worker.documents.add(uuid);
      this.#placements.set(uuid, newPlacement);
      this.#closeExcess(uuid);
      return newPlacement;
    }
    // Mark as most recently used.
    this.#placements.delete(uuid);
    this.#placements.set(uuid, place);
    if (place.worker.pendingForOthers(uuid) > 0) this.#recordConflict(uuid, place);
    return place;
  }

  /** Notes a use of a document that may be open. @param isBrief as `isBriefUse` */
  markUse(uuid: string, isBrief: boolean): void {
    const place = this.#placements.get(uuid);
    if (place) place.isBrief &&= isBrief;
  }

  #closeExcess(justPlaced: string): void {
    const { maxOpen, onExcess } = this.#options;
    const canClose = (uuid: string, place: Placement): boolean => uuid !== justPlaced && isUnused(place);
    for (const [uuid, place] of excessDocuments(this.#placements, { maxOpen, canClose })) onExcess(uuid, place);
  }

  /**
   * Counts a conflict: the document's worker is busy with another one. Frequent or long conflicts move the document.
   */
  #recordConflict(uuid: string, place: Placement): void {
    place.conflicts++;
    this.moveIfBlocked(uuid, place);
  }

  moveIfBlocked(uuid: string, place: Placement): void {
    const isStuck = place.worker.busyMs > STUCK_AFTER_MS;
    if (!isStuck && place.conflicts < MAX_CONFLICTS) return;
    // Pending calls and bases finish in the old worker.
    if (place.pending > 0 || place.isHeld || performance.now() - place.movedAt < MIN_MOVE_INTERVAL_MS) return;
    const thread = this.leastBusyWorker();
    if (thread !== place.worker && thread.pending === 0) this.#move(uuid, place, thread);
  }

  /** Opens the document in another worker immediately; the old worker releases it as soon as it is idle. */
  #move(uuid: string, place: Placement, thread: DocumentWorker): void {
    void place.worker.call({ kind: "handOver", uuid }).catch(() => {});
    place.worker.documents.delete(uuid);
    place.worker = thread;
    place.isOpen = false;
    place.movedAt = performance.now();
    thread.documents.add(uuid);
  }

  /**
   * Returns an idle worker, or the least loaded one. Starting a worker takes longer than most changes: while others are
   * ready, documents are placed there, and a blocked one moves once the new worker is ready.
   */
  leastBusyWorker(): DocumentWorker {
    const workers = [...this.#workers];
    const best = leastLoaded(workers.filter(({ isReady }) => isReady));
    if (best?.pending === 0) return best;
    if (this.#workers.size >= this.#options.maxWorkers) return best ?? leastLoaded(workers) ?? this.#startWorker();
    if (!best) return this.#startWorker();
    if (workers.every(({ isReady }) => isReady)) this.#startSpare();
    return best;
  }

  #startWorker(): DocumentWorker {
    const worker = this.#options.startWorker();
    this.#workers.add(worker);
    return worker;
  }

  /** Its answer says that it is ready. */
  #startSpare(): void {
    void collectMeasurements(this.#startWorker()).catch(() => {});
  }

  /** As `DocumentRuntime.warmUp`. */
  async warmUp(grant: DocumentGrant, { threads }: { readonly threads: number }): Promise<void> {
    while (this.#workers.size < Math.min(threads, this.#options.maxWorkers)) this.#startWorker();
    const isCold = (worker: DocumentWorker) => worker.documents.size === 0 && !this.#warmUps.has(worker);
    for (const worker of this.#workers) {
      if (isCold(worker)) this.#warmUps.set(worker, worker.call({ kind: "warmUp", grant }));
    }
    await Promise.all([...this.#workers].flatMap((worker) => this.#warmUps.get(worker) ?? []));
  }

  /** Removes the placement of a document that is closed and has neither pending calls nor cursors. */
  removeIfClosed(uuid: string, place: Placement): void {
    if (!place.isOpen && isUnused(place) && this.#placements.get(uuid) === place) this.remove(uuid);
  }

  remove(uuid: string): void {
    this.#placements.get(uuid)?.worker.documents.delete(uuid);
    this.#placements.delete(uuid);
  }

  /** Removes a worker; its documents are placed elsewhere on their next use. */
  removeWorker(thread: DocumentWorker): void {
    this.#workers.delete(thread);
    for (const [uuid, { worker }] of this.#placements) if (worker === thread) this.#placements.delete(uuid);
    if (thread.documents.size > 0) this.#options.onLost?.([...thread.documents]);
  }

  /** Returns whether any cursor is open in a reader. */
  hasCursors(reader: DocumentWorker): boolean {
    for (const { cursors } of this.#placements.values()) if ([...cursors.values()].includes(reader)) return true;
    return false;
  }

  /** Removes the cursors of a reader that has ended. */
  removeCursorsOf(reader: DocumentWorker): void {
    for (const [uuid, place] of this.#placements) {
      for (const [cursor, at] of place.cursors) if (at === reader) place.cursors.delete(cursor);
      this.removeIfClosed(uuid, place);
    }
  }

  /** Terminates workers that hang, and workers that are idle and have no documents. Call it every second. */
  sweep(hangMs: number): void {
    const { log } = this.#options;
    for (const place of this.#placements.values()) place.conflicts = 0;
    for (const thread of this.#workers) {
      if (thread.busyMs > hangMs) {
        incrementCounter("threadsLost");
        log.error("thread.hung", { documents: [...thread.documents] });
        this.removeWorker(thread);
        void thread.terminate();
      } else if (
        thread.pending === 0 &&
        thread.documents.size === 0 &&
        performance.now() - thread.idleSince > WORKER_IDLE_MS
      ) {
        this.removeWorker(thread);
        // Collect its measurements first, or they would be lost.
        void Promise.allSettled([collectMeasurements(thread)]).then(() => thread.terminate());
      }
    }
  }

  clear(): void {
    this.#placements.clear();
    this.#workers.clear();
  }
}
