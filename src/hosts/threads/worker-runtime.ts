import { availableParallelism } from "node:os";
import type { DocumentGrant } from "../../authorization.ts";
import { incrementCounter } from "../../lib/observability/measurements.ts";
import { residentBytes } from "../../lib/observability/memory.ts";
import { runEvery, systemTimers } from "../../lib/time/timers.ts";
import type { DocumentRuntime, RuntimeLoad } from "../document-runtime.ts";
import { AnswerGate } from "../answer-gate.ts";
import { documentFile, logFileSize } from "../files/document-files.ts";
import {
  collectMeasurements,
  documentClosed,
  DocumentWorker,
  isRead,
  LARGE_RESPONSE,
  type WorkerNotification,
} from "./document-worker.ts";
import { isBriefUse } from "../excess-documents.ts";
import { LongChangeWatch } from "./long-changes.ts";
import { isUnused, type Placement, Placements, STUCK_AFTER_MS } from "./placements.ts";
import { shuttingDown } from "../shutting-down.ts";
import { type HeldFile, waitForHeldFile } from "../held-file.ts";
import { ReadRouter } from "./read-router.ts";
import { READER_IDLE_MS, ReaderPool } from "./reader-pool.ts";
import { passOn } from "./pass-on.ts";
import type { WorkerInit, WorkerRequest } from "./worker-messages.ts";
import type { VerbArgs, VerbName, VerbResult } from "../verbs/verbs.ts";
import { RequestQueue } from "./request-queue.ts";
import type { WorkerRuntimeOptions } from "./worker-runtime-options.ts";

const SWEEP_INTERVAL_MS = 1000;
/** Timeout for collecting measurements from the workers. */
const MEASURE_TIMEOUT_MS = 100;

/**
 * Runs documents in several worker threads, each open document in one of them, so that a long change to one does not
 * block the others. Reads of a document whose worker is busy run in reader threads, on snapshots of the file.
 */
