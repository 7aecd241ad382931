import type { TimeoutScheduler } from "../../lib/time/timeouts.ts";
import { AppError } from "../../errors.ts";

/** How long a request waits for another one with the same key. */
const MAX_WAIT_MS = 30_000;

/** Requests with an `Idempotency-Key` that are in progress: their duplicates wait. */
export class PendingKeys {
  readonly #pending = new Map<string, Promise<void>>();
  readonly #timeouts: TimeoutScheduler;

  constructor(timeouts: TimeoutScheduler) {
    this.#timeouts = timeouts;
  }

  /** Waits until no request has the scope. Returns the function that ends this one. @throws AppError `conflict` */
  async enter(scope: string): Promise<() => void> {
    if (this.#pending.has(scope)) await this.#waitFor(scope);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pending.set(scope, promise);
    return () => {
      this.#pending.delete(scope);
      resolve();
    };
  }

  async #waitFor(scope: string): Promise<void> {
    const timedOut = Promise.withResolvers<never>();
    // Several duplicates wait: the rejection must be handled while none of them does.
    timedOut.promise.catch(() => {});
    const timeout = this.#timeouts.after(MAX_WAIT_MS, () => timedOut.reject(stillInProgress()));
    try {
      for (let pending = this.#pending.get(scope); pending; pending = this.#pending.get(scope)) {
        await Promise.race([pending, timedOut.promise]);
      }
    } finally {
      timeout.cancel();
    }
  }
}

const stillInProgress = (): AppError =>
  new AppError("idempotency.in_progress", "A request with the same Idempotency-Key is in progress; retry later", {
    retryAfterS: 5,
  });
