import { availableParallelism } from "node:os";
import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { Log } from "../../lib/observability/log.ts";
import { runEvery } from "../../lib/time/timers.ts";
import { AnswerGate } from "../answer-gate.ts";
import type { RuntimeOptions } from "../document-runtime.ts";
import { shuttingDown } from "../shutting-down.ts";
import { documentClosed, type DocumentWorker } from "../threads/document-worker.ts";
import { ReaderPool } from "../threads/reader-pool.ts";
import type { WorkerInit } from "../threads/worker-messages.ts";
import type { Rendered } from "../verbs/render.ts";
import type { VerbName } from "../verbs/verbs.ts";

export interface PastReadersOptions {
  readonly runtimeOptions: RuntimeOptions;
  readonly log: Log;
  /** A reader that runs one call for longer is terminated. */
  readonly hangMs: number;
}

const MAX_READERS = 2;
const MAX_OPEN = 8;
const IDLE_MS = 5000;
const SWEEP_INTERVAL_MS = 1000;

/** Threads that read files with past states, apart from those of the documents. They start when needed. */
export class PastReaders {
  readonly #pool: ReaderPool;
  /** The file and the thread of each large response in progress. */
  readonly #cursors = new Map<string, { readonly file: string; readonly reader: DocumentWorker }>();
  readonly #stopSweeping: () => void;
  #waiting: (() => void)[] = [];
  #isClosed = false;

  constructor({ runtimeOptions, log, hangMs }: PastReadersOptions) {
    const data: WorkerInit = {
      ...runtimeOptions,
      isPast: true,
      access: "read",
      maxOpen: MAX_OPEN,
      idleMs: IDLE_MS,
      showsDebug: log.isEnabled("debug"),
    };
    this.#pool = new ReaderPool({
      data,
      gate: new AnswerGate(),
      log,
      maxReaders: Math.min(MAX_READERS, availableParallelism()),
      hangMs,
      onFree: () => this.#wakeUp(),
      onEnded: (reader) => {
        for (const [cursor, place] of this.#cursors) if (place.reader === reader) this.#cursors.delete(cursor);
      },
    });
    this.#stopSweeping = runEvery(SWEEP_INTERVAL_MS, () =>
      this.#pool.sweep((reader) => [...this.#cursors.values()].some((place) => place.reader === reader)),
    );
  }

  /** Runs a verb on a file with a past state, named by the UUID of the grant. */
  async call(grant: DocumentGrant, verb: VerbName, args: unknown): Promise<unknown> {
    const reader = await this.#findReader();
    const result = await reader.call({ kind: "call", grant, verb, args });
    const { kind, cursor } = (result ?? {}) as Partial<Extract<Rendered, { kind: "cursor" }>>;
    if (kind === "cursor" && cursor !== undefined) this.#cursors.set(cursor, { file: grant.uuid, reader });
    return result;
  }

  /** True for the cursor of a large response from a past state. */
  has(cursor: string): boolean {
    return this.#cursors.has(cursor);
  }

  /** As `Documents.next`. */
  async next(cursor: string): Promise<Uint8Array | null> {
    const place = this.#cursors.get(cursor);
    if (!place) throw documentClosed();
    let bytes: Uint8Array | null = null;
    try {
      bytes = (await place.reader.call({ kind: "next", uuid: place.file, cursor })) as Uint8Array | null;
      return bytes;
    } finally {
      if (bytes === null) this.#cursors.delete(cursor);
    }
  }

  /** As `Documents.release`. */
  async release(cursor: string): Promise<void> {
    const place = this.#cursors.get(cursor);
    this.#cursors.delete(cursor);
    await place?.reader.call({ kind: "release", uuid: place.file, cursor });
  }

  /** Closes a file that was deleted, except for large responses in progress. */
  closeFile(file: string): Promise<void> {
    return this.#pool.closeDocument(file, { keepsCursors: true });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopSweeping();
    this.#wakeUp();
    await this.#pool.close();
  }

  async #findReader(): Promise<DocumentWorker> {
    for (;;) {
      if (this.#isClosed) throw shuttingDown();
      const reader = this.#pool.leastBusy();
      if (reader && reader.pending === 0) return reader;
      const { canGrow } = this.#pool;
      if (canGrow) this.#pool.grow();
      if (reader) return reader;
      if (!canGrow)
        throw new AppError("document.unavailable", "Past states cannot be read at the moment", { retryAfterS: 5 });
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #wakeUp(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
