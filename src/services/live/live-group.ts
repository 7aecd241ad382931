import type { LiveKeys, LiveRead, LiveState, ResumedState, Resumption } from "../../hosts/documents.ts";
import type { Context } from "../context.ts";
import type { LiveBuffers } from "./live-buffers.ts";
import { changeFrame, currentFrame, idFrame, type LiveResetReason } from "./live-frames.ts";
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
  readonly buffers: LiveBuffers;
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

/** The JSON of all records, for further subscriptions. */
interface KeptRecords {
  readonly bytes: Uint8Array;
  readonly release: () => void;
  isUsed: boolean;
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
  /** The records of `#state`, unless they are no longer needed or take too much memory. */
  #records: KeptRecords | null = null;
  /** The size of what was not sent for lack of memory. */
  #neededBytes = 0;
  readonly #onRoom = (): void => this.schedule();

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
    this.#end();
  }

  /** The document's content was replaced. */
  replaced(): void {
    this.#replacements++;
    this.#state = null;
    this.#dropRecords();
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
    if (this.#records?.isUsed === false) this.#dropRecords();
    else if (this.#records) this.#records.isUsed = false;
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
    const hasRoom = this.#records !== null || this.#options.buffers.hasRoom(this.#neededBytes);
    const waiting = hasRoom ? this.#waiting() : [];
    if (hasRoom) this.#neededBytes = 0;
    const replacements = this.#replacements;
    const resumed = resumedStates(waiting);
    let read: LiveRead | null;
    try {
      read = await this.#ctx.documents.call(representative.grant, "live.read", {
        query: representative.query,
        rights: this.#options.keys.rights,
        seed: HASH_SEED,
        known: this.#state,
        whole: waiting.length === 0 ? "no" : this.#records ? "ifChanged" : "yes",
        resumed: [...resumed.values()],
      });
    } catch (error) {
      // Rights and query are equal: the refusal is that of all.
      for (const subscription of this.subscriptions) subscription.refuse(error);
      return;
    }
    if (replacements !== this.#replacements) return void (this.#isDue = true);
    if (!read) return this.#dissolve();
    const resumptions = new Map([...resumed.keys()].map((key, at) => [key, read.resumptions[at]]));
    this.#deliver(read, waiting, resumptions);
    if (![...this.subscriptions].some((one) => one.pending && one.isReady)) return;
    if (this.#options.buffers.hasRoom(this.#neededBytes)) this.#isDue = true;
    else this.#options.buffers.onRoom(this.#onRoom);
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

  #deliver(
    read: LiveRead,
    waiting: readonly Waiting[],
    resumptions: ReadonlyMap<string, Resumption | undefined>,
  ): void {
    const { state, reset, change } = read;
    this.#state = state;
    this.#expiresAtMs = read.expiresAtMs;
    if (reset || change || read.records) this.#dropRecords();
    const records = read.records ? this.#keepRecords(read.records) : (this.#records?.bytes ?? null);
    const frames = new FrameCache(formatLiveToken(this.#scope, state));
    if (reset) for (const subscription of this.subscriptions) subscription.requestReset(reset);
    const requested = new Map(waiting.map((one) => [one.subscription, one]));
    const changed = change && changeFrame(frames.id, change);
    const sendReset = (subscription: LiveSubscription, reason: LiveResetReason): void => {
      if (!records) return;
      if (subscription.sendReset(frames.id, reason, records)) this.#useRecords();
      else this.#neededBytes = records.length;
    };
    for (const subscription of this.subscriptions) {
      const one = requested.get(subscription);
      if (!this.#mayGet(subscription)) continue;
      const { pending } = subscription;
      if (!pending) {
        if (changed) subscription.sendChange(changed);
      } else if (pending.kind === "reset") {
        if (subscription.isReady) sendReset(subscription, pending.reason);
      } else if (one) {
        const frame = this.#resume(one.token, frames, resumptions);
        if (!(frame instanceof Uint8Array)) sendReset(subscription, frame.reason);
        else if (!subscription.sendFirst(frame)) this.#neededBytes = Math.max(this.#neededBytes, frame.length);
      }
    }
    if (changed || reset) this.#sentId = frames.id;
  }

  /** Returns the event for a subscription that resumes, or why it gets the whole result. */
  #resume(
    token: LiveToken | null,
    frames: FrameCache,
    resumptions: ReadonlyMap<string, Resumption | undefined>,
  ): Uint8Array | { readonly reason: LiveResetReason } {
    const state = this.#state;
    if (!state || !token) return { reason: "history" };
    if (token.kind === "content")
      return token.text === contentOf(this.#scope, state) ? frames.current() : { reason: "history" };
    const resumption = resumptions.get(keyOf(token));
    if (!isOfQuery(this.#scope, token) || !resumption) return { reason: "history" };
    if (token.day !== dayOf(state)) return { reason: "clock" };
    return resumption.kind === "reset" ? resumption : frames.resumption(resumption);
  }

  /** Keeps records for subscriptions that are added while the result is the same; returns them. */
  #keepRecords(bytes: Uint8Array): Uint8Array {
    const release = this.#options.buffers.cache(bytes, () => (this.#records = null));
    if (release) this.#records = { bytes, release, isUsed: true };
    return bytes;
  }

  #useRecords(): void {
    if (this.#records) this.#records.isUsed = true;
  }

  #dropRecords(): void {
    const records = this.#records;
    this.#records = null;
    records?.release();
  }

  #end(): void {
    this.#dropRecords();
    this.#options.buffers.cancelOnRoom(this.#onRoom);
    this.#options.onEmpty();
  }

  /** The rules have changed such that the subscriptions may have different rights. */
  #dissolve(): void {
    const subscriptions = [...this.subscriptions];
    this.subscriptions.clear();
    for (const subscription of subscriptions) subscription.requestReset("rules");
    this.#end();
    this.#options.onRightsChanged(subscriptions);
  }

  get #scope() {
    const { uuid, keys } = this.#options;
    return { uuid, ...keys };
  }
}

const keyOf = ({ n, h }: { readonly n: number; readonly h: string }): string => `${n}-${h}`;

/** Returns the states that subscriptions resume from, each once. */
function resumedStates(waiting: readonly Waiting[]): Map<string, ResumedState> {
  const states = new Map<string, ResumedState>();
  for (const { token } of waiting) {
    if (token?.kind === "state") states.set(keyOf(token), { n: token.n, h: token.h });
  }
  return states;
}

/** Renders the frames of one state once each. */
class FrameCache {
  readonly id: string;
  readonly #resumptions = new Map<Resumption, Uint8Array>();
  #current: Uint8Array | undefined;

  constructor(id: string) {
    this.id = id;
  }

  current(): Uint8Array {
    return (this.#current ??= currentFrame(this.id));
  }

  resumption(resumption: Exclude<Resumption, { kind: "reset" }>): Uint8Array {
    if (resumption.kind === "current") return this.current();
    let frame = this.#resumptions.get(resumption);
    if (!frame) this.#resumptions.set(resumption, (frame = changeFrame(this.id, resumption.data)));
    return frame;
  }
}
