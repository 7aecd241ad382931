/** Streams of what changes in documents: who may have one, how many there are, and what keeps them alive. */
import type { DocumentGrant } from "../access.ts";
import { AppError } from "../errors.ts";
import type { Context } from "./context.ts";
import { DocumentFeed, type Follower } from "./document-feed.ts";
import { eventIdOf, readEventId } from "./event-ids.ts";

export type { Follower } from "./document-feed.ts";

export interface FollowOptions {
  readonly follower: Follower;
  /** The id of the event, or the number of the state, to go on from; null from now on. */
  readonly after: string | null;
  /** How many streams there may be, of one document and in all; 0 = no limit. */
  readonly most: { readonly ofDocument: number; readonly inAll: number };
}

/** To be told by whoever holds the connection. */
export interface Following {
  /** The follower took what he was sent. */
  drained(): void;
  /** The connection is gone. Twice is fine. */
  leave(): void;
}

/** Many proxies give up a connection that is silent for 30 seconds. */
const BEAT_MS = 20_000;
/** How long a change of access may take to be noticed where nothing happens in the document. */
const RECHECK_MS = 1000;

/**
 * Sends somebody what changes in a document, until he leaves or may not any more.
 * @throws AppError `tooMany` when there are too many streams, `unavailable` when the server ends, and whatever the
 *   document refuses
 */
export async function followDocument(ctx: Context, grant: DocumentGrant, options: FollowOptions): Promise<Following> {
  return hubOf(ctx).follow(grant, options);
}

/** From which event on to follow for whoever reads the document after this. @throws AppError as the document refuses */
export async function eventIdNow(ctx: Context, grant: DocumentGrant): Promise<string> {
  const { position } = await ctx.documents.call(grant, "events.since", { from: null });
  return eventIdOf(grant.uuid, position);
}

const hubs = new WeakMap<Context, Hub>();

function hubOf(ctx: Context): Hub {
  let hub = hubs.get(ctx);
  if (!hub) hubs.set(ctx, (hub = new Hub(ctx)));
  return hub;
}

/** The feeds of all documents that are followed. */
class Hub {
  readonly #ctx: Context;
  readonly #feeds = new Map<string, DocumentFeed>();
  #generation = -1;
  #cancel: (() => void) | null = null;
  #msToBeat = BEAT_MS;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  async follow(grant: DocumentGrant, { follower, after, most }: FollowOptions): Promise<Following> {
    const { uuid } = grant;
    if (isFull(this.#feeds.get(uuid)?.size ?? 0, most.ofDocument)) throw tooMany("this document");
    if (isFull(this.#size(), most.inAll)) throw tooMany("this server");
    const feed = this.#feeds.get(uuid) ?? this.#begin(uuid);
    this.#tick();
    const place = after === null ? null : { ...readEventId(uuid, after), mark: null };
    const seat = await feed.join(follower, grant, place);
    return { drained: () => feed.drained(seat), leave: () => feed.leave(seat) };
  }

  #begin(uuid: string): DocumentFeed {
    const feed = new DocumentFeed(this.#ctx, uuid, () => {
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
    this.#cancel = this.#ctx.timers.after(RECHECK_MS, () => {
      this.#cancel = null;
      try {
        this.#look();
      } finally {
        this.#tick();
      }
    });
  }

  #look(): void {
    this.#msToBeat -= RECHECK_MS;
    const isBeat = this.#msToBeat <= 0;
    if (isBeat) this.#msToBeat = BEAT_MS;
    const generation = this.#ctx.home.generation();
    for (const feed of this.#feeds.values()) {
      // With each beat too: keys and sessions end by themselves.
      if (isBeat || generation !== this.#generation) feed.recheckAll();
      if (isBeat) feed.beat();
    }
    this.#generation = generation;
  }
}

const isFull = (size: number, most: number): boolean => most > 0 && size >= most;

const tooMany = (what: string): AppError =>
  new AppError("limit.streams", `Too many streams of events of ${what} at the same time`, { retryAfterS: 10 });
