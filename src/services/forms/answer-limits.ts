import { AppError } from "../../errors.ts";
import { RateLimiter } from "../../lib/concurrency/rate-limiter.ts";
import { randomHex, sha256Hex } from "../../lib/ids.ts";
import { networkPrefixOf } from "../../lib/network/networks.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Timers } from "../../lib/time/timers.ts";

export interface AnswerLimitsOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly limits?: Partial<AnswerQueueLimits>;
}

export interface AnswerQueueLimits {
  /** Answers and uploads from one network address in a minute. */
  readonly perMinute: number;
  /** Answers to the forms of one document that are written at the same time. */
  readonly maxConcurrent: number;
  /** Answers that wait, of one document and of all. */
  readonly maxWaiting: number;
  readonly maxWaitingInAll: number;
  readonly maxWaitMs: number;
}

export const ANSWER_QUEUE_LIMITS: AnswerQueueLimits = {
  perMinute: 120,
  maxConcurrent: 16,
  maxWaiting: 400,
  maxWaitingInAll: 2000,
  maxWaitMs: 10_000,
};

const MINUTE_MS = 60_000;
const RETRY_AFTER_S = 10;

/** How answers ended, for metrics. */
export interface AnswerCounts {
  accepted: number;
  /** Refused for their content, or because the form is closed. */
  refused: number;
  /** Above the limit of their network address, or of the queue. */
  limited: number;
  /** A field was filled in that people do not see. */
  trapped: number;
}

interface DocumentQueue {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Limits answers to forms: their rate from each network address, and how many are written at the same time to a document. Further
 * ones wait, in bounded number and time. In memory: each node counts on its own, and nothing is lost with it. Addresses are
 * hashed with a secret of the process, and neither stored nor logged.
 */
export class AnswerLimits {
  readonly counts: AnswerCounts = { accepted: 0, refused: 0, limited: 0, trapped: 0 };
  readonly #options: AnswerLimitsOptions;
  readonly #limits: AnswerQueueLimits;
  #rates: RateLimiter;
  readonly #secret = randomHex(16);
  readonly #queues = new Map<string, DocumentQueue>();
  #waiting = 0;

  constructor(options: AnswerLimitsOptions) {
    this.#options = options;
    this.#limits = { ...ANSWER_QUEUE_LIMITS, ...options.limits };
    this.#rates = this.#createRates();
  }

  /** Forgets what was counted for addresses. */
  forget(): void {
    this.#rates = this.#createRates();
  }

  /** Counts an answer or an upload from an address. @throws AppError `limit.form_answers` */
  take(address: string): void {
    // Visitors with IPv6 have a network of their own.
    const key = sha256Hex(`${this.#secret} ${networkPrefixOf(address)}`);
    const waitMs = this.#rates.take(key, this.#options.clock.elapsed());
    if (waitMs === 0) return;
    this.counts.limited++;
    throw new AppError("limit.form_answers", "Too many answers from this network address", {
      retryAfterS: Math.ceil(waitMs / 1000),
    });
  }

  /**
   * Runs `work` when fewer than the limit run for the document.
   * @throws AppError `form.busy` when too many wait, or it has waited too long; `work` was not called then
   */
  async run<T>(uuid: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(uuid) ?? { running: 0, waiting: [] };
    this.#queues.set(uuid, queue);
    if (queue.running < this.#limits.maxConcurrent) queue.running++;
    else await this.#wait(queue);
    try {
      return await work();
    } finally {
      const next = queue.waiting.shift();
      // Hands the slot to the first in the queue.
      if (next) next();
      else if (--queue.running === 0) this.#queues.delete(uuid);
    }
  }

  #wait(queue: DocumentQueue): Promise<void> {
    const { maxWaiting, maxWaitingInAll, maxWaitMs } = this.#limits;
    if (queue.waiting.length >= maxWaiting || this.#waiting >= maxWaitingInAll) throw this.#busy();
    return new Promise((resolve, reject) => {
      this.#waiting++;
      const start = () => {
        cancel();
        this.#waiting--;
        resolve();
      };
      queue.waiting.push(start);
      const cancel = this.#options.timers.after(maxWaitMs, () => {
        queue.waiting.splice(queue.waiting.indexOf(start), 1);
        this.#waiting--;
        reject(this.#busy());
      });
    });
  }

  #createRates(): RateLimiter {
    const { perMinute } = this.#limits;
    return new RateLimiter({ burst: perMinute, refillMs: MINUTE_MS / perMinute });
  }

  #busy(): AppError {
    this.counts.limited++;
    return new AppError("form.busy", "Too many answers are waiting", { retryAfterS: RETRY_AFTER_S });
  }
}
