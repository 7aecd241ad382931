import { invalid } from "../../errors.ts";
import { resumeTiming } from "../../formula/runtime/budget.ts";
import { currentContext, withContext } from "../../formula/runtime/evaluation-context.ts";
import { recordDurationSince } from "../../lib/observability/measurements.ts";
import { removeLostComments } from "../actions/comments.ts";
import { clearReferences } from "../actions/references/clear-references.ts";
import type { Change } from "../actions/change.ts";
import type { DirtyRows, DirtyTable, DirtyState } from "../actions/dirty-cells.ts";
import { highestId } from "../actions/row-storage.ts";
import type { Calculation } from "./calculation.ts";
import { calculationFor, type CalculationState } from "./calculation-cache.ts";
import type { ResultRows } from "./column-results.ts";
import { type ColumnNode, mayReadAnyName, type TableNode } from "./nodes.ts";
import type { SummaryUpdater } from "./summaries.ts";

/**
 * Recomputes all formulas that depend on dirty cells and writes changed results, in the transaction of the change. Adds
 * and removes rows of summaries.
 */
export function recalculate(change: Change, dirty: DirtyState): void {
  if (dirty.isEmpty) return;
  const start = performance.now();
  resumeTiming();
  try {
    computeDirty(change, dirty);
  } finally {
    recordDurationSince("recalculation", start);
  }
}

function computeDirty(change: Change, dirty: DirtyState): void {
  const calculations = calculationFor(change, dirty);
  const { calculation } = calculations;
  const { evaluation } = calculation;
  withContext({ ...currentContext(), onClockRead: () => evaluation.markClockRead() }, () => {
    calculation.actor = change.options.user;
    calculation.writeResults = () => writeResults(change, calculation);
    calculation.sqlResults = {
      isRecordingDone: (column) => isRecordingDone(change, calculation, column),
      written: (node, rows, changed) => {
        change.calculatedCells.addUnrecorded(node.table.id, node.column, rows, changed);
        calculation.stored.markStale(node, rows);
      },
    };
    calculation.schedule.skipsTriggers = dirty.isReplayed || dirty.includesAll || dirty.includesClock;
    markChanges(calculations, dirty);
    for (let rounds = 0; ;) {
      calculation.refreshAll();
      if (updateSummaries(change, calculations)) {
        if (++rounds > maxRoundsFor(calculations))
          throw invalid("The group-by columns of a summary depend on its own rows");
        continue;
      }
      if (!calculation.computeNext()) break;
    }
    calculation.writeResults();
    change.calculatedCells.close();
    calculation.finish();
  });
}

/** Marks the dependents of all changes as dirty. */
function markChanges(calculations: CalculationState, dirtyState: DirtyState): void {
  const { calculation } = calculations;
  calculation.invalidateStored(dirtyState.tables);
  for (const [id, dirty] of dirtyState.tables) {
    const table = calculation.tables.get(id);
    if (table) suppressProvided(calculation, table, dirty);
  }
  for (const [id, dirty] of dirtyState.tables) {
    const table = calculation.tables.get(id);
    if (table) markTableDirty(calculations, table, dirty);
  }
  for (const [id, { removed }] of dirtyState.tables) {
    const table = calculation.tables.get(id);
    if (!table || removed.length === 0) continue;
    // Drops rows that were written and then removed.
    const missing = calculation.missingRows(table, removed);
    for (const column of table.formulas) calculation.removeRows(column, missing);
  }
  for (const name of dirtyState.removedTables)
    markReadersDirty(calculation, (formula) => formula.reads.globals.has(name));
  if (dirtyState.includesAll) {
    for (const column of formulaColumns(calculation)) calculation.markDirty(column, "all");
    for (const updater of calculations.summaryUpdaters) updater.isStale = true;
  }
  if (dirtyState.includesClock) {
    for (const column of formulaColumns(calculation)) if (column.readsClock) calculation.markDirty(column, "all");
  }
}

function* formulaColumns(calculation: Calculation): Generator<ColumnNode> {
  for (const table of calculation.tables.values()) {
    for (const column of table.columns.values()) if (column.formula && !column.trigger) yield column;
  }
}

type Compiled = NonNullable<ColumnNode["formula"]>;

function markReadersDirty(
  calculation: Calculation,
  isReader: (formula: Compiled, column: ColumnNode) => boolean,
): void {
  for (const column of formulaColumns(calculation)) {
    if (column.formula && isReader(column.formula, column)) calculation.markDirty(column, "all");
  }
}

/** Suppresses trigger formulas where the user provided values. */
function suppressProvided(calculation: Calculation, table: TableNode, { rows }: DirtyTable): void {
  for (const { ids, provided, isUserEdit } of rows) {
    if (!isUserEdit) continue;
    for (const id of provided) {
      const column = table.columns.get(id);
      if (column?.trigger && !column.trigger.watchesOwnColumn) calculation.schedule.suppress(column, ids);
    }
  }
}

function markTableDirty({ calculation, summaryUpdaters }: CalculationState, table: TableNode, dirty: DirtyTable): void {
  for (const updater of summaryUpdaters) {
    if (updater.summary.table === table) {
      updater.reset();
      updater.isStale = true;
    }
    if (updater.summary.source === table && affectsGroups(updater, dirty)) updater.isStale = true;
  }
  if (dirty.removed.length > 0) {
    calculation.onRowsChanged(table, dirty.removed);
    for (const column of table.formulas) calculation.removeRows(column, dirty.removed);
  }
  for (const id of dirty.columns) {
    const column = table.columns.get(id);
    if (!column) continue;
    if (column.formula && !column.trigger) calculation.markDirty(column, "all");
    calculation.onCellsChanged(column, "all");
  }
  for (const name of dirty.changedNames) {
    markReadersDirty(calculation, (formula, column) => {
      const { reads } = formula;
      if (mayReadAnyName(formula) || (column.table === table && reads.columns.has(name))) return true;
      if (reads.attributes.has(name) || reads.mentions.has(name)) return true;
      // Results stay when the column that orders a look-up is removed, and are recomputed when there is one again.
      if (reads.orderColumns.has(name) && table.columns.has(name)) return true;
      return reads.chains.some((chain) => chain.includes(name));
    });
  }
  for (const rows of dirty.rows) markRowsDirty(calculation, table, rows);
}

