import type { Config } from "../config.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Expiries } from "../lib/expiries.ts";
import { Gate } from "../lib/gate.ts";
import { networkOf } from "../lib/networks.ts";
import { RateLimit } from "../lib/rate-limit.ts";
import type { Call } from "./call.ts";

const MINUTE_MS = 60_000;
/** Work that is known to be long may take so much longer. */
const LONG = 60;

export interface UnderWayOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly expiries: Expiries;
}

/** The requests under way: how many there may be, how many of one caller and how often, and how long each may take. */
export class UnderWay {
  readonly #config: Config;
  readonly #clock: Clock;
  readonly #expiries: Expiries;
  readonly #callers = new Gate();
  readonly #rate: RateLimit | null;
  #count = 0;

  constructor({ config, clock, expiries }: UnderWayOptions) {
    const { ratePerKey } = config;
    this.#config = config;
    this.#clock = clock;
    this.#expiries = expiries;
    this.#rate = ratePerKey > 0 ? new RateLimit({ burst: ratePerKey, refillMs: MINUTE_MS / ratePerKey }) : null;
  }

  /**
   * Does the work of a request, within its time. What takes longer goes on, and what comes of it is thrown away.
   * @throws AppError `unavailable` when the time is up and nothing can have been changed, `late` when it may have been
   */
  run(call: Call, work: (call: Call) => Promise<Response>): Promise<Response> {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    let limitMs = this.#config.deadlineS * 1000;
    let isLate = false;
    const expiry = this.#expiries.after(limitMs, () => {
      isLate = true;
      reject(late(call, limitMs));
    });
    call.accounting.takeTime = () => {
      limitMs = this.#config.deadlineS * 1000 * LONG;
      expiry.extend(limitMs);
    };
    const carryOut = async () => {
      this.#count++;
      try {
        const response = await work(call);
        // Nobody reads it any more: what it holds is given back.
        if (isLate) await response.body?.cancel();
        resolve(response);
      } catch (error) {
        reject(error);
      } finally {
        expiry.done();
        this.#count--;
        if (call.accounting.bodyBytes > 0)
          call.services.bodyRoom.giveBack(call.accounting.caller ?? call.address, call.accounting.bodyBytes);
        if (call.accounting.caller !== undefined) this.#callers.leave(call.accounting.caller);
        if (isLate) call.ctx.log.warn("finished late", { requestId: call.requestId });
      }
    };
    void carryOut();
    return promise;
  }

  /**
   * Whether there is room for one more, which is counted already.
   * @param answering how many are worked on or whose answers are still being taken, as far as the connections tell
   * @throws AppError `unavailable`
   */
  checkRoom(answering: number): void {
    const { maxRequests } = this.#config;
    // Ours go on where the caller has left; those below us until the answer is through.
    if (maxRequests === 0 || Math.max(this.#count, answering) <= maxRequests) return;
    throw new AppError("server.overloaded", "The server has too much to do at the moment", { retryAfterS: 1 });
  }

  /**
   * Counts a request for whoever sends it, as far as that is known by now.
   * @throws AppError `tooMany`
   */
  countCaller(call: Call): void {
    const { actor, address } = call;
    const caller = actor.kind === "user" ? `user ${actor.userId}` : `address ${networkOf(address)}`;
    const { maxRequests } = this.#config;
    if (!this.#callers.enter(caller, maxRequests === 0 ? 0 : Math.ceil(maxRequests / 2))) {
      throw new AppError("limit.caller_requests", "Too many concurrent requests; retry when one has finished", {
        retryAfterS: 1,
      });
    }
    call.accounting.caller = caller;
    const key = actor.kind === "user" && actor.keyId !== undefined ? `key ${actor.keyId}` : caller;
    this.countRate(key);
  }

  /** Counts a request that could not be told whose it is. @throws AppError `tooMany` */
  countUnknown({ address }: Call): void {
    this.countRate(`address ${networkOf(address)}`);
  }

  countRate(key: string): void {
    const waitMs = this.#rate?.take(key, this.#clock.elapsed()) ?? 0;
    if (waitMs === 0) return;
    const message = `Only ${this.#config.ratePerKey} requests a minute are taken`;
    throw new AppError("limit.rate", message, { retryAfterS: Math.ceil(waitMs / 1000) });
  }
}

function late({ request: { method } }: Call, limitMs: number): AppError {
  const limit = `This takes longer than ${limitMs / 1000} seconds`;
  if (method === "GET" || method === "HEAD") {
    return new AppError("server.deadline", `${limit}; try again later`, { retryAfterS: 10 });
  }
  return new AppError("late", `${limit} and goes on: it may be done yet, so look before you send it again`);
}
