/** Streams of document changes: access, limits and heartbeats. */
import type { DocumentGrant } from "../../authorization.ts";
import type { Context } from "../context.ts";
import { DocumentChangeFeed, type Subscriber } from "./document-change-feed.ts";
import { formatEventId, parseEventId } from "./event-ids.ts";
import { reserveStream, type StreamLimits } from "./stream-limits.ts";

export type { Subscriber } from "./document-change-feed.ts";

export interface SubscribeOptions {
  readonly subscriber: Subscriber;
  /** The id of the event, or the number of the state, to resume from; null = only new changes. */
  readonly after: string | null;
  readonly limits: StreamLimits;
}

/** To be called by the owner of the connection. */
export interface SubscriptionHandle {
  /** The subscriber has drained its buffer. */
  onDrained(): void;
  /** The connection has closed. Idempotent. */
  unsubscribe(): void;
}

/** Many proxies close a connection that is silent for 30 seconds. */
const HEARTBEAT_INTERVAL_MS = 20_000;
/** Maximum delay until a change of access takes effect on idle documents. */
const REAUTHORIZE_INTERVAL_MS = 1000;

/**
 * Sends the changes of a document to a subscriber until it disconnects or loses access.
 * @throws AppError `tooMany` if there are too many streams, `unavailable` if the server is shutting down, and the
 * refusals of the document
 */
export async function subscribeToDocument(
  ctx: Context,
  grant: DocumentGrant,
  options: SubscribeOptions,
): Promise<SubscriptionHandle> {
  return hubOf(ctx).subscribe(grant, options);
}

/**
 * Returns the event id to subscribe from for callers that read the document after this. @throws AppError as the
 * document refuses
 */
export async function currentEventId(ctx: Context, grant: DocumentGrant): Promise<string> {
  const { position } = await ctx.documents.call(grant, "events.since", { from: null });
  return formatEventId(grant.uuid, position);
}

/** Ends the streams of subscribers who have lost access. Call it when home has changed; otherwise it takes a second. */
export function recheckSubscribers(ctx: Context): void {
  hubs.get(ctx)?.recheck();
}

const hubs = new WeakMap<Context, ChangeFeedHub>();

function hubOf(ctx: Context): ChangeFeedHub {
  let hub = hubs.get(ctx);
  if (!hub) hubs.set(ctx, (hub = new ChangeFeedHub(ctx)));
  return hub;
}

/** The feeds of all documents with subscribers. */
class ChangeFeedHub {
  readonly #ctx: Context;
  readonly #feeds = new Map<string, DocumentChangeFeed>();
  #generation = -1;
  #cancel: (() => void) | null = null;
  #msToHeartbeat = HEARTBEAT_INTERVAL_MS;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  async subscribe(grant: DocumentGrant, { subscriber, after, limits }: SubscribeOptions): Promise<SubscriptionHandle> {
    const { uuid } = grant;
    const release = reserveStream(this.#ctx, uuid, limits);
    try {
      const feed = this.#feeds.get(uuid) ?? this.#createFeed(uuid);
      this.#tick();
      const position = after === null ? null : { ...parseEventId(uuid, after), mark: null };
      const subscription = await feed.subscribe(subscriber, grant, { position, onEnd: release });
      return { onDrained: () => feed.onDrained(subscription), unsubscribe: () => feed.unsubscribe(subscription) };
    } catch (error) {
      release();
      throw error;
    }
  }

  #createFeed(uuid: string): DocumentChangeFeed {
    const feed = new DocumentChangeFeed(this.#ctx, uuid, () => {
      this.#feeds.delete(uuid);
      feed.close();
      if (this.#feeds.size > 0) return;
      this.#cancel?.();
      this.#cancel = null;
    });
    this.#feeds.set(uuid, feed);
    return feed;
  }

  /** Runs while there are subscribers. */
  #tick(): void {
    if (this.#cancel || this.#feeds.size === 0) return;
    this.#cancel = this.#ctx.timers.after(REAUTHORIZE_INTERVAL_MS, () => {
      this.#cancel = null;
      try {
        this.#checkFeeds();
      } finally {
        this.#tick();
      }
    });
  }

  /** As `recheckSubscribers`. */
  recheck(): void {
    if (this.#feeds.size > 0) this.#reauthorize({ isDue: false });
  }

  #checkFeeds(): void {
    this.#msToHeartbeat -= REAUTHORIZE_INTERVAL_MS;
    const isHeartbeat = this.#msToHeartbeat <= 0;
    if (isHeartbeat) this.#msToHeartbeat = HEARTBEAT_INTERVAL_MS;
    // Also with each heartbeat: keys and sessions expire without a change of the generation.
    this.#reauthorize({ isDue: isHeartbeat });
    const nowMs = this.#ctx.clock.now();
    // Tokens are short-lived: they do not wait for a heartbeat.
    for (const feed of this.#feeds.values()) feed.reauthorizeExpired(nowMs);
    if (isHeartbeat) for (const feed of this.#feeds.values()) feed.sendHeartbeats();
  }

  #reauthorize({ isDue }: { isDue: boolean }): void {
    const generation = this.#ctx.home.generation();
    if (!isDue && generation === this.#generation) return;
    for (const feed of this.#feeds.values()) feed.reauthorizeAll();
    this.#generation = generation;
  }
}
