import type { DocumentGrant } from "../authorization.ts";
import type { OpenDocument } from "../doc/document.ts";
import { ruleChangesOf } from "../doc/rules/rule-changes.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Log } from "../lib/observability/log.ts";
import { runEvery, runSoon } from "../lib/time/timers.ts";
import type { SeenCommit } from "./answer-gate.ts";
import { CommitBatcher } from "./commit-batcher.ts";
import type { RuntimeOptions } from "./document-runtime.ts";
import { isBriefUse } from "./excess-documents.ts";
import type { HeldFile } from "./held-file.ts";
import type { OpenDocumentsOptions } from "./open-documents-options.ts";
import { OpenDocuments } from "./open-documents.ts";
import { runKeyed } from "./keyed-call.ts";
import { checkVerbAccess } from "./verbs/check-access.ts";
import { LargeResponse } from "./verbs/render.ts";
import type { Verb } from "./verbs/verb.ts";
import { type VerbName, verbs } from "./verbs/verbs.ts";

export interface DocumentExecutorOptions extends RuntimeOptions {
  /** As `OpenDocumentsOptions.access`. */
  readonly access?: "write" | "read";
  readonly clock: Clock;
  readonly log: Log;
  /** Called before a change runs, which may take long. */
  readonly onChange?: () => void;
  /** As in `OpenDocumentsOptions`; so for the following callbacks. */
  readonly onEvents?: OpenDocumentsOptions["onEvents"];
  readonly onRecalculated?: OpenDocumentsOptions["onRecalculated"];
  readonly onMaintenanceDue?: OpenDocumentsOptions["onMaintenanceDue"];
  readonly onCloseDue?: OpenDocumentsOptions["onCloseDue"];
  readonly onLogLarge?: OpenDocumentsOptions["onLogLarge"];
  readonly maxLogBytes?: OpenDocumentsOptions["maxLogBytes"];
  /** Called after a commit that changed access rules, with the caller and the number of changed rows. */
  readonly onRulesChanged?: ((grant: DocumentGrant, count: number, seen: SeenCommit) => void) | undefined;
  /** Called after a document was opened. */
  readonly onOpened?: ((uuid: string) => void) | undefined;
  /** Called after each commit in log mode. */
  readonly onCommitted?: OpenDocumentsOptions["onCommitted"];
  /** Called after a document was closed for any reason. */
  readonly onClosed?: OpenDocumentsOptions["onClosed"];
}

type AnyVerb = Verb<unknown, unknown>;

/** A change that waits to be committed in a batch. */
interface PendingChange {
  /** As `isBriefUse`. */
  readonly isBrief?: boolean;
  run(document: OpenDocument): unknown;
  settle(outcome: Outcome, seen: SeenCommit): void;
}

type Outcome = { readonly result: unknown } | { readonly error: unknown };

/** The outcome of a verb, with the last commit that it saw: its own, or that of the snapshot it read. */
export type Answer = Outcome & { readonly seen: SeenCommit };

const SWEEP_INTERVAL_MS = 2000;

/**
 * Runs verbs on the documents of one thread. Reads run immediately, between commits. Changes that arrive at about the
 * same time share a transaction, each in a savepoint of its own, and are answered after the commit. With read-only
 * access each read is one transaction on a connection beside that of the thread which changes the document.
 */
export class DocumentExecutor {
  readonly #options: DocumentExecutorOptions;
  readonly #open: OpenDocuments;
  readonly #batcher = new CommitBatcher<PendingChange>((uuid, waiting) => this.#commit(uuid, waiting));
  readonly #stopSweeping: () => void;

