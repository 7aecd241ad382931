import { AppError } from "../../errors.ts";
import { systemTimers } from "../../lib/time/timers.ts";
import type { Rendered } from "../verbs/render.ts";
import type { DocumentWorker } from "./document-worker.ts";
import type { Placement } from "./placements.ts";
import type { ReaderPool } from "./reader-pool.ts";
import { RequestQueue } from "./request-queue.ts";
import type { WorkerRequest } from "./worker-messages.ts";

export interface ReadRouterOptions {
  readonly pool: ReaderPool;
  readonly processors: number;
  readonly placementOf: (uuid: string) => Placement | undefined;
  /** Routes a request that was held once more. */
  readonly reroute: (uuid: string, request: WorkerRequest) => Promise<unknown>;
  /** Called after each read by a reader. */
  readonly onRead: (uuid: string, place: Placement) => void;
}

/** How long a read waits for a short change to end before a reader is started for it. */
const HOLD_MS = 3;
/** A thread that is busy with one read for this long counts as blocked. */
const SLOW_MS = 25;
/**
 * Reads are shared with readers only on more processors: the main thread and the document's worker keep two busy.
 * Measured on two, with 8 clients that read 100 rows: sharing takes half as much processor time again.
 */
const SHARED_ABOVE_PROCESSORS = 2;
/** From this number of pending calls on a worker shares reads with readers. */
const SHARED_FROM = 2;
/** A reader is started to share reads when so many found a busy worker since the last sweep. */
const SHARED_READS = 200;
/** Number of large reads that are remembered per document. */
const MAX_LARGE_READS = 100;

/**
 * Decides where a document is read: in its worker while that is idle, else on a snapshot in a reader thread. A read
 * never waits for a change of the same document, unless no reader can be started. Each read begins after its request has
 * arrived, and so sees every change that was acknowledged before, wherever it runs.
 */
export class ReadRouter {
  readonly #options: ReadRouterOptions;
  /** Reads that wait for the end of a short change, or for a reader that starts. */
  readonly #held = new RequestQueue();
  readonly #canShare: boolean;
  #isTimerRunning = false;
  #sharedReads = 0;

  constructor(options: ReadRouterOptions) {
    this.#options = options;
    this.#canShare = options.processors > SHARED_ABOVE_PROCESSORS;
  }

  /** Returns the answer of a reader; null when the document's worker should answer. */
  route(uuid: string, request: WorkerRequest): Promise<unknown> | null {
    const place = this.#options.placementOf(uuid);
    if (!place) return null;
    const { worker } = place;
    // Until it is open there may be a journal to roll back, or an older version to upgrade.
    if (!place.isOpen) return place.pending > 0 && worker.isChanging ? this.#hold(uuid, request) : null;
    if (place.isClosing) return null;
    if (place.isCheckpointing) return this.#hold(uuid, request);
    const { pool } = this.#options;
    const reader = pool.leastBusy();
    if (!isBlocked(worker) && !this.#isKnownAsLarge(place, request)) {
      if (worker.pending < SHARED_FROM || !this.#canShare) return null;
      if (++this.#sharedReads >= SHARED_READS) pool.grow();
      return reader && reader.pending < worker.pending ? this.#read(uuid, place, { reader, request }) : null;
    }
    if (reader && (!isBlocked(reader) || !pool.canGrow)) return this.#read(uuid, place, { reader, request });
    if (reader) pool.grow();
    return pool.canGrow ? this.#hold(uuid, request) : null;
  }

  /** Repeats a read in a reader whose response is large. @throws AppError `unavailable` when none can be started */
  async routeLarge(uuid: string, place: Placement, request: WorkerRequest): Promise<unknown> {
    const { largeReads } = place;
    largeReads.add(keyOf(request));
    for (const oldest of largeReads) {
      if (largeReads.size <= MAX_LARGE_READS) break;
      largeReads.delete(oldest);
    }
    const { pool, reroute } = this.#options;
    if (!pool.leastBusy() && !pool.canGrow) throw noReader();
    if (!pool.leastBusy()) pool.grow();
    return reroute(uuid, request);
  }

  /** Routes the reads once more that wait: a thread has become free, or a document was opened. */
  dispatchHeld(): void {
    if (this.#held.size === 0) return;
    for (const uuid of [...this.#held.documents()].map((document) => document.uuid)) {
      for (const { request, resolve, reject } of this.#held.take(uuid)) {
        this.#options.reroute(uuid, request).then(resolve, reject);
      }
    }
  }

  /** Call it every second. */
  sweep(): void {
    this.#sharedReads = 0;
    this.dispatchHeld();
  }

  async #read(
    uuid: string,
    place: Placement,
    { reader, request }: { reader: DocumentWorker; request: WorkerRequest },
  ): Promise<unknown> {
    place.reads++;
    try {
      const result = await reader.call(request);
      rememberCursor(place, reader, result);
      return result;
    } finally {
      place.reads--;
      this.#options.onRead(uuid, place);
    }
  }

  #hold(uuid: string, request: WorkerRequest): Promise<unknown> {
    if (!this.#isTimerRunning) {
      this.#isTimerRunning = true;
      systemTimers.after(HOLD_MS, () => {
        this.#isTimerRunning = false;
        if (this.#held.size > 0 && !this.#options.pool.leastBusy()) this.#options.pool.grow();
        this.dispatchHeld();
      });
    }
    return this.#held.add(uuid, request);
  }

  #isKnownAsLarge({ largeReads }: Placement, request: WorkerRequest): boolean {
    return largeReads.size > 0 && largeReads.has(keyOf(request));
  }
}

/** True while a read should not wait for the thread. */
const isBlocked = (thread: DocumentWorker): boolean => thread.isChanging || thread.busyMs > SLOW_MS;

const noReader = (): AppError =>
  new AppError("document.unavailable", "Large responses cannot be read at the moment", { retryAfterS: 5 });

/** Registers the cursor of a large response at the reader that opened it. */
function rememberCursor({ cursors }: Placement, thread: DocumentWorker, result: unknown): void {
  const { kind, cursor } = (result ?? {}) as Partial<Extract<Rendered, { kind: "cursor" }>>;
  if (kind === "cursor" && cursor !== undefined) cursors.set(cursor, thread);
}

/** Identifies what a request reads. */
function keyOf(request: WorkerRequest): string {
  if (request.kind !== "call") return "";
  const args = JSON.stringify(request.args, (name, value: unknown) => {
    // The state of a live query does not matter for the size of its answer.
    if (name === "condition" || name === "known") return undefined;
    if (typeof value === "bigint") return value.toString();
    return value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value;
  });
  return `${request.verb} ${args}`;
}
