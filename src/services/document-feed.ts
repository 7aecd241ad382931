import { actorId, allows, type DocumentGrant } from "../access.ts";
import { AppError } from "../errors.ts";
import type { ChangeSignal, ChangeFeedBatch, ChangeFeedPosition } from "../hosts/documents.ts";
import type { Context } from "./context.ts";
import {
  changeFrame,
  endFrame,
  type EndReason,
  type EventAt,
  HEARTBEAT,
  idFrame,
  readyFrame,
  resetFrame,
  type ResetReason,
  retryFrame,
  type ShownUser,
} from "./event-frames.ts";
import { eventIdOf, type EventPlace } from "./event-ids.ts";

/** Whoever follows a document over a connection. */
export interface Follower {
  /** Who he is and what he may at this moment. @throws AppError when he may not read the document any more */
  recheck(): DocumentGrant;
  send(text: string): void;
  /** True while he takes less than he is sent. */
  readonly isBehind: boolean;
  end(): void;
}

/** A follower in his place. */
export interface Seat {
  readonly follower: Follower;
  grant: DocumentGrant;
  /** How far he was told. */
  place: ChangeFeedPosition | null;
  /** True as long as he is told what all are told who read the document. */
  isForAll: boolean;
  resetBecause: ResetReason | null;
  isStarting: boolean;
  /** Since when he is behind, in milliseconds; null when he is not. */
  behindSinceMs: number | null;
}

/** Between two questions what happens is gathered. */
const PACE_MS = 100;
/** Delay after a failure before subscribers that missed an event are notified again. */
const RETRY_MS = 1000;
/** After so long behind, a follower is given up. */
const MOST_BEHIND_MS = 60_000;

/**
 * All who follow one document. When it changes it is asked what happened since, once for all who see the same and were
 * told as far. Who takes less than he is sent is asked for again when he is through with what he has: nothing is kept
 * for him meanwhile.
 */
export class DocumentFeed {
  readonly #ctx: Context;
  readonly #uuid: string;
  readonly #seats = new Set<Seat>();
  readonly #stopHearing: () => void;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #isLooking = false;
  #isDue = false;
  #cancelLook: (() => void) | null = null;
  /** Counts what was heard. */
  #heard = 0;

  readonly #onEmpty: () => void;

  /**
   * @param onEmpty called when the last one left
   * @throws AppError `unavailable` when the server ends
   */
  constructor(ctx: Context, uuid: string, onEmpty: () => void) {
    this.#ctx = ctx;
    this.#uuid = uuid;
    this.#onEmpty = onEmpty;
    this.#stopHearing = ctx.signals.subscribe(uuid, (signal) => this.#hear(signal));
  }

  get size(): number {
    return this.#seats.size;
  }

