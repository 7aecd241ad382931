import type { DocumentGrant } from "../access.ts";
import { AppError } from "../errors.ts";
import type { Log } from "../lib/log.ts";
import { addMeasurements, count, type Measurements } from "../lib/measurements.ts";
import { residentBytes } from "../lib/memory.ts";
import { every, systemTimers } from "../lib/timers.ts";
import type { DocumentNotices, Host, HostLoad, KeepingOptions } from "./host.ts";
import { HostThread, type Notice } from "./host-thread.ts";
import type { Request } from "./thread-messages.ts";
import type { Rendered } from "./rendered.ts";
import type { VerbArgs, VerbName, VerbResult } from "./verbs.ts";
import { WaitingRequests } from "./waiting-requests.ts";

export interface ThreadHostOptions extends DocumentNotices {
  readonly keeping: KeepingOptions;
  readonly log: Log;
  /** How many threads there are at most; each starts when it is needed. */
  readonly threads: number;
  /** A thread that does the same thing for longer is ended. */
  readonly hangMs: number;
  /** Beyond so much memory of the process documents that nobody uses just now are closed; 0 = no limit. */
  readonly maxMemoryBytes: number;
}

/** A document that is open, or about to be. */
interface Place {
  thread: HostThread;
  /** Whether it is open there, as far as that thread has told. */
  isOpen: boolean;
  /** What was asked of it where it is and is not answered; reading on in large answers does not count. */
  pending: number;
  /** Large answers in progress, each in the thread where it was begun, wherever the document is by now. */
  readonly cursors: Map<string, HostThread>;
  /** How often it found its thread at work for another document since one looked last. */
  met: number;
  /** Monotonic, in milliseconds. */
  movedAt: number;
}

const SWEEP_EVERY_MS = 1000;
/** How long threads are waited for that are asked what they measured. */
const MEASURE_MS = 100;
/** After how long without documents a thread ends. */
const IDLE_MS = 5000;
/** A document whose thread is taken up by another one for so long is opened in another thread. */
const STUCK_MS = 10;
/** A document that meets others in its thread so often within a second moves to where there are none. */
const MEETINGS = 20;
/** How often a document may move. */
const MOVE_EVERY_MS = 1000;

/**
 * Documents in several threads, each open document in one of them, so that a long change to one does not keep the
 * others waiting.
 */
export class ThreadHost implements Host {
  readonly #options: ThreadHostOptions;
  readonly #threads = new Set<HostThread>();
  /** In the order of their last use. */
  readonly #places = new Map<string, Place>();
  readonly #waiting = new WaitingRequests();
  /** Documents that are kept closed just now. */
  readonly #held = new Map<string, Promise<unknown>>();
  readonly #stopSweeping: () => void;
  /** Calls that are not answered. */
  #underWay = 0;
  #whenDone: PromiseWithResolvers<undefined> | null = null;
  #isClosed = false;

  constructor(options: ThreadHostOptions) {
    this.#options = options;
    this.#stopSweeping = every(SWEEP_EVERY_MS, () => this.#sweep());
  }

