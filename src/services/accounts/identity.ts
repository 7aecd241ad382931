import type { EndUserActor, UserActor } from "../../authorization.ts";
import type { Home } from "../../home/home.ts";
import { GenerationCache } from "../../home/generation-cache.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { DelayedWriter } from "../../lib/concurrency/delayed-writer.ts";
import type { Log } from "../../lib/observability/log.ts";
import { BackoffLimiter } from "../../lib/concurrency/backoff-limiter.ts";
import { RateLimiter } from "../../lib/concurrency/rate-limiter.ts";
import type { Timers } from "../../lib/time/timers.ts";
import { Mutex } from "../../lib/concurrency/mutex.ts";
import type { Network } from "../../lib/network/networks.ts";
import type { WriteNotes } from "../notes.ts";

/** A cached caller, valid until the home database changes. */
export interface CachedCaller {
  readonly actor: UserActor;
  /** The user, or the owner of the service account, is disabled: the key is known but refused. */
  readonly isDisabled: boolean;
  /** When the key, session or account expires; null = never. */
  expiresAt: number | null;
  readonly keyId: number | null;
  /** The networks that the key may be used from; absent for all. */
  readonly networks?: readonly Network[];
}

/** The uses of a key since they were last written. */
export interface PendingUses {
  /** Milliseconds since the epoch. */
  readonly lastUsedAt: number;
  /** The network address of the last one. */
  readonly address: string;
  readonly count: number;
}

/** A caller with a verified token, valid until the home database changes. */
export interface CachedEndUser {
  readonly actor: EndUserActor;
  /** When the token or its key expires. */
  readonly validUntil: number;
}

/** The in-memory state about callers of one data folder. All of it can be rebuilt. */
export interface Identity {
  /** Callers by hash, cached for one generation of the home database. */
  readonly callers: GenerationCache<CachedCaller>;
  /** Callers with a token for a document, by token, cached likewise. */
  readonly endUsers: GenerationCache<CachedEndUser>;
  /** Times of last use that have not been written yet. */
  readonly lastUses: LastUses;
  readonly attempts: Attempts;
  /** Argon2 takes 19 MB and most of a core, so passwords are verified one at a time. */
  readonly passwordMutex: Mutex;
  readonly passwordCost: PasswordCost;
  /** False where users neither sign in with a password nor set one. */
  readonly acceptsPasswords: boolean;
  readonly requiredSecondFactor: SecondFactorRequirement;
  /** Flushes buffered writes. Idempotent. Must be called before the home database is closed. */
  close(): Promise<void>;
}

/** Limits of attempts to give a password. */
export interface Attempts {
  readonly byAddress: RateLimiter;
  /** Of browsers that have never signed in to the account: the delay grows. */
  readonly byAccount: BackoffLimiter;
  /** Of browsers that have, by browser and account, and of signed-in users: attempts of others do not delay them. */
  readonly byDevice: RateLimiter;
  /** Codes of the second factor, by user, and by browser that has signed in before: the delay grows. */
  readonly codes: BackoffLimiter;
  /** Of requests for password resets, by the network of the caller. */
  readonly resetsByAddress: RateLimiter;
}

/** Whom a password alone does not sign in. */
export type SecondFactorRequirement = "off" | "admins" | "on";

export interface IdentityOptions {
  readonly home: Home;
  /** Writes times of last use, and extends sessions. */
  readonly write: WriteNotes;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** The cost of new hashes. Tests pass a lower one. */
  readonly passwordCost?: PasswordCost | undefined;
  /** Default: true. */
  readonly acceptsPasswords?: boolean;
  /** Default: `off`. */
  readonly requiredSecondFactor?: SecondFactorRequirement | undefined;
}

/** The cost of an argon2id hash. */
export interface PasswordCost {
  /** Memory in KiB. */
  readonly memoryCost: number;
  /** Number of passes over the memory. */
  readonly timeCost: number;
}

/** OWASP's recommendation for a small server: 19 MiB, 2 passes. */
export const PASSWORD_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2 };