  /** Takes somebody in, and tells him what happened since `place`. @throws AppError when the document cannot be read */
  async join(follower: Follower, grant: DocumentGrant, place: ChangeFeedPosition | null): Promise<Seat> {
    const seat: Seat = {
      follower,
      grant,
      place,
      isForAll: false,
      resetBecause: null,
      isStarting: true,
      behindSinceMs: null,
    };
    this.#seats.add(seat);
    const heard = this.#heard;
    try {
      const told = await this.#ctx.documents.call(grant, "events.since", { from: place });
      if (!this.#seats.has(seat) || !this.recheck(seat)) return seat;
      follower.send(retryFrame());
      this.#deliver(seat, told);
      follower.send(readyFrame(this.#at(told.position)));
      seat.isStarting = false;
      if (heard !== this.#heard) this.#lookSoon();
      return seat;
    } catch (error) {
      this.leave(seat);
      throw error;
    }
  }

  /** The connection is gone. Twice is fine. */
  leave(seat: Seat): void {
    if (this.#seats.delete(seat) && this.#seats.size === 0) this.#onEmpty();
  }

  /** To be called when somebody who was behind is through with what he had. */
  drained(seat: Seat): void {
    if (seat.behindSinceMs === null) return;
    seat.behindSinceMs = null;
    this.#lookSoon();
  }

  /** Ends hearing of the document; nobody must be left. */
  close(): void {
    this.#cancelLook?.();
    this.#stopHearing();
  }

  /** Holds what everybody may against what he does. */
  recheckAll(): void {
    for (const seat of this.#seats) this.recheck(seat);
    if ([...this.#seats].some(({ resetBecause }) => resetBecause !== null)) this.#lookSoon();
  }

  /** A sign of life for everybody; whoever has not taken anything for long is given up. */
  beat(): void {
    const nowMs = this.#ctx.clock.elapsed();
    for (const seat of this.#seats) {
      this.#noteBehind(seat);
      if (seat.behindSinceMs === null) seat.follower.send(HEARTBEAT);
      else if (nowMs - seat.behindSinceMs > MOST_BEHIND_MS) this.#end(seat, "slow");
    }
  }

  /** @returns false when he may not stay */
  recheck(seat: Seat): boolean {
    try {
      const grant = seat.follower.recheck();
      if (!seat.isForAll && viewOf(grant) !== viewOf(seat.grant)) seat.resetBecause ??= "access";
      seat.grant = grant;
      return true;
    } catch (error) {
      this.#end(seat, reasonOf(error));
      return false;
    }
  }

  #hear(signal: ChangeSignal): void {
    this.#heard++;
    switch (signal) {
      case "changed":
        return this.#lookSoon();
      case "replaced":
        for (const seat of this.#seats) seat.resetBecause = "replaced";
        return this.#lookSoon();
      case "removed":
      case "stopping":
        for (const seat of this.#seats) this.#end(seat, signal);
        return;
      default:
        return signal satisfies never;
    }
  }

  #lookSoon(): void {
    this.#isDue = true;
    if (this.#isLooking || this.#cancelLook) return;
    const waitMs = Math.max(0, this.#lookedAtMs + PACE_MS - this.#ctx.clock.elapsed());
    this.#cancelLook = this.#ctx.timers.after(waitMs, () => {
      this.#cancelLook = null;
      return this.#look();
    });
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    this.#isDue = false;
    let pauseMs = 0;
    try {
      await this.#tellAll();
    } catch (error) {
      this.#ctx.log.warn("events.delivery_failed", { document: this.#uuid, error: String(error) });
      this.#isDue = true;
      pauseMs = RETRY_MS;
    } finally {
      this.#isLooking = false;
      this.#lookedAtMs = this.#ctx.clock.elapsed() + pauseMs;
      if (this.#isDue) this.#lookSoon();
    }
  }

  async #tellAll(): Promise<void> {
    const groups = new Map<string, Seat[]>();
    for (const seat of this.#seats) {
      this.#noteBehind(seat);
      if (seat.isStarting || seat.behindSinceMs !== null || !this.recheck(seat)) continue;
      const key = JSON.stringify([
        seat.isForAll || viewOf(seat.grant),
        seat.resetBecause === null && seat.place,
        seat.resetBecause,
      ]);
      const group = groups.get(key);
      if (group) group.push(seat);
      else groups.set(key, [seat]);
    }
    // All of them, so that nothing is still being told when one looks the next time.
    const told = await Promise.allSettled([...groups.values()].map((group) => this.#tell(group)));
    for (const one of told) if (one.status === "rejected") throw one.reason;
  }

  /** Tells those who see the same and were told as far. */
  async #tell(seats: readonly Seat[]): Promise<void> {
    const [first] = seats;
    if (!first) return;
    const { grant, place, resetBecause } = first;
    let told: ChangeFeedBatch;
    try {
      told = await this.#ctx.documents.call(grant, "events.since", { from: resetBecause === null ? place : null });
    } catch (error) {
      this.#ctx.log.warn("events not found", { uuid: this.#uuid, error: String(error) });
      for (const seat of seats) this.#end(seat, "trouble");
      return;
    }
    if (!told.isUnrestricted && seats.length > 1 && first.isForAll) {
      // There are access rules since: from now on everybody is asked for by himself.
      for (const seat of seats) seat.isForAll = false;
      return this.#lookSoon();
    }
    for (const seat of seats) {
      // Something happened meanwhile that is told first.
      if (seat.resetBecause !== resetBecause || !this.#seats.has(seat) || !this.recheck(seat)) continue;
      if (seat.resetBecause === resetBecause) this.#deliver(seat, told);
    }
  }

  #deliver(seat: Seat, told: ChangeFeedBatch): void {
    const { follower, grant, place } = seat;
    const reset = seat.resetBecause ?? told.reset;
    const at = this.#at(told.position);
    if (reset) follower.send(resetFrame(at, reset));
    else {
      const isNamed = allows(grant.role, "editors");
      const { seesEverything } = told.position;
      // All frames before the first is sent: a failure in between would have changes sent twice.
      const frames = told.changes.map((change) => {
        const user = isNamed ? this.#userOf(change.user) : null;
        return changeFrame(seesEverything ? this.#at({ ...change, seesEverything }) : at, change, user);
      });
      for (const frame of frames) follower.send(frame);
      const lastN = told.changes.at(-1)?.n ?? place?.n;
      // That the id moves would tell others of a change that is hidden from them.
      if (seesEverything && lastN !== undefined && lastN !== told.position.n) follower.send(idFrame(at));
    }
    seat.place = told.position;
    seat.isForAll = told.isUnrestricted;
    seat.resetBecause = null;
    this.#noteBehind(seat);
  }

  #at(place: EventPlace): EventAt {
    return { id: eventIdOf(this.#uuid, place), action: place.seesEverything ? place.n : undefined };
  }

  #userOf(email: string | null): ShownUser | null {
    if (email === null || email === "") return null;
    const user = this.#ctx.home.users.byEmail(email);
    return { id: user?.id ?? null, email, name: user?.name ?? null };
  }

  #noteBehind(seat: Seat): void {
    if (seat.follower.isBehind) seat.behindSinceMs ??= this.#ctx.clock.elapsed();
    else seat.behindSinceMs = null;
  }

  #end(seat: Seat, reason: EndReason): void {
    this.leave(seat);
    seat.follower.send(endFrame(reason));
    seat.follower.end();
  }
}

/** What of a caller the rules of a document may look at. */
const viewOf = ({ actor, role, request }: DocumentGrant): string =>
  JSON.stringify([actorId(actor), role, request.origin, request.linkKey]);

function reasonOf(error: unknown): EndReason {
  const code = error instanceof AppError ? error.code : null;
  if (code === "unauthenticated") return "signedOut";
  if (code === "forbidden") return "access";
  return code === "notFound" ? "removed" : "trouble";
}
