import { callerKey, type DocumentGrant } from "../../authorization.ts";
import { AppError, type ErrorCode } from "../../errors.ts";
import type { LiveQueryArgs } from "../../hosts/documents.ts";
import type { Context } from "../context.ts";
import type { LiveBuffers } from "./live-buffers.ts";
import { type ClosedReason, closedFrame, HEARTBEAT, type LiveResetReason, resetFrame } from "./live-frames.ts";

/** A subscriber of a live query, over a connection. */
export interface LiveSubscriber {
  /** Returns the subscriber's current grant. @throws AppError if they can no longer read the table */
  reauthorize(): DocumentGrant;
  /**
   * The bytes are shared with other subscribers.
   * @param onTaken called once when the subscriber no longer holds them
   */
  send(bytes: Uint8Array, onTaken?: () => void): void;
  /** True while the subscriber's buffer is full. */
  readonly isLagging: boolean;
  /** Grows while the subscriber reads. */
  readonly partsTaken: number;
  /** How much is sent while the buffer is full; beyond, the subscriber gets the newest result when it reads again. */
  readonly maxLagBytes: number;
  end(): void;
}

/** What a subscription waits for: the whole result, or what happened since the state that it resumes from. */
export type Pending =
  | { readonly kind: "reset"; readonly reason: LiveResetReason }
  | { readonly kind: "resume"; readonly token: string };

/** Subscribers that read nothing for longer are disconnected. */
const MAX_PAUSE_MS = 60_000;
/** Subscribers that have not read everything after this time are disconnected: 28 KB/s suffice for the largest result. */
const MAX_LAG_MS = 300_000;
/** Smaller events do not count if the subscriber has read all earlier ones: they fit in the buffer of the connection. */
const UNCOUNTED_BYTES = 16 * 1024;
/** Keys, sessions and tokens expire without a change of the home database. */
const CHECK_INTERVAL_MS = 500;

/** One connection to a live query. */
export class LiveSubscription {
  readonly query: LiveQueryArgs;
  grant: DocumentGrant;
  pending: Pending | null;
  /** The visibility key with which its group was found. */
  groupedBy = "";
  /** Resolves with the first event; rejects if there is none because the query is refused. */
  readonly started: Promise<void>;
  readonly #ctx: Context;
  readonly #buffers: LiveBuffers;
  readonly #subscriber: LiveSubscriber;
  readonly #onEnd: () => void;
  #start: (error?: unknown) => void = () => undefined;
  #hasStarted = false;
  #isEnded = false;
  #checkedGeneration: number;
  #checkedAtMs: number;
  /** When the subscriber began to lag; null if it does not. */
  #laggingSinceMs: number | null = null;
  /** Of changes that were sent while the subscriber lags. */
  #bufferedBytes = 0;
  /** The subscriber's `partsTaken` at the last heartbeat, and since when it is that. */
  #partsTaken = 0;
  #pausedSinceMs = 0;

