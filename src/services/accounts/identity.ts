import type { UserActor } from "../../authorization.ts";
import type { Home } from "../../home/home.ts";
import { GenerationCache } from "../../home/generation-cache.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { DelayedWriter } from "../../lib/concurrency/delayed-writer.ts";
import type { Log } from "../../lib/observability/log.ts";
import { RateLimiter } from "../../lib/concurrency/rate-limiter.ts";
import type { Timers } from "../../lib/time/timers.ts";
import { Mutex } from "../../lib/concurrency/mutex.ts";

/** A caller that was looked up, until the home database changes. */
export interface CachedCaller {
  readonly actor: UserActor;
  /** The user, or the owner of the service account, is disabled: their key is known but refused. */
  readonly isDisabled: boolean;
  /** When the key, session or account ends; null = never. */
  expiresAt: number | null;
  readonly keyId: number | null;
  lastUsedAt: number | null;
}

/** What the process remembers of callers between requests, all of it dispensable. One for each data folder. */
export interface Identity {
  /** Looked-up callers by hash, good for one generation of the home database. */
  readonly callers: GenerationCache<CachedCaller>;
  /** Times of last use that were not written yet. */
  readonly lastUses: LastUses;
  readonly attempts: { readonly byAddress: RateLimiter; readonly byAccount: RateLimiter };
  /** Argon2 takes 19 MB and most of a core, so passwords are looked at one at a time. */
  readonly passwordMutex: Mutex;
  readonly passwordCost: PasswordCost;
  /** Writes out what is buffered. Idempotent. To be called before the home database is closed. */
  close(): Promise<void>;
}

export interface IdentityOptions {
  readonly home: Home;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Of new hashes. Tests pass a lower one. */
  readonly passwordCost?: PasswordCost | undefined;
}

/** The cost of an argon2id hash. */
export interface PasswordCost {
  /** In KiB. */
  readonly memoryCost: number;
  /** Passes over the memory. */
  readonly timeCost: number;
}

/** OWASP's recommendation for a small server: 19 MiB, 2 passes. */
export const PASSWORD_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2 };

const MINUTE_MS = 60_000;

export function createIdentity(options: IdentityOptions): Identity {
  const { home, clock, timers, log, passwordCost = PASSWORD_COST } = options;
  const lastUses = new LastUses({ home, clock, timers, log });
  return {
    callers: new GenerationCache(home.generation),
    lastUses,
    attempts: {
      // A family or an office behind one address may mistype some; guessing gets 3 tries a minute.
      byAddress: new RateLimiter({ burst: 30, refillMs: MINUTE_MS / 3 }),
      byAccount: new RateLimiter({ burst: 10, refillMs: MINUTE_MS }),
    },
    passwordMutex: new Mutex(20),
    passwordCost,
    close: () => lastUses.close(),
  };
}

/** Gathers when keys and sessions were used, and writes it down outside of requests: not worth a commit each. */
export class LastUses {
  readonly #home: Home;
  readonly #clock: Clock;
  readonly #writer: DelayedWriter;
  /** When keys were used, by id. */
  readonly #keys = new Map<number, number>();
  /** New ends of sessions, by hash. */
  readonly #sessions = new Map<string, number>();

  constructor({ home, clock, timers, log }: IdentityOptions) {
    this.#home = home;
    this.#clock = clock;
    this.#writer = new DelayedWriter({
      timers,
      delayMs: MINUTE_MS / 2,
      write: () => this.#write(),
      onError: (error) => {
        const pending = { keys: this.#keys.size, sessions: this.#sessions.size };
        log.warn("last_uses.write_failed", { ...pending, error: String(error) });
      },
    });
  }

  /** Notes a use of a key, at most once a minute. */
  record(caller: CachedCaller): void {
    const now = this.#clock.now();
    // Before the last use: somebody set the clock.
    if (caller.keyId === null || (caller.lastUsedAt !== null && Math.abs(now - caller.lastUsedAt) < MINUTE_MS)) return;
    caller.lastUsedAt = now;
    this.#keys.set(caller.keyId, now);
    this.#writer.schedule();
  }

  /** When a key was used, as far as it was not written yet. */
  pendingUse(keyId: number): number | null {
    return this.#keys.get(keyId) ?? null;
  }

  /** Moves the end of a session. */
  extendSession(caller: CachedCaller, hash: string, expiresAt: number): void {
    caller.expiresAt = expiresAt;
    this.#sessions.set(hash, expiresAt);
    this.#writer.schedule();
  }

  /** Writes what was noted at once; a failure is logged, and what was noted is kept for the next time. */
  flush(): void {
    this.#writer.flush();
  }

  /** As `flush`, in several attempts. */
  close(): Promise<void> {
    return this.#writer.close();
  }

  #write(): void {
    if (this.#keys.size + this.#sessions.size === 0) return;
    this.#home.transaction(() => {
      this.#home.keys.recordUse(this.#keys);
      for (const [hash, expiresAt] of this.#sessions) this.#home.sessions.extend(hash, expiresAt);
    });
    this.#keys.clear();
    this.#sessions.clear();
  }
}
