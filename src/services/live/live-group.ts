import type { LiveKeys, LiveRead, LiveState } from "../../hosts/documents.ts";
import type { Context } from "../context.ts";
import { changeFrame, currentFrame, idFrame, type LiveResetReason, resetFrame } from "./live-frames.ts";
import type { LiveSubscription } from "./live-subscription.ts";
import {
  contentOf,
  dayOf,
  formatLiveToken,
  HASH_SEED,
  isOfQuery,
  type LiveToken,
  parseLiveToken,
} from "./live-tokens.ts";

interface LiveGroupOptions {
  readonly uuid: string;
  readonly keys: LiveKeys;
  /** Called when the last subscription has left. */
  readonly onEmpty: () => void;
  /** Called with subscriptions that no longer have equal rights; they have left the group. */
  readonly onRightsChanged: (subscriptions: readonly LiveSubscription[]) => void;
  /** Called with a subscription whose caller may have other rights than the rest of the group. */
  readonly onOutOfPlace: (subscription: LiveSubscription) => void;
}

/** Changes that follow each other this closely are reported together. */
const MIN_INTERVAL_MS = 10;
/** A query is evaluated for at most a quarter of the time, so that writes and other reads continue. */
const REST_FACTOR = 3;
const MAX_INTERVAL_MS = 2000;

/** A subscription that waits for an event, and the state that it resumes from, if the server knows it. */
interface Waiting {
  readonly subscription: LiveSubscription;
  readonly token: LiveToken | null;
}

/**
 * Subscriptions of equal queries with equal rights. The query is evaluated once for all of them, and each event is
 * rendered once. All subscriptions have the same state, except subscriptions that wait for a whole result.
 */
export class LiveGroup {
  readonly subscriptions = new Set<LiveSubscription>();
  readonly #ctx: Context;
  readonly #options: LiveGroupOptions;
  #state: LiveState | null = null;
  /** Counts replacements of the document's content: a result that was being read then is discarded. */
  #replacements = 0;
  #expiresAtMs: number | null = null;
  #isRunning = false;
  #isDue = false;
  #cancelRun: (() => void) | null = null;
  #earliestRunMs = Number.NEGATIVE_INFINITY;
  /** The id that subscriptions have got. */
  #sentId: string | null = null;

  constructor(ctx: Context, options: LiveGroupOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  /** Adds a subscription, which waits for its first event, or for a reset. */
  add(subscription: LiveSubscription): void {
    this.subscriptions.add(subscription);
    this.schedule({ isUrgent: this.#state === null });
  }

  remove(subscription: LiveSubscription): void {
    if (!this.subscriptions.delete(subscription) || this.subscriptions.size > 0) return;
    this.#cancelRun?.();
    this.#options.onEmpty();
  }

  /** The document's content was replaced. */
  replaced(): void {
    this.#replacements++;
    this.#state = null;
    for (const subscription of this.subscriptions) subscription.requestReset("replaced");
    this.schedule({ isUrgent: true });
  }

  /** Evaluates the query if its result has changed by the clock. */
  checkClock(): void {
    if (this.#expiresAtMs !== null && this.#ctx.clock.now() >= this.#expiresAtMs) this.schedule();
  }

  /** Advances the ids of subscriptions: resuming from an old state needs a long part of the history. */
  sendHeartbeats(): void {
    const id = this.#state && !this.#state.isRestricted ? formatLiveToken(this.#scope, this.#state) : null;
    const frame = id !== null && id !== this.#sentId ? idFrame(id) : undefined;
    for (const subscription of this.subscriptions) subscription.beat(subscription.pending ? undefined : frame);
    if (id !== null) this.#sentId = id;
  }

  /** Evaluates the query soon. */
  schedule({ isUrgent = false } = {}): void {
    this.#isDue = true;
    if (this.#isRunning || (this.#cancelRun && !isUrgent)) return;
    this.#cancelRun?.();
    const waitMs = isUrgent ? 0 : Math.max(0, this.#earliestRunMs - this.#ctx.clock.elapsed());
    this.#cancelRun = this.#ctx.timers.after(waitMs, () => {
      this.#cancelRun = null;
      return this.#run();
    });
  }

  async #run(): Promise<void> {
    const startedMs = this.#ctx.clock.elapsed();
    this.#isRunning = true;
    this.#isDue = false;
    try {
      await this.#evaluate();
    } catch (error) {
      this.#ctx.log.warn("live.read_failed", { document: this.#options.uuid, error: String(error) });
      for (const subscription of this.subscriptions) subscription.refuse(error);
    } finally {
      const nowMs = this.#ctx.clock.elapsed();
      const restMs = Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, (nowMs - startedMs) * REST_FACTOR));
      this.#earliestRunMs = nowMs + restMs;
      this.#isRunning = false;
      if (this.#isDue && this.subscriptions.size > 0) this.schedule({ isUrgent: this.#state === null });
    }
  }

  async #evaluate(): Promise<void> {
    const representative = this.#representative();
    if (!representative) return;
    const waiting = this.#waiting();
    const replacements = this.#replacements;
    const resumed = waiting.flatMap(({ token }) => (token?.kind === "state" ? [{ n: token.n, h: token.h }] : []));
    let read: LiveRead | null;
    try {
      read = await this.#ctx.documents.call(representative.grant, "live.read", {
        query: representative.query,
        rights: this.#options.keys.rights,
        seed: HASH_SEED,
        known: this.#state,
        isWhole: waiting.length > 0,
        resumed,
      });
    } catch (error) {
      // Rights and query are equal: the refusal is that of all.
      for (const subscription of this.subscriptions) subscription.refuse(error);
      return;
    }
    if (replacements !== this.#replacements) return void (this.#isDue = true);
    if (!read) return this.#dissolve();
    this.#deliver(read, waiting);
  }

