import type { Database } from "../../sqlite/database.ts";
import type { Change } from "../actions/change.ts";
import type { Schema } from "../schema.ts";
import { Calculation } from "./calculation.ts";
import { type ColumnNode, CompiledFormulas, isVolatile } from "./nodes.ts";
import { SummaryUpdater, summaryId } from "./summaries.ts";
import { activeTimings } from "./formula-timings.ts";

/** The formulas of a document, with what keeps its summaries. */
export interface CalculationState {
  readonly calculation: Calculation;
  readonly summaryUpdaters: readonly SummaryUpdater[];
}

interface CachedCalculation extends CalculationState {
  readonly schema: Schema;
  /** What formulas depend on in the schema, as a text. */
  readonly schemaText: string;
  readonly compiled: CompiledFormulas;
  readonly tableNames: string;
  /** What each summary is grouped by. */
  readonly summaries: ReadonlySet<string>;
}

/** By connection, since what is known of cells is right only as long as nobody else writes. */
const CACHE = new WeakMap<Database, CachedCalculation>();

/**
 * The formulas of a document as they are at this moment of a change. When a history is replayed, a table may come back
 * that formulas read before.
 */
export function calculationFor(
  { db, catalog, schema, document }: Change,
  { isReplayed }: { isReplayed: boolean },
): CalculationState {
  const cached = CACHE.get(db);
  if (cached?.schema === schema) return cached;
  const { timezone } = document;
  const schemaText = schemaTextOf(schema) + timezone;
  if (cached?.schemaText === schemaText) {
    CACHE.set(db, { ...cached, schema });
    return cached;
  }
  const tableNames = [...schema.tableById.keys()].join();
  const compiled =
    cached?.tableNames === tableNames ? cached.compiled : new CompiledFormulas((name) => schema.tableById.has(name));
  const newTableIds = isReplayed || !cached ? new Set<string>() : addedTables(cached.schema, schema);
  const calculation = new Calculation(db, catalog, {
    schema,
    compiled,
    timezone,
    fresh: newTableIds,
    timings: activeTimings(db),
  });
  const summaryUpdaters = [...calculation.summaries.values()].map((summary) => new SummaryUpdater(summary));
  const summaries = new Set<string>();
  for (const updater of summaryUpdaters) {
    const summaryKey = `${updater.summary.table.id} ${summaryId(updater.summary)}`;
    summaries.add(summaryKey);
    // One that was grouped otherwise before, or was not there, has to get its rows. What formulas group by may change
    // by what other tables hold, which is noticed once it was looked at.
    updater.isStale =
      (cached && !cached.summaries.has(summaryKey)) || updater.summary.groups.some(({ source }) => source.formula);
  }
  const entry: CachedCalculation = {
    calculation,
    summaryUpdaters,
    schema,
    schemaText,
    compiled,
    tableNames,
    summaries,
  };
  CACHE.set(db, entry);
  return entry;
}

/** Tables that are there now and were not before, not even by another name. */
const addedTables = (before: Schema, now: Schema): Set<string> => {
  const previousRefs = new Set(before.tables.map(({ ref }) => ref));
  return new Set(now.tables.filter(({ ref }) => !previousRefs.has(ref)).map(({ id }) => id));
};

/** To be called after a change that was undone: what was found out meanwhile may be wrong. */
export function invalidateCalculation(db: Database): void {
  CACHE.delete(db);
}

/** To be called when a document was not used for a while: cells that were read for formulas are given up. */
export function evictCells(db: Database): void {
  CACHE.get(db)?.calculation.stored.clear();
}

const schemaTextOf = (schema: Schema): string =>
  JSON.stringify(
    schema.tables.map((table) => [
      table.id,
      table.isStored,
      table.onDemand,
      table.summarySourceTable,
      table.columns.map((column) => [
        column.id,
        column.type,
        column.isFormula,
        column.formula,
        column.isStored,
        column.recalcWhen,
        column.recalcDeps,
        column.summarySourceCol,
      ]),
    ]),
  );

/** The columns whose cells depend on more than on other cells: `Table.Column`. Known once formulas were computed. */
export function volatileColumns({ db }: { readonly db: Database }): string[] {
  const known = CACHE.get(db);
  if (!known) return [];
  const found = new Set<ColumnNode>();
  for (const table of known.calculation.tables.values()) {
    for (const column of table.formulas) if (isVolatile(column)) addWithReaders(found, column);
  }
  return Array.from(found, ({ table, id }) => `${table.id}.${id}`);
}

function addWithReaders(found: Set<ColumnNode>, column: ColumnNode): void {
  if (found.has(column)) return;
  found.add(column);
  for (const reader of column.sameRowReaders) addWithReaders(found, reader);
  for (const { owner } of column.readers) addWithReaders(found, owner);
}
