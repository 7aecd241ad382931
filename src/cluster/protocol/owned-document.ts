import type {
  Base,
  DivergenceReason,
  DocumentEffect,
  DocumentEvent,
  LocalCommit,
  RefusalReason,
} from "./document-events.ts";
import {
  type Acknowledged,
  BASE_INTERVAL_BYTES,
  LOG_START,
  type LogHead,
  type LogPosition,
  MAX_APPEND_BYTES,
} from "./log-types.ts";

export interface OwnedDocumentOptions {
  /** Id of this node. */
  readonly node: string;
  /** Ownership epoch, from the acquisition. */
  readonly epoch: number;
  /** Head of the log, read after the acquisition; the local file has exactly this content. */
  readonly head: LogPosition;
  /** Bytes of log since the current base. */
  readonly bytesSinceBase: number;
  readonly isLeaseValid: boolean;
}

/**
 * What the connection for appends is doing. Appends, statements that advance the head, and reads of the head after an
 * unknown outcome exclude each other.
 */
type Activity = "idle" | "appending" | "advancing" | "readingHead" | "waiting" | "stopped";

interface BaseInProgress {
  attempt: number;
  state: "writing" | "written" | "pointing";
  base: Base | null;
}

/**
 * One document that this node owns under one epoch: orders appends and bases, decides which answers may leave and whether
 * writes are accepted. At most one append is in flight. An append without a positive answer is unknown, never failed:
 * the head of the log is read until it shows what happened, and nothing is accepted or released before.
 */
export class OwnedDocument {
  readonly #node: string;
  readonly #epoch: number;
  #acknowledged: LogPosition;
  /** Committed to the file, not known to be in the log; in order, without gaps except before commits without rows. */
  #pending: LocalCommit[] = [];
  #activity: Activity = "idle";
  /** Number of the last attempt of anything, and of the one that `#activity` waits for. */
  #attempts = 0;
  #attempt = 0;
  #lastInFlight = 0;
  #failures = 0;
  #isResolved = true;
  /** True after a failover until the head of the log was read: it may have lost commits, and even the acquisition. */
  #isFailoverUnchecked = false;
  #isLeaseValid: boolean;
  #isClosing = false;
  #base: BaseInProgress | null = null;
  #bytesSinceBase: number;
  /** The last refusal that was reported; null while writes are accepted. */
  #refusal: RefusalReason | null;
  #effects: DocumentEffect[] = [];

  constructor(options: OwnedDocumentOptions) {
    this.#node = options.node;
    this.#epoch = options.epoch;
    this.#acknowledged = options.head;
    this.#bytesSinceBase = options.bytesSinceBase;
    this.#isLeaseValid = options.isLeaseValid;
    this.#refusal = this.#currentRefusal();
  }

  /** Why writes are refused; null while they are accepted. */
  get refusal(): RefusalReason | null {
    return this.#refusal;
  }

  /**
   * Whether reads may be answered while the node's lease is valid. False after a failover until the log was checked:
   * the database may have lost the acquisition of the document, so that the lease no longer protects it.
   */
  get mayRead(): boolean {
    return this.#activity !== "stopped" && !this.#isFailoverUnchecked;
  }

