/**
 * The SQL queries that people saved, in an internal table of the document. Unlike other internal tables it belongs to the
 * content: copies, downloads and uploaded files keep it.
 */
import { AppError, notFound } from "../../errors.ts";
import type { Database } from "../../sqlite/database.ts";
import type { OpenDocument } from "../document.ts";
import { hasTable } from "../migrations/stored-tables.ts";

export const QUERIES_TABLE = "_quern_queries";

/** Plain columns only, as in all tables of uploaded files. */
const SCHEMA = `
  create table if not exists ${QUERIES_TABLE} (id integer primary key, name text, sql text, args text, author text,
    createdAt numeric, updatedAt numeric);
`;

export type QueryArgument = string | number | boolean | null;

export interface QueryInput {
  readonly name: string;
  readonly sql: string;
  /** The values of its parameters, by position, to begin with. */
  readonly args: readonly QueryArgument[];
}

export interface SavedQuery extends QueryInput {
  readonly id: number;
  /** The name of the person who saved it; null for none. */
  readonly author: string | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

const MAX_QUERIES = 500;
/** Of JavaScript. */
const LATEST_TIME = 8.64e15;
/** Lists fit into one answer. */
const MAX_TOTAL_CHARACTERS = 5_000_000;

/** Returns the queries by name. Rows that an uploaded file has in another form are left out. */
export function listQueries({ db }: Pick<OpenDocument, "db">): SavedQuery[] {
  if (!hasTable(db, QUERIES_TABLE)) return [];
  const rows = db.all<Record<keyof SavedQuery, unknown>>(
    `select id, name, sql, args, author, createdAt, updatedAt from ${QUERIES_TABLE}
     where length(name) + length(sql) + coalesce(length(args) + length(author), 0) < ${MAX_TOTAL_CHARACTERS}
     order by name collate nocase, id limit ${MAX_QUERIES}`,
  );
  let size = 0;
  return rows.flatMap((row) => {
    const query = readQuery(row);
    size += query?.sql.length ?? 0;
    return query && size <= MAX_TOTAL_CHARACTERS ? [query] : [];
  });
}

/** @throws AppError `limit.exceeded` */
export function addQuery(
  document: OpenDocument,
  { name, sql, args }: QueryInput,
  { author, nowMs }: { author: string | null; nowMs: number },
): SavedQuery {
  return changing(document, (db) => {
    const query = { name, sql, args, author, createdAt: nowMs, updatedAt: nowMs };
    const { id } = db.get<{ id: number }>(
      `insert into ${QUERIES_TABLE} (name, sql, args, author, createdAt, updatedAt) values (?, ?, ?, ?, ?, ?) returning id`,
      name,
      sql,
      JSON.stringify(args),
      author,
      nowMs,
      nowMs,
    ) ?? { id: 0 };
    return { id, ...query };
  });
}

/** @throws AppError `notFound`, `limit.exceeded` */
export function modifyQuery(
  document: OpenDocument,
  id: number,
  { change, nowMs }: { change: Partial<QueryInput>; nowMs: number },
): SavedQuery {
  return changing(document, (db) => {
    const query = { ...findQuery(document, id), ...change, updatedAt: nowMs };
    db.run(
      `update ${QUERIES_TABLE} set name = ?, sql = ?, args = ?, updatedAt = ? where id = ?`,
      query.name,
      query.sql,
      JSON.stringify(query.args),
      nowMs,
      id,
    );
    return query;
  });
}

/** @throws AppError `notFound` */
export function removeQuery(document: OpenDocument, id: number): void {
  changing(document, (db) => {
    findQuery(document, id);
    db.run(`delete from ${QUERIES_TABLE} where id = ?`, id);
  });
}

/** Copies without data keep the queries, without the values of their parameters. */
export function clearQueryArguments(db: Database): void {
  if (hasTable(db, QUERIES_TABLE)) db.exec(`update ${QUERIES_TABLE} set args = '[]'`);
}

function findQuery(document: OpenDocument, id: number): SavedQuery {
  const query = listQueries(document).find((each) => each.id === id);
  if (!query) throw notFound("Query not found");
  return query;
}

function changing<T>(document: OpenDocument, work: (db: Database) => T): T {
  const { db } = document;
  try {
    return db.transaction(() => {
      db.exec(SCHEMA);
      const result = work(db);
      requireSpace(db);
      return result;
    });
  } finally {
    // The table may have been created, or not after all.
    document.invalidateSchema();
  }
}

function requireSpace(db: Database): void {
  const { count, size } = db.get<{ count: number; size: number }>(
    `select count(*) as count, coalesce(sum(length(sql) + length(args)), 0) as size from ${QUERIES_TABLE}`,
  ) ?? { count: 0, size: 0 };
  if (count > MAX_QUERIES) throw new AppError("limit.exceeded", `A document can have ${MAX_QUERIES} saved queries`);
  if (size > MAX_TOTAL_CHARACTERS) {
    throw new AppError("limit.exceeded", "The saved queries of a document can have 5 million characters together");
  }
}

function readQuery(row: Record<keyof SavedQuery, unknown>): SavedQuery | null {
  const { id, name, sql, args, author, createdAt, updatedAt } = row;
  if (typeof id !== "number" || typeof name !== "string" || typeof sql !== "string") return null;
  const time = (value: unknown) => (typeof value === "number" && Math.abs(value) <= LATEST_TIME ? value : 0);
  return {
    id,
    name,
    sql,
    args: readArguments(args),
    author: typeof author === "string" ? author : null,
    createdAt: time(createdAt),
    updatedAt: time(updatedAt),
  };
}

function readArguments(text: unknown): QueryArgument[] {
  try {
    const list: unknown = typeof text === "string" ? JSON.parse(text) : [];
    return Array.isArray(list) ? list.map((each) => (isArgument(each) ? each : null)) : [];
  } catch {
    return [];
  }
}

const isArgument = (value: unknown): value is QueryArgument =>
  value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";
