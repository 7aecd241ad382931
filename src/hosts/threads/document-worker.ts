import { Worker } from "node:worker_threads";
import { AppError } from "../../errors.ts";
import { IS_EXECUTABLE } from "../../lib/build.ts";
import { guarded } from "../../lib/callbacks.ts";
import { mergeMeasurements, type Measurements } from "../../lib/observability/measurements.ts";
import { runSoon } from "../../lib/time/timers.ts";
import type { AnswerGate } from "../answer-gate.ts";
import { readsSnapshot } from "../snapshot-verbs.ts";
import { deserializeError } from "./serialized-error.ts";
import {
  transferablesOf,
  MAX_BATCH_SIZE,
  type NumberedRequest,
  type WorkerReply,
  type WorkerRequest,
  type WorkerInit,
} from "./worker-messages.ts";

/** The executable preserves file paths below `src/`. */
const ENTRY = IS_EXECUTABLE
  ? "./hosts/threads/document-worker-entry.ts"
  : new URL("./document-worker-entry.ts", import.meta.url);

/** A message from the worker that is not a reply. */
export type WorkerNotification = Exclude<WorkerReply, { id: number }>;

/** Calls that the server makes on its own. A worker whose documents were closed for inactivity is idle since its last other call. */
const UPKEEP: ReadonlySet<WorkerRequest["kind"]> = new Set([
  "measure",
  "checkpoint",
  "closeDocument",
  "endBase",
  "shrink",
]);

/** The result of a read whose response is large: a reader repeats it. */
export const LARGE_RESPONSE = Symbol("large response");

export interface DocumentWorkerOptions {
  readonly data: WorkerInit;
  /** Decides when answers leave. */
  readonly gate: AnswerGate;
  readonly onNotification: (notification: WorkerNotification) => void;
  /** Called after each reply has been processed. */
  readonly onAnswer?: () => void;
  /** Called once when the worker exits on its own; pending calls have been rejected by then. */
  readonly onCrash: (error: unknown) => void;
  /** Another entry point, for tests of failing workers. */
  readonly entry?: URL;
}

interface PendingCall {
  /** The document that the call is for. */
  readonly uuid: string | null;
  /** Whether a client asked for it; others do not keep an idle worker. */
  readonly isDocumentWork: boolean;
  /** Whether it may take long, and reads of the same documents should not wait for it. */
  readonly isChange: boolean;
  /** Monotonic, in milliseconds. */
  readonly sentAt: number;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** The main thread's side of a worker thread that runs verbs on documents. The thread starts with the first call. */
export class DocumentWorker {
  /** The documents placed in it. */
  readonly documents = new Set<string>();
  /** When it last finished work for a document; monotonic, in milliseconds. */
  idleSince = performance.now();
  readonly #worker: Worker;
  readonly #options: DocumentWorkerOptions;
  readonly #pendingCalls = new Map<number, PendingCall>();
  /** Number of pending calls per document. */
  readonly #pendingByDocument = new Map<string, number>();
  #outgoing: NumberedRequest[] = [];
  #nextId = 1;
  #pendingChanges = 0;
  #lastReplyAt = performance.now();
  #isReady = false;
  #isEnded = false;

  constructor(options: DocumentWorkerOptions) {
    this.#options = options;
    this.#worker = new Worker(options.entry ?? ENTRY, { workerData: options.data });
    // Pending calls keep the process alive, not the thread as such.
    this.#worker.unref();
    // One at a time: if a notification's handler fails, the replies in the same batch are still processed.
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
      guarded(() => this.#onCrash(new Error("The worker thread exited"))),
    );
  }

  /** Number of pending calls. */
  get pending(): number {
    return this.#pendingCalls.size;
  }

  /** True while a call is pending that reads should not wait for. */
  get isChanging(): boolean {
    return this.#pendingChanges > 0;
  }

  /** True once the thread has started and sent something. */
  get isReady(): boolean {
    return this.#isReady && !this.#isEnded;
  }

  /** Number of pending calls for a document. */
  pendingFor(uuid: string): number {
    return this.#pendingByDocument.get(uuid) ?? 0;
  }

  /** Number of pending calls for other documents. */
  pendingForOthers(uuid: string): number {
    return this.#pendingCalls.size - (this.#pendingByDocument.get(uuid) ?? 0);
  }

