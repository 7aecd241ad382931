import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { Log } from "../../lib/observability/log.ts";
import { incrementCounter } from "../../lib/observability/measurements.ts";
import { residentBytes } from "../../lib/observability/memory.ts";
import { runEvery, systemTimers } from "../../lib/time/timers.ts";
import type { RuntimeCallbacks, DocumentRuntime, RuntimeLoad, RuntimeOptions } from "../document-runtime.ts";
import { collectMeasurements, DocumentWorker, loadOf, type WorkerNotification } from "./document-worker.ts";
import type { WorkerRequest } from "./worker-messages.ts";
import type { Rendered } from "../rendered.ts";
import type { VerbArgs, VerbName, VerbResult } from "../verbs/verbs.ts";
import { RequestQueue } from "./request-queue.ts";

export interface WorkerRuntimeOptions extends RuntimeCallbacks {
  readonly runtimeOptions: RuntimeOptions;
  readonly log: Log;
  /** How many threads there are at most; each starts when it is needed. */
  readonly maxWorkers: number;
  /** A thread that does the same thing for longer is ended. */
  readonly hangMs: number;
  /** Beyond so much memory of the process documents that nobody uses just now are closed; 0 = no limit. */
  readonly maxMemoryBytes: number;
}

/** A document that is open, or about to be. */
interface Placement {
  worker: DocumentWorker;
  /** Whether it is open there, as far as that thread has told. */
  isOpen: boolean;
  /** What was asked of it where it is and is not answered; reading on in large answers does not count. */
  pending: number;
  /** Large answers in progress, each in the thread where it was begun, wherever the document is by now. */
  readonly cursors: Map<string, DocumentWorker>;
  /** How often it found its thread at work for another document since one looked last. */
  conflicts: number;
  /** Monotonic, in milliseconds. */
  movedAt: number;
}

const SWEEP_INTERVAL_MS = 1000;
/** How long threads are waited for that are asked what they measured. */
const MEASURE_TIMEOUT_MS = 100;
/** After how long without documents a thread ends. */
const WORKER_IDLE_MS = 5000;
/** A document whose thread is taken up by another one for so long is opened in another thread. */
const STUCK_AFTER_MS = 10;
/** A document that meets others in its thread so often within a second moves to where there are none. */
const MAX_CONFLICTS = 20;
/** How often a document may move. */
const MIN_MOVE_INTERVAL_MS = 1000;

/**
 * Documents in several threads, each open document in one of them, so that a long change to one does not keep the
 * others waiting.
 */
