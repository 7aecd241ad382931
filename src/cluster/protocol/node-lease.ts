import { LEASE_MARGIN_MS, LEASE_MS, MAX_GAP_MS, RENEWAL_INTERVAL_MS, RENEWAL_RETRY_MS } from "./log-types.ts";

/** One reading of this machine's clocks, in milliseconds. Only differences matter. */
export interface Clocks {
  /** Monotonic time (`performance.now()`), which may stop while the machine is suspended. */
  readonly monotonicMs: number;
  /** Wall-clock time (`Date.now()`). */
  readonly wallMs: number;
  /** `/proc/uptime`, which counts suspended time; null where it does not exist or was not read. */
  readonly uptimeMs: number | null;
}

export type LeaseEvent =
  /** Every `TICK_MS`. */
  | { readonly kind: "tick"; readonly clocks: Clocks }
  /** The renewal with this number updated the node's row. */
  | { readonly kind: "renewed"; readonly renewal: number }
  /** The renewal found no row that was still valid. */
  | { readonly kind: "refused"; readonly renewal: number }
  /** The renewal's connection failed, or a deadline passed: it may or may not have happened. */
  | { readonly kind: "unknown"; readonly renewal: number };

export type LeaseEffect =
  /** Send the statement that renews the lease, and report the outcome with the same number. */
  | { readonly kind: "renew"; readonly renewal: number }
  /** Reads and writes may start again: the lease had expired by our clock, but a renewal came through. */
  | { readonly kind: "valid" }
  /** The lease ends within the margin: answer no reads, accept no writes. A renewal may still come through. */
  | { readonly kind: "expired" }
  /** Final. Everything that this node owned is lost; the process continues under a new node id, with a new machine. */
  | { readonly kind: "lost"; readonly reason: LeaseLossReason };

export type LeaseLossReason = "refused" | "ended" | "paused" | "clockJumped";

/**
 * The lease of one node id. PostgreSQL's clock grants it; the node counts it from before the statement was sent, so its
 * own end is never later than PostgreSQL's. Of the node's clocks the one that advanced most since the last tick counts:
 * monotonic time stops while a machine is suspended.
 */
export class NodeLease {
  #last: Clocks;
  /** Time since registration up to the last tick. All times below are on this scale. */
  #elapsedMs = 0;
  #endsAtMs = LEASE_MS;
  #renewal = 0;
  /** From before the renewal in flight was sent; null when none is in flight. */
  #sentAtMs: number | null = null;
  #nextRenewalMs = RENEWAL_INTERVAL_MS;
  #wasValid = true;
  #loss: LeaseLossReason | null = null;

  /** @param registered Clocks from before the statement that inserted the node's row with its first lease. */
  constructor(registered: Clocks) {
    this.#last = registered;
  }

  /** Why the lease is lost; null while it is not. */
  get loss(): LeaseLossReason | null {
    return this.#loss;
  }

  /**
   * Tells whether reads may be answered and writes accepted now. Check it at each read, after the data was read: ticks
   * alone are too late for a process that was just resumed.
   */
  isValid(now: Clocks): boolean {
    if (this.#loss !== null) return false;
    const since = this.#since(now);
    return since.gap === null && this.#elapsedMs + since.elapsedMs < this.#endsAtMs - LEASE_MARGIN_MS;
  }

  handle(event: LeaseEvent): LeaseEffect[] {
    if (this.#loss !== null) return [];
    if (event.kind === "tick") return this.#tick(event.clocks);
    // An answer to a renewal that was already given up as unknown.
    if (event.renewal !== this.#renewal || this.#sentAtMs === null) return [];
    const sentAtMs = this.#sentAtMs;
    this.#sentAtMs = null;
    if (event.kind === "refused") return this.#lose("refused");
    if (event.kind === "renewed") {
      this.#endsAtMs = sentAtMs + LEASE_MS;
      this.#nextRenewalMs = sentAtMs + RENEWAL_INTERVAL_MS;
    } else this.#nextRenewalMs = this.#elapsedMs + RENEWAL_RETRY_MS;
    return [];
  }

  #tick(now: Clocks): LeaseEffect[] {
    const since = this.#since(now);
    if (since.gap !== null) return this.#lose(since.gap);
    this.#elapsedMs += since.elapsedMs;
    this.#last = now;
    if (this.#elapsedMs >= this.#endsAtMs) return this.#lose("ended");
    const effects: LeaseEffect[] = [];
    const isValid = this.isValid(now);
    if (isValid !== this.#wasValid) effects.push({ kind: isValid ? "valid" : "expired" });
    this.#wasValid = isValid;
    if (this.#sentAtMs === null && this.#elapsedMs >= this.#nextRenewalMs) {
      this.#sentAtMs = this.#elapsedMs;
      this.#renewal++;
      effects.push({ kind: "renew", renewal: this.#renewal });
    }
    return effects;
  }

  /** Measures the time since the last tick, and finds a pause or a clock that moved differently from the others. */
  #since(now: Clocks): { elapsedMs: number; gap: "paused" | "clockJumped" | null } {
    const monotonicMs = now.monotonicMs - this.#last.monotonicMs;
    const wallMs = now.wallMs - this.#last.wallMs;
    const uptimeMs =
      now.uptimeMs === null || this.#last.uptimeMs === null ? monotonicMs : now.uptimeMs - this.#last.uptimeMs;
    const elapsedMs = Math.max(monotonicMs, wallMs, uptimeMs, 0);
    const differenceMs = Math.max(Math.abs(wallMs - monotonicMs), Math.abs(uptimeMs - monotonicMs));
    const jumped = differenceMs > MAX_GAP_MS ? "clockJumped" : null;
    return { elapsedMs, gap: monotonicMs > MAX_GAP_MS ? "paused" : jumped };
  }

  #lose(reason: LeaseLossReason): LeaseEffect[] {
    this.#loss = reason;
    return [{ kind: "lost", reason }];
  }
}
