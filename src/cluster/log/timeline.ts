import type { Timers } from "../../lib/time/timers.ts";
import type { Session } from "../postgres/connection.ts";
import type { LogDatabase } from "../postgres/log-database.ts";
import { readIdentity, readSettledIdentity, settleIdentity } from "../postgres/statements/identity.ts";
import { timelineWaitMs } from "../protocol/acquisition.ts";
import { type DatabaseIdentity, sameIdentity } from "../protocol/log-types.ts";

/** Delays acquisitions after a failover of PostgreSQL: the new primary server may not have the leases of all nodes. */
export class Timeline {
  readonly #database: LogDatabase;
  readonly #timers: Timers;
  /** Of the database that the newest connection leads to, and when this node first saw it; monotonic. */
  #seen: { readonly identity: DatabaseIdentity; readonly atMs: number } | null = null;
  #settled: DatabaseIdentity | null = null;

  constructor(database: LogDatabase, timers: Timers) {
    this.#database = database;
    this.#timers = timers;
  }

  /** Notes the identity of the database that a connection leads to. Returns the former one if it differs; else null. */
  see(identity: DatabaseIdentity): DatabaseIdentity | null {
    const former = this.#seen?.identity ?? null;
    if (former && sameIdentity(former, identity)) return null;
    this.#seen = { identity, atMs: performance.now() };
    return former;
  }

  /**
   * Returns how long to wait before an acquisition over this connection, and the identity of its database. Notes in the
   * database that the installation has run under the identity for a whole lease.
   */
  async check(session: Session): Promise<{ readonly identity: DatabaseIdentity; readonly waitMs: number }> {
    const identity = await readIdentity(session);
    if (this.#settled && sameIdentity(this.#settled, identity)) return { identity, waitMs: 0 };
    this.see(identity);
    const settled = await readSettledIdentity(session);
    const seenForMs = performance.now() - (this.#seen?.atMs ?? performance.now());
    // No other node can have had a lease in a database that this node has just created.
    const waitMs =
      this.#database.tables.isNew && !settled ? 0 : timelineWaitMs({ settled, current: identity, seenForMs });
    if (waitMs > 0) return { identity, waitMs };
    if (!settled || !sameIdentity(settled, identity)) await settleIdentity(session, identity);
    this.#settled = identity;
    return { identity, waitMs };
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.#timers.after(ms, () => resolve()));
  }
}
