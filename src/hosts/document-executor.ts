import { allows, type DocumentGrant } from "../authorization.ts";
import type { OpenDocument } from "../doc/document.ts";
import { checkMayCopyEverything } from "../doc/read/visibility-filter.ts";
import { AppError, forbidden } from "../errors.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Log } from "../lib/observability/log.ts";
import { runEvery } from "../lib/time/timers.ts";
import { CommitBatcher } from "./commit-batcher.ts";
import type { RuntimeCallbacks, RuntimeOptions } from "./document-runtime.ts";
import { OpenDocuments } from "./open-documents.ts";
import type { Verb } from "./verbs/verb.ts";
import { type VerbName, verbs } from "./verbs/verbs.ts";

export interface DocumentExecutorOptions extends RuntimeOptions, RuntimeCallbacks {
  readonly clock: Clock;
  readonly log: Log;
  /** Called after a document was opened. */
  readonly onOpened?: ((uuid: string) => void) | undefined;
  /** Called after a document was closed for any reason. */
  readonly onClosed?: ((uuid: string) => void) | undefined;
}

type AnyVerb = Verb<unknown, unknown>;

/** A change that waits to be committed in a batch. */
interface PendingChange {
  run(document: OpenDocument): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

type Outcome = { readonly result: unknown } | { readonly refusal: unknown };

const SWEEP_INTERVAL_MS = 2000;

/**
 * Runs verbs on the documents of one thread. Reads run immediately, between commits. Changes that arrive at about the
 * same time share a transaction, each in a savepoint of its own, and are answered after the commit.
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
      onClosed: (uuid) => {
        this.#batcher.evict(uuid);
        options.onClosed?.(uuid);
      },
    });
    this.#stopSweeping = runEvery(SWEEP_INTERVAL_MS, () => this.#open.closeIdle());
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Runs a verb: immediately, or in the next batch if it is a change that may be batched. */
  call(grant: DocumentGrant, name: VerbName, args: unknown): Promise<unknown> {
    const verb = verbs[name] as AnyVerb;
    const run = (document: OpenDocument): unknown => {
      checkAccess(document, grant, verb);
      return verb.run(document, grant, args);
    };
    return new Promise((resolve, reject) => {
      if (verb.commits === "batched" && this.#options.groupCommit) {
        this.#batcher.add(grant.uuid, { run, resolve, reject });
      } else this.#runAlone(grant.uuid, { run, resolve, reject });
    });
  }

  /** As `Documents.next`. */
  next(uuid: string, cursor: string): Uint8Array | null {
    return this.#open.next(uuid, cursor);
  }

  release(uuid: string, cursor: string): void {
    this.#open.release(uuid, cursor);
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

  /** Returns how many milliseconds the disk took. */
  #commit(uuid: string, changes: readonly PendingChange[]): number {
    const [firstChange, ...otherChanges] = changes;
    if (firstChange && otherChanges.length === 0) this.#runAlone(uuid, firstChange);
    else this.#runBatch(uuid, changes);
    return this.#open.find(uuid)?.db.lastCommitMs ?? 0;
  }

  /** After an unexpected error the document is reopened; the file is not affected. */
  #runAlone(uuid: string, { run, resolve, reject }: PendingChange): void {
    try {
      resolve(run(this.#open.get(uuid)));
    } catch (error) {
      if (!isRefusal(error)) this.#reopen(uuid, error);
      reject(error);
    }
  }

  #runBatch(uuid: string, changes: readonly PendingChange[]): void {
    let outcomes: Outcome[];
    try {
      outcomes = commitAll(this.#open.get(uuid), changes);
    } catch (error) {
      if (!isRefusal(error)) this.#reopen(uuid, error);
      // Nothing was committed: run each change on its own to isolate the failing one.
      if (error instanceof BatchAborted) for (const change of changes) this.#runAlone(uuid, change);
      else for (const { reject } of changes) reject(error);
      return;
    }
    for (const [index, outcome] of outcomes.entries()) {
      if ("refusal" in outcome) changes[index]?.reject(outcome.refusal);
      else changes[index]?.resolve(outcome.result);
    }
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
        return { refusal: error };
      }
    }),
  );
}

/**
 * Checks the caller's role and the document's access rules.
 * @throws AppError `forbidden`
 */
function checkAccess(document: OpenDocument, grant: DocumentGrant, { needs, underRules }: AnyVerb): void {
  if (!allows(grant.role, needs)) throw forbidden();
  if (underRules === "requiresFullAccess") checkMayCopyEverything(document, grant);
  else if (underRules === undefined && grant.role !== "owners" && document.hasRules) {
    throw forbidden("The document has access rules: only owners can do this", "access.rules");
  }
}

/**
 * Returns true for errors that are a regular response; after any other error the state of the open document is unknown.
 */
const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.code !== "storage" && error.code !== "damaged";
