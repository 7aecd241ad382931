import { invalid } from "../../errors.ts";
import { resumeTiming } from "../../formula/budget.ts";
import { currentContext, withContext } from "../../formula/context.ts";
import { noteSince } from "../../lib/measurements.ts";
import type { CellValue } from "../../values/cell.ts";
import { removeLostComments } from "../actions/comments.ts";
import { clearReferences } from "../actions/references.ts";
import type { Change } from "../actions/change.ts";
import type { DirtyRows, DirtyTable, Touches } from "../actions/dirty.ts";
import type { ColumnValues } from "../actions/doc-action.ts";
import { highestId } from "../actions/rows.ts";
import type { Calculation } from "./calculation.ts";
import { calculationFor, type Calculations } from "./calculations.ts";
import type { ColumnNode, TableNode } from "./nodes.ts";
import { mayReadAnyName } from "./static-reads.ts";
import type { SummaryKeeper } from "./summaries.ts";

/**
 * Computes all formulas that depend on what was touched, and writes what differs, within the change that is under way.
 * Rows of summaries come and go with their groups.
 */
export function recalculate(change: Change, touches: Touches): void {
  if (touches.isEmpty) return;
  const start = performance.now();
  resumeTiming();
  try {
    computeDue(change, touches);
  } finally {
    noteSince("recalculation", start);
  }
}

function computeDue(change: Change, touches: Touches): void {
  const calculations = calculationFor(change, touches);
  const { calculation } = calculations;
  const { evaluation } = calculation;
  withContext({ ...currentContext(), onClockRead: () => evaluation.noteClock() }, () => {
    calculation.maker = change.options.user;
    calculation.isWithoutTriggers = touches.isReplayed || touches.isEverything || touches.isClock;
    seed(calculations, touches);
    for (let rounds = 0; ;) {
      calculation.refreshAll();
      if (settleSummaries(change, calculations)) {
        if (++rounds > roundsFor(calculations)) throw invalid("What a summary is grouped by depends on its own rows");
        continue;
      }
      const [next] = calculation.due;
      if (!next) break;
      calculation.compute(next);
    }
    for (const table of calculation.dueTables()) writeResults(change, calculation, table);
    calculation.end();
  });
}

/** Tells the calculation what changed. */
function seed(calculations: Calculations, touches: Touches): void {
  const { calculation } = calculations;
  calculation.written(touches.tables);
  for (const [id, dirty] of touches.tables) {
    const table = calculation.tables.get(id);
    if (table) preventGiven(calculation, table, dirty);
  }
  for (const [id, dirty] of touches.tables) {
    const table = calculation.tables.get(id);
    if (table) seedTable(calculations, table, dirty);
  }
  for (const [id, { removed }] of touches.tables) {
    const table = calculation.tables.get(id);
    if (!table || removed.length === 0) continue;
    // Cells of a row may have been written before it went: they make nothing due.
    const gone = calculation.missingRows(table, removed);
    for (const column of table.formulas) calculation.forgetRows(column, gone);
  }
  for (const name of touches.removedTables) seedReaders(calculation, (formula) => formula.reads.globals.has(name));
  if (touches.isEverything) {
    for (const column of formulaColumns(calculation)) calculation.require(column, "all");
    for (const keeper of calculations.keepers) keeper.isDue = true;
  }
  if (touches.isClock) {
    for (const column of formulaColumns(calculation)) if (column.readsClock) calculation.require(column, "all");
  }
}

function* formulaColumns(calculation: Calculation): Generator<ColumnNode> {
  for (const table of calculation.tables.values()) {
    for (const column of table.columns.values()) if (column.formula && !column.trigger) yield column;
  }
}

type Compiled = NonNullable<ColumnNode["formula"]>;

function seedReaders(calculation: Calculation, isReader: (formula: Compiled, column: ColumnNode) => boolean): void {
  for (const column of formulaColumns(calculation)) {
    if (column.formula && isReader(column.formula, column)) calculation.require(column, "all");
  }
}

/** Values that users give win over formulas of data columns. */
function preventGiven(calculation: Calculation, table: TableNode, { rows }: DirtyTable): void {
  for (const { ids, given, isByHand } of rows) {
    if (!isByHand) continue;
    for (const id of given) {
      const column = table.columns.get(id);
      if (column?.trigger && !column.trigger.watchesItself) calculation.prevent(column, ids);
    }
  }
}