  readonly call = async <V extends VerbName>(
    grant: DocumentGrant,
    verb: V,
    args: VerbArgs<V>,
  ): Promise<VerbResult<V>> => {
    if (this.#isClosed) throw new AppError("server.shutting_down", "The server is shutting down", { retryAfterS: 5 });
    this.#underWay++;
    try {
      return (await this.#askInTurn(grant.uuid, { kind: "call", grant, verb, args })) as VerbResult<V>;
    } finally {
      if (--this.#underWay === 0) this.#whenDone?.resolve(undefined);
    }
  };

  readonly next = async (uuid: string, cursor: string): Promise<Uint8Array | null> => {
    const place = this.#places.get(uuid);
    const thread = place?.cursors.get(cursor);
    if (!place || !thread) throw closedMeanwhile();
    let bytes: Uint8Array | null = null;
    try {
      bytes = (await thread.ask({ kind: "next", uuid, cursor })) as Uint8Array | null;
      return bytes;
    } finally {
      if (bytes === null) {
        place.cursors.delete(cursor);
        this.#forgetClosed(uuid, place);
      }
    }
  };

  readonly release = async (uuid: string, cursor: string): Promise<void> => {
    const place = this.#places.get(uuid);
    const thread = place?.cursors.get(cursor);
    if (!place || !thread) return;
    place.cursors.delete(cursor);
    this.#forgetClosed(uuid, place);
    await thread.ask({ kind: "release", uuid, cursor });
  };

  readonly makeFile = async (path: string): Promise<void> => {
    await this.#leastBusy().ask({ kind: "makeFile", path });
  };

  readonly whileClosed = async <T>(uuid: string, work: () => T): Promise<T> => {
    while (this.#held.has(uuid)) await this.#held.get(uuid);
    const held = Promise.withResolvers<undefined>();
    this.#held.set(uuid, held.promise);
    try {
      const place = this.#places.get(uuid);
      if (place) {
        // Everywhere: a file that somebody still reads is not one clean file.
        const threads = [...new Set([...place.cursors.values(), place.thread])];
        await Promise.all(threads.map((thread) => thread.ask({ kind: "closeDocument", uuid })));
        this.#forget(uuid);
      }
      return work();
    } finally {
      this.#held.delete(uuid);
      held.resolve(undefined);
      this.#serveWaiting();
    }
  };

  readonly measure = async (): Promise<HostLoad> => {
    const taking = [...this.#threads].map(takeFrom);
    // A thread that is at work tells later, and is counted the next time.
    await Promise.race([Promise.allSettled(taking), Bun.sleep(MEASURE_MS)]);
    return { open: this.#places.size, threads: this.#threads.size };
  };

  /** How many threads there are just now. */
  get threadCount(): number {
    return this.#threads.size;
  }

  readonly close = async (): Promise<void> => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#underWay > 0) {
      this.#whenDone = Promise.withResolvers<undefined>();
      await this.#whenDone.promise;
    }
    this.#stopSweeping();
    const closing = [...this.#threads].map(async (thread) => {
      await thread
        .ask({ kind: "closeAll" })
        .catch((error: unknown) => this.#options.log.warn("thread-lost", { error: String(error) }));
      await thread.end();
    });
    await Promise.all(closing);
    this.#places.clear();
    this.#threads.clear();
  };

  /**
   * Asks a document's thread as soon as that is not at work for another one, or the document has found a better place:
   * what was once sent to a thread waits there for whatever it is doing.
   */
  async #askInTurn(uuid: string, request: Request): Promise<unknown> {
    while (this.#held.has(uuid)) await this.#held.get(uuid);
    if (!this.#waiting.has(uuid)) {
      const place = this.#placeFor(uuid);
      // In the same turn: a moment later this may no longer be so.
      if (place.thread.pendingBesides(uuid) === 0) return this.#ask(uuid, place, request);
      // By then its thread counts as stuck, if it still does the same.
      systemTimers.after(STUCK_MS, () => this.#serveWaiting());
    }
    return this.#waiting.add(uuid, request);
  }

  /**
   * Sends the requests of documents that wait, first come, first served, where a thread has nothing to do for others, or
   * goes on with something new. A thread is given one document at a time: those behind it may find a better place yet.
   */
  #serveWaiting(): void {
    if (this.#waiting.size === 0) return;
    const served = new Set<HostThread>();
    for (const { uuid, waitedMs } of this.#waiting.documents()) {
      if (this.#held.has(uuid)) continue;
      try {
        const place = this.#places.get(uuid) ?? this.#placeFor(uuid);
        if (place.thread.pendingBesides(uuid) > 0) this.#findBetterPlace(uuid, place);
        const { thread } = place;
        const isNext = thread.pendingBesides(uuid) === 0 || (waitedMs >= STUCK_MS && thread.busyMs < STUCK_MS);
        if (!isNext || served.has(thread)) continue;
        served.add(thread);
        for (const { request, resolve, reject } of this.#waiting.take(uuid)) {
          this.#ask(uuid, place, request).then(resolve, reject);
        }
      } catch (error) {
        // No thread can be started for it.
        for (const { reject } of this.#waiting.take(uuid)) reject(error);
      }
    }
  }

  async #ask(uuid: string, place: Place, request: Request): Promise<unknown> {
    const { thread } = place;
    place.pending++;
    try {
      const result = await thread.ask(request);
      const { kind, cursor } = (result ?? {}) as Partial<Extract<Rendered, { kind: "cursor" }>>;
      if (kind === "cursor" && cursor !== undefined) place.cursors.set(cursor, thread);
      return result;
    } finally {
      place.pending--;
      this.#forgetClosed(uuid, place);
    }
  }

  /** Where a document is, or will be from now on. */
  #placeFor(uuid: string): Place {
    const place = this.#places.get(uuid);
    if (!place) {
      const thread = this.#leastBusy();
      const fresh: Place = { thread, isOpen: false, pending: 0, cursors: new Map(), met: 0, movedAt: 0 };
      thread.documents.add(uuid);
      this.#places.set(uuid, fresh);
      this.#closeUnused(this.#places.size - this.#options.keeping.maxOpen);
      return fresh;
    }
    // Used last now.
    this.#places.delete(uuid);
    this.#places.set(uuid, place);
    if (place.thread.pendingBesides(uuid) > 0) this.#meet(uuid, place);
    return place;
  }

  /** A document's thread is at work for another one: it looks for a better place when that happens often, or for long. */
  #meet(uuid: string, place: Place): void {
    place.met++;
    this.#findBetterPlace(uuid, place);
  }

  #findBetterPlace(uuid: string, place: Place): void {
    const isStuck = place.thread.busyMs > STUCK_MS;
    if (!isStuck && place.met < MEETINGS) return;
    // What is in progress there ends there. Large answers go on there too, so that a client that takes one slowly, or
    // not at all, does not keep the document where it has to wait.
    if (place.pending > 0 || performance.now() - place.movedAt < MOVE_EVERY_MS) return;
    const thread = this.#leastBusy();
    if (thread !== place.thread && thread.pending === 0) this.#move(uuid, place, thread);
  }

  /** The document is opened elsewhere at once, and let go of where it was as soon as that thread has time. */
  #move(uuid: string, place: Place, thread: HostThread): void {
    void place.thread.ask({ kind: "handOver", uuid }).catch(() => {});
    place.thread.documents.delete(uuid);
    place.thread = thread;
    place.isOpen = false;
    place.movedAt = performance.now();
    thread.documents.add(uuid);
  }

  /** A thread that has nothing to do, a new one, or the one that has least to do. */
  #leastBusy(): HostThread {
    let best: HostThread | undefined;
    for (const thread of this.#threads) if (!best || load(thread) < load(best)) best = thread;
    if (best && (best.pending === 0 || this.#threads.size >= this.#options.threads)) return best;
    return this.#start();
  }

  #start(): HostThread {
    const thread = new HostThread({
      data: { ...this.#options.keeping, showsDebug: this.#options.log.shows("debug") },
      onNotice: (notice) => this.#hear(thread, notice),
      onAnswer: () => this.#serveWaiting(),
      onLost: (error) => {
        count("threadsLost");
        this.#options.log.error("thread-lost", { documents: thread.documents.size, error: String(error) });
        this.#drop(thread);
        this.#serveWaiting();
      },
    });
    this.#threads.add(thread);
    return thread;
  }

  #hear(thread: HostThread, notice: Notice): void {
    switch (notice.kind) {
      case "opened":
      case "closed": {
        const place = this.#places.get(notice.uuid);
        if (place?.thread !== thread) return;
        place.isOpen = notice.kind === "opened";
        if (!place.isOpen) endCursors(place, thread);
        return this.#forgetClosed(notice.uuid, place);
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
  #forgetClosed(uuid: string, place: Place): void {
    if (!place.isOpen && place.pending === 0 && place.cursors.size === 0 && this.#places.get(uuid) === place)
      this.#forget(uuid);
  }

  #forget(uuid: string): void {
    this.#places.get(uuid)?.thread.documents.delete(uuid);
    this.#places.delete(uuid);
  }

  /** Its documents are opened elsewhere when they are asked for. */
  #drop(thread: HostThread): void {
    this.#threads.delete(thread);
    for (const [uuid, place] of this.#places) {
      endCursors(place, thread);
      if (place.thread === thread) this.#places.delete(uuid);
    }
  }

  #sweep(): void {
    const { hangMs, log, maxMemoryBytes } = this.#options;
    for (const place of this.#places.values()) place.met = 0;
    for (const thread of this.#threads) {
      if (thread.busyMs > hangMs) {
        count("threadsLost");
        log.error("thread-hangs", { documents: [...thread.documents] });
        this.#drop(thread);
        void thread.end();
      } else if (
        thread.pending === 0 &&
        thread.documents.size === 0 &&
        !this.#isRead(thread) &&
        performance.now() - thread.idleSince > IDLE_MS
      ) {
        this.#drop(thread);
        // What it measured since somebody asked would be lost.
        void Promise.allSettled([takeFrom(thread)]).then(() => thread.end());
      }
    }
    // A document that moved a moment ago may move again by now; so may those of a thread that was ended.
    this.#serveWaiting();
    if (maxMemoryBytes > 0 && residentBytes() > maxMemoryBytes) this.#saveMemory();
  }

  /** Whether large answers are read in it. */
  #isRead(thread: HostThread): boolean {
    for (const { cursors } of this.#places.values()) if ([...cursors.values()].includes(thread)) return true;
    return false;
  }

  /** Closes half of the documents that nobody uses just now, those first that were not used for longest. */
  #saveMemory(): void {
    const most = Math.ceil(this.#places.size / 2);
    this.#options.log.warn("memory-scarce", { residentBytes: residentBytes(), open: this.#places.size });
    this.#closeUnused(most);
    for (const thread of this.#threads) if (thread.pending === 0) void thread.ask({ kind: "shrink" }).catch(() => {});
  }

  #closeUnused(count: number): void {
    let left = count;
    for (const [uuid, place] of this.#places) {
      if (left <= 0) return;
      if (place.pending > 0 || place.cursors.size > 0) continue;
      left--;
      void place.thread.ask({ kind: "closeDocument", uuid }).catch(() => {});
    }
  }
}

/** Forgets the large answers of a document that a thread has ended. */
function endCursors({ cursors }: Place, thread: HostThread): void {
  for (const [cursor, at] of cursors) if (at === thread) cursors.delete(cursor);
}

/** Has a thread hand over what it measured. */
async function takeFrom(thread: HostThread): Promise<void> {
  addMeasurements((await thread.ask({ kind: "measure" })) as Measurements);
}

/** What a document that comes to a thread has to share it with; what is under way weighs more than what is open. */
const load = ({ pending, documents }: HostThread): number => pending * 1000 + documents.size;

const closedMeanwhile = (): AppError =>
  new AppError("document.unavailable", "The document was closed meanwhile", { retryAfterS: 1 });