export class WorkerRuntime implements DocumentRuntime {
  readonly #options: WorkerRuntimeOptions;
  readonly #workers = new Set<DocumentWorker>();
  /** In the order of their last use. */
  readonly #placements = new Map<string, Placement>();
  readonly #requestQueue = new RequestQueue();
  /** Documents that are kept closed just now. */
  readonly #exclusive = new Map<string, Promise<unknown>>();
  readonly #stopSweeping: () => void;
  /** Calls that are not answered. */
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
    await this.#leastBusy().call({ kind: "makeFile", path });
  };

  readonly whileClosed = async <T>(uuid: string, work: () => T): Promise<T> => {
    while (this.#exclusive.has(uuid)) await this.#exclusive.get(uuid);
    const held = Promise.withResolvers<undefined>();
    this.#exclusive.set(uuid, held.promise);
    try {
      const place = this.#placements.get(uuid);
      if (place) {
        // Everywhere: a file that somebody still reads is not one clean file.
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
    // A thread that is at work tells later, and is counted the next time.
    await Promise.race([Promise.allSettled(collecting), Bun.sleep(MEASURE_TIMEOUT_MS)]);
    return { open: this.#placements.size, threads: this.#workers.size };
  };

  /** How many threads there are just now. */
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

  /**
   * Asks a document's thread as soon as that is not at work for another one, or the document has found a better place:
   * what was once sent to a thread waits there for whatever it is doing.
   */
  async #callQueued(uuid: string, request: WorkerRequest): Promise<unknown> {
    while (this.#exclusive.has(uuid)) await this.#exclusive.get(uuid);
    if (!this.#requestQueue.has(uuid)) {
      const place = this.#placementFor(uuid);
      // In the same turn: a moment later this may no longer be so.
      if (place.worker.pendingForOthers(uuid) === 0) return this.#callWorker(uuid, place, request);
      // By then its thread counts as stuck, if it still does the same.
      systemTimers.after(STUCK_AFTER_MS, () => this.#dispatchQueued());
    }
    return this.#requestQueue.add(uuid, request);
  }

  /**
   * Sends the requests of documents that wait, first come, first served, where a thread has nothing to do for others, or
   * goes on with something new. A thread is given one document at a time: those behind it may find a better place yet.
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
        // No thread can be started for it.
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

  /** Where a document is, or will be from now on. */
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
    // Used last now.
    this.#placements.delete(uuid);
    this.#placements.set(uuid, place);
    if (place.worker.pendingForOthers(uuid) > 0) this.#recordConflict(uuid, place);
    return place;
  }

  /** A document's thread is at work for another one: it looks for a better place when that happens often, or for long. */
  #recordConflict(uuid: string, place: Placement): void {
    place.conflicts++;
    this.#moveIfBlocked(uuid, place);
  }

  #moveIfBlocked(uuid: string, place: Placement): void {
    const isStuck = place.worker.busyMs > STUCK_AFTER_MS;
    if (!isStuck && place.conflicts < MAX_CONFLICTS) return;
    // What is in progress there ends there. Large answers go on there too, so that a client that takes one slowly, or
    // not at all, does not keep the document where it has to wait.
    if (place.pending > 0 || performance.now() - place.movedAt < MIN_MOVE_INTERVAL_MS) return;
    const thread = this.#leastBusy();
    if (thread !== place.worker && thread.pending === 0) this.#move(uuid, place, thread);
  }

  /** The document is opened elsewhere at once, and let go of where it was as soon as that thread has time. */
  #move(uuid: string, place: Placement, thread: DocumentWorker): void {
    void place.worker.call({ kind: "handOver", uuid }).catch(() => {});
    place.worker.documents.delete(uuid);
    place.worker = thread;
    place.isOpen = false;
    place.movedAt = performance.now();
    thread.documents.add(uuid);
  }

  /** A thread that has nothing to do, a new one, or the one that has least to do. */
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
      case "upkeepDue":
        return this.#options.onUpkeepDue?.(notice.uuid);
      case "log":
        return this.#options.log[notice.level](notice.event, notice.fields);
      default:
        return notice satisfies never;
    }
  }

  /** Gives up the place of a document that is not open, is not read and of which nothing is asked that would open it. */
  #removeIfClosed(uuid: string, place: Placement): void {
    if (!place.isOpen && place.pending === 0 && place.cursors.size === 0 && this.#placements.get(uuid) === place)
      this.#removePlacement(uuid);
  }

  #removePlacement(uuid: string): void {
    this.#placements.get(uuid)?.worker.documents.delete(uuid);
    this.#placements.delete(uuid);
  }

  /** Its documents are opened elsewhere when they are asked for. */
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
        // What it measured since somebody asked would be lost.
        void Promise.allSettled([collectMeasurements(thread)]).then(() => thread.terminate());
      }
    }
    // A document that moved a moment ago may move again by now; so may those of a thread that was ended.
    this.#dispatchQueued();
    if (maxMemoryBytes > 0 && residentBytes() > maxMemoryBytes) this.#freeMemory();
  }

  /** Whether large answers are read in it. */
  #hasCursors(thread: DocumentWorker): boolean {
    for (const { cursors } of this.#placements.values()) if ([...cursors.values()].includes(thread)) return true;
    return false;
  }

  /** Closes half of the documents that nobody uses just now, those first that were not used for longest. */
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

/** Forgets the large answers of a document that a thread has ended. */
function removeCursors({ cursors }: Placement, thread: DocumentWorker): void {
  for (const [cursor, at] of cursors) if (at === thread) cursors.delete(cursor);
}

const documentClosed = (): AppError =>
  new AppError("document.unavailable", "The document was closed meanwhile", { retryAfterS: 1 });
