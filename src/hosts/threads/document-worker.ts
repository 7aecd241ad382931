import { Worker } from "node:worker_threads";
import { AppError } from "../../errors.ts";
import { IS_EXECUTABLE } from "../../lib/build.ts";
import { guarded } from "../../lib/callbacks.ts";
import { mergeMeasurements, type Measurements } from "../../lib/observability/measurements.ts";
import { runSoon } from "../../lib/time/timers.ts";
import { deserializeError } from "./serialized-error.ts";
import {
  transferablesOf,
  MAX_BATCH_SIZE,
  type NumberedRequest,
  type WorkerReply,
  type WorkerRequest,
  type WorkerInit,
} from "./worker-messages.ts";

/** In the executable files keep their places below `src/`. */
const ENTRY = IS_EXECUTABLE
  ? "./hosts/threads/document-worker-entry.ts"
  : new URL("./document-worker-entry.ts", import.meta.url);

/** What a thread says unasked. */
export type WorkerNotification = Exclude<WorkerReply, { id: number }>;

export interface DocumentWorkerOptions {
  readonly data: WorkerInit;
  readonly onNotification: (notification: WorkerNotification) => void;
  /** Called after each answer, when it counts as given. */
  readonly onAnswer?: () => void;
  /** Called once, when the thread ended of itself; what it was asked is refused by then. */
  readonly onCrash: (error: unknown) => void;
  /** Another program for the thread to run: for trying out what becomes of one that fails. */
  readonly entry?: URL;
}

interface PendingCall {
  /** The document that it is about. */
  readonly uuid: string | null;
  /** Whether it is done for a document, and not for whoever watches the server. */
  readonly isDocumentWork: boolean;
  /** Monotonic, in milliseconds. */
  readonly sentAt: number;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** One thread that holds documents, seen from the main thread. It starts with the first thing that it is asked. */
export class DocumentWorker {
  /** The documents that live in it. */
  readonly documents = new Set<string>();
  /** When it was last done with anything for a document; monotonic, in milliseconds. */
  idleSince = performance.now();
  readonly #worker: Worker;
  readonly #options: DocumentWorkerOptions;
  readonly #pendingCalls = new Map<number, PendingCall>();
  /** How much of that is about each document. */
  readonly #pendingByDocument = new Map<string, number>();
  #outgoing: NumberedRequest[] = [];
  #nextId = 1;
  #lastReplyAt = performance.now();
  #isEnded = false;

  constructor(options: DocumentWorkerOptions) {
    this.#options = options;
    this.#worker = new Worker(options.entry ?? ENTRY, { workerData: options.data });
    // What is under way keeps the program running, not that there is a thread.
    this.#worker.unref();
    // One by one: when a notice fails, the answers that came together with it still arrive.
    const onReply = guarded((reply: WorkerReply) => this.#onReply(reply));
    this.#worker.on(
      "message",
      guarded((replies: readonly WorkerReply[]) => replies.forEach(onReply)),
    );
    this.#worker.on(
      "error",
      guarded((error) => this.#onCrash(error)),
    );
    this.#worker.on(
      "exit",
      guarded(() => this.#onCrash(new Error("The thread ended"))),
    );
  }

  /** How much it was asked and has not answered. */
  get pending(): number {
    return this.#pendingCalls.size;
  }

  /** How much of that is about other documents. */
  pendingForOthers(uuid: string): number {
    return this.#pendingCalls.size - (this.#pendingByDocument.get(uuid) ?? 0);
  }

  /** For how long what it does now has kept everything else waiting, in milliseconds. */
  get busyMs(): number {
    const [oldest] = this.#pendingCalls.values();
    return oldest ? performance.now() - Math.max(oldest.sentAt, this.#lastReplyAt) : 0;
  }

  /** @throws AppError as the thread refuses, or `unavailable` when it ends before it answers */
  call(request: WorkerRequest): Promise<unknown> {
    if (this.#isEnded) return Promise.reject(workerCrashed());
    const id = this.#nextId++;
    if (this.#pendingCalls.size === 0) this.#worker.ref();
    return new Promise((resolve, reject) => {
      const isDocumentWork = request.kind !== "measure";
      const uuid = uuidOf(request);
      this.#pendingCalls.set(id, { uuid, isDocumentWork, sentAt: performance.now(), resolve, reject });
      if (uuid !== null) this.#pendingByDocument.set(uuid, (this.#pendingByDocument.get(uuid) ?? 0) + 1);
      this.#outgoing.push({ ...request, id });
      if (this.#outgoing.length >= MAX_BATCH_SIZE) this.#send();
      else if (this.#outgoing.length === 1) runSoon(() => this.#send());
    });
  }

  /** Sends what was asked and is not sent yet. */
  #send(): void {
    const requests = this.#outgoing;
    if (requests.length === 0) return;
    this.#outgoing = [];
    const buffers = requests.flatMap((request) => (request.kind === "call" ? transferablesOf(request.args) : []));
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows, not for threads
      this.#worker.postMessage(requests, buffers);
    } catch (error) {
      for (const { id } of requests) this.#removePending(id)?.reject(error);
    }
  }

  /** Ends it at once; what it was asked and has not answered is refused. */
  async terminate(): Promise<void> {
    this.#rejectAll();
    await this.#worker.terminate();
  }

  #onReply(reply: WorkerReply): void {
    if (reply.kind !== "result" && reply.kind !== "error") return this.#options.onNotification(reply);
    const pendingCall = this.#removePending(reply.id);
    this.#lastReplyAt = performance.now();
    if (pendingCall?.isDocumentWork) this.idleSince = this.#lastReplyAt;
    if (this.#pendingCalls.size === 0) this.#worker.unref();
    if (reply.kind === "result") pendingCall?.resolve(reply.result);
    else pendingCall?.reject(deserializeError(reply.error));
    this.#options.onAnswer?.();
  }

  /** What was asked under that number, which counts as answered from now on. */
  #removePending(id: number): PendingCall | undefined {
    const pendingCall = this.#pendingCalls.get(id);
    this.#pendingCalls.delete(id);
    const uuid = pendingCall?.uuid ?? null;
    if (uuid === null) return pendingCall;
    const remaining = (this.#pendingByDocument.get(uuid) ?? 1) - 1;
    if (remaining > 0) this.#pendingByDocument.set(uuid, remaining);
    else this.#pendingByDocument.delete(uuid);
    return pendingCall;
  }

  #onCrash(error: unknown): void {
    if (this.#isEnded) return;
    this.#rejectAll();
    this.#options.onCrash(error);
  }

  #rejectAll(): void {
    this.#isEnded = true;
    const pendingCalls = [...this.#pendingCalls.values()];
    this.#pendingCalls.clear();
    this.#pendingByDocument.clear();
    for (const { reject } of pendingCalls) reject(workerCrashed());
  }
}

/** The document that a request is about. */
function uuidOf(request: WorkerRequest): string | null {
  if (request.kind === "call") return request.grant.uuid;
  return "uuid" in request ? request.uuid : null;
}

const workerCrashed = (): AppError =>
  new AppError(
    "document.unavailable",
    "The document had to be closed while this was under way; it may have been done or not",
    {
      retryAfterS: 1,
    },
  );

/** Has a thread hand over what it measured. */
export async function collectMeasurements(thread: DocumentWorker): Promise<void> {
  mergeMeasurements((await thread.call({ kind: "measure" })) as Measurements);
}

/** What a document that comes to a thread has to share it with; what is under way weighs more than what is open. */
export const loadOf = ({ pending, documents }: DocumentWorker): number => pending * 1000 + documents.size;
