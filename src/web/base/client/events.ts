/**
 * Subscribes to the events of a document while the page is visible: a browser allows few connections to a server, and
 * every open window uses one. When the page becomes visible again, it receives the missed events.
 */

export interface ChangedTable {
  readonly table: string;
  readonly renamedFrom?: string;
  readonly isNew?: true;
  readonly isGone?: true;
}

export interface DocumentChange {
  /** The number of the resulting state. */
  readonly action: number;
  /** Number of states; 0 for recalculations of time-dependent formulas. */
  readonly actions: number;
  readonly schema: boolean;
  readonly tables: readonly ChangedTable[];
}

export interface DocumentEventHandlers {
  /** All events up to this state have been sent. */
  readonly ready?: (at: { readonly action: number }) => void;
  readonly change: (change: DocumentChange) => void;
  /** The missed events are not available: everything must be reloaded. */
  readonly reset: () => void;
  /** The connection was lost; the client reconnects, and `ready` follows. */
  readonly lost?: () => void;
  /** The stream has ended permanently, with a reason listed in docs/events.md. */
  readonly end?: (reason: string) => void;
}

/** Reasons after which reconnecting is useless. */
const FINAL_REASONS: ReadonlySet<string> = new Set(["access", "signedOut", "removed"]);
/** The first backoff delay after a refusal; browsers themselves reconnect only after a broken connection. */
const RETRY_MS = 3000;
const MAX_RETRY_MS = 60_000;

/**
 * Subscribes to a document until the page is left or the returned function is called.
 * @param after the id of the last known event; by default only new events
 */
export function subscribeToEvents(docId: string, handlers: DocumentEventHandlers, after = ""): () => void {
  const subscription = new DocumentSubscription(`/api/docs/${encodeURIComponent(docId)}/events`, handlers, after);
  subscription.updateConnection();
  document.addEventListener("visibilitychange", () => subscription.updateConnection());
  return () => subscription.stop();
}

class DocumentSubscription {
  readonly #url: string;
  readonly #handlers: DocumentEventHandlers;
  #source: EventSource | null = null;
  #lastId: string;
  #isEnded = false;
  #retryMs = RETRY_MS;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(address: string, handlers: DocumentEventHandlers, after: string) {
    this.#url = address;
    this.#handlers = handlers;
    this.#lastId = after;
  }

  /** Connects while the page is visible. */
  updateConnection(): void {
    if (this.#isEnded) return;
    if (document.hidden) this.#close();
    else if (!this.#source) this.#open();
  }

  stop(): void {
    this.#isEnded = true;
    this.#close();
  }

  #close(): void {
    clearTimeout(this.#retryTimer);
    this.#source?.close();
    this.#source = null;
  }

  #open(): void {
    clearTimeout(this.#retryTimer);
    const source = new EventSource(this.#url + (this.#lastId && `?after=${encodeURIComponent(this.#lastId)}`));
    this.#source = source;
    const listen = <T>(name: string, handle: (data: T) => void) =>
      source.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) => {
        if (lastEventId) this.#lastId = lastEventId;
        handle(JSON.parse(data) as T);
      });
    listen<{ action: number }>("ready", ({ action }) => {
      this.#retryMs = RETRY_MS;
      this.#handlers.ready?.({ action });
    });
    listen<DocumentChange>("change", (change) => this.#handlers.change(change));
    listen("reset", () => this.#handlers.reset());
    listen<{ reason: string }>("end", ({ reason }) => {
      if (!FINAL_REASONS.has(reason)) return;
      this.stop();
      this.#handlers.end?.(reason);
    });
    source.addEventListener("error", () => {
      this.#handlers.lost?.();
      if (source.readyState !== EventSource.CLOSED) return;
      // The server refused, as one that shuts down or is overloaded does; the browser does not reconnect then.
      this.#close();
      this.#retryTimer = setTimeout(() => this.updateConnection(), this.#retryMs);
      this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2);
    });
  }
}
