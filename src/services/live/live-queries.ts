/** Live queries of records: access, limits and heartbeats. */
import type { DocumentGrant } from "../../authorization.ts";
import type { LiveQueryArgs } from "../../hosts/documents.ts";
import type { Context } from "../context.ts";
import { LiveBuffers } from "./live-buffers.ts";
import type { SubscriptionHandle } from "../events/events.ts";
import { reserveStream, type StreamLimits } from "../events/stream-limits.ts";
import { LiveFeed } from "./live-feed.ts";
import { type LiveSubscriber, LiveSubscription } from "./live-subscription.ts";
import { retryFrame } from "./live-frames.ts";

export type { LiveSubscriber } from "./live-subscription.ts";

export interface LiveSubscribeOptions {
  readonly subscriber: LiveSubscriber;
  readonly query: LiveQueryArgs;
  /** The id of the event to resume from; null = from the beginning. */
  readonly after: string | null;
  readonly limits: StreamLimits & {
    /** Of results that clients have yet to read, all together; that of the first subscriber counts. */
    readonly bufferedBytes: number;
  };
}

/** Many proxies close a connection that is silent for 30 seconds. */
const HEARTBEAT_INTERVAL_MS = 20_000;
/** Maximum delay until a change of access takes effect on idle documents. */
const CHECK_INTERVAL_MS = 250;

/**
 * Sends the result of a query to a subscriber, and its changes until it disconnects or loses access. Resolves after the
 * first event.
 * @throws AppError `tooMany` if there are too many streams, `tooLarge` for too many records, `unavailable` if the server
 * is shutting down, and the refusals of a read of the records
 */
export async function subscribeToRecords(
  ctx: Context,
  grant: DocumentGrant,
  options: LiveSubscribeOptions,
): Promise<SubscriptionHandle> {
  return hubOf(ctx, options.limits.bufferedBytes).subscribe(grant, options);
}

const hubs = new WeakMap<Context, LiveHub>();

function hubOf(ctx: Context, bufferedBytes: number): LiveHub {
  let hub = hubs.get(ctx);
  if (!hub) hubs.set(ctx, (hub = new LiveHub(ctx, bufferedBytes)));
  return hub;
}

/** The live queries of all documents. */
class LiveHub {
  readonly #ctx: Context;
  readonly #buffers: LiveBuffers;
  readonly #feeds = new Map<string, LiveFeed>();
  #generation = -1;
  #cancelTick: (() => void) | null = null;
  #nextHeartbeatMs: number;

  constructor(ctx: Context, bufferedBytes: number) {
    this.#ctx = ctx;
    this.#buffers = new LiveBuffers(bufferedBytes);
    this.#nextHeartbeatMs = ctx.clock.elapsed() + HEARTBEAT_INTERVAL_MS;
  }

  async subscribe(
    grant: DocumentGrant,
    { subscriber, query, after, limits }: LiveSubscribeOptions,
  ): Promise<SubscriptionHandle> {
    const { uuid } = grant;
    const release = reserveStream(this.#ctx, uuid, limits);
    let feed: LiveFeed;
    try {
      feed = this.#feeds.get(uuid) ?? this.#createFeed(uuid);
    } catch (error) {
      release();
      throw error;
    }
    const onEnd = (ended: LiveSubscription): void => {
      release();
      feed.remove(ended);
    };
    const subscription = new LiveSubscription(this.#ctx, {
      buffers: this.#buffers,
      query,
      grant,
      subscriber,
      after,
      onEnd,
    });
    subscriber.send(retryFrame());
    const added = feed.add(subscription);
    this.#tick();
    await added;
    return { onDrained: () => feed.drained(subscription), unsubscribe: () => subscription.disconnected() };
  }

  #createFeed(uuid: string): LiveFeed {
    const feed = new LiveFeed(this.#ctx, { uuid, buffers: this.#buffers }, () => {
      if (this.#feeds.get(uuid) === feed) this.#feeds.delete(uuid);
      feed.close();
      if (this.#feeds.size > 0) return;
      // The home database may be closed before the timer fires.
      this.#cancelTick?.();
      this.#cancelTick = null;
    });
    this.#feeds.set(uuid, feed);
    return feed;
  }

  /** Runs while there are subscribers. */
  #tick(): void {
    if (this.#cancelTick || this.#feeds.size === 0) return;
    this.#cancelTick = this.#ctx.timers.after(CHECK_INTERVAL_MS, () => {
      this.#cancelTick = null;
      try {
        this.#check();
      } finally {
        this.#tick();
      }
    });
  }

  #check(): void {
    const nowMs = this.#ctx.clock.elapsed();
    const isHeartbeat = nowMs >= this.#nextHeartbeatMs;
    if (isHeartbeat) this.#nextHeartbeatMs = nowMs + HEARTBEAT_INTERVAL_MS;
    const generation = this.#ctx.home.generation();
    const isDue = generation !== this.#generation;
    this.#generation = generation;
    for (const feed of this.#feeds.values()) {
      feed.reauthorize({ isDue });
      feed.checkClock();
      if (isHeartbeat) feed.sendHeartbeats();
    }
  }
}
