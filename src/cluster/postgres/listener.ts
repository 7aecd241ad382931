import { systemTimers, type Timers } from "../../lib/time/timers.ts";
import { statement, unpreparedStatement, type Connection, type RunOptions, type Session } from "./connection.ts";
import { ReconnectingConnection } from "./reconnecting.ts";

export interface ListenerOptions {
  readonly open: (onClosed: () => void) => Promise<Connection>;
  /** Names of channels: letters, digits and underscores. */
  readonly channels: readonly string[];
  readonly onNotification: (channel: string, payload: string) => void;
  /** Called whenever listening begins: notifications before may have been missed. */
  readonly onListening: () => void;
  readonly timers?: Timers;
}

/** How often the connection is checked: a network that drops everything is noticed only by an answer that is missing. */
const PING_INTERVAL_MS = 5000;
const PING_TIMEOUT_MS = 5000;

const PING = statement("ping", "select 1");
const NOTIFY = statement("notify", "select pg_notify($1, $2)");

/** Sends a notification to all listeners of a channel; at most 8000 bytes. */
export async function notify(session: Session, channel: string, payload: string): Promise<void> {
  await session.run(NOTIFY, [channel, payload]);
}

/** Receives notifications on a connection of its own, which is replaced when it ends. */
export class Listener implements AsyncDisposable {
  readonly #connection: ReconnectingConnection;
  readonly #timers: Timers;
  #cancelPing: (() => void) | null = null;
  #isClosed = false;

  constructor({ open, channels, onNotification, onListening, timers = systemTimers }: ListenerOptions) {
    this.#timers = timers;
    this.#connection = new ReconnectingConnection({
      open,
      timers,
      async onConnected(connection) {
        connection.onNotification(onNotification);
        for (const channel of channels) await connection.run(unpreparedStatement(`listen ${channel}`));
        onListening();
      },
    });
  }

  /** Begins to listen. After a failure it goes on in the background; the caller need not call again. */
  async start(): Promise<void> {
    this.#pingLater();
    await this.#connection.get();
  }

  /** True while notifications arrive. */
  get isListening(): boolean {
    return this.#connection.isOpen;
  }

  async close(options: RunOptions = {}): Promise<void> {
    this.#isClosed = true;
    this.#cancelPing?.();
    await this.#connection.close(options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #pingLater(): void {
    if (this.#isClosed) return;
    this.#cancelPing = this.#timers.after(PING_INTERVAL_MS, async () => {
      try {
        if (this.isListening) await (await this.#connection.get()).run(PING, [], { deadlineMs: PING_TIMEOUT_MS });
      } catch {
        // The connection is replaced in the background.
      }
      this.#pingLater();
    });
  }
}