  /** How long the current call has been blocking all others, in milliseconds. */
  get busyMs(): number {
    const [oldest] = this.#pendingCalls.values();
    return oldest ? performance.now() - Math.max(oldest.sentAt, this.#lastReplyAt) : 0;
  }

  /** @throws AppError as the worker throws, or `unavailable` when it exits before it answers */
  call(request: WorkerRequest): Promise<unknown> {
    if (this.#isEnded) return Promise.reject(workerCrashed());
    const id = this.#nextId++;
    if (this.#pendingCalls.size === 0) this.#worker.ref();
    return new Promise((resolve, reject) => {
      const isDocumentWork = !UPKEEP.has(request.kind);
      const uuid = uuidOf(request);
      const isChange = !isRead(request);
      if (isChange) this.#pendingChanges++;
      this.#pendingCalls.set(id, { uuid, isDocumentWork, isChange, sentAt: performance.now(), resolve, reject });
      if (uuid !== null) this.#pendingByDocument.set(uuid, (this.#pendingByDocument.get(uuid) ?? 0) + 1);
      this.#outgoing.push({ ...request, id });
      if (this.#outgoing.length >= MAX_BATCH_SIZE) this.#send();
      else if (this.#outgoing.length === 1) runSoon(() => this.#send());
    });
  }

  /** Sends the queued requests. */
  #send(): void {
    const requests = this.#outgoing;
    if (requests.length === 0) return;
    this.#outgoing = [];
    // A read keeps its body: if the answer is large, a reader repeats it.
    const buffers = requests.flatMap((request) =>
      request.kind === "call" && !isRead(request) ? transferablesOf(request.args) : [],
    );
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- applies to windows, not to worker threads
      this.#worker.postMessage(requests, buffers);
    } catch (error) {
      for (const { id } of requests) this.#removePending(id)?.reject(error);
    }
  }

  /** Terminates the worker immediately and rejects pending calls. */
  async terminate(): Promise<void> {
    this.#rejectAll();
    await this.#worker.terminate();
  }

  #onReply(reply: WorkerReply): void {
    this.#isReady = true;
    if (!("id" in reply)) return this.#options.onNotification(reply);
    const pendingCall = this.#removePending(reply.id);
    this.#lastReplyAt = performance.now();
    if (pendingCall?.isDocumentWork) this.idleSince = this.#lastReplyAt;
    if (this.#pendingCalls.size === 0) this.#worker.unref();
    if (reply.kind === "large") pendingCall?.resolve(LARGE_RESPONSE);
    else if (pendingCall) {
      const { reject } = pendingCall;
      const departure = { leave: () => settle(pendingCall, reply), refuse: reject };
      this.#options.gate.pass(pendingCall.uuid ?? "", reply.seen ?? null, departure);
    }
    this.#options.onAnswer?.();
  }

  /** Removes a pending call and returns it. */
  #removePending(id: number): PendingCall | undefined {
    const pendingCall = this.#pendingCalls.get(id);
    this.#pendingCalls.delete(id);
    if (pendingCall?.isChange) this.#pendingChanges--;
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
    this.#pendingChanges = 0;
    for (const { reject, isChange } of pendingCalls) reject(isChange ? workerCrashed() : documentClosed());
  }
}

function settle({ resolve, reject }: PendingCall, reply: Extract<WorkerReply, { kind: "result" | "error" }>): void {
  if (reply.kind === "result") resolve(reply.result);
  else reject(deserializeError(reply.error));
}

/** Returns true for a request that never changes a document. */
export const isRead = (request: WorkerRequest): boolean =>
  request.kind === "call"
    ? readsSnapshot(request.verb)
    : request.kind === "next" || request.kind === "release" || request.kind === "measure";

/** Returns the document that a request is for. */
function uuidOf(request: WorkerRequest): string | null {
  if (request.kind === "call") return request.grant.uuid;
  return "uuid" in request ? request.uuid : null;
}

const workerCrashed = (): AppError =>
  new AppError(
    "document.unavailable",
    "The document was closed during the request; the change may or may not have been saved",
    {
      retryAfterS: 1,
    },
  );

export const documentClosed = (): AppError =>
  new AppError("document.unavailable", "The document was closed during the request", { retryAfterS: 1 });

/** Fetches a worker's measurements and merges them. */
export async function collectMeasurements(thread: DocumentWorker): Promise<void> {
  mergeMeasurements((await thread.call({ kind: "measure" })) as Measurements);
}

/** The load of a worker for placing documents: pending calls weigh more than open documents. */
export const loadOf = ({ pending, documents }: DocumentWorker): number => pending * 1000 + documents.size;