export class WorkerRuntime implements DocumentRuntime {
  readonly #options: WorkerRuntimeOptions;
  readonly #gate: AnswerGate;
  readonly #readers: ReaderPool;
  readonly #reads: ReadRouter;
  readonly #placements: Placements;
  readonly #longChanges: LongChangeWatch;
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
    this.#gate = options.gate ?? new AnswerGate();
    this.#placements = new Placements({
      log: options.log,
      maxWorkers: options.maxWorkers,
      startWorker: () => this.#startWorker(),
      onLost: options.onLost,
      maxOpen: options.runtimeOptions.maxOpen,
      onExcess: (uuid, place) => this.#closeUnusedDocument(uuid, place),
    });
    this.#readers = new ReaderPool({
      data: this.#workerInit("read"),
      gate: this.#gate,
      log: options.log,
      maxReaders: options.maxReaders ?? availableParallelism(),
      hangMs: options.hangMs,
      onFree: () => this.#reads.dispatchHeld(),
      onEnded: (reader) => this.#placements.removeCursorsOf(reader),
    });
    this.#reads = new ReadRouter({
      pool: this.#readers,
      processors: availableParallelism(),
      placementOf: (uuid) => this.#placements.get(uuid),
      reroute: (uuid, request) => this.#callQueued(uuid, request),
      onRead: (uuid, place) => this.#placements.removeIfClosed(uuid, place),
    });
    this.#longChanges = new LongChangeWatch(
      () => this.#placements.workers,
      () => this.#readers.keepReady(),
    );
    this.#stopSweeping = runEvery(SWEEP_INTERVAL_MS, () => this.#sweep());
  }

  readonly call = async <V extends VerbName>(
    grant: DocumentGrant,
    verb: V,
    args: VerbArgs<V>,
  ): Promise<VerbResult<V>> => {
    if (this.#isClosed) throw shuttingDown();
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
        this.#placements.removeIfClosed(uuid, place);
      }
    }
  };

  readonly release = async (uuid: string, cursor: string): Promise<void> => {
    const place = this.#placements.get(uuid);
    const thread = place?.cursors.get(cursor);
    if (!place || !thread) return;
    place.cursors.delete(cursor);
    this.#placements.removeIfClosed(uuid, place);
    await thread.call({ kind: "release", uuid, cursor });
  };

  readonly released = async (grant: DocumentGrant): Promise<void> => {
    // This answer leaves once the last commit is released.
    if (!this.#gate.isOpen(grant.uuid)) await this.call(grant, "document.mayCopy", null);
  };

  readonly createFile = async (path: string): Promise<void> => {
    await this.#placements.leastBusyWorker().call({ kind: "createFile", path });
  };

  readonly whileClosed = async <T>(uuid: string, work: () => T): Promise<T> => {
    while (this.#exclusive.has(uuid)) await this.#exclusive.get(uuid);
    const held = Promise.withResolvers<undefined>();
    this.#exclusive.set(uuid, held.promise);
    try {
      // In all threads: a file with an open reader is not one clean file.
      await this.#readers.closeDocument(uuid);
      const place = this.#placements.get(uuid);
      if (place) {
        await place.worker.call({ kind: "closeDocument", uuid });
        this.#placements.remove(uuid);
      }
      return work();
    } finally {
      this.#exclusive.delete(uuid);
      held.resolve(undefined);
      this.#dispatchAll();
    }
  };

  readonly beginBase = (uuid: string): Promise<HeldFile> =>
    waitForHeldFile(async () => {
      if (this.#isClosed) throw shuttingDown();
      return (await this.#callQueued(uuid, { kind: "beginBase", uuid })) as HeldFile | null;
    });

  readonly endBase = async (uuid: string): Promise<boolean> => {
    const place = this.#placements.get(uuid);
    if (!place?.isHeld) return false;
    place.isHeld = false;
    return (await place.worker.call({ kind: "endBase", uuid }).catch(() => false)) as boolean;
  };
  readonly warmUp: DocumentRuntime["warmUp"] = (...args) => this.#placements.warmUp(...args);
  readonly isStreaming = (uuid: string): boolean => (this.#placements.get(uuid)?.cursors.size ?? 0) > 0;
  readonly isOpen = (uuid: string): boolean => this.#placements.get(uuid) !== undefined;
  readonly measure = async (): Promise<RuntimeLoad> => {
    const collecting = [...this.#placements.workers, ...this.#readers.threads].map(collectMeasurements);
    // A busy worker answers later and is counted next time.
    await Promise.race([Promise.allSettled(collecting), Bun.sleep(MEASURE_TIMEOUT_MS)]);
    const { folder } = this.#options.runtimeOptions;
    const logBytes = this.#placements.uuids().reduce((sum, uuid) => sum + logFileSize(documentFile(folder, uuid)), 0);
    return {
      open: this.#placements.size,
      threads: this.#placements.workers.size,
      readers: this.#readers.size,
      logBytes,
    };
  };

  /** Number of running workers. */
  get workerCount(): number {
    return this.#placements.workers.size;
  }

  readonly close = async (): Promise<void> => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#inFlight > 0) {
      this.#drained = Promise.withResolvers<undefined>();
      await this.#drained.promise;
    }
    this.#stopSweeping();
    // First: a worker leaves its documents as single files only if nothing else has them open.
    await this.#readers.close();
    const closing = [...this.#placements.workers].map(async (thread) => {
      await thread
        .call({ kind: "closeAll" })
        .catch((error: unknown) => this.#options.log.warn("thread.crashed", { error: String(error) }));
      await thread.terminate();
    });
    await Promise.all(closing);
    this.#placements.clear();
  };

  /** Sends a request once the document's worker is free for it, or a read to a reader: posted requests cannot move. */
  async #callQueued(uuid: string, request: WorkerRequest): Promise<unknown> {
    for (let wait = this.#waitFor(uuid); wait; wait = this.#waitFor(uuid)) await wait;
    const isBrief = request.kind === "call" && isBriefUse(request.verb);
    this.#placements.markUse(uuid, isBrief);
    const read = isRead(request) ? this.#reads.route(uuid, request) : null;
    if (read) return read;
    if (!this.#requestQueue.has(uuid)) {
      const place = this.#placements.use(uuid, isBrief);
      // In the same turn of the event loop: it may no longer hold later.
      if (place.worker.pendingForOthers(uuid) === 0) return this.#callWorker(uuid, place, request);
      // By then the worker counts as stuck if it is still busy with the same call.
      systemTimers.after(STUCK_AFTER_MS, () => this.#dispatchQueued());
    }
    return this.#requestQueue.add(uuid, request);
  }

  /** Returns what has to end before a request for a document may be sent; null for nothing. */
  #waitFor(uuid: string): Promise<unknown> | null {
    return this.#exclusive.get(uuid) ?? this.#options.ownership?.own(uuid) ?? null;
  }

  /**
   * Sends queued requests in order of arrival, to workers that are idle or have started another call. Each worker gets
   * one document per round: the documents queued behind it may still move to another worker.
   */
  #dispatchQueued(): void {
    if (this.#requestQueue.size === 0) return;
    const servedWorkers = new Set<DocumentWorker>();
    for (const { uuid, waitedMs } of this.#requestQueue.documents()) {
      // The document was closed since the requests arrived, or another server owns it.
      if (this.#waitFor(uuid)) {
        for (const { request, resolve, reject } of this.#requestQueue.take(uuid)) {
          this.#callQueued(uuid, request).then(resolve, reject);
        }
        continue;
      }
      try {
        const place = this.#placements.get(uuid) ?? this.#placements.use(uuid);
        if (place.worker.pendingForOthers(uuid) > 0) this.#placements.moveIfBlocked(uuid, place);
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
    if (!isRead(request)) this.#longChanges.start();
    let result: unknown;
    try {
      result = await worker.call(request);
      if (request.kind === "beginBase" && result !== null) place.isHeld = true;
    } finally {
      place.pending--;
      this.#placements.removeIfClosed(uuid, place);
    }
    return result === LARGE_RESPONSE ? this.#reads.routeLarge(uuid, place, request) : result;
  }

  #startWorker(): DocumentWorker {
    const thread: DocumentWorker = new DocumentWorker({
      data: this.#workerInit("write"),
      gate: this.#gate,
      onNotification: (notice) => this.#onNotification(thread, notice),
      onAnswer: () => this.#dispatchAll(),
      onCrash: (error) => {
        incrementCounter("threadsLost");
        this.#options.log.error("thread.crashed", { documents: thread.documents.size, error: String(error) });
        this.#placements.removeWorker(thread);
        this.#dispatchAll();
      },
    });
    return thread;
  }

  #workerInit(access: WorkerInit["access"]): WorkerInit {
    const { runtimeOptions, log } = this.#options;
    const idleMs = access === "read" ? Math.min(runtimeOptions.idleMs, READER_IDLE_MS) : runtimeOptions.idleMs;
    return {
      ...runtimeOptions,
      access,
      idleMs,
      handsOffLargeReads: access === "write",
      showsDebug: log.isEnabled("debug"),
    };
  }

  #onNotification(thread: DocumentWorker, notice: WorkerNotification): void {
    switch (notice.kind) {
      case "committed":
        return this.#options.onCommitted?.(notice.uuid, notice.commit);
      case "opened":
      case "closed": {
        if (notice.kind === "closed") this.#options.onClosed?.(notice.uuid, notice.file);
        const place = this.#placements.get(notice.uuid);
        if (place?.worker !== thread) return;
        place.isOpen = notice.kind === "opened";
        if (place.isOpen) return this.#reads.dispatchHeld();
        // The file may have changed: after an unexpected error the worker opens it once more.
        void this.#readers.closeDocument(notice.uuid);
        return this.#placements.removeIfClosed(notice.uuid, place);
      }
      case "closeDue": {
        const place = this.#placements.get(notice.uuid);
        if (place?.worker === thread && isUnused(place)) this.#closeUnusedDocument(notice.uuid, place);
        return;
      }
      case "logLarge":
        return this.#checkpoint(thread, notice.uuid);
      case "maintenanceDue":
        return this.#options.onMaintenanceDue?.(notice.uuid);
      case "log":
        return this.#options.log[notice.level](notice.event, notice.fields);
      case "events":
      case "recalculated":
      case "rulesChanged":
        return this.#gate.pass(notice.uuid, notice.seen, () => passOn(notice, this.#options));
    }
  }

  #sweep(): void {
    const { hangMs, maxMemoryBytes } = this.#options;
    this.#placements.sweep(hangMs);
    this.#readers.sweep((reader) => this.#placements.hasCursors(reader));
    this.#reads.sweep();
    // Documents may have become movable again; those of a terminated worker too.
    this.#dispatchQueued();
    if (maxMemoryBytes > 0 && residentBytes() > maxMemoryBytes) this.#freeMemory();
  }

  /** Closes half of the unused documents, least recently used first. */
  #freeMemory(): void {
    this.#options.log.warn("memory.limit_exceeded", { residentBytes: residentBytes(), open: this.#placements.size });
    const unused = [...this.#placements].filter(([, place]) => isUnused(place));
    for (const [uuid, place] of unused.slice(0, Math.ceil(this.#placements.size / 2)))
      this.#closeUnusedDocument(uuid, place);
    for (const thread of this.#placements.workers)
      if (thread.pending === 0) void thread.call({ kind: "shrink" }).catch(() => {});
  }

  /** Closes a document, first in readers, so that it becomes a single file; not if it is used again meanwhile. */
  #closeUnusedDocument(uuid: string, place: Placement): void {
    if (place.isClosing) return;
    place.isClosing = true;
    const close = async (): Promise<void> => {
      await this.#readers.closeDocument(uuid);
      if (isUnused(place)) await place.worker.call({ kind: "closeDocument", uuid });
    };
    void close()
      .catch(() => {})
      .finally(() => (place.isClosing = false));
  }

  /** Empties the log of a document that its worker cannot empty beside reads, which wait until that is done. */
  #checkpoint(thread: DocumentWorker, uuid: string): void {
    const place = this.#placements.get(uuid);
    // Reads must not wait for a change.
    if (place?.worker !== thread || place.isCheckpointing || thread.isChanging) return;
    place.isCheckpointing = true;
    void thread
      .call({ kind: "checkpoint", uuid })
      .catch(() => {})
      .finally(() => {
        place.isCheckpointing = false;
        this.#reads.dispatchHeld();
      });
  }

  #dispatchAll(): void {
    this.#reads.dispatchHeld();
    this.#dispatchQueued();
  }
}
