import type { Database } from "../../sqlite/database.ts";
import type { Change } from "../actions/change.ts";
import type { Schema } from "../schema.ts";
import { Calculation } from "./calculation.ts";
import { type ColumnNode, CompiledFormulas, isVolatile } from "./nodes.ts";
import { SummaryUpdater, summaryId } from "./summaries.ts";
import { activeTimings } from "./formula-timings.ts";

/** The dependency graph of a document's formulas, and the updaters of its summaries. */
export interface CalculationState {
  readonly calculation: Calculation;
  readonly summaryUpdaters: readonly SummaryUpdater[];
}

interface CachedCalculation extends CalculationState {
  readonly schema: Schema;
  /** The parts of the schema that formulas depend on, serialized as the cache key. */
  readonly schemaText: string;
  readonly compiled: CompiledFormulas;
  readonly tableNames: string;
  /** The grouping of each summary. */
  readonly summaries: ReadonlySet<string>;
}

/** By connection: cached cells are valid only as long as no other connection writes. */
const CACHE = new WeakMap<Database, CachedCalculation>();

/**
 * Returns the calculation for the schema at this point of a change. When a history is replayed, restored tables do not
 * count as new, because formulas may have read them before.
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
  cached?.calculation.indexMemory.discard();
  const calculation = new Calculation(db, catalog, {
    schema,
    compiled,
    timezone,
    limits: document.calculationLimits,
    indexFile: document.indexFile,
    fresh: newTableIds,
    timings: activeTimings(db),
  });
  const summaryUpdaters = [...calculation.graph.summaries.values()].map((summary) => new SummaryUpdater(summary));
  const summaries = new Set<string>();
  for (const updater of summaryUpdaters) {
    const summaryKey = `${updater.summary.table.id} ${summaryId(updater.summary)}`;
    summaries.add(summaryKey);
    // New summaries and those with another grouping need their rows. Group-by formulas may depend on other tables;
    // these dependencies are recorded by the first evaluation.
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

/** Returns the ids of new tables, without renamed ones. */
const addedTables = (before: Schema, now: Schema): Set<string> => {
  const previousRefs = new Set(before.tables.map(({ ref }) => ref));
  return new Set(now.tables.filter(({ ref }) => !previousRefs.has(ref)).map(({ id }) => id));
};

/** Drops the cached calculation after a rollback, because it may contain rolled-back cells. */
export function invalidateCalculation(db: Database): void {
  CACHE.get(db)?.calculation.indexMemory.discard();
  CACHE.delete(db);
}

/** Drops cached cells and lists of an idle document. */
export function evictCells(db: Database): void {
  CACHE.get(db)?.calculation.shrink();
}

/** Drops large lookup indexes of a document that has been idle for longer. */
export function evictIndexes(db: Database): void {
  CACHE.get(db)?.calculation.indexMemory.dropLarge();
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

/** Returns volatile columns and their dependents as `Table.Column`. Complete only after a recalculation. */
export function volatileColumns({ db }: { readonly db: Database }): string[] {
  const cached = CACHE.get(db);
  if (!cached) return [];
  const found = new Set<ColumnNode>();
  for (const table of cached.calculation.tables.values()) {
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
