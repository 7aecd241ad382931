import { Worker } from "node:worker_threads";
import { AppError } from "../errors.ts";
import { IS_EXECUTABLE } from "../lib/build.ts";
import { guarded } from "../lib/callbacks.ts";
import { soon } from "../lib/timers.ts";
import { unpackError } from "./carried-error.ts";
import {
  buffersOf,
  MOST_TOGETHER,
  type NumberedRequest,
  type Reply,
  type Request,
  type ThreadData,
} from "./thread-messages.ts";

/** In the executable files keep their places below `src/`. */
const ENTRY = IS_EXECUTABLE ? "./hosts/document-thread.ts" : new URL("./document-thread.ts", import.meta.url);

/** What a thread says unasked. */
export type Notice = Exclude<Reply, { id: number }>;

export interface HostThreadOptions {
  readonly data: ThreadData;
  readonly onNotice: (notice: Notice) => void;
  /** Called after each answer, when it counts as given. */
  readonly onAnswer?: () => void;
  /** Called once, when the thread ended of itself; what it was asked is refused by then. */
  readonly onLost: (error: unknown) => void;
  /** Another program for the thread to run: for trying out what becomes of one that fails. */
  readonly entry?: URL;
}

interface Asked {
  /** The document that it is about. */
  readonly uuid: string | null;
  /** Whether it is done for a document, and not for whoever watches the server. */
  readonly isWork: boolean;
  /** Monotonic, in milliseconds. */
  readonly sentAt: number;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** One thread that holds documents, seen from the main thread. It starts with the first thing that it is asked. */
export class HostThread {
  /** The documents that live in it. */
  readonly documents = new Set<string>();
  /** When it was last done with anything for a document; monotonic, in milliseconds. */
  idleSince = performance.now();
  readonly #worker: Worker;
  readonly #options: HostThreadOptions;
  readonly #asked = new Map<number, Asked>();
  /** How much of that is about each document. */
  readonly #askedOf = new Map<string, number>();
  #unsent: NumberedRequest[] = [];
  #nextId = 1;
  #heardAt = performance.now();
  #isEnded = false;

  constructor(options: HostThreadOptions) {
    this.#options = options;
    this.#worker = new Worker(options.entry ?? ENTRY, { workerData: options.data });
    // What is under way keeps the program running, not that there is a thread.
    this.#worker.unref();
    // One by one: when a notice fails, the answers that came together with it still arrive.
    const hear = guarded((reply: Reply) => this.#hear(reply));
    this.#worker.on(
      "message",
      guarded((replies: readonly Reply[]) => replies.forEach(hear)),
    );
    this.#worker.on(
      "error",
      guarded((error) => this.#lost(error)),
    );
    this.#worker.on(
      "exit",
      guarded(() => this.#lost(new Error("The thread ended"))),
    );
  }

  /** How much it was asked and has not answered. */
  get pending(): number {
    return this.#asked.size;
  }

  /** How much of that is about other documents. */
  pendingBesides(uuid: string): number {
    return this.#asked.size - (this.#askedOf.get(uuid) ?? 0);
  }

  /** For how long what it does now has kept everything else waiting, in milliseconds. */
  get busyMs(): number {
    const [oldest] = this.#asked.values();
    return oldest ? performance.now() - Math.max(oldest.sentAt, this.#heardAt) : 0;
  }

  /** @throws AppError as the thread refuses, or `unavailable` when it ends before it answers */
  ask(request: Request): Promise<unknown> {
    if (this.#isEnded) return Promise.reject(lost());
    const id = this.#nextId++;
    if (this.#asked.size === 0) this.#worker.ref();
    return new Promise((resolve, reject) => {
      const isWork = request.kind !== "measure";
      const uuid = uuidOf(request);
      this.#asked.set(id, { uuid, isWork, sentAt: performance.now(), resolve, reject });
      if (uuid !== null) this.#askedOf.set(uuid, (this.#askedOf.get(uuid) ?? 0) + 1);
      this.#unsent.push({ ...request, id });
      if (this.#unsent.length >= MOST_TOGETHER) this.#send();
      else if (this.#unsent.length === 1) soon(() => this.#send());
    });
  }

  /** Sends what was asked and is not sent yet. */
  #send(): void {
    const requests = this.#unsent;
    if (requests.length === 0) return;
    this.#unsent = [];
    const buffers = requests.flatMap((request) => (request.kind === "call" ? buffersOf(request.args) : []));
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows, not for threads
      this.#worker.postMessage(requests, buffers);
    } catch (error) {
      for (const { id } of requests) this.#takeAsked(id)?.reject(error);
    }
  }

  /** Ends it at once; what it was asked and has not answered is refused. */
  async end(): Promise<void> {
    this.#refuseAll();
    await this.#worker.terminate();
  }

  #hear(reply: Reply): void {
    if (reply.kind !== "result" && reply.kind !== "error") return this.#options.onNotice(reply);
    const asked = this.#takeAsked(reply.id);
    this.#heardAt = performance.now();
    if (asked?.isWork) this.idleSince = this.#heardAt;
    if (this.#asked.size === 0) this.#worker.unref();
    if (reply.kind === "result") asked?.resolve(reply.result);
    else asked?.reject(unpackError(reply.error));
    this.#options.onAnswer?.();
  }

  /** What was asked under that number, which counts as answered from now on. */
  #takeAsked(id: number): Asked | undefined {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    const uuid = asked?.uuid ?? null;
    if (uuid === null) return asked;
    const left = (this.#askedOf.get(uuid) ?? 1) - 1;
    if (left > 0) this.#askedOf.set(uuid, left);
    else this.#askedOf.delete(uuid);
    return asked;
  }

  #lost(error: unknown): void {
    if (this.#isEnded) return;
    this.#refuseAll();
    this.#options.onLost(error);
  }

  #refuseAll(): void {
    this.#isEnded = true;
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    this.#askedOf.clear();
    for (const { reject } of asked) reject(lost());
  }
}

/** The document that a request is about. */
function uuidOf(request: Request): string | null {
  if (request.kind === "call") return request.grant.uuid;
  return "uuid" in request ? request.uuid : null;
}

const lost = (): AppError =>
  new AppError(
    "document.unavailable",
    "The document had to be closed while this was under way; it may have been done or not",
    {
      retryAfterS: 1,
    },
  );