  constructor(options: DocumentExecutorOptions) {
    this.#options = options;
    this.#open = new OpenDocuments({
      ...options,
      onClosed: (uuid, file) => {
        this.#batcher.evict(uuid);
        options.onClosed?.(uuid, file);
      },
    });
    this.#stopSweeping = runEvery(SWEEP_INTERVAL_MS, () => {
      this.#open.closeIdle();
      this.#copySlowResponses();
    });
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Total size of the write-ahead logs of open documents. */
  get logBytes(): number {
    return this.#open.logBytes;
  }

  /** Runs a verb: immediately, or in the next batch if it is a change that may be batched. Never rejects. */
  call(grant: DocumentGrant, name: VerbName, args: unknown): Promise<Answer> {
    const verb = verbs[name] as AnyVerb;
    let ruleChanges = 0;
    const run = (document: OpenDocument): unknown => {
      const before = ruleChangesOf(document);
      try {
        return runVerb(document);
      } finally {
        ruleChanges = ruleChangesOf(document) - before;
      }
    };
    const runVerb = (document: OpenDocument): unknown => {
      checkVerbAccess(document, grant, verb);
      const { requestKey: key } = grant;
      const change = () => verb.run(document, grant, args);
      return key ? runKeyed(document, grant, { key, verb: name, change, isApplied: verb.isApplied }) : change();
    };
    return new Promise((resolve) => {
      const settle = (outcome: Outcome, seen: SeenCommit): void => {
        // Before the answer: it must be recorded once the client knows of the change.
        if (ruleChanges > 0 && "result" in outcome) this.#options.onRulesChanged?.(grant, ruleChanges, seen);
        resolve({ ...outcome, seen });
      };
      if (verb.commits === "batched" && this.#options.groupCommit) {
        return this.#batcher.add(grant.uuid, { run, settle });
      }
      const isChange = verb.reads !== "snapshot";
      if (isChange) this.#options.onChange?.();
      this.#runAlone(grant.uuid, { run, settle, isBrief: isBriefUse(name) });
      if (isChange) this.#open.limitLog(grant.uuid);
    });
  }

  /** As `Documents.next`. */
  next(uuid: string, cursor: string): Uint8Array | null {
    return this.#open.next(uuid, cursor);
  }

  release(uuid: string, cursor: string): void {
    this.#open.release(uuid, cursor);
  }

  /** Empties the write-ahead log of a document, if it is open and no snapshot needs the log. */
  checkpoint(uuid: string): void {
    this.#batcher.flush(uuid);
    this.#open.checkpoint(uuid);
  }

  /**
   * In log mode: moves all commits into a document's file, and holds checkpoints until `endHold`. Null while a snapshot
   * needs an older content of the file.
   * @throws AppError `conflict` when it is held already
   */
  hold(uuid: string): HeldFile | null {
    this.#batcher.flush(uuid);
    return this.#open.hold(uuid);
  }

  /** Ends `hold`. Returns false when the document was closed meanwhile. */
  endHold(uuid: string): boolean {
    return this.#open.endHold(uuid);
  }

  /** Closes a document after its pending changes. Idempotent. */
  closeDocument(uuid: string): void {
    this.#batcher.flush(uuid);
    this.#open.close(uuid);
  }

  /** As `closeDocument`, for a document that another worker thread has opened in the meantime. */
  handOver(uuid: string): void {
    this.#batcher.flush(uuid);
    this.#open.handOver(uuid);
  }

  /** Commits pending changes and closes all documents. */
  close(): void {
    this.#stopSweeping();
    this.#batcher.flushAll();
    this.#open[Symbol.dispose]();
  }

  /** As `DocumentRuntime.isStreaming`. */
  isStreaming(uuid: string): boolean {
    return this.#open.isStreaming(uuid);
  }

  /** As `DocumentRuntime.isOpen`. */
  isOpen(uuid: string): boolean {
    return this.#open.isOpen(uuid);
  }

  /** Returns how many milliseconds the disk took. */
  #commit(uuid: string, changes: readonly PendingChange[]): number {
    this.#options.onChange?.();
    const [firstChange, ...otherChanges] = changes;
    if (firstChange && otherChanges.length === 0) this.#runAlone(uuid, firstChange);
    else this.#runBatch(uuid, changes);
    this.#open.limitLog(uuid);
    return this.#open.find(uuid)?.db.lastCommitMs ?? 0;
  }

  /** After an unexpected error the document is reopened; the file is not affected. */
  #runAlone(uuid: string, { run, settle, isBrief = false }: PendingChange): void {
    let document: OpenDocument | undefined;
    try {
      document = this.#open.get(uuid, { isBrief });
      const result = document.isReader ? this.#readSnapshot(document, uuid, run) : run(document);
      // A long change must not count as idle time.
      this.#open.find(uuid);
      settle({ result }, document.seenCommit);
    } catch (error) {
      const seen = document?.seenCommit ?? null;
      if (!isRefusal(error)) this.#reopen(uuid, error);
      settle({ error }, seen);
    }
  }

  #readSnapshot(document: OpenDocument, uuid: string, run: PendingChange["run"]): unknown {
    try {
      return document.readSnapshot(() => run(document));
    } finally {
      this.#open.retireIfStreaming(uuid);
    }
  }

  #copySlowResponses(): void {
    // Between two slices other requests run.
    if (this.#open.copySlowResponses()) runSoon(() => this.#copySlowResponses());
  }

  #runBatch(uuid: string, changes: readonly PendingChange[]): void {
    let document: OpenDocument | undefined;
    let outcomes: Outcome[];
    try {
      document = this.#open.get(uuid);
      outcomes = commitAll(document, changes);
    } catch (error) {
      const seen = document?.seenCommit ?? null;
      if (!isRefusal(error)) this.#reopen(uuid, error);
      // Nothing was committed: run each change on its own to isolate the failing one.
      if (error instanceof BatchAborted) for (const change of changes) this.#runAlone(uuid, change);
      else for (const { settle } of changes) settle({ error }, seen);
      return;
    }
    for (const [index, outcome] of outcomes.entries()) changes[index]?.settle(outcome, document.seenCommit);
  }

  #reopen(uuid: string, error: unknown): void {
    const cause = error instanceof BatchAborted ? error.cause : error;
    this.#options.log.warn("document.reopened", { document: uuid, error: String(cause) });
    this.#open.close(uuid);
  }
}

/** A change failed in a way that leaves the shared transaction in doubt; nothing is committed. */
class BatchAborted extends Error {}

/** @throws BatchAborted when nothing was committed; any other error when that is not certain */
function commitAll(document: OpenDocument, changes: readonly PendingChange[]): Outcome[] {
  return document.db.transaction(() =>
    changes.map(({ run }): Outcome => {
      try {
        return { result: run(document) };
      } catch (error) {
        if (!isRefusal(error) || !document.db.inTransaction) throw new BatchAborted("", { cause: error });
        return { error };
      }
    }),
  );
}

/**
 * Returns true for errors that are a regular response; after any other error the state of the open document is unknown.
 */
const isRefusal = (error: unknown): boolean =>
  error instanceof LargeResponse || (error instanceof AppError && error.code !== "storage" && error.code !== "damaged");