  /** The last position that is known to be in the log. */
  get acknowledged(): Acknowledged {
    return { epoch: this.#epoch, ...this.#acknowledged };
  }

  /** The position of the last commit of the local file: the next checksum is chained to it. */
  get last(): LogPosition {
    return this.#pending.at(-1) ?? this.#acknowledged;
  }

  /**
   * Returns what to do, in this order. Throws a `RangeError` for a commit that does not follow the previous one.
   */
  handle(event: DocumentEvent): DocumentEffect[] {
    if (this.#activity === "stopped") return [];
    this.#effects = [];
    this.#apply(event);
    this.#proceed();
    const refusal = this.#currentRefusal();
    if (refusal !== this.#refusal) {
      this.#refusal = refusal;
      this.#effects.push(refusal === null ? { kind: "acceptWrites" } : { kind: "refuseWrites", reason: refusal });
    }
    return this.#effects;
  }

  #apply(event: DocumentEvent): void {
    switch (event.kind) {
      case "committed":
        return this.#commit(event.commit);
      case "appended":
        if (!this.#isCurrent(event.attempt, "appending")) return;
        this.#activity = "idle";
        return this.#acknowledge(this.#lastInFlight);
      case "appendUnknown":
        if (this.#isCurrent(event.attempt, "appending")) this.#resolve();
        return;
      case "headRead":
        if (this.#isCurrent(event.attempt, "readingHead")) this.#judge(event.head);
        return;
      case "headUnreadable":
        if (this.#isCurrent(event.attempt, "readingHead")) this.#retryLater();
        return;
      case "retryDue":
        if (this.#isCurrent(event.attempt, "waiting")) this.#resolve();
        return;
      case "identityChanged":
        // The database may have lost the chunks of a base that nothing points to.
        this.#base = null;
        this.#isFailoverUnchecked = true;
        return this.#resolve();
      case "leaseExpired":
        this.#isLeaseValid = false;
        return;
      case "leaseValid":
        this.#isLeaseValid = true;
        return;
      case "leaseLost":
        return this.#stop({ kind: "fenced", isAhead: this.#pending.length > 0 });
      case "baseWritten":
      case "baseFailed":
        return this.#baseFinished(event.attempt, event.kind === "baseWritten" ? event.base : null);
      case "basePointed":
        return this.#basePointed(event.attempt);
      case "basePointUnknown":
        return this.#basePointUnknown(event.attempt);
      case "closeRequested":
        this.#isClosing = true;
    }
  }

  #commit(commit: LocalCommit): void {
    const next = this.last.seq + 1;
    const isNext = commit.bytes === null ? commit.seq >= next : commit.seq === next;
    if (!isNext) throw new RangeError(`Commit ${commit.seq} does not follow ${next - 1}`);
    this.#pending.push(commit);
  }

  /** Starts what can start now. */
  #proceed(): void {
    if (this.#activity === "stopped") return;
    this.#proceedWithBase();
    if (this.#activity !== "idle" || !this.#isResolved) return;
    const [first] = this.#pending;
    if (!first) {
      if (this.#isClosing) this.#stop({ kind: "closed", acknowledged: this.#acknowledged });
    } else if (first.bytes !== null) this.#append();
    else this.#advance(first.seq);
  }

  /** Points to a base whose commits are all in the log, or begins one after enough log. */
  #proceedWithBase(): void {
    if (!this.#isResolved) return;
    const { base, state } = this.#base ?? {};
    if (base && state === "written" && base.seq <= this.#acknowledged.seq) {
      this.#pointBase(base, null);
    } else if (!this.#base && !this.#isClosing && this.#bytesSinceBase >= BASE_INTERVAL_BYTES) {
      this.#writeBase(this.#acknowledged.seq);
    }
  }

  /** Sends as many commits as fit into one statement, up to the next one that only a base holds. */
  #append(): void {
    let bytes = 0;
    let last = this.#acknowledged.seq;
    for (const commit of this.#pending) {
      if (commit.bytes === null || (bytes > 0 && bytes + commit.bytes > MAX_APPEND_BYTES)) break;
      bytes += commit.bytes;
      last = commit.seq;
    }
    this.#lastInFlight = last;
    this.#start("appending");
    this.#effects.push({ kind: "append", attempt: this.#attempt, after: this.#acknowledged.seq, last });
  }

  /** Advances the head to a base that holds the commit `seq`, which has no row. */
  #advance(seq: number): void {
    if (!this.#base) return this.#writeBase(seq);
    const { base, state } = this.#base;
    if (!base || state !== "written") return;
    // A base from before the commit cannot hold it; its turn to be pointed to is over.
    if (base.seq < seq) return this.#writeBase(seq);
    this.#activity = "advancing";
    this.#pointBase(base, this.#acknowledged.seq);
    this.#attempt = this.#attempts;
  }

  #writeBase(minSeq: number): void {
    const attempt = ++this.#attempts;
    this.#base = { attempt, state: "writing", base: null };
    this.#effects.push({ kind: "writeBase", attempt, minSeq });
  }

  #pointBase(base: Base, advanceFrom: number | null): void {
    const attempt = ++this.#attempts;
    this.#base = { attempt, state: "pointing", base };
    this.#effects.push({ kind: "pointBase", attempt, base, advanceFrom });
  }

  #baseFinished(attempt: number, base: Base | null): void {
    if (this.#base?.attempt !== attempt || this.#base.state !== "writing") return;
    if (base && this.#contains(base)) {
      this.#base = { attempt, state: "written", base };
      return;
    }
    this.#base = null;
    this.#bytesSinceBase = 0;
    // The base is required: nothing can be appended without it.
    if (this.#activity === "idle" && this.#pending[0]?.bytes === null) this.#retryLater();
  }

  #basePointed(attempt: number): void {
    if (this.#base?.attempt !== attempt || this.#base.state !== "pointing" || !this.#base.base) return;
    const { base } = this.#base;
    this.#base = null;
    this.#bytesSinceBase = 0;
    if (this.#activity === "advancing") {
      this.#activity = "idle";
      this.#acknowledge(base.seq);
    }
    this.#effects.push({ kind: "pruneLog", base });
  }

  #basePointUnknown(attempt: number): void {
    if (this.#base?.attempt !== attempt || this.#base.state !== "pointing") return;
    // The statement may be repeated: it never sets an older base than the current one.
    this.#base.state = "written";
    if (this.#activity === "idle" || this.#activity === "advancing") this.#resolve();
  }

  #resolve(): void {
    this.#isResolved = false;
    this.#start("readingHead");
    this.#effects.push({ kind: "readHead", attempt: this.#attempt, acknowledged: this.#acknowledged });
  }

  #retryLater(): void {
    this.#isResolved = false;
    this.#failures++;
    this.#start("waiting");
    this.#effects.push({ kind: "retryLater", attempt: this.#attempt, failures: this.#failures });
  }

  /** Finds out from the head of the log what happened. */
  #judge(head: LogHead | null): void {
    if (!head) return this.#diverge("documentMissing");
    if (head.epoch !== this.#epoch || head.node !== this.#node) return this.#judgeOther(head);
    if (head.head < this.#acknowledged.seq) return this.#diverge("logWentBackwards");
    // The checksum is chained, so this one comparison is about all rows before it, too.
    const checksum = head.head === LOG_START.seq ? LOG_START.checksum : head.checksum;
    if (checksum === null || checksum !== this.#checksumAt(head.head)) return this.#diverge("chainMismatch");
    this.#acknowledge(head.head);
    // The failover may also have lost the contents of attachments that the pending commits name.
    if (this.#isFailoverUnchecked && this.#pending.length > 0) return this.#stop({ kind: "fenced", isAhead: true });
    this.#isResolved = true;
    this.#isFailoverUnchecked = false;
    this.#failures = 0;
    this.#activity = "idle";
  }

  /** Another node or epoch owns the document: that is usual after a take-over, unless acknowledged rows are gone. */
  #judgeOther({ head, atAcknowledged }: LogHead): void {
    const { seq, checksum } = this.#acknowledged;
    const isKept =
      seq === LOG_START.seq ||
      (atAcknowledged.kind === "found" ? atAcknowledged.checksum === checksum : atAcknowledged.kind === "pruned");
    if (head < seq || !isKept) return this.#diverge("logWentBackwards");
    const isAhead = this.#pending.length > 0;
    this.#stop({ kind: "fenced", isAhead });
  }

  #acknowledge(seq: number): void {
    if (seq === this.#acknowledged.seq) return;
    const count = this.#pending.findLastIndex((commit) => commit.seq <= seq) + 1;
    for (const commit of this.#pending.splice(0, count)) {
      this.#acknowledged = { seq: commit.seq, checksum: commit.checksum };
      this.#bytesSinceBase += commit.bytes ?? 0;
    }
    this.#effects.push({ kind: "release", acknowledged: this.acknowledged });
  }

  #diverge(reason: DivergenceReason): void {
    this.#stop({ kind: "diverged", reason });
  }

  #stop(effect: DocumentEffect): void {
    this.#activity = "stopped";
    this.#effects.push(effect);
  }

  #start(activity: Activity): void {
    this.#activity = activity;
    this.#attempt = ++this.#attempts;
  }

  #isCurrent(attempt: number, activity: Activity): boolean {
    return this.#activity === activity && this.#attempt === attempt;
  }

  #checksumAt(seq: number): string | null {
    if (seq === this.#acknowledged.seq) return this.#acknowledged.checksum;
    return this.#pending.find((commit) => commit.seq === seq)?.checksum ?? null;
  }

  /** False for a position that this file never had; checksums of acknowledged commits are not kept. */
  #contains({ seq, checksum }: LogPosition): boolean {
    return seq < this.#acknowledged.seq || checksum === this.#checksumAt(seq);
  }

  #currentRefusal(): RefusalReason | null {
    if (this.#activity === "stopped") return "stopped";
    if (this.#isClosing) return "closing";
    if (!this.#isResolved) return "unresolved";
    return this.#isLeaseValid ? null : "leaseExpired";
  }
}
