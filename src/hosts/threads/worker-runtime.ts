import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { Log } from "../../lib/observability/log.ts";
import { incrementCounter } from "../../lib/observability/measurements.ts";
import { residentBytes } from "../../lib/observability/memory.ts";
import { runEvery, systemTimers } from "../../lib/time/timers.ts";
import type { RuntimeCallbacks, DocumentRuntime, RuntimeLoad, RuntimeOptions } from "../document-runtime.ts";
import { collectMeasurements, DocumentWorker, loadOf, type WorkerNotification } from "./document-worker.ts";
import type { WorkerRequest } from "./worker-messages.ts";
import type { Rendered } from "../verbs/render.ts";
import type { VerbArgs, VerbName, VerbResult } from "../verbs/verbs.ts";
import { RequestQueue } from "./request-queue.ts";

export interface WorkerRuntimeOptions extends RuntimeCallbacks {
  readonly runtimeOptions: RuntimeOptions;
  readonly log: Log;
  /** Maximum number of worker threads; each starts when needed. */
  readonly maxWorkers: number;
  /** A worker that runs one call for longer is terminated. */
  readonly hangMs: number;
  /** Above this resident memory of the process unused documents are closed; 0 = no limit. */
  readonly maxMemoryBytes: number;
}

/** The worker of a document that is open or about to be opened. */
interface Placement {
  worker: DocumentWorker;
  /** Whether it is open there, according to the worker's notifications. */
  isOpen: boolean;
  /** Pending calls in its current worker, without cursor reads. */
  pending: number;
  /** Open cursors, each with the worker that opened it; a document that has moved leaves its cursors behind. */
  readonly cursors: Map<string, DocumentWorker>;
  /** How often its worker was busy with another document since the last sweep. */
  conflicts: number;
  /** Monotonic, in milliseconds. */
  movedAt: number;
}

const SWEEP_INTERVAL_MS = 1000;
/** Timeout for collecting measurements from the workers. */
const MEASURE_TIMEOUT_MS = 100;
/** Idle time without documents after which a worker is terminated. */
const WORKER_IDLE_MS = 5000;
/** A document whose worker is blocked by another one for this long moves to another worker. */
const STUCK_AFTER_MS = 10;
/** A document with this many conflicts within a second moves to an idle worker. */
const MAX_CONFLICTS = 20;
/** Minimum time between two moves of a document. */
const MIN_MOVE_INTERVAL_MS = 1000;

/**
 * Runs documents in several worker threads, each open document in one of them, so that a long change to one does not
 * block the others.
 */
export class WorkerRuntime implements DocumentRuntime {
  readonly #options: WorkerRuntimeOptions;
  readonly #workers = new Set<DocumentWorker>();
  /** In LRU order. */
  readonly #placements = new Map<string, Placement>();
  readonly #requestQueue = new RequestQueue();
  /** Documents closed by `whileClosed`, each with the promise of its end. */
  readonly #exclusive = new Map<string, Promise<unknown>>();
  readonly #stopSweeping: () => void;
  /** Number of unanswered calls. */
  #inFlight = 0;
  #drained: PromiseWithResolvers<undefined> | null = null;
  #isClosed = false;

  constructor(options: WorkerRuntimeOptions) {
    this.#options = options;
    this.#stopSweeping = runEvery(SWEEP_INTERVAL_MS, () => this.#sweep());
  }

