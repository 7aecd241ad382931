/**
 * Follows what changes in a document, for as long as somebody looks at the page: a browser allows few connections to a
 * server, and every window that is open takes one. Who comes back is told what happened meanwhile.
 */

export interface ChangedTable {
  readonly table: string;
  readonly renamedFrom?: string;
  readonly isNew?: true;
  readonly isGone?: true;
}

export interface DocumentChange {
  /** The number of the state it led to. */
  readonly action: number;
  /** How many states; 0 for what formulas made of the time. */
  readonly actions: number;
  readonly schema: boolean;
  readonly tables: readonly ChangedTable[];
}

export interface DocumentEventHandlers {
  /** Everything up to this state was told. */
  readonly ready?: (at: { readonly action: number }) => void;
  readonly change: (change: DocumentChange) => void;
  /** What happened cannot be told: all is to be read anew. */
  readonly reset: () => void;
  /** The connection was lost; it is tried again until `ready` says that it is back. */
  readonly lost?: () => void;
  /** It is over for good, with the reason that docs/events.md has. */
  readonly end?: (reason: string) => void;
}

/** Reasons after which coming back is of no use. */
const FINAL_REASONS: ReadonlySet<string> = new Set(["access", "signedOut", "removed"]);
/** The first wait after a refusal; browsers themselves come back only after a broken connection. */
const RETRY_MS = 3000;
const MAX_RETRY_MS = 60_000;

/**
 * Follows a document. Ends with the page, or when the function that this gives is called.
 * @param after the id of the last event that is known; from now on when left out
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

  /** Listens while the page is in view. */
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
      // The server refused, as one does that stops or has too much to do; the browser gives up then.
      this.#close();
      this.#retryTimer = setTimeout(() => this.updateConnection(), this.#retryMs);
      this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2);
    });
  }
}
