/** What was asked last, kept in this browser for each person and document. */

export interface KeptQuery {
  readonly sql: string;
  /** As they were typed. */
  readonly values: readonly string[];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

interface Kept {
  /** What stands in the editor. */
  readonly draft: string;
  readonly queries: readonly KeptQuery[];
}

const MOST = 30;
/** Browsers keep a few megabytes for all documents together. */
const MOST_CHARACTERS = 20_000;

/** Browsers may refuse to keep anything: then it lasts as long as the page. */
export class KeptQueries {
  readonly #key: string;
  #kept: Kept;

  constructor(docId: string, user: string) {
    this.#key = `quern-sql ${user} ${docId}`;
    this.#kept = this.#read();
  }

  /** Newest first. */
  get queries(): readonly KeptQuery[] {
    return this.#kept.queries;
  }

  get draft(): string {
    return this.#kept.draft;
  }

  set draft(draft: string) {
    this.#write({ ...this.#kept, draft: draft.slice(0, MOST_CHARACTERS) });
  }

  /** Puts a query before all others; the same one is not kept twice. */
  add(query: KeptQuery): void {
    if (query.sql.length > MOST_CHARACTERS) return;
    const others = this.#read().queries.filter(({ sql }) => sql !== query.sql);
    this.#write({ ...this.#kept, queries: [query, ...others].slice(0, MOST) });
  }

  clear(): void {
    this.#write({ ...this.#kept, queries: [] });
  }

  #read(): Kept {
    try {
      const { draft, queries } = JSON.parse(localStorage.getItem(this.#key) ?? "{}") as Partial<Kept>;
      return {
        draft: typeof draft === "string" ? draft : "",
        queries: Array.isArray(queries) ? queries.filter(isQuery) : [],
      };
    } catch {
      return { draft: "", queries: [] };
    }
  }

  #write(kept: Kept): void {
    this.#kept = kept;
    try {
      localStorage.setItem(this.#key, JSON.stringify(kept));
    } catch {
      // Full, or closed: nothing that anybody has to be told.
    }
  }
}

function isQuery(value: unknown): value is KeptQuery {
  const { sql, values, at } = (value ?? {}) as Record<string, unknown>;
  return typeof sql === "string" && typeof at === "number" && Array.isArray(values);
}