  /** Returns a subscription whose rights were just checked. */
  #representative(): LiveSubscription | null {
    for (const subscription of this.subscriptions) if (this.#mayGet(subscription)) return subscription;
    return null;
  }

  /** Checks the access of a subscription. Its rights were those of the group when it was found, and may have changed. */
  #mayGet(subscription: LiveSubscription): boolean {
    if (!subscription.isAuthorized()) return false;
    if (!subscription.isInPlace) this.#options.onOutOfPlace(subscription);
    return subscription.isInPlace;
  }

  #waiting(): Waiting[] {
    return [...this.subscriptions].flatMap((subscription) => {
      const { pending } = subscription;
      if (!pending || !subscription.isReady) return [];
      return [{ subscription, token: pending.kind === "resume" ? parseLiveToken(this.#scope, pending.token) : null }];
    });
  }

  #deliver(read: LiveRead, waiting: readonly Waiting[]): void {
    const { state, reset, change, records } = read;
    this.#state = state;
    this.#expiresAtMs = read.expiresAtMs;
    const frames = new FrameCache(formatLiveToken(this.#scope, state), records);
    if (reset) for (const subscription of this.subscriptions) subscription.requestReset(reset);
    const requested = new Map(waiting.map((one) => [one.subscription, one]));
    const resumptions = [...read.resumptions];
    const changed = change && changeFrame(frames.id, change);
    for (const subscription of this.subscriptions) {
      const one = requested.get(subscription);
      const resumption = one?.token?.kind === "state" ? resumptions.shift() : undefined;
      if (!this.#mayGet(subscription)) continue;
      const { pending } = subscription;
      if (!pending) {
        if (changed) subscription.sendChange(changed);
      } else if (pending.kind === "reset") {
        if (records && subscription.isReady) subscription.sendFirst(frames.reset(pending.reason));
      } else if (one) {
        const { token } = one;
        if (token?.kind === "content" && token.text === contentOf(this.#scope, state))
          subscription.sendFirst(frames.current());
        else if (token?.kind !== "state" || !isOfQuery(this.#scope, token) || !resumption)
          subscription.sendFirst(frames.reset("history"));
        else if (token.day !== dayOf(state)) subscription.sendFirst(frames.reset("clock"));
        else if (resumption.kind === "current") subscription.sendFirst(frames.current());
        else if (resumption.kind === "change") subscription.sendFirst(changeFrame(frames.id, resumption.data));
        else subscription.sendFirst(frames.reset(resumption.reason));
      }
    }
    if (changed || reset) this.#sentId = frames.id;
    if ([...this.subscriptions].some((one) => one.pending && one.isReady)) this.#isDue = true;
  }

  /** The rules have changed such that the subscriptions may have different rights. */
  #dissolve(): void {
    const subscriptions = [...this.subscriptions];
    this.subscriptions.clear();
    for (const subscription of subscriptions) subscription.requestReset("rules");
    this.#options.onEmpty();
    this.#options.onRightsChanged(subscriptions);
  }

  get #scope() {
    const { uuid, keys } = this.#options;
    return { uuid, ...keys };
  }
}

/** Renders the frames of one state once each. */
class FrameCache {
  readonly id: string;
  readonly #records: Uint8Array | null;
  readonly #resets = new Map<LiveResetReason, Uint8Array>();
  #current: Uint8Array | undefined;

  constructor(id: string, records: Uint8Array | null) {
    this.id = id;
    this.#records = records;
  }

  reset(reason: LiveResetReason): Uint8Array {
    let frame = this.#resets.get(reason);
    if (!frame) {
      if (!this.#records) throw new Error("the records were not read");
      this.#resets.set(reason, (frame = resetFrame(this.id, reason, this.#records)));
    }
    return frame;
  }

  current(): Uint8Array {
    return (this.#current ??= currentFrame(this.id));
  }
}
