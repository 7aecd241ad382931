/**
 * Formula timing sessions: evaluation times by column, from start to stop, even if the document is closed in between.
 */
import { invalid } from "../../errors.ts";
import type { Database } from "../../sqlite/database.ts";
import type { OpenDocument } from "../document.ts";
import { invalidateCalculation } from "./calculation-cache.ts";
import { FormulaTimings, setActiveTimings, type Timings, activeTimings } from "./formula-timings.ts";

/** Evaluation times of a column in seconds, excluding nested evaluations of other columns. */
export interface ColumnTiming {
  readonly tableId: string;
  readonly colId: string;
  readonly sum: number;
  /** Number of computed cells. */
  readonly count: number;
  readonly average: number;
  readonly max: number;
}

const TIMING_TABLE = "_quern_timing";

/** Starts a session. @throws AppError `invalid` when one is active; `id` identifies the document in the message */
export function startTiming(document: OpenDocument, id: string): void {
  const { db } = document;
  if (activeTimings(db)) throw invalid(`Timing already started for ${id}`);
  db.transaction(() => {
    db.exec(`create table ${TIMING_TABLE} (timings text not null)`);
    db.run(`insert into ${TIMING_TABLE} (timings) values ('[]')`);
  });
  applyTimings(document, new FormulaTimings());
}

/** Stops the session and returns its timings. @throws AppError `invalid` when none is active */
export function stopTiming(document: OpenDocument, id: string): ColumnTiming[] {
  const found = readTiming(document);
  if (!found) throw invalid(`Timing not started for ${id}`);
  document.db.transaction(() => document.db.exec(`drop table if exists ${TIMING_TABLE}`));
  applyTimings(document, null);
  return found;
}

/** Returns the timings so far; null when no session is active. */
export function readTiming({ db }: OpenDocument): ColumnTiming[] | null {
  const timings = activeTimings(db);
  if (!timings) return null;
  const all = new FormulaTimings(readStoredTimings(db) ?? []);
  all.add(timings.list());
  return all.list().map(([tableId, colId, { count, sumMs, maxMs }]) => ({
    tableId,
    colId,
    sum: sumMs / 1000,
    count,
    average: count > 0 ? sumMs / 1000 / count : 0,
    max: maxMs / 1000,
  }));
}

/** Resumes the stored session of a document that was just opened. */
export function restoreTiming({ db, schema }: OpenDocument): void {
  if (!schema.stored.has(TIMING_TABLE)) return;
  setActiveTimings(db, new FormulaTimings());
  invalidateCalculation(db);
}

/** Pauses the session, if one is active, and returns a function that resumes it. */
export function pauseTiming({ db }: OpenDocument): () => void {
  const timings = activeTimings(db);
  if (!timings) return () => undefined;
  setActiveTimings(db, null);
  invalidateCalculation(db);
  return () => setActiveTimings(db, timings);
}

/** Stores the timings before a document is closed. Merges them, because other threads may have the file open too. */
export function saveTiming({ db }: OpenDocument): void {
  const timings = activeTimings(db);
  if (!timings) return;
  setActiveTimings(db, null);
  db.transaction(() => {
    const before = readStoredTimings(db);
    if (!before) return;
    const all = new FormulaTimings(before);
    all.add(timings.list());
    db.run(`update ${TIMING_TABLE} set timings = ?`, JSON.stringify(all.list()));
  });
}

/** Rebuilds the calculation with or without timing. */
function applyTimings(document: OpenDocument, timings: FormulaTimings | null): void {
  setActiveTimings(document.db, timings);
  invalidateCalculation(document.db);
  document.invalidateSchema();
}

/** Returns the stored timings; null when another thread stopped the session. */
function readStoredTimings(db: Database): Timings | null {
  const exists = db.values("select 1 from sqlite_master where type = 'table' and name = ?", TIMING_TABLE).length > 0;
  const [row] = exists ? db.values(`select timings from ${TIMING_TABLE}`) : [];
  return row ? (JSON.parse(String(row[0])) as Timings) : null;
}
