/** The most recent queries, stored in this browser by user and document. */

export interface SavedQuery {
  readonly sql: string;
  /** As typed. */
  readonly values: readonly string[];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

interface SavedState {
  /** The text of the editor. */
  readonly draft: string;
  readonly queries: readonly SavedQuery[];
}

const MAX_QUERIES = 30;
/** Browsers store a few megabytes for all documents together. */
const MAX_QUERY_LENGTH = 20_000;

/** Where the browser refuses storage, the history lasts as long as the page. */
export class QueryHistory {
  readonly #key: string;
  #state: SavedState;

  constructor(docId: string, user: string) {
    this.#key = `quern-sql ${user} ${docId}`;
    this.#state = this.#read();
  }

  /** Newest first. */
  get queries(): readonly SavedQuery[] {
    return this.#state.queries;
  }

  get draft(): string {
    return this.#state.draft;
  }

  set draft(draft: string) {
    this.#write({ ...this.#state, draft: draft.slice(0, MAX_QUERY_LENGTH) });
  }

  /** Puts a query first, without duplicates. */
  add(query: SavedQuery): void {
    if (query.sql.length > MAX_QUERY_LENGTH) return;
    const others = this.#read().queries.filter(({ sql }) => sql !== query.sql);
    this.#write({ ...this.#state, queries: [query, ...others].slice(0, MAX_QUERIES) });
  }

  clear(): void {
    this.#write({ ...this.#state, queries: [] });
  }

  #read(): SavedState {
    try {
      const { draft, queries } = JSON.parse(localStorage.getItem(this.#key) ?? "{}") as Partial<SavedState>;
      return {
        draft: typeof draft === "string" ? draft : "",
        queries: Array.isArray(queries) ? queries.filter(isQuery) : [],
      };
    } catch {
      return { draft: "", queries: [] };
    }
  }

  #write(kept: SavedState): void {
    this.#state = kept;
    try {
      localStorage.setItem(this.#key, JSON.stringify(kept));
    } catch {
      // Storage is full or disabled: not worth an error message.
    }
  }
}

function isQuery(value: unknown): value is SavedQuery {
  const { sql, values, at } = (value ?? {}) as Record<string, unknown>;
  return typeof sql === "string" && typeof at === "number" && Array.isArray(values);
}