const MINUTE_MS = 60_000;

export function createIdentity(options: IdentityOptions): Identity {
  const { home, passwordCost = PASSWORD_COST, acceptsPasswords = true, requiredSecondFactor = "off" } = options;
  const lastUses = new LastUses(options);
  return {
    callers: new GenerationCache(home.generation),
    endUsers: new GenerationCache(home.generation),
    lastUses,
    attempts: {
      // A family or an office behind one address may mistype several passwords; an attacker gets 3 attempts per minute.
      byAddress: new RateLimiter({ burst: 30, refillMs: MINUTE_MS / 3 }),
      byAccount: new BackoffLimiter({
        free: 10,
        firstDelayMs: 1000,
        maxDelayMs: 15 * MINUTE_MS,
        forgetAfterMs: 24 * 60 * MINUTE_MS,
      }),
      byDevice: new RateLimiter({ burst: 10, refillMs: MINUTE_MS }),
      // Three of a million codes are valid at a time: after the free attempts, at most 24 guesses a day.
      codes: new BackoffLimiter({
        free: 5,
        firstDelayMs: 2000,
        maxDelayMs: 60 * MINUTE_MS,
        forgetAfterMs: 24 * 60 * MINUTE_MS,
      }),
      resetsByAddress: new RateLimiter({ burst: 20, refillMs: MINUTE_MS }),
    },
    passwordMutex: new Mutex(20),
    passwordCost,
    acceptsPasswords,
    requiredSecondFactor,
    close: () => lastUses.close(),
  };
}

/**
 * Buffers when keys and sessions were used, and writes it outside of requests: it does not justify a commit per
 * request.
 */
export class LastUses {
  readonly #writeNotes: WriteNotes;
  readonly #clock: Clock;
  readonly #writer: DelayedWriter;
  /** Uses of keys, by id. */
  readonly #keys = new Map<number, { lastUsedAt: number; address: string; count: number }>();
  /** New expiry times of sessions, by hash. */
  readonly #sessions = new Map<string, number>();

  constructor({ write, clock, timers, log }: Omit<IdentityOptions, "home">) {
    this.#writeNotes = write;
    this.#clock = clock;
    this.#writer = new DelayedWriter({
      timers,
      delayMs: MINUTE_MS,
      write: () => this.#write(),
      onError: (error) => {
        const pending = { keys: this.#keys.size, sessions: this.#sessions.size };
        log.warn("last_uses.write_failed", { ...pending, error: String(error) });
      },
    });
  }

  /** Records a use of a key, which is written with others within a minute. */
  record({ keyId }: CachedCaller, address: string): void {
    if (keyId === null) return;
    const use = this.#keys.get(keyId);
    if (use) {
      use.lastUsedAt = this.#clock.now();
      use.address = address;
      use.count++;
      return;
    }
    this.#keys.set(keyId, { lastUsedAt: this.#clock.now(), address, count: 1 });
    this.#writer.schedule();
  }

  /** Returns the uses of a key that have not been written yet. */
  pendingUses(keyId: number): PendingUses | null {
    return this.#keys.get(keyId) ?? null;
  }

  /** Extends a session. */
  extendSession(caller: CachedCaller, hash: string, expiresAt: number): void {
    caller.expiresAt = expiresAt;
    this.#sessions.set(hash, expiresAt);
    this.#writer.schedule();
  }

  /** Writes the buffer. A failure is logged, and the buffer is kept for the next attempt. */
  flush(): void {
    this.#writer.flush();
  }

  /** Like `flush`, with several attempts. */
  close(): Promise<void> {
    return this.#writer.close();
  }

  #write(): void {
    if (this.#keys.size + this.#sessions.size === 0) return;
    const keyUses = [...this.#keys].map(
      ([id, { lastUsedAt, address, count }]) => [id, lastUsedAt, address, count] as const,
    );
    this.#writeNotes({ keyUses, sessions: [...this.#sessions] });
    this.#keys.clear();
    this.#sessions.clear();
  }
}