function seedTable({ calculation, keepers }: Calculations, table: TableNode, dirty: DirtyTable): void {
  for (const keeper of keepers) {
    if (keeper.summary.table === table) {
      keeper.forget();
      keeper.isDue = true;
    }
    if (keeper.summary.source === table && concernsGroups(keeper, dirty)) keeper.isDue = true;
  }
  if (dirty.removed.length > 0) {
    calculation.rowsChanged(table, dirty.removed);
    for (const column of table.formulas) calculation.forgetRows(column, dirty.removed);
  }
  for (const id of dirty.columns) {
    const column = table.columns.get(id);
    if (!column) continue;
    if (column.formula && !column.trigger) calculation.require(column, "all");
    calculation.changed(column, "all");
  }
  for (const name of dirty.names) {
    seedReaders(calculation, (formula, column) => {
      const { reads } = formula;
      if (mayReadAnyName(formula) || (column.table === table && reads.columns.has(name))) return true;
      if (reads.attributes.has(name) || reads.mentions.has(name) || reads.orderColumns.has(name)) return true;
      return reads.chains.some((chain) => chain.includes(name));
    });
  }
  for (const rows of dirty.rows) seedRows(calculation, table, rows);
}

const concernsGroups = ({ summary }: SummaryKeeper, dirty: DirtyTable): boolean =>
  dirty.removed.length > 0 ||
  dirty.columns.size > 0 ||
  dirty.rows.some(({ columns }) => !columns || summary.groups.some(({ source }) => columns.has(source.id))) ||
  summary.groups.some(({ source }) => source.formula !== undefined);

const ON_EVERY_CHANGE = 2;

function seedRows(calculation: Calculation, table: TableNode, { ids, columns, given, isByHand }: DirtyRows): void {
  if (!columns) {
    for (const column of table.formulas) if (!column.trigger) calculation.require(column, ids);
    calculation.rowsChanged(table, ids);
  } else {
    for (const id of columns) {
      const column = table.columns.get(id);
      if (!column) continue;
      if (column.formula && !column.trigger) calculation.require(column, ids);
      calculation.changed(column, ids);
    }
  }
  if (!isByHand) return;
  for (const column of table.formulas) {
    if (!column.trigger || (given.has(column.id) && !column.trigger.watchesItself)) continue;
    // A value that is given makes only those run that watch it.
    if (given.has(column.id) ? !columns : !columns || column.trigger.when === ON_EVERY_CHANGE) {
      calculation.trigger(column, ids);
    }
  }
}

/** Summaries may be grouped by formulas that read other ones; beyond this, some never come to rest. */
const roundsFor = ({ keepers }: Calculations): number => 20 + 4 * keepers.length;

/** Adds and removes rows of summaries. Gives back whether there was anything to do. */
function settleSummaries(change: Change, calculations: Calculations): boolean {
  const { calculation, keepers } = calculations;
  let isDone = false;
  for (const keeper of keepers) {
    if (!keeper.isDue && !keeper.hasChanges) continue;
    keeper.isDue = false;
    const { table, source, columns, groups } = keeper.summary;
    const map = calculation.map(source, columns);
    const { added, removed } = keeper.changes(map, {
      allRows: () => calculation.allRows(table),
      cellOf: (column, row) => calculation.cellOf(column, row),
    });
    // New rows come first, so that none gets the id of one that goes.
    if (added.length > 0) {
      const next = highestId(change.db, table.id) + 1;
      const ids = added.map((_, i) => next + i);
      const values = Object.fromEntries(groups.map(({ own }, g) => [own.id, added.map((cells) => cells[g] ?? null)]));
      change.applyCalculated(["BulkAddRecord", table.id, ids, values]);
    }
    if (removed.length > 0) {
      clearReferences(change, table.id, removed);
      change.applyCalculated(["BulkRemoveRecord", table.id, [...removed]]);
      removeLostComments(change, table.id);
    }
    if (removed.length + added.length === 0) continue;
    isDone = true;
    seed(calculations, change.touched.take());
    // Its rows are what they have to be now.
    keeper.isDue = false;
  }
  return isDone;
}

/** Writes what was computed, columns with the same rows together. */
function writeResults(change: Change, calculation: Calculation, table: TableNode): void {
  const computed = table.formulas.filter((column) => column.results.size > 0);
  while (computed.length > 0) {
    const [first] = computed;
    if (!first) return;
    const ids = [...first.results.keys()].toSorted((a, b) => a - b);
    const together = computed.filter(
      (column) =>
        column === first || (column.results.size === first.results.size && ids.every((id) => column.results.has(id))),
    );
    const values: ColumnValues = {};
    for (const column of together) {
      values[column.id] = ids.map((id): CellValue => column.results.get(id) ?? null);
      column.results = new Map();
      computed.splice(computed.indexOf(column), 1);
    }
    if (ids.length > 0) change.applyCalculated(["BulkUpdateRecord", table.id, ids, values]);
    calculation.written(change.touched.take().tables);
  }
}
