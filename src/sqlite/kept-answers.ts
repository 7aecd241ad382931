import type { KeptAnswer, RequestKey, StoredAnswer } from "../lib/kept-answers.ts";
import type { Database } from "./database.ts";

/**
 * The answers to requests with an `Idempotency-Key`, in a table of a document or of the home database. They are written
 * in the transaction of the change that they answer.
 */

interface Appended {
  readonly key: RequestKey;
  readonly answer: KeptAnswer;
  readonly nowMs: number;
  /** Limits apply to each owner: a user in the home database; 0 in a document. */
  readonly owner: number;
}

export const RETENTION_MS = 24 * 3_600_000;

export interface AnswerLimits {
  readonly maxAnswers: number;
  readonly maxBytes: number;
}

export const ANSWER_LIMITS: AnswerLimits = { maxAnswers: 10_000, maxBytes: 20_000_000 };
/** The size of an entry besides its content, with its indexes. */
const ENTRY_BYTES = 300;

/** `seq` and `end_bytes` number the answers of an owner, and add up their sizes: the oldest are deleted first. */
const COLUMNS = `(scope text primary key, owner integer not null, seq integer not null,
    created_at integer not null, body_hash text not null, verb text, form text not null, status integer not null,
    content text not null, end_bytes integer not null)`;

interface Position {
  readonly seq: number;
  readonly endBytes: number;
  readonly sizeBytes: number;
}

/** A table of kept answers. Call what changes it in a transaction. */
export class KeptAnswers {
  readonly #db: Database;
  readonly #table: string;

  constructor(db: Database, table: string) {
    this.#db = db;
    this.#table = table;
  }

  /** Creates the table of a document, unless it exists. */
  create(): void {
    const table = this.#table;
    this.#db.exec(`
      create table if not exists ${table} ${COLUMNS};
      create unique index if not exists ${table}_by_owner on ${table} (owner, seq);
      create index if not exists ${table}_by_age on ${table} (created_at);`);
  }

  find(scope: string, nowMs: number): StoredAnswer | null {
    const sql = `select body_hash as bodyHash, verb, form, status, content from ${this.#table}
      where scope = ? and created_at > ?`;
    return this.#db.get<StoredAnswer>(sql, scope, nowMs - RETENTION_MS);
  }

  /** Adds an answer unless there is one, and deletes expired ones and the oldest ones above the limits. */
  add({ key, answer, nowMs, owner }: Appended, { maxAnswers, maxBytes } = ANSWER_LIMITS): void {
    const { verb, form, status, content } = answer;
    this.#db.run(`delete from ${this.#table} where created_at <= ?`, nowMs - RETENTION_MS);
    const last = this.#position(owner, "desc");
    const seq = (last?.seq ?? 0) + 1;
    const endBytes = (last?.endBytes ?? 0) + sizeOf(content);
    this.#db.run(
      `insert or ignore into ${this.#table} (scope, owner, seq, created_at, body_hash, verb, form, status, content, end_bytes)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      key.scope,
      owner,
      seq,
      nowMs,
      key.bodyHash,
      verb,
      form,
      status,
      content,
      endBytes,
    );
    for (let first = this.#position(owner, "asc"); first; first = this.#position(owner, "asc")) {
      const bytes = endBytes - first.endBytes + first.sizeBytes;
      if (seq - first.seq < maxAnswers && bytes <= maxBytes) return;
      this.#db.run(`delete from ${this.#table} where owner = ? and seq = ?`, owner, first.seq);
    }
  }

  #position(owner: number, order: "asc" | "desc"): Position | null {
    const sql = `select seq, end_bytes as endBytes, octet_length(content) + ${ENTRY_BYTES} as sizeBytes from ${this.#table}
      where owner = ? order by seq ${order} limit 1`;
    return this.#db.get<Position>(sql, owner);
  }
}

const sizeOf = (content: string): number => Buffer.byteLength(content) + ENTRY_BYTES;
