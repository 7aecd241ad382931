import { guarded } from "../../lib/callbacks.ts";
import type { Log } from "../../lib/observability/log.ts";
import { type Listener, notify } from "../postgres/listener.ts";
import type { LogDatabase } from "../postgres/log-database.ts";

const CHANNELS = ["quern_home", "quern_owner", "quern_deleted", "quern_operator"] as const;

/**
 * Notifications through PostgreSQL: home has changed, the owner of a document has changed, a document was permanently
 * deleted, and commands of administrators.
 */
export type Channel = (typeof CHANNELS)[number];

/** Receives the payload; null when notifications may have been missed. */
export type NotificationListener = (payload: string | null) => void;

/** Sends and receives notifications. They may be lost: whatever depends on one is also checked at intervals. */
export class Notifications implements Disposable {
  readonly #database: LogDatabase;
  readonly #log: Log;
  readonly #listeners = new Map<Channel, NotificationListener[]>();
  readonly #listener: Listener;
  /** The newest payload of a channel that `sendLatest` has not sent yet. */
  readonly #waiting = new Map<Channel, string>();
  #isClosed = false;

  constructor({ database, log }: { readonly database: LogDatabase; readonly log: Log }) {
    this.#database = database;
    this.#log = log;
    this.#listener = database.createListener({
      channels: CHANNELS,
      onNotification: (channel, payload) => this.#dispatch(channel as Channel, payload),
      onListening: () => {
        for (const channel of CHANNELS) this.#dispatch(channel, null);
      },
    });
  }

  /** Begins to listen. A failure is logged; listening goes on in the background. */
  async start(): Promise<void> {
    await this.#listener.start().catch((error: unknown) => this.#warn("listen", error));
  }

  /** Calls a listener for each notification of a channel. Errors are reported. */
  subscribe(channel: Channel, listener: NotificationListener): void {
    this.#listeners.set(channel, [...(this.#listeners.get(channel) ?? []), guarded(listener)]);
  }

  /** Notifies all nodes, this one included. */
  async send(channel: Channel, payload: string): Promise<void> {
    if (this.#isClosed) return;
    try {
      await notify(await this.#database.control(), channel, payload);
    } catch (error) {
      this.#warn("notify", error);
    }
  }

  /** As `send`, for a channel whose newest payload is the only one that matters: at most one is in flight. */
  sendLatest(channel: Channel, payload: string): void {
    const isSending = this.#waiting.has(channel);
    this.#waiting.set(channel, payload);
    if (!isSending) void this.#sendWaiting(channel);
  }

  /** Stops. The connection is closed with the database. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#listeners.clear();
  }

  async #sendWaiting(channel: Channel): Promise<void> {
    for (;;) {
      const payload = this.#waiting.get(channel);
      if (payload === undefined) return;
      await this.send(channel, payload);
      if (this.#waiting.get(channel) === payload) this.#waiting.delete(channel);
    }
  }

  #dispatch(channel: Channel, payload: string | null): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener(payload);
  }

  #warn(step: string, error: unknown): void {
    if (!this.#isClosed) this.#log.warn("cluster.notifications_failed", { step, error: String(error) });
  }
}
