import type { WorkerRequest } from "./worker-messages.ts";

/** A request that waits for its document's worker. */
export interface QueuedRequest {
  readonly request: WorkerRequest;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** The queued requests of a document. */
interface DocumentQueue {
  /** Monotonic, in milliseconds. */
  readonly since: number;
  readonly requests: QueuedRequest[];
}

/** Requests of documents whose workers are busy with other documents, in order of the documents' arrival. */
export class RequestQueue {
  readonly #documents = new Map<string, DocumentQueue>();

  get size(): number {
    return this.#documents.size;
  }

  has(uuid: string): boolean {
    return this.#documents.has(uuid);
  }

  /** Appends to the document's queue; a new document is queued last. */
  add(uuid: string, request: WorkerRequest): Promise<unknown> {
    const document = this.#documents.get(uuid) ?? { since: performance.now(), requests: [] };
    this.#documents.set(uuid, document);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    document.requests.push({ request, resolve, reject });
    return promise;
  }

  /** Yields the documents in order of arrival, with their waiting time in milliseconds. */
  *documents(): Generator<{ readonly uuid: string; readonly waitedMs: number }> {
    const now = performance.now();
    for (const [uuid, { since }] of this.#documents) yield { uuid, waitedMs: now - since };
  }

  /** Removes a document's requests and returns them in order. */
  take(uuid: string): readonly QueuedRequest[] {
    const requests = this.#documents.get(uuid)?.requests ?? [];
    this.#documents.delete(uuid);
    return requests;
  }
}
