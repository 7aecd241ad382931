import { Database } from "bun:sqlite";
import { join } from "node:path";
import { PROGRAM } from "../../src/lib/program.ts";
import type { QueryJob } from "../../src/sql/query-job.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

/** The command line that starts a query process from these sources. */
export const RUNNER: readonly string[] = [...PROGRAM, "sql-runner"];

/** A secret in an internal table, and in files next to the document. */
export const SECRET = "amber-lantern-7731";

export interface SampleFile {
  readonly folder: string;
  readonly path: string;
  /** The server's own connection, which keeps the file open. */
  readonly server: Database;
}

/** A document's file as the server has it open: People with three rows, Big with 2,000, and an internal table. */
export function sampleFile(): SampleFile {
  const folder = tempFolder();
  const path = join(folder, "document.grist");
  const server = new Database(path, { create: true });
  server.run("pragma journal_mode = wal");
  server.run("create table People (id integer primary key, Name text, Age numeric, Tags text)");
  server.run(`insert into People values (1, 'Ada', 36, '["a","b"]'), (2, 'Bob', 41.5, null), (3, '', null, '[]')`);
  server.run("create table Big (id integer primary key, Text text)");
  server.run(`insert into Big with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
    select i, 'row ' || i from n`);
  server.run("create table _grist_Tables (id integer primary key, tableId text)");
  server.run("insert into _grist_Tables values (1, 'People'), (2, 'Big')");
  server.run("create table _quern_outbox (id integer primary key, event text)");
  server.run("insert into _quern_outbox values (1, ?)", [SECRET]);
  return { folder, path, server };
}

/** A job with irrelevant limits. */
export const jobOf = (path: string, statement: string, more: Partial<QueryJob> = {}): QueryJob => ({
  path,
  statement,
  args: [],
  timeoutMs: 10_000,
  maxRows: 100_000,
  maxBytes: 32 * 1024 ** 2,
  ...more,
});

export interface Answer {
  readonly statement: string;
  readonly records: { fields: Record<string, unknown> }[];
}

export const parseAnswer = (bytes: Uint8Array | null): Answer =>
  JSON.parse(new TextDecoder().decode(bytes ?? new Uint8Array(0))) as Answer;

/** Returns the error of a rejected promise; throws when it was fulfilled. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error("it was not refused");
}