  readonly call = async <V extends VerbName>(
    grant: DocumentGrant,
    verb: V,
    args: VerbArgs<V>,
  ): Promise<VerbResult<V>> => {
    if (this.#isClosed) throw new AppError("server.shutting_down", "The server is shutting down", { retryAfterS: 5 });
    this.#inFlight++;
    try {
      return (await this.#callQueued(grant.uuid, { kind: "call", grant, verb, args })) as VerbResult<V>;
    } finally {
      if (--this.#inFlight === 0) this.#drained?.resolve(undefined);
    }
  };

  readonly next = async (uuid: string, cursor: string): Promise<Uint8Array | null> => {
    const place = this.#placements.get(uuid);
    const thread = place?.cursors.get(cursor);
    if (!place || !thread) throw documentClosed();
    let bytes: Uint8Array | null = null;
    try {
      bytes = (await thread.call({ kind: "next", uuid, cursor })) as Uint8Array | null;
      return bytes;
    } finally {
      if (bytes === null) {
        place.cursors.delete(cursor);
        this.#removeIfClosed(uuid, place);
      }
    }
  };

  readonly release = async (uuid: string, cursor: string): Promise<void> => {
    const place = this.#placements.get(uuid);
    const thread = place?.cursors.get(cursor);
    if (!place || !thread) return;
    place.cursors.delete(cursor);
    this.#removeIfClosed(uuid, place);
    await thread.call({ kind: "release", uuid, cursor });
  };

  readonly createFile = async (path: string): Promise<void> => {
    await this.#leastBusy().call({ kind: "createFile", path });
  };

  readonly whileClosed = async <T>(uuid: string, work: () => T): Promise<T> => {
    while (this.#exclusive.has(uuid)) await this.#exclusive.get(uuid);
    const held = Promise.withResolvers<undefined>();
    this.#exclusive.set(uuid, held.promise);
    try {
      const place = this.#placements.get(uuid);
      if (place) {
        // In all workers: a file with an open reader is not one clean file.
        const threads = [...new Set([...place.cursors.values(), place.worker])];
        await Promise.all(threads.map((thread) => thread.call({ kind: "closeDocument", uuid })));
        this.#removePlacement(uuid);
      }
      return work();
    } finally {
      this.#exclusive.delete(uuid);
      held.resolve(undefined);
      this.#dispatchQueued();
    }
  };

  readonly measure = async (): Promise<RuntimeLoad> => {
    const collecting = [...this.#workers].map(collectMeasurements);
    // A busy worker answers later and is counted next time.
    await Promise.race([Promise.allSettled(collecting), Bun.sleep(MEASURE_TIMEOUT_MS)]);
    return { open: this.#placements.size, threads: this.#workers.size };
  };

  /** Number of running workers. */
  get workerCount(): number {
    return this.#workers.size;
  }

  readonly close = async (): Promise<void> => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#inFlight > 0) {
      this.#drained = Promise.withResolvers<undefined>();
      await this.#drained.promise;
    }
    this.#stopSweeping();
    const closing = [...this.#workers].map(async (thread) => {
      await thread
        .call({ kind: "closeAll" })
        .catch((error: unknown) => this.#options.log.warn("thread.crashed", { error: String(error) }));
      await thread.terminate();
    });
    await Promise.all(closing);
    this.#placements.clear();
    this.#workers.clear();
  };

  /** Sends a request once the document's worker is free for it: a posted request cannot move to another worker. */
  async #callQueued(uuid: string, request: WorkerRequest): Promise<unknown> {
    while (this.#exclusive.has(uuid)) await this.#exclusive.get(uuid);
    if (!this.#requestQueue.has(uuid)) {
      const place = this.#placementFor(uuid);
      // In the same turn of the event loop: it may no longer hold later.
      if (place.worker.pendingForOthers(uuid) === 0) return this.#callWorker(uuid, place, request);
      // By then the worker counts as stuck if it is still busy with the same call.
      systemTimers.after(STUCK_AFTER_MS, () => this.#dispatchQueued());
    }
    return this.#requestQueue.add(uuid, request);
  }

  /**
   * Sends queued requests in order of arrival, to workers that are idle or have started another call. Each worker gets
   * one document per round: the documents queued behind it may still move to another worker.
   */
  #dispatchQueued(): void {
    if (this.#requestQueue.size === 0) return;
    const servedWorkers = new Set<DocumentWorker>();
    for (const { uuid, waitedMs } of this.#requestQueue.documents()) {
      if (this.#exclusive.has(uuid)) continue;
      try {
        const place = this.#placements.get(uuid) ?? this.#placementFor(uuid);
        if (place.worker.pendingForOthers(uuid) > 0) this.#moveIfBlocked(uuid, place);
        const { worker } = place;
        const isNext =
          worker.pendingForOthers(uuid) === 0 || (waitedMs >= STUCK_AFTER_MS && worker.busyMs < STUCK_AFTER_MS);
        if (!isNext || servedWorkers.has(worker)) continue;
        servedWorkers.add(worker);
        for (const { request, resolve, reject } of this.#requestQueue.take(uuid)) {
          this.#callWorker(uuid, place, request).then(resolve, reject);
        }
      } catch (error) {
        // No worker could be started.
        for (const { reject } of this.#requestQueue.take(uuid)) reject(error);
      }
    }
  }

  async #callWorker(uuid: string, place: Placement, request: WorkerRequest): Promise<unknown> {
    const { worker } = place;
    place.pending++;
    try {
      const result = await worker.call(request);
      const { kind, cursor } = (result ?? {}) as Partial<Extract<Rendered, { kind: "cursor" }>>;
      if (kind === "cursor" && cursor !== undefined) place.cursors.set(cursor, worker);
      return result;
    } finally {
      place.pending--;
      this.#removeIfClosed(uuid, place);
    }
  }

  /** Returns the document's placement, choosing a worker if it has none. */
  #placementFor(uuid: string): Placement {
    const place = this.#placements.get(uuid);
    if (!place) {
      const worker = this.#leastBusy();
      const newPlacement: Placement = {
        worker,
        isOpen: false,
        pending: 0,
        cursors: new Map(),
        conflicts: 0,
        movedAt: 0,
      };
      worker.documents.add(uuid);
      this.#placements.set(uuid, newPlacement);
      this.#closeUnused(this.#placements.size - this.#options.runtimeOptions.maxOpen);
      return newPlacement;
    }
    // Mark as most recently used.
    this.#placements.delete(uuid);
    this.#placements.set(uuid, place);
    if (place.worker.pendingForOthers(uuid) > 0) this.#recordConflict(uuid, place);
    return place;
  }

  /**
   * Counts a conflict: the document's worker is busy with another one. Frequent or long conflicts move the document.
   */
  #recordConflict(uuid: string, place: Placement): void {
    place.conflicts++;
    this.#moveIfBlocked(uuid, place);
  }

  #moveIfBlocked(uuid: string, place: Placement): void {
    const isStuck = place.worker.busyMs > STUCK_AFTER_MS;
    if (!isStuck && place.conflicts < MAX_CONFLICTS) return;
    // Pending calls finish in the old worker. Cursors also stay there, so that a client that reads slowly does not pin
    // the document to a busy worker.
    if (place.pending > 0 || performance.now() - place.movedAt < MIN_MOVE_INTERVAL_MS) return;
    const thread = this.#leastBusy();
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

  /** Returns an idle worker, a new one, or the least loaded one. */
  #leastBusy(): DocumentWorker {
    let best: DocumentWorker | undefined;
    for (const thread of this.#workers) if (!best || loadOf(thread) < loadOf(best)) best = thread;
    if (best && (best.pending === 0 || this.#workers.size >= this.#options.maxWorkers)) return best;
    return this.#startWorker();
  }

  #startWorker(): DocumentWorker {
    const thread = new DocumentWorker({
      data: { ...this.#options.runtimeOptions, showsDebug: this.#options.log.isEnabled("debug") },
      onNotification: (notice) => this.#onNotification(thread, notice),
      onAnswer: () => this.#dispatchQueued(),
      onCrash: (error) => {
        incrementCounter("threadsLost");
        this.#options.log.error("thread.crashed", { documents: thread.documents.size, error: String(error) });
        this.#removeWorker(thread);
        this.#dispatchQueued();
      },
    });
    this.#workers.add(thread);
    return thread;
  }

  #onNotification(thread: DocumentWorker, notice: WorkerNotification): void {
    switch (notice.kind) {
      case "opened":
      case "closed": {
        const place = this.#placements.get(notice.uuid);
        if (place?.worker !== thread) return;
        place.isOpen = notice.kind === "opened";
        if (!place.isOpen) removeCursors(place, thread);
        return this.#removeIfClosed(notice.uuid, place);
      }
      case "events":
        return this.#options.onEvents?.(notice.uuid);
      case "recalculated":
        return this.#options.onRecalculated?.(notice.uuid);
      case "maintenanceDue":
        return this.#options.onMaintenanceDue?.(notice.uuid);
      case "log":
        return this.#options.log[notice.level](notice.event, notice.fields);
      default:
        return notice satisfies never;
    }
  }

  /** Removes the placement of a document that is closed and has neither pending calls nor cursors. */
  #removeIfClosed(uuid: string, place: Placement): void {
    if (!place.isOpen && place.pending === 0 && place.cursors.size === 0 && this.#placements.get(uuid) === place)
      this.#removePlacement(uuid);
  }

  #removePlacement(uuid: string): void {
    this.#placements.get(uuid)?.worker.documents.delete(uuid);
    this.#placements.delete(uuid);
  }

  /** Removes a worker; its documents are placed elsewhere on their next use. */
  #removeWorker(thread: DocumentWorker): void {
    this.#workers.delete(thread);
    for (const [uuid, place] of this.#placements) {
      removeCursors(place, thread);
      if (place.worker === thread) this.#placements.delete(uuid);
    }
  }

  #sweep(): void {
    const { hangMs, log, maxMemoryBytes } = this.#options;
    for (const place of this.#placements.values()) place.conflicts = 0;
    for (const thread of this.#workers) {
      if (thread.busyMs > hangMs) {
        incrementCounter("threadsLost");
        log.error("thread.hung", { documents: [...thread.documents] });
        this.#removeWorker(thread);
        void thread.terminate();
      } else if (
        thread.pending === 0 &&
        thread.documents.size === 0 &&
        !this.#hasCursors(thread) &&
        performance.now() - thread.idleSince > WORKER_IDLE_MS
      ) {
        this.#removeWorker(thread);
        // Collect its measurements first, or they would be lost.
        void Promise.allSettled([collectMeasurements(thread)]).then(() => thread.terminate());
      }
    }
    // Documents may have become movable again; those of a terminated worker too.
    this.#dispatchQueued();
    if (maxMemoryBytes > 0 && residentBytes() > maxMemoryBytes) this.#freeMemory();
  }

  /** Returns whether any cursor is open in the worker. */
  #hasCursors(thread: DocumentWorker): boolean {
    for (const { cursors } of this.#placements.values()) if ([...cursors.values()].includes(thread)) return true;
    return false;
  }

  /** Closes half of the unused documents, least recently used first. */
  #freeMemory(): void {
    const maxToClose = Math.ceil(this.#placements.size / 2);
    this.#options.log.warn("memory.limit_exceeded", { residentBytes: residentBytes(), open: this.#placements.size });
    this.#closeUnused(maxToClose);
    for (const thread of this.#workers) if (thread.pending === 0) void thread.call({ kind: "shrink" }).catch(() => {});
  }

  #closeUnused(count: number): void {
    let remaining = count;
    for (const [uuid, place] of this.#placements) {
      if (remaining <= 0) return;
      if (place.pending > 0 || place.cursors.size > 0) continue;
      remaining--;
      void place.worker.call({ kind: "closeDocument", uuid }).catch(() => {});
    }
  }
}

/** Removes the cursors that a worker has closed. */
function removeCursors({ cursors }: Placement, thread: DocumentWorker): void {
  for (const [cursor, at] of cursors) if (at === thread) cursors.delete(cursor);
}

const documentClosed = (): AppError =>
  new AppError("document.unavailable", "The document was closed during the request", { retryAfterS: 1 });
