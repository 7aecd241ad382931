import type { OpenDocument } from "../doc/document.ts";
import type { DocumentIndexes } from "../doc/indexes/document-indexes.ts";
import { IndexBudget } from "../doc/indexes/index-budget.ts";
import { DEFAULT_INDEX_BYTES, type IndexOptions } from "../doc/indexes/index-options.ts";
import type { SharedIndex } from "../doc/indexes/shared-index.ts";
import { guarded } from "../lib/callbacks.ts";
import type { Log } from "../lib/observability/log.ts";
import { systemTimers } from "../lib/time/timers.ts";

/** A step runs this long, and the next one follows after the pause: a request waits for at most one step. */
const STEP_MS = 2;
const PAUSE_MS = 1;
/**
 * After requests that took long, a step takes a quarter of their time, so that clients which send one request after the
 * other do not delay the index that would answer them. It stays short compared with what the requests wait for anyway.
 */
const MAX_STEP_MS = 25;

/** Indexes that were not used for this long are dropped. */
const IDLE_MS = 600_000;

/** A message between the threads of a process; `path` is the document's file. */
type IndexMessage =
  /** From the thread that changes the document: an index that readers can use. */
  | { readonly kind: "share"; readonly path: string; readonly index: SharedIndex }
  /** From a reader that opened the document, and needs all of its indexes. */
  | { readonly kind: "opened"; readonly path: string }
  /** From a reader: a read would have used an index. */
  | { readonly kind: "miss"; readonly path: string; readonly name: string };

const CHANNEL = "quern-indexes";

interface IndexingOptions {
  readonly log: Log;
  /** The memory for indexes of this thread. */
  readonly maxBytes?: number | undefined;
  /** Whether other threads have the same documents open. */
  readonly isShared: boolean;
}

/** Builds the indexes of the open documents of a thread between requests, and shares them with readers. */
export class DocumentIndexing implements Disposable {
  readonly options: IndexOptions;
  readonly #log: Log;
  readonly #isShared: boolean;
  readonly #documents = new Map<string, OpenDocument>();
  readonly #scheduled = new Set<DocumentIndexes>();
  #channel: BroadcastChannel | undefined;

  constructor({ log, maxBytes = DEFAULT_INDEX_BYTES, isShared }: IndexingOptions) {
    this.options = { budget: new IndexBudget(maxBytes) };
    this.#log = log;
    this.#isShared = isShared;
  }

  /** Begins with a document that was opened with `options`. */
  attach(document: OpenDocument): void {
    const { path, ownIndexes, sharedIndexes } = document;
    this.#documents.set(path, document);
    if (ownIndexes) {
      ownIndexes.onWork = () => this.#schedule(path, ownIndexes);
      if (this.#isShared) ownIndexes.onShare = (index) => this.#send({ kind: "share", path, index });
    }
    if (this.#isShared) this.#listen();
    if (!sharedIndexes) return;
    sharedIndexes.onMiss = (name) => this.#send({ kind: "miss", path, name });
    this.#send({ kind: "opened", path });
  }

  /** Ends with a document that is closed, or whose remaining responses are only streamed. */
  detach(document: OpenDocument): void {
    document.ownIndexes?.clear();
    if (this.#documents.get(document.path) === document) this.#documents.delete(document.path);
  }

  /** Drops indexes that were not used for long. @param now monotonic time in milliseconds */
  evictUnused(now: number): void {
    for (const { ownIndexes } of this.#documents.values()) ownIndexes?.evictUnusedSince(now - IDLE_MS);
  }

  [Symbol.dispose](): void {
    this.#channel?.close();
    this.#channel = undefined;
  }

  #schedule(path: string, indexes: DocumentIndexes): void {
    if (this.#scheduled.has(indexes)) return;
    this.#scheduled.add(indexes);
    const scheduledAt = performance.now();
    systemTimers.after(PAUSE_MS, () => {
      const busyMs = performance.now() - scheduledAt - PAUSE_MS;
      this.#step(path, indexes, Math.min(Math.max(STEP_MS, busyMs / 4), MAX_STEP_MS));
    });
  }

  #step(path: string, indexes: DocumentIndexes, maxMs: number): void {
    this.#scheduled.delete(indexes);
    if (this.#documents.get(path)?.ownIndexes !== indexes) return;
    try {
      if (indexes.runStep(maxMs)) this.#schedule(path, indexes);
    } catch (error) {
      // The index was dropped. Reads work without it, and report what is wrong with the file.
      this.#log.warn("index.build_failed", { path, error: String(error) });
    }
  }

  #listen(): void {
    if (this.#channel) return;
    this.#channel = new BroadcastChannel(CHANNEL);
    this.#channel.addEventListener(
      "message",
      guarded((event: Event) => this.#receive((event as MessageEvent<IndexMessage>).data)),
    );
    // Does not keep the thread alive.
    this.#channel.unref();
  }

  #send(message: IndexMessage): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- applies to windows, not to channels
    this.#channel?.postMessage(message);
  }

  #receive(message: IndexMessage): void {
    const { path } = message;
    const { ownIndexes, sharedIndexes } = this.#documents.get(path) ?? {};
    switch (message.kind) {
      case "share":
        return sharedIndexes?.accept(message.index);
      case "opened":
        for (const index of ownIndexes?.shared() ?? []) this.#send({ kind: "share", path, index });
        return;
      case "miss":
        return ownIndexes?.noteReaderMiss(message.name);
      default:
        return message satisfies never;
    }
  }
}
