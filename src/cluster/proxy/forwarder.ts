import { AppError } from "../../errors.ts";
import { randomHex } from "../../lib/ids.ts";
import type { Log } from "../../lib/observability/log.ts";
import { incrementCounter } from "../../lib/observability/measurements.ts";
import type { Timers } from "../../lib/time/timers.ts";
import { HOME } from "../local-documents.ts";
import type { Owners } from "../node/owners.ts";
import type { Owner } from "../postgres/statements/ownership.ts";
import { LEASE_MS } from "../protocol/log-types.ts";
import { type ForwardOutcome, forward, isUntrusted, pathOf } from "./forward.ts";
import { type Hop, signHop } from "./hop.ts";
import { forwardOutcomeUnknown, nodeUnreachable } from "./refusals.ts";

/** A request of a client, as this node understood it. */
export interface ForwardableRequest extends Pick<Hop, "requestId" | "address" | "origin" | "host" | "proxyUser"> {
  readonly request: Request;
  /** Called at most once, and only when the request is forwarded. Bytes can be sent several times, a stream once. */
  readonly readBody: () => Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null>;
  /** How long the other node may take to begin its response, in milliseconds. */
  readonly timeoutMs: number;
  /** True for responses that may last for hours. */
  readonly isStream: boolean;
}

export interface ForwarderOptions {
  readonly owners: Owners;
  /** Signs hops; null while this node does not know it. */
  readonly secret: () => Uint8Array | null;
  readonly homeSeq: () => number;
  /** Whether this node owns a document, or home. */
  readonly isOwned: (doc: string) => boolean;
  /** Acquires a document without a living owner; null when this node owns it. */
  readonly own: (doc: string) => Promise<void> | null;
  /** Becomes the owner of home unless another living node is; returns whether this node is. */
  readonly ownHome: () => Promise<boolean>;
  readonly log: Log;
  readonly timers: Timers;
}

/** How long a request waits until a document whose owner is dead has another one. */
const TAKE_OVER_MS = LEASE_MS + 1500;
const RETRY_MS = 200;
/** While the owner of a document does not answer for so long, it is checked that it still is the owner. */
const CHECK_AFTER_MS = 1500;
const CHECK_INTERVAL_MS = 1000;

/** Sends requests to the nodes that own the documents which they are about. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #sender = randomHex(8);
  #serial = 0;

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** As `Cluster.forward`. */
  async forward(doc: string, client: ForwardableRequest): Promise<{ response: Response; node: string } | null> {
    if (this.#options.isOwned(doc)) return null;
    let owner = await this.#target(doc, this.#options.owners.other(doc));
    if (!owner) return null;
    const { request } = client;
    const body = await client.readBody();
    const isRead = request.method === "GET" || request.method === "HEAD";
    for (let isRepeated = false; ; isRepeated = true) {
      const outcome = await this.#send(doc, owner, client, body);
      if (outcome.kind === "answered") return { response: outcome.response, node: owner.node };
      this.#logFailure(doc, owner, client, outcome);
      this.#options.owners.forget(doc);
      // The client has disconnected: another attempt would be in vain.
      const isFinal = isRepeated || body instanceof ReadableStream || request.signal.aborted;
      if (outcome.kind === "unknown" && (isFinal || !isRead)) throw forwardOutcomeUnknown(outcome.error);
      // A read may have been sent twice, by the runtime; the second hop is a replay.
      if (isFinal || (outcome.kind === "refused" && !isRead)) throw nodeUnreachable();
      owner = await (outcome.kind === "misdirected" || outcome.kind === "refused"
        ? this.#target(doc, this.#options.owners.lookUp(doc))
        : this.#nextOwner(doc, owner));
      if (!owner) return null;
    }
  }

  /** Returns the value of a hop header that was not used before. */
  sign(hop: Omit<Hop, "sender" | "serial" | "homeSeq">): string {
    const secret = this.#options.secret();
    if (secret === null) throw nodeUnreachable();
    const signed = { ...hop, sender: this.#sender, serial: ++this.#serial, homeSeq: this.#options.homeSeq() };
    return signHop(secret, signed, Date.now());
  }

  /** Returns the node to which a request is sent; null for this one, which takes what has no living owner. */
  async #target(doc: string, found: Owner | null | Promise<Owner | null>): Promise<Owner | null> {
    const owner = found instanceof Promise ? await found : found;
    if (owner || (await this.#take(doc))) return owner;
    return this.#nextOwner(doc, null);
  }

  /** Returns false if another node was faster. */
  async #take(doc: string): Promise<boolean> {
    if (this.#options.isOwned(doc)) return true;
    if (doc === HOME) return this.#options.ownHome();
    try {
      await this.#options.own(doc);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.reason === "document.elsewhere") return false;
      // The route refuses for the same reason, after its own checks.
      return true;
    }
  }

  /** Waits until a document has another owner than one that does not answer, or none. */
  async #nextOwner(doc: string, former: Owner | null): Promise<Owner | null> {
    const { owners, timers } = this.#options;
    const end = performance.now() + TAKE_OVER_MS;
    for (;;) {
      const owner = await owners.lookUp(doc);
      const isOther = owner !== null && !isSame(owner, former);
      if (isOther) return owner;
      if (owner === null && (await this.#take(doc))) return null;
      if (performance.now() > end) throw nodeUnreachable();
      await new Promise<void>((resolve) => timers.after(RETRY_MS, resolve));
    }
  }

  async #send(
    doc: string,
    owner: Owner,
    { request, requestId, address, origin, host, proxyUser, timeoutMs, isStream }: ForwardableRequest,
    body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  ): Promise<ForwardOutcome> {
    if (owner.address === null) return { kind: "unreachable", error: new Error("The node has no address") };
    const { method } = request;
    // As it arrives.
    const path = pathOf(new URL(owner.address + pathOf(request.url)).href);
    const client = { requestId, address, origin, host, proxyUser };
    const hop = this.sign({ ...client, method, path, to: owner.node, doc, bodyHash: null });
    const abort = new AbortController();
    const stopChecking = this.#checkOwner(doc, owner, () => abort.abort());
    try {
      incrementCounter("requestsProxiedOut");
      const options = { address: owner.address, hop, timeoutMs, isStream, abort };
      return await forward({ request, body }, options);
    } finally {
      stopChecking();
    }
  }

  /** A node that hangs does not answer, and another one becomes the owner. */
  #checkOwner(doc: string, owner: Owner, onMoved: () => void): () => void {
    const { owners, timers } = this.#options;
    let isStopped = false;
    const check = async () => {
      // PostgreSQL may be away, and the owner still at work.
      const found = await owners.lookUp(doc).catch(() => owner);
      if (isStopped) return;
      if (!isSame(owner, found)) return onMoved();
      cancel = timers.after(CHECK_INTERVAL_MS, check);
    };
    let cancel = timers.after(CHECK_AFTER_MS, check);
    return () => {
      isStopped = true;
      cancel();
    };
  }

  #logFailure(doc: string, { node }: Owner, { requestId }: ForwardableRequest, outcome: ForwardOutcome): void {
    const { kind } = outcome;
    const error = "error" in outcome ? { error: String(outcome.error) } : {};
    const isWrong = kind === "refused" || ("error" in outcome && isUntrusted(outcome.error));
    const level = isWrong ? "warn" : "debug";
    this.#options.log[level]("cluster.request_not_forwarded", { requestId, document: doc, node, kind, ...error });
  }
}

const isSame = (one: Owner, other: Owner | null): boolean => one.node === other?.node && one.epoch === other.epoch;
