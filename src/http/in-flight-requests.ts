import type { Config } from "../config.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { TimeoutScheduler } from "../lib/time/timeouts.ts";
import { KeyedConcurrencyLimiter } from "../lib/concurrency/keyed-concurrency-limiter.ts";
import { networkPrefixOf } from "../lib/network/networks.ts";
import { RateLimiter } from "../lib/concurrency/rate-limiter.ts";
import type { Call } from "./call.ts";

const MINUTE_MS = 60_000;
/** Work that is known to be long may take so much longer. */
const LONG_RUNNING_FACTOR = 60;

export interface InFlightRequestsOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly timeouts: TimeoutScheduler;
}

/** The requests under way: how many there may be, how many of one caller and how often, and how long each may take. */
export class InFlightRequests {
  readonly #config: Config;
  readonly #clock: Clock;
  readonly #timeouts: TimeoutScheduler;
  readonly #callerLimiter = new KeyedConcurrencyLimiter();
  readonly #rateLimiter: RateLimiter | null;
  #inFlight = 0;

  constructor({ config, clock, timeouts }: InFlightRequestsOptions) {
    const { ratePerKey } = config;
    this.#config = config;
    this.#clock = clock;
    this.#timeouts = timeouts;
    this.#rateLimiter =
      ratePerKey > 0 ? new RateLimiter({ burst: ratePerKey, refillMs: MINUTE_MS / ratePerKey }) : null;
  }

  /**
   * Does the work of a request, within its time. What takes longer goes on, and what comes of it is thrown away.
   * @throws AppError `unavailable` when the time is up and nothing can have been changed, `late` when it may have been
   */
  run(call: Call, work: (call: Call) => Promise<Response>): Promise<Response> {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    let limitMs = this.#config.deadlineS * 1000;
    let isTimedOut = false;
    const timeout = this.#timeouts.after(limitMs, () => {
      isTimedOut = true;
      reject(deadlineExceeded(call, limitMs));
    });
    call.accounting.extendDeadline = () => {
      limitMs = this.#config.deadlineS * 1000 * LONG_RUNNING_FACTOR;
      timeout.extend(limitMs);
    };
    const execute = async () => {
      this.#inFlight++;
      try {
        const response = await work(call);
        // Nobody reads it any more: what it holds is given back.
        if (isTimedOut) await response.body?.cancel();
        resolve(response);
      } catch (error) {
        reject(error);
      } finally {
        timeout.cancel();
        this.#inFlight--;
        if (call.accounting.bufferedBodyBytes > 0)
          call.services.bodyMemory.release(call.accounting.caller ?? call.address, call.accounting.bufferedBodyBytes);
        if (call.accounting.caller !== undefined) this.#callerLimiter.release(call.accounting.caller);
        if (isTimedOut) call.ctx.log.warn("http.request_finished_late", { requestId: call.requestId });
      }
    };
    void execute();
    return promise;
  }

  /**
   * Whether there is room for one more, which is counted already.
   * @param openResponses how many are worked on or whose answers are still being taken, as far as the connections tell
   * @throws AppError `unavailable`
   */
  checkCapacity(openResponses: number): void {
    const { maxRequests } = this.#config;
    // Ours go on where the caller has left; those below us until the answer is through.
    if (maxRequests === 0 || Math.max(this.#inFlight, openResponses) <= maxRequests) return;
    throw new AppError("server.overloaded", "The server has too much to do at the moment", { retryAfterS: 1 });
  }

  /**
   * Counts a request for whoever sends it, as far as that is known by now.
   * @throws AppError `tooMany`
   */
  admitCaller(call: Call): void {
    const { actor, address } = call;
    const caller = actor.kind === "user" ? `user ${actor.userId}` : `address ${networkPrefixOf(address)}`;
    const { maxRequests } = this.#config;
    if (!this.#callerLimiter.tryAcquire(caller, maxRequests === 0 ? 0 : Math.ceil(maxRequests / 2))) {
      throw new AppError("limit.caller_requests", "Too many concurrent requests; retry when one has finished", {
        retryAfterS: 1,
      });
    }
    call.accounting.caller = caller;
    const key = actor.kind === "user" && actor.keyId !== undefined ? `key ${actor.keyId}` : caller;
    this.countRate(key);
  }

  /** Counts a request that could not be told whose it is. @throws AppError `tooMany` */
  countUnidentified({ address }: Call): void {
    this.countRate(`address ${networkPrefixOf(address)}`);
  }

  countRate(key: string): void {
    const waitMs = this.#rateLimiter?.take(key, this.#clock.elapsed()) ?? 0;
    if (waitMs === 0) return;
    const message = `Only ${this.#config.ratePerKey} requests a minute are taken`;
    throw new AppError("limit.rate", message, { retryAfterS: Math.ceil(waitMs / 1000) });
  }
}

function deadlineExceeded({ request: { method } }: Call, limitMs: number): AppError {
  const limit = `This takes longer than ${limitMs / 1000} seconds`;
  if (method === "GET" || method === "HEAD") {
    return new AppError("server.deadline", `${limit}; try again later`, { retryAfterS: 10 });
  }
  return new AppError("late", `${limit} and goes on: it may be done yet, so look before you send it again`);
}
