import type { Log } from "../../lib/observability/log.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { LogDatabase } from "../postgres/log-database.ts";
import type { RefusalReason } from "../protocol/document-events.ts";
import { type DatabaseIdentity, LOG_START, type LogPosition } from "../protocol/log-types.ts";
import { type WrittenBase, writeBase } from "./base-writer.ts";
import { DocumentLog, type StoppingEffect } from "./document-log.ts";
import { documentStatements } from "./document-statements.ts";
import type { Gate } from "./gate.ts";
import type { LocalDocuments } from "./local-documents.ts";
import { PositionNoteWriter } from "./position-note.ts";
import { outcomeUnknown } from "./refusals.ts";

/** Answers that wait for PostgreSQL get 503 after this time. */
export const ANSWER_DEADLINE_MS = 5000;

/** What an owned document needs of its node. */
export interface OwnedLogParts {
  readonly database: LogDatabase;
  readonly local: LocalDocuments;
  readonly gate: Gate;
  readonly bootId: string;
  readonly retentionMs: number;
  readonly timers: Timers;
  readonly log: Log;
  readonly isLeaseValid: () => boolean;
}

/** Under which epoch this node owns a document. */
export interface OwnedEpoch {
  readonly node: string;
  readonly epoch: number;
  readonly identity: DatabaseIdentity;
}

export interface OwnedLogOptions extends OwnedEpoch {
  readonly head: LogPosition;
  readonly bytesSinceBase: number;
  /** The note beside the file, if it says that the document is open; otherwise one is written. */
  readonly note?: PositionNoteWriter;
  /** When deliveries of the document are due at the next commit, as `Append.dueAtMs`. */
  readonly dueAtMs: () => number | null;
  /** Cleans up when the log has stopped; the document is no longer owned when it resolves. */
  readonly onStopped: (effect: StoppingEffect) => Promise<void>;
}

/** A document that this node owns under one epoch: its log, the note beside its file, and the gate of its answers. */
export class OwnedLog {
  readonly doc: string;
  readonly node: string;
  readonly epoch: number;
  readonly log: DocumentLog;
  readonly note: PositionNoteWriter;
  /** Resolves when the document is no longer owned. */
  readonly ended: Promise<void>;
  /** Monotonic times. */
  readonly acquiredAtMs = performance.now();
  usedAtMs = performance.now();
  /** Resolves when the document has left, or stays; null while it is not leaving. New requests wait for it. */
  leaving: Promise<void> | null = null;
  /** True when all requests wait for `leaving`. */
  isClosing = false;
  /** The node that gets the document when its log is closed; null to let any node have it. */
  successor: string | null = null;
  readonly #parts: OwnedLogParts;
  #identity: DatabaseIdentity;
  #cancelDeadline: (() => void) | null = null;
  #basesInProgress = 0;

  constructor(doc: string, parts: OwnedLogParts, options: OwnedLogOptions) {
    const { node, epoch, identity, head, bytesSinceBase, dueAtMs, onStopped } = options;
    const { database, local, gate, bootId, retentionMs, timers, log, isLeaseValid } = parts;
    this.doc = doc;
    this.node = node;
    this.epoch = epoch;
    this.#identity = identity;
    this.#parts = parts;
    const acknowledged = head.checksum === LOG_START.checksum ? null : { epoch, ...head };
    this.note = options.note ?? new PositionNoteWriter(local.files(doc), { bootId, acknowledged, identity });
    const written = new Map<string, WrittenBase>();
    const writtenBase = (ref: string): WrittenBase => {
      const base = written.get(ref);
      if (!base) throw new Error(`unknown base ${ref}`);
      return base;
    };
    const ended = Promise.withResolvers<void>();
    this.ended = ended.promise;
    this.log = new DocumentLog({
      node,
      epoch,
      head,
      bytesSinceBase,
      isLeaseValid: isLeaseValid(),
      timers,
      statements: documentStatements({ database, doc, node, epoch, retentionMs, timers, writtenBase, dueAtMs }),
      writeBase: async (minSeq, checksumAt) => {
        const base = await this.#writeBase(minSeq);
        const checksum = checksumAt(base.seq);
        if (checksum === null) throw new Error(`The base of ${doc} has the unknown seq ${base.seq}`);
        written.clear();
        written.set(base.ref, base);
        return { ref: base.ref, seq: base.seq, checksum };
      },
      onAcknowledged: (position) => {
        this.note.acknowledge(position);
        gate.release(doc, { epoch: "", seq: position.seq });
      },
      onRefusal: (reason) => this.#onRefusal(reason),
      onStopped: (effect) => void onStopped(effect).finally(() => ended.resolve()),
      onError: (step, error) => log.warn("cluster.statement_failed", { document: doc, step, error: String(error) }),
    });
    gate.hold(doc, { epoch: "", seq: head.seq });
  }

  /** True while nothing waits to be written to the log. */
  get isIdle(): boolean {
    return this.#basesInProgress === 0 && this.log.lastSeq === this.log.acknowledged.seq;
  }

  /** A new connection leads to this database. */
  setIdentity(identity: DatabaseIdentity): void {
    this.#identity = identity;
    this.log.handle({ kind: "identityChanged" });
  }

  /** Ends the wait for a resolved outcome. Idempotent. */
  cancelDeadline(): void {
    this.#cancelDeadline?.();
    this.#cancelDeadline = null;
  }

  async #writeBase(minSeq: number): Promise<WrittenBase> {
    const { database, local } = this.#parts;
    const { doc } = this;
    this.#basesInProgress++;
    try {
      const held = await local.beginBase(doc);
      let isUnchanged = false;
      let base: WrittenBase;
      try {
        if (held.count.seq < minSeq) throw new Error(`The file of ${doc} has no commit ${minSeq} yet`);
        base = await writeBase(database, doc, held);
      } finally {
        isUnchanged = await local.endBase(doc);
      }
      if (!isUnchanged) throw new Error(`The file of ${doc} was changed while it was read`);
      return base;
    } finally {
      this.#basesInProgress--;
    }
  }

  #onRefusal(reason: RefusalReason | null): void {
    const { gate, timers } = this.#parts;
    this.cancelDeadline();
    if (reason === null) {
      this.note.setIdentity(this.#identity);
      gate.hold(this.doc, { epoch: "", seq: this.log.acknowledged.seq });
    } else if (reason === "unresolved") {
      this.#cancelDeadline = timers.after(ANSWER_DEADLINE_MS, () => gate.refuse(this.doc, outcomeUnknown()));
    }
  }
}

/** @throws AppError `log.unavailable` when the work takes longer than an answer may wait */
export async function withAnswerDeadline<T>(
  work: Promise<T>,
  timers: Timers,
  { deadlineMs = ANSWER_DEADLINE_MS }: { readonly deadlineMs?: number } = {},
): Promise<T> {
  const deadline = Promise.withResolvers<never>();
  const cancel = timers.after(deadlineMs, () => deadline.reject(outcomeUnknown()));
  try {
    return await Promise.race([work, deadline.promise]);
  } finally {
    cancel();
  }
}
