import type { EndUserClaims } from "../../authorization.ts";
import type { Database } from "../../sqlite/database.ts";
import { hasTable } from "../migrations/stored-tables.ts";

/**
 * The jobs of a document: writes of many lines, in internal tables of the document. The lines that are still to be
 * applied are stored there as well, so that a job survives a crash and moves to another server with its document.
 * Internal tables are left out of downloads and copies.
 */

const SCHEMA = `
  create table if not exists _quern_jobs (id text primary key, owner integer not null, status text not null,
    created_at real not null, ended_at real, definition text not null, progress text not null);
  create table if not exists _quern_job_lines (job text not null, part integer not null, first_line integer not null,
    lines blob not null, primary key (job, part));
`;

/** `receiving`: its lines are not complete. */
export type JobStatus = "receiving" | "waiting" | "running" | "completed" | "failed" | "cancelled";

/** What a job does, and for whom. */
export interface JobDefinition {
  /** Table id, or its numeric reference as digits. */
  readonly table: string;
  readonly method: "add" | "upsert";
  /** Options of the write, as in the query. */
  readonly query: {
    readonly noparse: boolean;
    readonly onmany?: string | undefined;
    readonly noadd?: boolean;
    readonly noupdate?: boolean;
    readonly allowEmptyRequire?: boolean;
  };
  readonly onError: "stop" | "skip";
  /** All lines are written in one transaction, or none. */
  readonly atomic: boolean;
  /** Number of lines, without blank ones. */
  readonly lines: number;
  /** The API key of the request; null for a session. */
  readonly keyId: number | null;
  /** The token of the request, for the job of an end user. */
  readonly endUser?: EndUserClaims;
  /** The properties of the request that access rules can use. */
  readonly request: { readonly origin: string | null; readonly linkKey: Readonly<Record<string, string>> };
}

/** A line that was not applied. */
export interface LineError {
  /** Its number in the body, from 1, counting blank lines; null when the error is not about a single line. */
  readonly line: number | null;
  readonly code: string;
  readonly error: string;
}

export interface JobProgress {
  /** Lines that are done, applied or skipped; the job continues behind them. */
  readonly processed: number;
  /** Lines that were skipped. */
  readonly skipped: number;
  /** The number in the body of the last line that is done; 0 at the beginning. */
  readonly lastLine: number;
  /** The errors of the first skipped lines, and the one that ended the job. */
  readonly errors: readonly LineError[];
}

export interface Job {
  readonly id: string;
  /** The id of the user to whom it belongs; 0 for end users. */
  readonly owner: number;
  readonly status: JobStatus;
  readonly createdAt: number;
  /** Null until it has ended. */
  readonly endedAt: number | null;
  readonly definition: JobDefinition;
  readonly progress: JobProgress;
}

/** Lines of a job, compressed. */
export interface JobPart {
  /** The number of its first line in the body. */
  readonly firstLine: number;
  readonly lines: Uint8Array;
}

const UNFINISHED = "status in ('receiving', 'waiting', 'running')";
const COLUMNS = "id, owner, status, created_at as createdAt, ended_at as endedAt, definition, progress";
const NO_PROGRESS: JobProgress = { processed: 0, skipped: 0, lastLine: 0, errors: [] };

interface JobRow extends Omit<Job, "definition" | "progress"> {
  readonly definition: string;
  readonly progress: string;
}

export const isUnfinished = ({ status }: Pick<Job, "status">): boolean =>
  status === "receiving" || status === "waiting" || status === "running";

/** The jobs in the file of a document. Call what changes them in a transaction. */
export class JobTables {
  readonly #db: Database;

  private constructor(db: Database) {
    this.#db = db;
  }

  /** Returns the jobs of a document; null if it never had any. */
  static find(db: Database): JobTables | null {
    return hasTable(db, "_quern_jobs") ? new JobTables(db) : null;
  }

  /** As `find`, creating the tables if necessary. */
  static ensure(db: Database): JobTables {
    db.exec(SCHEMA);
    return new JobTables(db);
  }

  /** Adds a job without lines. */
  add(id: string, { owner, nowMs, definition }: { owner: number; nowMs: number; definition: JobDefinition }): void {
    this.#db.run(
      "insert into _quern_jobs (id, owner, status, created_at, definition, progress) values (?, ?, 'receiving', ?, ?, ?)",
      id,
      owner,
      nowMs,
      JSON.stringify(definition),
      JSON.stringify(NO_PROGRESS),
    );
  }

  addPart(job: string, { part, firstLine, lines }: JobPart & { readonly part: number }): void {
    this.#db.run(
      "insert into _quern_job_lines (job, part, first_line, lines) values (?, ?, ?, ?)",
      job,
      part,
      firstLine,
      lines,
    );
  }

  get(id: string): Job | null {
    const row = this.#db.get<JobRow>(`select ${COLUMNS} from _quern_jobs where id = ?`, id);
    return row && jobOf(row);
  }

  /** Returns the jobs of a user, newest first. */
  listOf(owner: number): Job[] {
    const sql = `select ${COLUMNS} from _quern_jobs where owner = ? order by created_at desc, id`;
    return this.#db.all<JobRow>(sql, owner).map(jobOf);
  }

  /** Returns the jobs of all users, oldest first. */
  listAll(): Job[] {
    return this.#db.all<JobRow>(`select ${COLUMNS} from _quern_jobs order by created_at, id`).map(jobOf);
  }

  /** Returns all jobs that have not ended, oldest first. */
  unfinished(): Job[] {
    return this.#db
      .all<JobRow>(`select ${COLUMNS} from _quern_jobs where ${UNFINISHED} order by created_at, id`)
      .map(jobOf);
  }

  /** Returns the numbers of the parts that are still to be applied. */
  partNumbers(job: string): number[] {
    return this.#db
      .values("select part from _quern_job_lines where job = ? order by part", job)
      .map(([part]) => Number(part));
  }

  part(job: string, part: number): JobPart | null {
    const sql = "select first_line as firstLine, lines from _quern_job_lines where job = ? and part = ?";
    return this.#db.get<JobPart>(sql, job, part);
  }

  removePart(job: string, part: number): void {
    this.#db.run("delete from _quern_job_lines where job = ? and part = ?", job, part);
  }

  setStatus(id: string, status: JobStatus): void {
    this.#db.run("update _quern_jobs set status = ? where id = ?", status, id);
  }

  setProgress(id: string, progress: JobProgress): void {
    this.#db.run("update _quern_jobs set progress = ? where id = ?", JSON.stringify(progress), id);
  }

  /** Ends a job, and deletes the lines that were not applied. */
  end(id: string, { status, nowMs }: { status: JobStatus; nowMs: number }): void {
    this.#db.run("update _quern_jobs set status = ?, ended_at = ? where id = ?", status, nowMs, id);
    this.#db.run("delete from _quern_job_lines where job = ?", id);
  }

  remove(id: string): void {
    this.#db.run("delete from _quern_job_lines where job = ?", id);
    this.#db.run("delete from _quern_jobs where id = ?", id);
  }

  /** Deletes the jobs that ended before a time. */
  removeEndedBefore(timeMs: number): void {
    this.#db.run("delete from _quern_jobs where ended_at < ?", timeMs);
  }
}

const jobOf = ({ definition, progress, ...row }: JobRow): Job => ({
  ...row,
  definition: JSON.parse(definition) as JobDefinition,
  progress: JSON.parse(progress) as JobProgress,
});
