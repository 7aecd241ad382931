import { actorId, allows, type DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { ChangeSignal, ChangeFeedBatch, ChangeFeedPosition } from "../../hosts/documents.ts";
import type { Context } from "../context.ts";
import {
  changeFrame,
  endFrame,
  type EndReason,
  type EventState,
  HEARTBEAT,
  idFrame,
  readyFrame,
  resetFrame,
  type ResetReason,
  retryFrame,
  type EventUser,
} from "./event-frames.ts";
import { formatEventId, type EventPosition } from "./event-ids.ts";

/** Whoever follows a document over a connection. */
export interface Subscriber {
  /** Who he is and what he may at this moment. @throws AppError when he may not read the document any more */
  reauthorize(): DocumentGrant;
  send(text: string): void;
  /** True while he takes less than he is sent. */
  readonly isLagging: boolean;
  end(): void;
}

/** A follower in his place. */
export interface Subscription {
  readonly subscriber: Subscriber;
  grant: DocumentGrant;
  /** How far he was told. */
  position: ChangeFeedPosition | null;
  /** True as long as he is told what all are told who read the document. */
  isUnfiltered: boolean;
  resetReason: ResetReason | null;
  isStarting: boolean;
  /** Since when he is behind, in milliseconds; null when he is not. */
  laggingSinceMs: number | null;
}

/** Between two questions what happens is gathered. */
const POLL_INTERVAL_MS = 100;
/** Delay after a failure before subscribers that missed an event are notified again. */
const RETRY_MS = 1000;
/** After so long behind, a follower is given up. */
const MAX_LAG_MS = 60_000;

/**
 * All who follow one document. When it changes it is asked what happened since, once for all who see the same and were
 * told as far. Who takes less than he is sent is asked for again when he is through with what he has: nothing is kept
 * for him meanwhile.
 */
export class DocumentChangeFeed {
  readonly #ctx: Context;
  readonly #uuid: string;
  readonly #subscriptions = new Set<Subscription>();
  readonly #stopListening: () => void;
  #polledAtMs = Number.NEGATIVE_INFINITY;
  #isPolling = false;
  #isPollDue = false;
  #cancelPoll: (() => void) | null = null;
  /** Counts what was heard. */
  #signalCount = 0;

  readonly #onEmpty: () => void;

  /**
   * @param onEmpty called when the last one left
   * @throws AppError `unavailable` when the server ends
   */
  constructor(ctx: Context, uuid: string, onEmpty: () => void) {
    this.#ctx = ctx;
    this.#uuid = uuid;
    this.#onEmpty = onEmpty;
    this.#stopListening = ctx.signals.subscribe(uuid, (signal) => this.#onSignal(signal));
  }

  get size(): number {
    return this.#subscriptions.size;
  }

  /** Takes somebody in, and tells him what happened since `place`. @throws AppError when the document cannot be read */
  async subscribe(
    subscriber: Subscriber,
    grant: DocumentGrant,
    position: ChangeFeedPosition | null,
  ): Promise<Subscription> {
    const subscription: Subscription = {
      subscriber,
      grant,
      position,
      isUnfiltered: false,
      resetReason: null,
      isStarting: true,
      laggingSinceMs: null,
    };
    this.#subscriptions.add(subscription);
    const signalCount = this.#signalCount;
    try {
      const entry = await this.#ctx.documents.call(grant, "events.since", { from: position });
      if (!this.#subscriptions.has(subscription) || !this.reauthorize(subscription)) return subscription;
      subscriber.send(retryFrame());
      this.#deliver(subscription, entry);
      subscriber.send(readyFrame(this.#eventStateAt(entry.position)));
      subscription.isStarting = false;
      if (signalCount !== this.#signalCount) this.#schedulePoll();
      return subscription;
    } catch (error) {
      this.unsubscribe(subscription);
      throw error;
    }
  }

  /** The connection is gone. Twice is fine. */
  unsubscribe(subscription: Subscription): void {
    if (this.#subscriptions.delete(subscription) && this.#subscriptions.size === 0) this.#onEmpty();
  }

  /** To be called when somebody who was behind is through with what he had. */
  onDrained(subscription: Subscription): void {
    if (subscription.laggingSinceMs === null) return;
    subscription.laggingSinceMs = null;
    this.#schedulePoll();
  }

  /** Ends hearing of the document; nobody must be left. */
  close(): void {
    this.#cancelPoll?.();
    this.#stopListening();
  }

  /** Holds what everybody may against what he does. */
  reauthorizeAll(): void {
    for (const subscription of this.#subscriptions) this.reauthorize(subscription);
    if ([...this.#subscriptions].some(({ resetReason }) => resetReason !== null)) this.#schedulePoll();
  }

  /** A sign of life for everybody; whoever has not taken anything for long is given up. */
  sendHeartbeats(): void {
    const nowMs = this.#ctx.clock.elapsed();
    for (const subscription of this.#subscriptions) {
      this.#trackLag(subscription);
      if (subscription.laggingSinceMs === null) subscription.subscriber.send(HEARTBEAT);
      else if (nowMs - subscription.laggingSinceMs > MAX_LAG_MS) this.#end(subscription, "slow");
    }
  }

  /** @returns false when he may not stay */
  reauthorize(subscription: Subscription): boolean {
    try {
      const grant = subscription.subscriber.reauthorize();
      if (!subscription.isUnfiltered && visibilityKey(grant) !== visibilityKey(subscription.grant))
        subscription.resetReason ??= "access";
      subscription.grant = grant;
      return true;
    } catch (error) {
      this.#end(subscription, endReasonOf(error));
      return false;
    }
  }

  #onSignal(signal: ChangeSignal): void {
    this.#signalCount++;
    switch (signal) {
      case "changed":
        return this.#schedulePoll();
      case "replaced":
        for (const subscription of this.#subscriptions) subscription.resetReason = "replaced";
        return this.#schedulePoll();
      case "removed":
      case "stopping":
        for (const subscription of this.#subscriptions) this.#end(subscription, signal);
        return;
      default:
        return signal satisfies never;
    }
  }

  #schedulePoll(): void {
    this.#isPollDue = true;
    if (this.#isPolling || this.#cancelPoll) return;
    const waitMs = Math.max(0, this.#polledAtMs + POLL_INTERVAL_MS - this.#ctx.clock.elapsed());
    this.#cancelPoll = this.#ctx.timers.after(waitMs, () => {
      this.#cancelPoll = null;
      return this.#poll();
    });
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    this.#isPollDue = false;
    let pauseMs = 0;
    try {
      await this.#notifyAll();
    } catch (error) {
      this.#ctx.log.warn("events.delivery_failed", { document: this.#uuid, error: String(error) });
      this.#isPollDue = true;
      pauseMs = RETRY_MS;
    } finally {
      this.#isPolling = false;
      this.#polledAtMs = this.#ctx.clock.elapsed() + pauseMs;
      if (this.#isPollDue) this.#schedulePoll();
    }
  }

  async #notifyAll(): Promise<void> {
    const groups = new Map<string, Subscription[]>();
    for (const subscription of this.#subscriptions) {
      this.#trackLag(subscription);
      if (subscription.isStarting || subscription.laggingSinceMs !== null || !this.reauthorize(subscription)) continue;
      const key = JSON.stringify([
        subscription.isUnfiltered || visibilityKey(subscription.grant),
        subscription.resetReason === null && subscription.position,
        subscription.resetReason,
      ]);
      const group = groups.get(key);
      if (group) group.push(subscription);
      else groups.set(key, [subscription]);
    }
    // All of them, so that nothing is still being told when one looks the next time.
    const results = await Promise.allSettled([...groups.values()].map((group) => this.#notifyGroup(group)));
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }

  /** Tells those who see the same and were told as far. */
  async #notifyGroup(subscriptions: readonly Subscription[]): Promise<void> {
    const [first] = subscriptions;
    if (!first) return;
    const { grant, position, resetReason } = first;
    let entry: ChangeFeedBatch;
    try {
      entry = await this.#ctx.documents.call(grant, "events.since", { from: resetReason === null ? position : null });
    } catch (error) {
      this.#ctx.log.warn("webhook.events_not_read", { uuid: this.#uuid, error: String(error) });
      for (const subscription of subscriptions) this.#end(subscription, "trouble");
      return;
    }
    if (!entry.isUnrestricted && subscriptions.length > 1 && first.isUnfiltered) {
      // There are access rules since: from now on everybody is asked for by himself.
      for (const subscription of subscriptions) subscription.isUnfiltered = false;
      return this.#schedulePoll();
    }
    for (const subscription of subscriptions) {
      // Something happened meanwhile that is told first.
      if (
        subscription.resetReason !== resetReason ||
        !this.#subscriptions.has(subscription) ||
        !this.reauthorize(subscription)
      )
        continue;
      if (subscription.resetReason === resetReason) this.#deliver(subscription, entry);
    }
  }

  #deliver(subscription: Subscription, entry: ChangeFeedBatch): void {
    const { subscriber, grant, position } = subscription;
    const reset = subscription.resetReason ?? entry.reset;
    const at = this.#eventStateAt(entry.position);
    if (reset) subscriber.send(resetFrame(at, reset));
    else {
      const showsUser = allows(grant.role, "editors");
      const { seesEverything } = entry.position;
      // All frames before the first is sent: a failure in between would have changes sent twice.
      const frames = entry.changes.map((change) => {
        const user = showsUser ? this.#userOf(change.user) : null;
        return changeFrame(seesEverything ? this.#eventStateAt({ ...change, seesEverything }) : at, change, user);
      });
      for (const frame of frames) subscriber.send(frame);
      const lastN = entry.changes.at(-1)?.n ?? position?.n;
      // That the id moves would tell others of a change that is hidden from them.
      if (seesEverything && lastN !== undefined && lastN !== entry.position.n) subscriber.send(idFrame(at));
    }
    subscription.position = entry.position;
    subscription.isUnfiltered = entry.isUnrestricted;
    subscription.resetReason = null;
    this.#trackLag(subscription);
  }

  #eventStateAt(position: EventPosition): EventState {
    return { id: formatEventId(this.#uuid, position), action: position.seesEverything ? position.n : undefined };
  }

  #userOf(email: string | null): EventUser | null {
    if (email === null || email === "") return null;
    const user = this.#ctx.home.users.byEmail(email);
    return { id: user?.id ?? null, email, name: user?.name ?? null };
  }

  #trackLag(subscription: Subscription): void {
    if (subscription.subscriber.isLagging) subscription.laggingSinceMs ??= this.#ctx.clock.elapsed();
    else subscription.laggingSinceMs = null;
  }

  #end(subscription: Subscription, reason: EndReason): void {
    this.unsubscribe(subscription);
    subscription.subscriber.send(endFrame(reason));
    subscription.subscriber.end();
  }
}

/** What of a caller the rules of a document may look at. */
const visibilityKey = ({ actor, role, request }: DocumentGrant): string =>
  JSON.stringify([actorId(actor), role, request.origin, request.linkKey]);

function endReasonOf(error: unknown): EndReason {
  const code = error instanceof AppError ? error.code : null;
  if (code === "unauthenticated") return "signedOut";
  if (code === "forbidden") return "access";
  return code === "notFound" ? "removed" : "trouble";
}
