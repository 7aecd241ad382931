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

export interface EventHandlers {
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
const FINAL: ReadonlySet<string> = new Set(["access", "signedOut", "removed"]);
/** The first wait after a refusal; browsers themselves come back only after a broken connection. */
const RETRY_MS = 3000;
const MOST_RETRY_MS = 60_000;

/**
 * Follows a document. Ends with the page, or when the function that this gives is called.
 * @param after the id of the last event that is known; from now on when left out
 */
export function followDocument(docId: string, handlers: EventHandlers, after = ""): () => void {
  const following = new Following(`/api/docs/${encodeURIComponent(docId)}/events`, handlers, after);
  following.look();
  document.addEventListener("visibilitychange", () => following.look());
  return () => following.stop();
}

class Following {
  readonly #address: string;
  readonly #on: EventHandlers;
  #source: EventSource | null = null;
  #lastId: string;
  #isOver = false;
  #retryMs = RETRY_MS;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(address: string, handlers: EventHandlers, after: string) {
    this.#address = address;
    this.#on = handlers;
    this.#lastId = after;
  }

  /** Listens while the page is in view. */
  look(): void {
    if (this.#isOver) return;
    if (document.hidden) this.#close();
    else if (!this.#source) this.#open();
  }

  stop(): void {
    this.#isOver = true;
    this.#close();
  }

  #close(): void {
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#source = null;
  }

  #open(): void {
    clearTimeout(this.#retry);
    const source = new EventSource(this.#address + (this.#lastId && `?after=${encodeURIComponent(this.#lastId)}`));
    this.#source = source;
    const hear = <T>(name: string, tell: (data: T) => void) =>
      source.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) => {
        if (lastEventId) this.#lastId = lastEventId;
        tell(JSON.parse(data) as T);
      });
    hear<{ action: number }>("ready", ({ action }) => {
      this.#retryMs = RETRY_MS;
      this.#on.ready?.({ action });
    });
    hear<DocumentChange>("change", (change) => this.#on.change(change));
    hear("reset", () => this.#on.reset());
    hear<{ reason: string }>("end", ({ reason }) => {
      if (!FINAL.has(reason)) return;
      this.stop();
      this.#on.end?.(reason);
    });
    source.addEventListener("error", () => {
      this.#on.lost?.();
      if (source.readyState !== EventSource.CLOSED) return;
      // The server refused, as one does that stops or has too much to do; the browser gives up then.
      this.#close();
      this.#retry = setTimeout(() => this.look(), this.#retryMs);
      this.#retryMs = Math.min(MOST_RETRY_MS, this.#retryMs * 2);
    });
  }
}
