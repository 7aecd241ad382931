/** Streams of what changes in documents: who may have one, how many there are, and what keeps them alive. */
import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { Context } from "../context.ts";
import { DocumentChangeFeed, type Subscriber } from "./document-change-feed.ts";
import { formatEventId, parseEventId } from "./event-ids.ts";

export type { Subscriber } from "./document-change-feed.ts";

export interface SubscribeOptions {
  readonly subscriber: Subscriber;
  /** The id of the event, or the number of the state, to go on from; null from now on. */
  readonly after: string | null;
  /** How many streams there may be, of one document and in all; 0 = no limit. */
  readonly limits: { readonly perDocument: number; readonly total: number };
}

/** To be told by whoever holds the connection. */
export interface SubscriptionHandle {
  /** The follower took what he was sent. */
  onDrained(): void;
  /** The connection is gone. Twice is fine. */
  unsubscribe(): void;
}

/** Many proxies give up a connection that is silent for 30 seconds. */
const HEARTBEAT_INTERVAL_MS = 20_000;
/** How long a change of access may take to be noticed where nothing happens in the document. */
const REAUTHORIZE_INTERVAL_MS = 1000;

/**
 * Sends somebody what changes in a document, until he leaves or may not any more.
 * @throws AppError `tooMany` when there are too many streams, `unavailable` when the server ends, and whatever the
 *   document refuses
 */
export async function subscribeToDocument(
  ctx: Context,
  grant: DocumentGrant,
  options: SubscribeOptions,
): Promise<SubscriptionHandle> {
  return hubOf(ctx).subscribe(grant, options);
}

/** From which event on to follow for whoever reads the document after this. @throws AppError as the document refuses */
export async function currentEventId(ctx: Context, grant: DocumentGrant): Promise<string> {
  const { position } = await ctx.documents.call(grant, "events.since", { from: null });
  return formatEventId(grant.uuid, position);
}

const hubs = new WeakMap<Context, ChangeFeedHub>();

function hubOf(ctx: Context): ChangeFeedHub {
  let hub = hubs.get(ctx);
  if (!hub) hubs.set(ctx, (hub = new ChangeFeedHub(ctx)));
  return hub;
}

/** The feeds of all documents that are followed. */
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
    if (isFull(this.#feeds.get(uuid)?.size ?? 0, limits.perDocument)) throw tooMany("this document");
    if (isFull(this.#size(), limits.total)) throw tooMany("this server");
    const feed = this.#feeds.get(uuid) ?? this.#createFeed(uuid);
    this.#tick();
    const position = after === null ? null : { ...parseEventId(uuid, after), mark: null };
    const subscription = await feed.subscribe(subscriber, grant, position);
    return { onDrained: () => feed.onDrained(subscription), unsubscribe: () => feed.unsubscribe(subscription) };
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

  #size(): number {
    let size = 0;
    for (const feed of this.#feeds.values()) size += feed.size;
    return size;
  }

  /** Runs as long as there is anybody. */
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

  #checkFeeds(): void {
    this.#msToHeartbeat -= REAUTHORIZE_INTERVAL_MS;
    const isHeartbeat = this.#msToHeartbeat <= 0;
    if (isHeartbeat) this.#msToHeartbeat = HEARTBEAT_INTERVAL_MS;
    const generation = this.#ctx.home.generation();
    for (const feed of this.#feeds.values()) {
      // With each beat too: keys and sessions end by themselves.
      if (isHeartbeat || generation !== this.#generation) feed.reauthorizeAll();
      if (isHeartbeat) feed.sendHeartbeats();
    }
    this.#generation = generation;
  }
}

const isFull = (size: number, max: number): boolean => max > 0 && size >= max;

const tooMany = (what: string): AppError =>
  new AppError("limit.streams", `Too many streams of events of ${what} at the same time`, { retryAfterS: 10 });
