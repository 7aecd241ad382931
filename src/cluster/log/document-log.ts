import type { AppError } from "../../errors.ts";
import { guarded } from "../../lib/callbacks.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { Base, DocumentEffect, DocumentEvent, RefusalReason } from "../protocol/document-events.ts";
import type { Acknowledged, ContentCount, LogHead, LogPosition } from "../protocol/log-types.ts";
import { OwnedDocument, type OwnedDocumentOptions } from "../protocol/owned-document.ts";
import { chainedChecksum } from "./checksum-chain.ts";
import { DocumentMetrics } from "./document-metrics.ts";
import { logStopped } from "./refusals.ts";

/** A group commit, as the thread that has the document open reports it. */
export interface LoggedCommit {
  /** From the document's change counter. */
  readonly count: ContentCount;
  /** The encoded pages; null when only a base can hold the change. */
  readonly bytes: Uint8Array | null;
}

/** A commit that waits to be in the log. */
export interface PendingRow {
  readonly seq: number;
  readonly contentEpoch: string;
  readonly bytes: Uint8Array;
  /** Chained, hexadecimal. */
  readonly checksum: string;
}

/** The statements of one document's log. Each of them may fail with an unknown outcome, which is any rejection. */
export interface DocumentStatements {
  /** Appends consecutive rows. Resolves only when they are in the log. */
  append(rows: readonly PendingRow[]): Promise<void>;
  /** Returns the row of `doc_owner` with the entry at `acknowledged`; null when there is none. */
  readHead(acknowledged: LogPosition): Promise<LogHead | null>;
  /** Makes a base the current one. Resolves only when it is. */
  pointBase(base: Base, advanceFrom: number | null): Promise<void>;
  /** Deletes what `base` and the retention make superfluous. */
  prune(base: Base): Promise<void>;
}

export interface DocumentLogOptions extends OwnedDocumentOptions {
  readonly statements: DocumentStatements;
  readonly timers: Timers;
  /**
   * Writes a base of the current file. `checksumAt` returns the chained checksum at a seq that the file has had since the
   * call; null for any other.
   */
  readonly writeBase: (minSeq: number, checksumAt: (seq: number) => string | null) => Promise<Base>;
  /** Called with each new acknowledged position, before answers are released. */
  readonly onAcknowledged: (acknowledged: Acknowledged) => void;
  /** Called when writes are refused, with the reason, and when they are accepted again, with null. */
  readonly onRefusal: (reason: RefusalReason | null) => void;
  /** Called once, when the machine has stopped. */
  readonly onStopped: (effect: StoppingEffect) => void;
  readonly onError: (step: string, error: unknown) => void;
}

/** The last effect of a document. */
export type StoppingEffect = Extract<DocumentEffect, { kind: "fenced" | "diverged" | "closed" }>;

interface Waiter {
  readonly seq: number;
  resolve(): void;
  reject(error: AppError): void;
}

const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 250;

/**
 * The log of one document that this node owns: computes the chain of checksums, keeps the rows that are not acknowledged,
 * and carries out what the protocol decides.
 */
export class DocumentLog {
  readonly #machine: OwnedDocument;
  readonly #options: DocumentLogOptions;
  /** Rows that are not acknowledged, by seq. */
  readonly #rows = new Map<number, PendingRow>();
  /** Checksums since the oldest base in progress began. */
  readonly #checksums = new Map<number, string>();
  #basesInProgress = 0;
  readonly #waiters: Waiter[] = [];
  #stopped: StoppingEffect | null = null;
  readonly #metrics = new DocumentMetrics();

  constructor(options: DocumentLogOptions) {
    this.#options = options;
    this.#machine = new OwnedDocument(options);
  }

  get acknowledged(): Acknowledged {
    return this.#machine.acknowledged;
  }

  /** Seq of the last commit. */
  get lastSeq(): number {
    return this.#machine.last.seq;
  }

  /** Why writes are refused; null while they are accepted. */
  get refusal(): RefusalReason | null {
    return this.#machine.refusal;
  }

  /** As `OwnedDocument.mayRead`. */
  get mayRead(): boolean {
    return this.#machine.mayRead;
  }

