import type { WorkerRequest } from "./worker-messages.ts";

/** A request that waits for its document's thread. */
export interface QueuedRequest {
  readonly request: WorkerRequest;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** A document whose requests wait. */
interface DocumentQueue {
  /** Monotonic, in milliseconds. */
  readonly since: number;
  readonly requests: QueuedRequest[];
}

/** Requests of documents whose threads are at work for other documents, in the order in which the documents came. */
export class RequestQueue {
  readonly #documents = new Map<string, DocumentQueue>();

  get size(): number {
    return this.#documents.size;
  }

  has(uuid: string): boolean {
    return this.#documents.has(uuid);
  }

  /** Waits after the document's other requests, or as the last document. */
  add(uuid: string, request: WorkerRequest): Promise<unknown> {
    const document = this.#documents.get(uuid) ?? { since: performance.now(), requests: [] };
    this.#documents.set(uuid, document);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    document.requests.push({ request, resolve, reject });
    return promise;
  }

  /** The documents, those first that came first, and for how many milliseconds they have waited. */
  *documents(): Generator<{ readonly uuid: string; readonly waitedMs: number }> {
    const now = performance.now();
    for (const [uuid, { since }] of this.#documents) yield { uuid, waitedMs: now - since };
  }

  /** Takes a document's requests out, in order. */
  take(uuid: string): readonly QueuedRequest[] {
    const requests = this.#documents.get(uuid)?.requests ?? [];
    this.#documents.delete(uuid);
    return requests;
  }
}
