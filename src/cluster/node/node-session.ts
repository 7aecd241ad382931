import { openSync, readFileSync, readSync } from "node:fs";
import { randomHex } from "../../lib/ids.ts";
import type { Log } from "../../lib/observability/log.ts";
import { measurements } from "../../lib/observability/measurements.ts";
import { type Timers, runEvery } from "../../lib/time/timers.ts";
import type { LogDatabase } from "../postgres/log-database.ts";
import { registerNode, removeNode, renewLease, setNodeAddress } from "../postgres/statements/nodes.ts";
import { LEASE_MS, TICK_MS } from "../protocol/log-types.ts";
import { type Clocks, type LeaseEffect, type LeaseEvent, NodeLease } from "../protocol/node-lease.ts";

export interface NodeSessionOptions {
  readonly database: LogDatabase;
  /** How peers reach this node; null for a single node, and until `setAddress`. */
  readonly address: string | null;
  readonly version: string;
  readonly bootId: string;
  readonly timers: Timers;
  readonly log: Log;
  /** Called when reads and writes have to stop, or may start again, because of the lease. */
  readonly onValidity: (isValid: boolean) => void;
  /** Called when this node id has lost everything that it owned. The session continues with a new id. */
  readonly onLost: (id: string) => void;
  /** Called when the node is registered under a new id. */
  readonly onRegistered: (id: string) => void;
}

/** How long a statement about the lease may take. */
const RENEWAL_DEADLINE_MS = 2000;
const FIRST_REGISTRATION_DELAY_MS = 100;
/** Costs nothing while there is no connection: that is known at once. */
const MAX_REGISTRATION_DELAY_MS = 200;

/** Keeps this node's lease, under one node id after the other. */
export class NodeSession implements AsyncDisposable {
  readonly #options: NodeSessionOptions;
  #id: string | null = null;
  #lease: NodeLease | null = null;
  readonly #stopTicking: () => void;
  #cancelRegistration: (() => void) | null = null;
  #address: string | null;
  #isDraining = false;
  #isClosed = false;

  private constructor(options: NodeSessionOptions) {
    this.#options = options;
    this.#address = options.address;
    this.#stopTicking = runEvery(TICK_MS, () => this.#handle({ kind: "tick", clocks: readClocks() }));
  }

  /** Registers a node. @throws AppError `log.unavailable` */
  static async start(options: NodeSessionOptions): Promise<NodeSession> {
    const session = new NodeSession(options);
    try {
      await session.#register();
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /** The id of the node; null while it has no lease. */
  get id(): string | null {
    return this.#id;
  }

  /** Sets how peers reach this node, once that is known. */
  async setAddress(address: string): Promise<void> {
    this.#address = address;
    const id = this.#id;
    if (id !== null) await setNodeAddress(await this.#options.database.control(), { id, address });
  }

  /** Tells the other nodes, with the next renewal, that this one takes no documents. */
  setDraining(isDraining: boolean): void {
    this.#isDraining = isDraining;
  }

  /** Tells whether reads may be answered and writes accepted at this moment. */
  isValid(): boolean {
    return this.#lease?.isValid(readClocks()) ?? false;
  }

  /** Ends the session: releases the node's documents and its lease. Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopTicking();
    this.#cancelRegistration?.();
    const id = this.#id;
    this.#id = null;
    this.#lease = null;
    if (id === null) return;
    try {
      await removeNode(await this.#options.database.control(), id);
    } catch (error) {
      // The lease ends after its duration.
      this.#options.log.warn("cluster.lease_not_released", { node: id, error: String(error) });
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #register(): Promise<void> {
    const { database, version, bootId } = this.#options;
    const id = randomHex(8);
    const address = this.#address;
    const connection = await database.control();
    // The lease counts from before the statement.
    const clocks = readClocks();
    await registerNode(connection, { id, address, version, boot: bootId }, { deadlineMs: RENEWAL_DEADLINE_MS });
    if (this.#isClosed) return;
    this.#id = id;
    this.#lease = new NodeLease(clocks);
    this.#options.onRegistered(id);
    this.#options.onValidity(true);
  }

  #registerLater(delayMs: number): void {
    if (this.#isClosed) return;
    this.#cancelRegistration = this.#options.timers.after(delayMs, async () => {
      try {
        await this.#register();
      } catch {
        this.#registerLater(Math.min(delayMs * 2, MAX_REGISTRATION_DELAY_MS));
      }
    });
  }

  #handle(event: LeaseEvent): void {
    for (const effect of this.#lease?.handle(event) ?? []) this.#carryOut(effect);
  }

  #carryOut(effect: LeaseEffect): void {
    const { log, onValidity, onLost } = this.#options;
    switch (effect.kind) {
      case "renew":
        return void this.#renew(effect.renewal);
      case "valid":
        return onValidity(true);
      case "expired":
        log.warn("cluster.lease_expired", { node: this.#id, leaseMs: LEASE_MS });
        return onValidity(false);
      case "lost": {
        const id = this.#id;
        log.warn("cluster.lease_lost", { node: id, reason: effect.reason });
        this.#id = null;
        this.#lease = null;
        onValidity(false);
        if (id !== null) onLost(id);
        return this.#registerLater(FIRST_REGISTRATION_DELAY_MS);
      }
    }
  }

  async #renew(renewal: number): Promise<void> {
    const lease = this.#lease;
    let event: LeaseEvent;
    try {
      const connection = await this.#options.database.control();
      const report = {
        pendingCommits: measurements().counts.logCommitsPending ?? 0,
        isDraining: this.#isDraining,
      };
      const isRenewed = await renewLease(connection, this.#id ?? "", { report, deadlineMs: RENEWAL_DEADLINE_MS });
      event = { kind: isRenewed ? "renewed" : "refused", renewal };
    } catch {
      event = { kind: "unknown", renewal };
    }
    if (lease === this.#lease) this.#handle(event);
  }
}

/** Reads this machine's clocks. */
export function readClocks(): Clocks {
  return { monotonicMs: performance.now(), wallMs: Date.now(), uptimeMs: readUptimeMs() };
}

/** Stays open: the clocks are read for each answer. */
let uptimeFile: number | undefined;
const uptimeText = Buffer.alloc(64);

function readUptimeMs(): number | null {
  try {
    uptimeFile ??= openSync("/proc/uptime", "r");
    const length = readSync(uptimeFile, uptimeText, 0, uptimeText.length, 0);
    const seconds = Number.parseFloat(uptimeText.toString("latin1", 0, length));
    return Number.isNaN(seconds) ? null : seconds * 1000;
  } catch {
    return null;
  }
}

/** Identifies the start of this machine; a text that no other start has where the system has none. */
export function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return randomHex(16);
  }
}