  /** Passes a commit on to the log. Commits come in order. @throws RangeError for one that does not follow the last */
  committed({ count, bytes }: LoggedCommit): void {
    if (this.#stopped) return;
    const { seq, epoch: contentEpoch } = count;
    const { epoch } = this.#machine.acknowledged;
    const checksum = chainedChecksum(this.#machine.last.checksum, { epoch, seq, contentEpoch, bytes });
    if (bytes) this.#rows.set(seq, { seq, contentEpoch, bytes, checksum });
    if (this.#basesInProgress > 0) this.#checksums.set(seq, checksum);
    this.handle({ kind: "committed", commit: { seq, checksum, bytes: bytes?.length ?? null } });
  }

  /** Resolves when a commit is in the log. @throws AppError when the document stops before */
  whenAcknowledged(seq: number): Promise<void> {
    if (seq <= this.#machine.acknowledged.seq) return Promise.resolve();
    if (this.#stopped) return Promise.reject(logStopped());
    return new Promise((resolve, reject) => this.#waiters.push({ seq, resolve, reject }));
  }

  /** Passes an event of the node or the connection on. */
  handle(event: DocumentEvent): void {
    for (const effect of this.#machine.handle(event)) this.#carryOut(effect);
    if (!this.#stopped) this.#metrics.setPending(this.lastSeq - this.acknowledged.seq);
  }

  #carryOut(effect: DocumentEffect): void {
    const { statements } = this.#options;
    switch (effect.kind) {
      case "append": {
        const { attempt, after, last } = effect;
        const rows = Array.from({ length: last - after }, (_, index) => this.#rows.get(after + 1 + index)).filter(
          (row) => row !== undefined,
        );
        return this.#attempt(
          "append",
          this.#append(rows),
          () => ({ kind: "appended", attempt }),
          () => ({ kind: "appendUnknown", attempt }),
        );
      }
      case "readHead": {
        const { attempt, acknowledged } = effect;
        return this.#attempt(
          "readHead",
          statements.readHead(acknowledged),
          (head) => ({ kind: "headRead", attempt, head }),
          () => ({ kind: "headUnreadable", attempt }),
        );
      }
      case "retryLater": {
        const delayMs = Math.min(FIRST_RETRY_MS * 2 ** (effect.failures - 1), MAX_RETRY_MS);
        const retry = guarded(() => this.handle({ kind: "retryDue", attempt: effect.attempt }));
        this.#options.timers.after(delayMs, retry);
        return;
      }
      case "release":
        return this.#release(effect.acknowledged);
      case "acceptWrites":
        return this.#options.onRefusal(null);
      case "refuseWrites":
        return this.#options.onRefusal(effect.reason);
      case "writeBase":
        return this.#writeBase(effect.attempt, effect.minSeq);
      case "pointBase": {
        const { attempt, base, advanceFrom } = effect;
        return this.#attempt(
          "pointBase",
          statements.pointBase(base, advanceFrom),
          () => ({ kind: "basePointed", attempt }),
          () => ({ kind: "basePointUnknown", attempt }),
        );
      }
      case "pruneLog":
        // What is not pruned now is pruned after the next base.
        void statements.prune(effect.base).catch((error: unknown) => this.#options.onError("prune", error));
        return;
      case "fenced":
      case "diverged":
      case "closed":
        return this.#stop(effect);
    }
  }

  async #append(rows: readonly PendingRow[]): Promise<void> {
    const startMs = performance.now();
    await this.#options.statements.append(rows);
    this.#metrics.appended({ startMs, bytes: rows.reduce((sum, { bytes }) => sum + bytes.length, 0) });
  }

  #release(acknowledged: Acknowledged): void {
    for (const seq of this.#rows.keys()) {
      if (seq > acknowledged.seq) break;
      this.#rows.delete(seq);
    }
    this.#options.onAcknowledged(acknowledged);
    for (const waiter of this.#waiters.splice(0)) {
      if (waiter.seq <= acknowledged.seq) waiter.resolve();
      else this.#waiters.push(waiter);
    }
  }

  #writeBase(attempt: number, minSeq: number): void {
    this.#basesInProgress++;
    const { seq, checksum } = this.#machine.last;
    this.#checksums.set(seq, checksum);
    const base = this.#options
      .writeBase(minSeq, (at) => this.#checksums.get(at) ?? null)
      .finally(() => {
        if (--this.#basesInProgress === 0) this.#checksums.clear();
      });
    this.#attempt(
      "writeBase",
      base,
      (written) => ({ kind: "baseWritten", attempt, base: written }),
      () => ({ kind: "baseFailed", attempt }),
    );
  }

  #stop(effect: StoppingEffect): void {
    this.#stopped = effect;
    this.#metrics.stopped({ isReleased: effect.kind === "closed" });
    this.#rows.clear();
    for (const { reject } of this.#waiters.splice(0)) reject(logStopped());
    this.#options.onStopped(effect);
  }

  #attempt<T>(
    step: string,
    work: Promise<T>,
    succeeded: (result: T) => DocumentEvent,
    failed: () => DocumentEvent,
  ): void {
    void work.then(
      guarded((result: T) => this.handle(succeeded(result))),
      guarded((error: unknown) => {
        this.#options.onError(step, error);
        this.handle(failed());
      }),
    );
  }
}