  constructor(
    ctx: Context,
    {
      buffers,
      query,
      grant,
      subscriber,
      after,
      onEnd,
    }: {
      buffers: LiveBuffers;
      query: LiveQueryArgs;
      grant: DocumentGrant;
      subscriber: LiveSubscriber;
      after: string | null;
      /** Called once, when the subscription has ended for any reason. */
      onEnd: (subscription: LiveSubscription) => void;
    },
  ) {
    this.#ctx = ctx;
    this.#buffers = buffers;
    this.query = query;
    this.grant = grant;
    this.#subscriber = subscriber;
    this.#onEnd = () => onEnd(this);
    this.pending = after === null ? { kind: "reset", reason: "start" } : { kind: "resume", token: after };
    this.#checkedGeneration = ctx.home.generation();
    this.#checkedAtMs = ctx.clock.elapsed();
    this.started = new Promise((resolve, reject) => {
      this.#start = (error) => (error === undefined ? resolve() : reject(error));
    });
    // The caller may have disconnected before it waits.
    this.started.catch(() => undefined);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** True if the subscription can be sent an event now. */
  get isReady(): boolean {
    return !this.#isEnded && (this.#laggingSinceMs === null || !this.#trackLag());
  }

  /** Identifies everything about the caller that rules can depend on. */
  get visibilityKey(): string {
    return visibilityKey(this.grant);
  }

  /** False if the caller may have other rights than the other subscriptions of the group. */
  get isInPlace(): boolean {
    return this.visibilityKey === this.groupedBy;
  }

  /** Checks the access, unless nothing can have changed since the last check. @returns false if the stream has ended */
  isAuthorized(): boolean {
    if (this.#isEnded) return false;
    const isFresh =
      this.#ctx.home.generation() === this.#checkedGeneration &&
      this.#ctx.clock.elapsed() - this.#checkedAtMs < CHECK_INTERVAL_MS;
    return isFresh || this.reauthorize();
  }

  /** @returns false if the stream has ended */
  reauthorize(): boolean {
    try {
      this.#checkedGeneration = this.#ctx.home.generation();
      this.#checkedAtMs = this.#ctx.clock.elapsed();
      this.grant = this.#subscriber.reauthorize();
      return true;
    } catch (error) {
      this.refuse(error);
      return false;
    }
  }

  /**
   * Sends an event that answers what the subscription waited for.
   * @returns false if there is no room for it in the buffers; nothing was sent then
   */
  sendFirst(bytes: Uint8Array): boolean {
    if (!this.#sendCounted(bytes)) return false;
    this.#begin();
    return true;
  }

  /**
   * Sends all records.
   * @param records the JSON of their list
   * @returns as `sendFirst`
   */
  sendReset(id: string, reason: LiveResetReason, records: Uint8Array): boolean {
    if (!this.#buffers.tryHold(records)) return false;
    const { start, end } = resetFrame(id, reason);
    this.#send(start);
    this.#send(records, () => this.#buffers.release(records));
    this.#send(end);
    this.#begin();
    return true;
  }

  /** Sends a change. A client that does not read gets the whole result later, also if there is no room for the change. */
  sendChange(bytes: Uint8Array): void {
    const isBehind = this.#trackLag() && this.#bufferedBytes + bytes.length > this.#subscriber.maxLagBytes;
    if (isBehind || !this.#sendCounted(bytes)) this.pending = { kind: "reset", reason: "slow" };
    else if (this.#trackLag()) this.#bufferedBytes += bytes.length;
  }

  /** Requests the whole result, for a reason. */
  requestReset(reason: LiveResetReason): void {
    if (this.#hasStarted) this.pending = { kind: "reset", reason };
  }

  /** Sends a heartbeat, or disconnects a subscriber that has lagged for too long. */
  beat(bytes: Uint8Array = HEARTBEAT): void {
    if (!this.#trackLag()) return this.#send(bytes);
    const nowMs = this.#ctx.clock.elapsed();
    const laggingSinceMs = this.#laggingSinceMs ?? nowMs;
    const { partsTaken } = this.#subscriber;
    if (partsTaken !== this.#partsTaken) this.#pausedSinceMs = nowMs;
    this.#partsTaken = partsTaken;
    const pausedSinceMs = Math.max(laggingSinceMs, this.#pausedSinceMs);
    if (nowMs - pausedSinceMs > MAX_PAUSE_MS || nowMs - laggingSinceMs > MAX_LAG_MS) this.close("slow");
  }

  /** Call it when the buffer of the subscriber has drained. @returns true if an event waits */
  drained(): boolean {
    this.#laggingSinceMs = null;
    this.#bufferedBytes = 0;
    return this.pending !== null;
  }

  close(reason: ClosedReason): void {
    if (this.#isEnded) return;
    this.#subscriber.send(closedFrame(reason));
    this.#end(new AppError("server.unavailable", "The stream has ended", { retryAfterS: 2 }));
  }

  /** Ends the stream with the reason of an error; the error itself becomes the response if nothing was sent yet. */
  refuse(error: unknown): void {
    if (this.#isEnded) return;
    if (this.#hasStarted) this.#subscriber.send(closedFrame(closedReasonOf(error)));
    this.#end(error);
  }

  /** The connection has closed. Idempotent. */
  disconnected(): void {
    if (!this.#isEnded) this.#end(new AppError("server.unavailable", "The client has disconnected"));
  }

  #end(error: unknown): void {
    this.#isEnded = true;
    this.#subscriber.end();
    this.#onEnd();
    if (!this.#hasStarted) this.#start(error);
  }

  #begin(): void {
    this.pending = null;
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#start();
  }

  /** @returns false if there is no room in the buffers */
  #sendCounted(bytes: Uint8Array): boolean {
    const isCounted = bytes.length > UNCOUNTED_BYTES || this.#trackLag();
    if (isCounted && !this.#buffers.tryHold(bytes)) return false;
    this.#send(bytes, isCounted ? () => this.#buffers.release(bytes) : undefined);
    return true;
  }

  #send(bytes: Uint8Array, onTaken?: () => void): void {
    this.#subscriber.send(bytes, onTaken);
    this.#trackLag();
  }

  #trackLag(): boolean {
    const { isLagging } = this.#subscriber;
    if (!isLagging) {
      this.#laggingSinceMs = null;
      this.#bufferedBytes = 0;
    } else this.#laggingSinceMs ??= this.#ctx.clock.elapsed();
    return isLagging;
  }
}

/** Returns the properties of a caller that the rules of a document can depend on. */
function visibilityKey({ actor, role, request, tables }: DocumentGrant): string {
  const { origin, linkKey } = request;
  const name = actor.kind === "user" ? actor.name : null;
  const email = actor.kind === "anonymous" ? null : actor.email;
  return JSON.stringify([callerKey(actor), email, name, role, origin, linkKey, tables ?? null]);
}

function closedReasonOf(error: unknown): ClosedReason {
  if (!(error instanceof AppError)) return "trouble";
  if (error.reason === "limit.live_rows") return "tooLarge";
  if (error.reason === "server.shutting_down") return "stopping";
  if (error.reason === "document.not_found") return "removed";
  return REASONS[error.code] ?? "trouble";
}

const REASONS: Readonly<Partial<Record<ErrorCode, ClosedReason>>> = {
  unauthenticated: "signedOut",
  forbidden: "access",
  notFound: "query",
  invalid: "query",
};
