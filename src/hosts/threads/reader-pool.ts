import type { Log } from "../../lib/observability/log.ts";
import { incrementCounter } from "../../lib/observability/measurements.ts";
import {
  collectMeasurements,
  DocumentWorker,
  type DocumentWorkerOptions,
  type WorkerNotification,
} from "./document-worker.ts";

export interface ReaderPoolOptions extends Pick<DocumentWorkerOptions, "data" | "gate" | "entry"> {
  readonly log: Log;
  /** Maximum number of threads. */
  readonly maxReaders: number;
  /** A reader that runs one call for longer is terminated. */
  readonly hangMs: number;
  /** Called when a reader has started, and after each of its answers. */
  readonly onFree: () => void;
  /** Called after a thread has ended in any way; its cursors are closed. */
  readonly onEnded: (reader: DocumentWorker) => void;
}

/** Idle time after which a reader closes a document, and is terminated without any. */
export const READER_IDLE_MS = 20_000;
/** How long no reader is started after one that did not start. */
const START_RETRY_MS = 5000;

/** Threads that read documents which other threads have open. Each starts when needed, and ends when idle. */
export class ReaderPool {
  readonly #options: ReaderPoolOptions;
  readonly #readers = new Set<DocumentWorker>();
  #starting: DocumentWorker | null = null;
  #failedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: ReaderPoolOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#readers.size;
  }

  get threads(): ReadonlySet<DocumentWorker> {
    return this.#readers;
  }

  /** True when a reader is starting, or could be started. */
  get canGrow(): boolean {
    if (this.#starting) return true;
    const hasJustFailed = performance.now() - this.#failedAt < START_RETRY_MS;
    return !this.#isClosed && !hasJustFailed && this.#readers.size < this.#options.maxReaders;
  }

  /** Returns the started reader with the fewest pending calls; null when there is none. */
  leastBusy(): DocumentWorker | null {
    let best: DocumentWorker | null = null;
    for (const reader of this.#readers) if (reader.isReady && (!best || reader.pending < best.pending)) best = reader;
    return best;
  }

  /** Starts another reader, unless one is starting or no more may be started. */
  grow(): void {
    if (this.#starting || !this.canGrow) return;
    const { data, gate, entry, log, onFree } = this.#options;
    const reader: DocumentWorker = new DocumentWorker({
      data,
      gate,
      ...(entry && { entry }),
      onNotification: (notification) => onNotification(reader, notification, log),
      onAnswer: onFree,
      onCrash: (error) => {
        incrementCounter("threadsLost");
        log.error("thread.crashed", { documents: reader.documents.size, error: String(error) });
        this.#remove(reader);
        onFree();
      },
    });
    this.#readers.add(reader);
    this.#starting = reader;
    // Its answer shows that the thread has started.
    void collectMeasurements(reader)
      .catch(() => (this.#failedAt = performance.now()))
      .finally(() => {
        if (this.#starting === reader) this.#starting = null;
        onFree();
      });
  }

  /** Starts a reader unless there is one, or keeps one from ending soon. */
  keepReady(): void {
    const reader = this.leastBusy();
    if (reader) reader.idleSince = performance.now();
    else this.grow();
  }

  /** Closes a document in all readers; with `keepsCursors` except for large responses in progress. */
  async closeDocument(uuid: string, { keepsCursors = false } = {}): Promise<void> {
    const having = [...this.#readers].filter((reader) => reader.documents.has(uuid) || reader.pendingFor(uuid) > 0);
    const kind = keepsCursors ? "handOver" : "closeDocument";
    // A reader that ends meanwhile has closed it as well.
    await Promise.allSettled(having.map((reader) => reader.call({ kind, uuid })));
  }

  /** Ends readers that hang, and readers that are idle and have no cursors. Call it every second. */
  sweep(hasCursors: (reader: DocumentWorker) => boolean): void {
    const { hangMs, log } = this.#options;
    for (const reader of this.#readers) {
      if (reader.busyMs > hangMs) {
        incrementCounter("threadsLost");
        log.error("thread.hung", { documents: [...reader.documents] });
        this.#remove(reader);
        void reader.terminate();
      } else if (this.#isIdle(reader) && !hasCursors(reader)) {
        this.#remove(reader);
        void this.#end(reader);
      }
    }
  }

  /** Ends all readers after their pending calls. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#readers].map((reader) => this.#end(reader)));
    this.#readers.clear();
  }

  #isIdle(reader: DocumentWorker): boolean {
    return reader.pending === 0 && performance.now() - reader.idleSince > READER_IDLE_MS;
  }

  #remove(reader: DocumentWorker): void {
    this.#readers.delete(reader);
    if (this.#starting === reader) this.#starting = null;
    this.#options.onEnded(reader);
  }

  /** Collects its measurements first, or they would be lost. */
  async #end(reader: DocumentWorker): Promise<void> {
    await Promise.allSettled([collectMeasurements(reader), reader.call({ kind: "closeAll" })]);
    await reader.terminate();
  }
}

function onNotification(reader: DocumentWorker, notification: WorkerNotification, log: Log): void {
  if (notification.kind === "opened") reader.documents.add(notification.uuid);
  else if (notification.kind === "closed") reader.documents.delete(notification.uuid);
  else if (notification.kind === "log") log[notification.level](notification.event, notification.fields);
}
