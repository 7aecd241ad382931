/** How long formulas take, by column: measured while somebody asked for it, across closings of the document. */
import { invalid } from "../../errors.ts";
import type { Database } from "../../sqlite/database.ts";
import type { OpenDocument } from "../document.ts";
import { invalidateCalculation } from "./calculation-cache.ts";
import { FormulaTimings, setActiveTimings, type Timings, activeTimings } from "./formula-timings.ts";

/** What the formulas of a column took, in seconds, without what they waited for in other columns. */
export interface ColumnTiming {
  readonly tableId: string;
  readonly colId: string;
  readonly sum: number;
  /** How many cells were computed. */
  readonly count: number;
  readonly average: number;
  readonly max: number;
}

const TIMING_TABLE = "_quern_timing";

/** @throws AppError `invalid` when it was started already; `id` names the document then */
export function startTiming(document: OpenDocument, id: string): void {
  const { db } = document;
  if (activeTimings(db)) throw invalid(`Timing already started for ${id}`);
  db.transaction(() => {
    db.exec(`create table ${TIMING_TABLE} (timings text not null)`);
    db.run(`insert into ${TIMING_TABLE} (timings) values ('[]')`);
  });
  applyTimings(document, new FormulaTimings());
}

/** Ends it, and gives what was measured. @throws AppError `invalid` when it was not started */
export function stopTiming(document: OpenDocument, id: string): ColumnTiming[] {
  const found = readTiming(document);
  if (!found) throw invalid(`Timing not started for ${id}`);
  document.db.exec(`drop table if exists ${TIMING_TABLE}`);
  applyTimings(document, null);
  return found;
}

/** What was measured so far; null when nothing is. */
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

/** To be called for a document that was just opened: goes on where its formulas were measured before. */
export function restoreTiming({ db, schema }: OpenDocument): void {
  if (!schema.stored.has(TIMING_TABLE)) return;
  setActiveTimings(db, new FormulaTimings());
  invalidateCalculation(db);
}

/** To be called before a document is closed. The file may be open in another thread, which measures as well. */
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

/** Formulas are put together again, so that nothing is measured when nobody asked. */
function applyTimings(document: OpenDocument, timings: FormulaTimings | null): void {
  setActiveTimings(document.db, timings);
  invalidateCalculation(document.db);
  document.invalidateSchema();
}

/** What the file has; null when it was stopped elsewhere. */
function readStoredTimings(db: Database): Timings | null {
  const isThere = db.values("select 1 from sqlite_master where type = 'table' and name = ?", TIMING_TABLE).length > 0;
  const [row] = isThere ? db.values(`select timings from ${TIMING_TABLE}`) : [];
  return row ? (JSON.parse(String(row[0])) as Timings) : null;
}