const affectsGroups = ({ summary }: SummaryUpdater, dirty: DirtyTable): boolean =>
  dirty.removed.length > 0 ||
  dirty.columns.size > 0 ||
  dirty.rows.some(({ columns }) => !columns || summary.groups.some(({ source }) => columns.has(source.id))) ||
  summary.groups.some(({ source }) => source.formula !== undefined);

const ON_EVERY_CHANGE = 2;

function markRowsDirty(
  calculation: Calculation,
  table: TableNode,
  { ids, columns, provided, isUserEdit }: DirtyRows,
): void {
  if (!columns) {
    for (const column of table.formulas) if (!column.trigger) calculation.markDirty(column, ids);
    calculation.onRowsChanged(table, ids);
  } else {
    for (const id of columns) {
      const column = table.columns.get(id);
      if (!column) continue;
      if (column.formula && !column.trigger) calculation.markDirty(column, ids);
      calculation.onCellsChanged(column, ids);
    }
  }
  if (!isUserEdit) return;
  for (const column of table.formulas) {
    if (!column.trigger || (provided.has(column.id) && !column.trigger.watchesOwnColumn)) continue;
    // Setting a column runs only trigger formulas that watch it.
    if (provided.has(column.id) ? !columns : !columns || column.trigger.when === ON_EVERY_CHANGE) {
      calculation.trigger(column, ids);
    }
  }
}

/** Maximum rounds: summaries may be grouped by formulas that read other summaries, which may never converge. */
const maxRoundsFor = ({ summaryUpdaters }: CalculationState): number => 20 + 4 * summaryUpdaters.length;

/** Adds and removes rows of summaries. Returns whether any changed. */
function updateSummaries(change: Change, calculations: CalculationState): boolean {
  const { calculation, summaryUpdaters } = calculations;
  let hasChanged = false;
  for (const updater of summaryUpdaters) {
    if (!updater.isStale && !updater.hasChanges) continue;
    updater.isStale = false;
    const { table, source, columns, groups } = updater.summary;
    const map = calculation.map(source, columns);
    const { added, removed } = updater.findChanges(map, {
      allRows: () => calculation.allRows(table),
      cellOf: (column, row) => calculation.cellOf(column, row),
    });
    // Adds before removing, so that no new row reuses the id of a removed one.
    if (added.length > 0) {
      const next = highestId(change.db, table.id) + 1;
      const ids = added.map((_, i) => next + i);
      const values = Object.fromEntries(groups.map(({ own }, g) => [own.id, added.map((cells) => cells[g] ?? null)]));
      change.applyCalculated(["BulkAddRecord", table.id, ids, values]);
    }
    if (removed.length > 0) {
      // Its own rows name the groups that the source has now, which the source's formulas determine.
      const computed = new Set(groups.flatMap(({ own, source: { column } }) => (column.isFormula ? own.id : [])));
      clearReferences(change, table.id, removed, { keeps: (id, column) => id === table.id && computed.has(column) });
      change.applyCalculated(["BulkRemoveRecord", table.id, [...removed]]);
      removeLostComments(change, table.id);
    }
    if (removed.length + added.length === 0) continue;
    hasChanged = true;
    markChanges(calculations, change.dirty.take());
    // Its rows are now up to date.
    updater.isStale = false;
  }
  return hasChanged;
}

/** Writes computed cells. */
function writeResults(change: Change, calculation: Calculation): void {
  for (const table of calculation.computedTables()) {
    for (const { rows, columns } of resultGroups(table)) {
      const cells = columns.map(({ node, results }) => ({ id: node.id, ...results }));
      change.calculatedCells.write(table.id, rows, cells);
      for (const { node, results } of columns) {
        calculation.stored.markWritten(node, rows, (at) => node.kind.encode(results.cells[at] ?? null));
      }
    }
  }
}

/** Returns true if no further cells of a column are recorded, apart from results that wait, which it writes. */
function isRecordingDone(
  { calculatedCells }: Change,
  calculation: Calculation,
  { table, column, results }: ColumnNode,
): boolean {
  if (calculatedCells.remainingRows(table.id, column) > results.size) return false;
  calculation.flush();
  // Results that are equal to the stored cells are not recorded.
  return calculatedCells.remainingRows(table.id, column) <= 0;
}

interface ResultGroup {
  readonly rows: number[];
  readonly columns: { readonly node: ColumnNode; readonly results: ResultRows }[];
}

/** Takes the results of a table; columns with the same rows form a group. */
function resultGroups(table: TableNode): ResultGroup[] {
  const groups: ResultGroup[] = [];
  for (const node of table.formulas) {
    if (node.results.size === 0) continue;
    const results = node.results.take();
    const group = groups.find(({ rows }) => haveSameRows(rows, results.rows));
    if (group) group.columns.push({ node, results });
    else groups.push({ rows: results.rows, columns: [{ node, results }] });
  }
  return groups;
}

const haveSameRows = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((row, at) => row === b[at]);
