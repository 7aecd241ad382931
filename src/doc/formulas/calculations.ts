import type { Database } from "../../sqlite/database.ts";
import type { Change } from "../actions/change.ts";
import type { Schema } from "../schema.ts";
import { Calculation } from "./calculation.ts";
import { type ColumnNode, CompiledFormulas, isVolatile } from "./nodes.ts";
import { SummaryKeeper, summaryText } from "./summaries.ts";
import { timingsOf } from "./timings.ts";

/** The formulas of a document, with what keeps its summaries. */
export interface Calculations {
  readonly calculation: Calculation;
  readonly keepers: readonly SummaryKeeper[];
}

interface Known extends Calculations {
  readonly schema: Schema;
  /** What formulas depend on in the schema, as a text. */
  readonly text: string;
  readonly compiled: CompiledFormulas;
  readonly tableNames: string;
  /** What each summary is grouped by. */
  readonly summaries: ReadonlySet<string>;
}

/** By connection, since what is known of cells is right only as long as nobody else writes. */
const KNOWN = new WeakMap<Database, Known>();

/**
 * The formulas of a document as they are at this moment of a change. When a history is replayed, a table may come back
 * that formulas read before.
 */
export function calculationFor(
  { db, catalog, schema, document }: Change,
  { isReplayed }: { isReplayed: boolean },
): Calculations {
  const before = KNOWN.get(db);
  if (before?.schema === schema) return before;
  const { timezone } = document;
  const text = textOf(schema) + timezone;
  if (before?.text === text) {
    KNOWN.set(db, { ...before, schema });
    return before;
  }
  const tableNames = [...schema.tableById.keys()].join();
  const compiled =
    before?.tableNames === tableNames ? before.compiled : new CompiledFormulas((name) => schema.tableById.has(name));
  const fresh = isReplayed || !before ? new Set<string>() : newTables(before.schema, schema);
  const calculation = new Calculation(db, catalog, {
    schema,
    compiled,
    timezone,
    fresh,
    timings: timingsOf(db),
  });
  const keepers = [...calculation.summaries.values()].map((summary) => new SummaryKeeper(summary));
  const summaries = new Set<string>();
  for (const keeper of keepers) {
    const own = `${keeper.summary.table.id} ${summaryText(keeper.summary)}`;
    summaries.add(own);
    // One that was grouped otherwise before, or was not there, has to get its rows. What formulas group by may change
    // by what other tables hold, which is noticed once it was looked at.
    keeper.isDue = (before && !before.summaries.has(own)) || keeper.summary.groups.some(({ source }) => source.formula);
  }
  const known: Known = { calculation, keepers, schema, text, compiled, tableNames, summaries };
  KNOWN.set(db, known);
  return known;
}

/** Tables that are there now and were not before, not even by another name. */
const newTables = (before: Schema, now: Schema): Set<string> => {
  const known = new Set(before.tables.map(({ ref }) => ref));
  return new Set(now.tables.filter(({ ref }) => !known.has(ref)).map(({ id }) => id));
};

/** To be called after a change that was undone: what was found out meanwhile may be wrong. */
export function forgetCalculation(db: Database): void {
  KNOWN.delete(db);
}

/** To be called when a document was not used for a while: cells that were read for formulas are given up. */
export function forgetCells(db: Database): void {
  KNOWN.get(db)?.calculation.stored.clear();
}

const textOf = (schema: Schema): string =>
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
  const known = KNOWN.get(db);
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
  for (const reader of column.ownReaders) addWithReaders(found, reader);
  for (const { owner } of column.readers) addWithReaders(found, owner);
}
