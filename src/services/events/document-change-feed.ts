import { callerKey, type DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { ChangeSignal, ChangeFeedBatch, ChangeFeedPosition } from "../../hosts/documents.ts";
import type { Context } from "../context.ts";
import { changeAuthor } from "../documents/change-authors.ts";
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
} from "./event-frames.ts";
import { formatEventId, type EventPosition } from "./event-ids.ts";

/** A subscriber of a document, over a connection. */
export interface Subscriber {
  /** Returns the subscriber's current grant. @throws AppError if they can no longer read the document */
  reauthorize(): DocumentGrant;
  send(text: string): void;
  /** True while the subscriber's buffer is full. */
  readonly isLagging: boolean;
  end(): void;
}

/** A subscriber with its position. */
export interface Subscription {
  readonly subscriber: Subscriber;
  /** Called once, when the subscription has ended for any reason. */
  readonly onEnd: () => void;
  grant: DocumentGrant;
  /** The position of the last notification. */
  position: ChangeFeedPosition | null;
  /** True while access rules hide nothing from the subscriber, so that its notifications can be shared. */
  isUnfiltered: boolean;
  resetReason: ResetReason | null;
  isStarting: boolean;
  /** When the subscriber began to lag, in milliseconds; null if it does not. */
  laggingSinceMs: number | null;
}

/** Changes between two polls are batched. */
const POLL_INTERVAL_MS = 100;
/** Delay after a failure before subscribers that missed an event are notified again. */
const RETRY_MS = 1000;
/** Subscribers that lag for longer are disconnected. */
const MAX_LAG_MS = 60_000;

/**
 * All subscribers of one document. After a change, queries the document once per group of subscribers with equal
 * visibility and position. Lagging subscribers are queried again when they have drained; nothing is buffered for them.
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
  /** Number of signals received. */
  #signalCount = 0;

  readonly #onEmpty: () => void;

  /**
   * @param onEmpty called when the last subscriber leaves
   * @throws AppError `unavailable` if the server is shutting down
   */
  constructor(ctx: Context, uuid: string, onEmpty: () => void) {
    this.#ctx = ctx;
    this.#uuid = uuid;
    this.#onEmpty = onEmpty;
    this.#stopListening = ctx.signals.subscribe(uuid, (signal) => this.#onSignal(signal));
  }

  /** Adds a subscriber and sends it the changes since `position`. @throws AppError if the document cannot be read */
  async subscribe(
    subscriber: Subscriber,
    grant: DocumentGrant,
    { position, onEnd }: { position: ChangeFeedPosition | null; onEnd: () => void },
  ): Promise<Subscription> {
    const subscription: Subscription = {
      subscriber,
      grant,
      onEnd,
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

  /** Removes a subscriber whose connection has closed. Idempotent. */
  unsubscribe(subscription: Subscription): void {
    if (!this.#subscriptions.delete(subscription)) return;
    subscription.onEnd();
    if (this.#subscriptions.size === 0) this.#onEmpty();
  }

  /** Must be called when a lagging subscriber has drained. */
  onDrained(subscription: Subscription): void {
    if (subscription.laggingSinceMs === null) return;
    subscription.laggingSinceMs = null;
    this.#schedulePoll();
  }

  /** Stops listening to the document; there must be no subscribers. */
  close(): void {
    this.#cancelPoll?.();
    this.#stopListening();
  }

  /** Checks the access of all subscribers. */
  reauthorizeAll(): void {
    for (const subscription of this.#subscriptions) this.reauthorize(subscription);
    if ([...this.#subscriptions].some(({ resetReason }) => resetReason !== null)) this.#schedulePoll();
  }

  /** Checks the access of end users whose tokens have expired. */
  reauthorizeExpired(nowMs: number): void {
    for (const subscription of this.#subscriptions) {
      const { actor } = subscription.grant;
      if (actor.kind === "endUser" && actor.expiresAt <= nowMs) this.reauthorize(subscription);
    }
  }

  /** Sends a heartbeat to all subscribers, and disconnects subscribers that have lagged for too long. */
  sendHeartbeats(): void {
    const nowMs = this.#ctx.clock.elapsed();
    for (const subscription of this.#subscriptions) {
      this.#trackLag(subscription);
      if (subscription.laggingSinceMs === null) subscription.subscriber.send(HEARTBEAT);
      else if (nowMs - subscription.laggingSinceMs > MAX_LAG_MS) this.#end(subscription, "slow");
    }
  }

  /** @returns false if the subscriber must be disconnected */
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
    // Waits for all groups, so that the next poll does not overlap with this one.
    const results = await Promise.allSettled([...groups.values()].map((group) => this.#notifyGroup(group)));
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }

  /** Notifies subscribers with equal visibility and position. */
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
      // The document now has access rules: from now on each subscriber is queried separately.
      for (const subscription of subscriptions) subscription.isUnfiltered = false;
      return this.#schedulePoll();
    }
    for (const subscription of subscriptions) {
      // There is a newer change, which must be sent first.
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
      const { seesEverything } = entry.position;
      // Renders all frames before sending the first: a failure in between would send changes twice.
      const frames = entry.changes.map((change) => {
        const user = changeAuthor(this.#ctx, grant, change.user || null);
        return changeFrame(seesEverything ? this.#eventStateAt({ ...change, seesEverything }) : at, change, user);
      });
      for (const frame of frames) subscriber.send(frame);
      const lastN = entry.changes.at(-1)?.n ?? position?.n;
      // Advancing the id would reveal changes that are hidden from the subscriber.
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

/** Returns the properties of a caller that the rules of a document can depend on. */
const visibilityKey = ({ actor, role, request }: DocumentGrant): string =>
  JSON.stringify([callerKey(actor), role, request.origin, request.linkKey]);

function endReasonOf(error: unknown): EndReason {
  const code = error instanceof AppError ? error.code : null;
  if (code === "unauthenticated") return "signedOut";
  if (code === "forbidden") return "access";
  return code === "notFound" ? "removed" : "trouble";
}
