import type { Actor } from "../authorization.ts";
import type { Config } from "../config.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { TimeoutScheduler } from "../lib/time/timeouts.ts";
import { KeyedConcurrencyLimiter } from "../lib/concurrency/keyed-concurrency-limiter.ts";
import { networkPrefixOf } from "../lib/network/networks.ts";
import { RateLimiter } from "../lib/concurrency/rate-limiter.ts";
import type { Call } from "./call.ts";

const MINUTE_MS = 60_000;
/** Factor of the timeout for long-running work. */
const LONG_RUNNING_FACTOR = 60;

export interface InFlightRequestsOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly timeouts: TimeoutScheduler;
}

/** Limits the requests in flight: their number, the number and rate per caller, and their duration. */
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
   * Runs the work of a request with a timeout. After the timeout, the work continues and its result is discarded.
   * @throws AppError `unavailable` on a timeout if nothing can have changed, `late` if something may have
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
        // The client is gone: release what the response holds.
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
   * Checks the capacity for one more request, which is counted already.
   * @param openResponses number of requests in progress and of responses being sent, by connection
   * @throws AppError `unavailable`
   */
  checkCapacity(openResponses: number): void {
    const { maxRequests } = this.#config;
    // Our count includes requests whose client has disconnected; that of the connections includes responses being sent.
    if (maxRequests === 0 || Math.max(this.#inFlight, openResponses) <= maxRequests) return;
    throw new AppError("server.overloaded", "The server is overloaded; try again later", { retryAfterS: 1 });
  }

  /**
   * Counts a request for its caller, as far as the caller is known.
   * @throws AppError `tooMany`
   */
  admitCaller(call: Call): void {
    const { actor, address } = call;
    const caller = callerOf(actor, address);
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

  /** Counts a request whose caller could not be identified. @throws AppError `tooMany` */
  countUnidentified({ address }: Call): void {
    this.countRate(`address ${networkPrefixOf(address)}`);
  }

  countRate(key: string): void {
    const waitMs = this.#rateLimiter?.take(key, this.#clock.elapsed()) ?? 0;
    if (waitMs === 0) return;
    const message = `The limit is ${this.#config.ratePerKey} requests per minute`;
    throw new AppError("limit.rate", message, { retryAfterS: Math.ceil(waitMs / 1000) });
  }
}

function callerOf(actor: Actor, address: string): string {
  switch (actor.kind) {
    case "user":
      return `user ${actor.userId}`;
    // Not those of other people with tokens of the same key.
    case "endUser":
      return `end user ${actor.keyId} ${actor.email}`;
    case "anonymous":
      return `address ${networkPrefixOf(address)}`;
    default:
      return actor satisfies never;
  }
}

function deadlineExceeded({ request: { method } }: Call, limitMs: number): AppError {
  const limit = `The request exceeded the time limit of ${limitMs / 1000} seconds`;
  if (method === "GET" || method === "HEAD") {
    return new AppError("server.deadline", `${limit}; try again later`, { retryAfterS: 10 });
  }
  return new AppError("late", `${limit} and continues; check its result before you retry`);
}
