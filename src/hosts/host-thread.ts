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
  /** Called once, when the thread ended of itself; what it was asked is refused by then. */
  readonly onLost: (error: unknown) => void;
  /** Another program for the thread to run: for trying out what becomes of one that fails. */
  readonly entry?: URL;
}

interface Asked {
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
  #whenIdle: PromiseWithResolvers<undefined> | null = null;
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

  /** For how long what it does now has kept everything else waiting, in milliseconds. */
  get busyMs(): number {
    const [oldest] = this.#asked.values();
    return oldest ? performance.now() - Math.max(oldest.sentAt, this.#heardAt) : 0;
  }

  /** Waits until it has nothing to do, or for so long. */
  async whenIdle(mostMs: number): Promise<void> {
    if (this.#asked.size === 0) return;
    this.#whenIdle ??= Promise.withResolvers<undefined>();
    await Promise.race([this.#whenIdle.promise, Bun.sleep(mostMs)]);
  }

  /** @throws AppError as the thread refuses, or `unavailable` when it ends before it answers */
  ask(request: Request): Promise<unknown> {
    if (this.#isEnded) return Promise.reject(lost());
    const id = this.#nextId++;
    if (this.#asked.size === 0) this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { isWork: request.kind !== "measure", sentAt: performance.now(), resolve, reject });
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
      for (const { id } of requests) {
        this.#asked.get(id)?.reject(error);
        this.#asked.delete(id);
      }
    }
  }

  /** Ends it at once; what it was asked and has not answered is refused. */
  async end(): Promise<void> {
    this.#refuseAll();
    await this.#worker.terminate();
  }

  #hear(reply: Reply): void {
    if (reply.kind !== "result" && reply.kind !== "error") return this.#options.onNotice(reply);
    const asked = this.#asked.get(reply.id);
    this.#asked.delete(reply.id);
    this.#heardAt = performance.now();
    if (asked?.isWork) this.idleSince = this.#heardAt;
    if (this.#asked.size === 0) this.#worker.unref();
    if (reply.kind === "result") asked?.resolve(reply.result);
    else asked?.reject(unpackError(reply.error));
    if (this.#asked.size === 0) this.#tellIdle();
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
    for (const { reject } of asked) reject(lost());
    this.#tellIdle();
  }

  #tellIdle(): void {
    this.#whenIdle?.resolve(undefined);
    this.#whenIdle = null;
  }
}

const lost = (): AppError =>
  new AppError(
    "document.unavailable",
    "The document had to be closed while this was under way; it may have been done or not",
    {
      retryAfterS: 1,
    },
  );
