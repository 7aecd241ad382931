import { cellToPython } from "../../formula/cell-to-python.ts";
import { TimeExceeded } from "../../formula/runtime/budget.ts";
import { computeCell, type ComputedCell } from "../../formula/compute-cell.ts";
import type { Trace } from "../../formula/compiler/compiler.ts";
import { PyError, unknownColumn } from "../../formula/runtime/errors.ts";
import { type CompiledFormula, lineOf } from "../../formula/formula.ts";
import { isPeeking, withoutPeek, withPeek } from "../../formula/runtime/peek.ts";
import { PyRecord } from "../../formula/records/record.ts";
import type { FormulaRow } from "../../formula/formula-row.ts";
import type { PyValue } from "../../formula/runtime/values.ts";
import { type CellValue, CELL_CODES, isErrorCell } from "../../values/cell.ts";
import { circular, type ColumnNode } from "./nodes.ts";
import type { OwnPath, Path } from "./paths.ts";

/** Access to cells for evaluation. */
export interface CellSource {
  /** Returns the current cell, computed or stored; undefined when the row does not exist. */
  cellOf(column: ColumnNode, row: number): CellValue | undefined;
  /** Keeps a computed cell until it is written. */
  storeResult(column: ColumnNode, row: number, cell: CellValue): void;
  pathOf(column: ColumnNode): OwnPath;
  /** Returns a table by name (default: the column's own) as a value for the column's formula. */
  tableOf(column: ColumnNode, name: string | undefined): PyValue;
  /** Compiles the formula of a column so that it records the offset reached in `trace`. */
  compileTraced(column: ColumnNode, trace: Trace): CompiledFormula;
  /** The `user` object of trigger formulas. */
  readonly user: PyValue;
}

/**
 * Maximum depth of nested evaluations of cells. Beyond it, the evaluation is aborted, the required cell is computed
 * first, and the evaluation is retried. This leaves the stack to recursion within formulas.
 */
const MAX_DEPTH = 40;
/** Maximum depth of nested re-evaluations for exact values. */
const MAX_EXACT_DEPTH = 3;

/** Maximum number of cached values; beyond it they are computed again. */
const MAX_VALUES = 50_000;

/** Aborts the evaluation of a formula that needs a pending cell. Formulas cannot catch it. */
class Postponed extends Error {
  readonly column: ColumnNode;
  readonly row: number;

  constructor(column: ColumnNode, row: number) {
    super("evaluation postponed");
    this.column = column;
    this.row = row;
  }
}

/** Thrown when the formula of a cell exceeds its time limit and the change must be refused. */
export class CellTimeExceeded extends Error {
  readonly column: ColumnNode;
  readonly row: number;
  readonly exceeded: TimeExceeded;

  constructor(column: ColumnNode, row: number, exceeded: TimeExceeded) {
    super(`${column.table.id}.${column.id}, row ${row}: ${exceeded.message}`);
    this.column = column;
    this.row = row;
    this.exceeded = exceeded;
  }
}

/** Errors of cells that exceeded their budget: re-evaluating them would exceed it again. */
const OVER_BUDGET: ReadonlySet<unknown> = new Set(["TimeoutError", "MemoryError"]);

/** Evaluates formulas cell by cell, each after the cells that it reads. */
export class Evaluation {
  readonly #source: CellSource;
  #depth = 0;
  /** The stack of cells being evaluated; `#depth` entries are valid. */
  readonly #evaluating: EvaluationRow[] = [];
  /** Columns with cached values. */
  readonly #columnsWithValues = new Set<ColumnNode>();
  #valueCount = 0;
  #exactDepth = 0;
  #row = 0;
  #generation = 0;
  #lastGeneration = 0;
  #column: ColumnNode | undefined;

  constructor(cells: CellSource) {
    this.#source = cells;
  }

  /**
   * Re-evaluates a cell and returns its error and line (from 1, null when unknown); undefined when it does not fail.
   * Stores nothing.
   */
  explain(column: ColumnNode, row: number): { error: string; detail: string; line: number | null } | undefined {
    const trace = { offset: 0 };
    const formula = this.#source.compileTraced(column, trace);
    if (formula.broken) return formula.broken;
    const view = new EvaluationRow(this, this.#source, { column, row, path: this.#source.pathOf(column) });
    try {
      withPeek(() => formula.run(view));
      return undefined;
    } catch (error) {
      if (!(error instanceof PyError)) throw error;
      return { error: error.typeName, detail: error.message, line: lineOf(formula.text, trace.offset) };
    }
  }

  /** Marks the current column as reading the clock. */
  markClockRead(): void {
    if (this.#column) this.#column.readsClock = true;
  }

  /** True while no cell is being evaluated. */
  get isIdle(): boolean {
    return this.#depth === 0;
  }

  get currentRow(): number {
    return this.#row;
  }

  /** A number that is unique to each evaluation of a cell. */
  get currentGeneration(): number {
    return this.#generation;
  }

  /** Returns the number of an evaluation that is not run, because its result is known. */
  nextGeneration(): number {
    return ++this.#lastGeneration;
  }

  /** Computes a pending cell, after the cells that it reads. */
  compute(column: ColumnNode, row: number): void {
    try {
      this.#evaluate(column, row);
    } catch (error) {
      if (!(error instanceof Postponed)) throw error;
      this.#computeIteratively([{ column, row }, error]);
    }
  }

  /** Computes cells with an explicit stack: each waits for the one above it. */
  #computeIteratively(stack: { readonly column: ColumnNode; readonly row: number }[]): void {
    // A cell that reads a waiting cell is a circular reference.
    for (const { column, row } of stack.slice(0, -1)) column.running.add(row);
    for (let last = stack.at(-1); last; last = stack.at(-1)) {
      try {
        if (last.column.pending.has(last.row)) this.#evaluate(last.column, last.row);
        stack.pop();
        last.column.running.delete(last.row);
      } catch (error) {
        if (!(error instanceof Postponed)) {
          for (const { column, row } of stack) column.running.delete(row);
          throw error;
        }
        last.column.running.add(last.row);
        stack.push(error);
      }
    }
  }

  /** Returns the value of a cell for formulas; computes it first when it is pending. Throws PyError. */
  value(column: ColumnNode, row: number, path: Path): PyValue {
    // An empty reference has the default values of all columns, without evaluation.
    if (column.formula && row !== 0 && !isPeeking()) {
      if (this.isEvaluating(column, row)) throw circular(column);
      if (!column.pending.isEmpty && column.pending.has(row) && this.#rowExists(column, row))
        this.computeNow(column, row);
    }
    const cell = this.#source.cellOf(column, row);
    const { kind } = column;
    if (typeof cell === "number" && (kind.base === "Numeric" || kind.base === "PositionNumber")) return cell;
    if (typeof cell === "string" && kind.base === "Text") return cell;
    if (cell === undefined)
      return cellToPython(kind.defaultValue, kind, (table) => path.followReference(column.id, table));
    if (column.column.isFormula && needsExactValue(cell, kind.base === "Any"))
      return this.#exactValue(column, row, path);
    return cellToPython(cell, kind, (table) => path.followReference(column.id, table));
  }

  /** Returns true for cells that are being evaluated or wait for others: reading them is a circular reference. */
  isEvaluating(column: ColumnNode, row: number): boolean {
    for (let depth = this.#depth - 1; depth >= 0; depth--) if (this.#evaluating[depth]?.is(column, row)) return true;
    return column.running.size > 0 && column.running.has(row);
  }

  /** Checks the row, because missing rows also seem pending when all rows of a column are. */
  #rowExists(column: ColumnNode, row: number): boolean {
    return !column.pending.isAll || (row > 0 && this.#source.cellOf(column, row) !== undefined);
  }

  /** Computes a pending cell, possibly within the evaluation of another one. */
  computeNow(column: ColumnNode, row: number): void {
    if (this.#depth === 0) return this.compute(column, row);
    if (this.#depth >= MAX_DEPTH) throw new Postponed(column, row);
    this.#evaluate(column, row);
  }

  #evaluate(column: ColumnNode, row: number): void {
    if (!column.formula) return;
    // Before the evaluation, so that marking the cell dirty during it is not lost.
    column.pending.done(row);
    const view = new EvaluationRow(this, this.#source, { column, row, path: this.#source.pathOf(column) });
    const outerRow = this.#row;
    const outerColumn = this.#column;
    const outerGeneration = this.#generation;
    this.#generation = ++this.#lastGeneration;
    this.#row = row;
    this.#column = column;
    this.#evaluating[this.#depth] = view;
    this.#depth++;
    try {
      this.#storeResult(
        column,
        row,
        isPeeking() ? withoutPeek(() => this.runFormula(column, view)) : this.runFormula(column, view),
      );
    } catch (error) {
      if (error instanceof Postponed) column.pending.add([row]);
      throw error instanceof TimeExceeded ? new CellTimeExceeded(column, row, error) : error;
    } finally {
      this.#depth--;
      this.#row = outerRow;
      this.#generation = outerGeneration;
      this.#column = outerColumn;
    }
  }

  protected runFormula(column: ColumnNode, view: FormulaRow): ComputedCell {
    return column.formula ? computeCell(column.formula, view, column.kind) : { cell: null };
  }

  #storeResult(column: ColumnNode, row: number, { cell, value, error }: ComputedCell): void {
    if (column.trigger && error) {
      const previous = this.previous(column, row);
      this.#source.storeResult(column, row, [CELL_CODES.error, error.typeName, error.message, null, { u: previous }]);
      return;
    }
    this.#source.storeResult(column, row, cell);
    if (column.kind.base !== "Any") return;
    // Without known readers the value is not cached: a later reader re-evaluates the cell.
    const isRead = column.sameRowReaders.size + column.readers.size > 0;
    if (isRead && value !== undefined && !isLossless(cell)) this.#cacheValue(column, row, value);
    else if (column.values.size > 0) column.values.delete(row);
  }

  #cacheValue(column: ColumnNode, row: number, value: PyValue): void {
    if (++this.#valueCount > MAX_VALUES) this.clearValues();
    if (column.values.size === 0) this.#columnsWithValues.add(column);
    column.values.set(row, value);
  }

  /** Call at the end of a change. */
  finish(): void {
    this.clearValues();
    // The rows that were evaluated last refer to the lookup indexes, which may be dropped.
    this.#evaluating.length = 0;
  }

  /** Clears cached values. */
  clearValues(): void {
    for (const column of this.#columnsWithValues) column.values.clear();
    this.#columnsWithValues.clear();
    this.#valueCount = 0;
  }

  /** Returns the last regular value of a trigger formula column, skipping errors. */
  previous(column: ColumnNode, row: number): CellValue {
    const cell = this.#source.cellOf(column, row) ?? column.kind.defaultValue;
    if (!isErrorCell(cell)) return cell;
    const errorDetails: unknown = cell[4];
    return typeof errorDetails === "object" && errorDetails !== null && "u" in errorDetails
      ? (errorDetails.u as CellValue)
      : null;
  }

  /** Returns the exact value of a cell with lossy encoding: the cached one, or by re-evaluation. */
  #exactValue(column: ColumnNode, row: number, path: Path): PyValue {
    const known = column.values.get(row);
    if (known !== undefined) return known;
    const stored = () => {
      const cell = this.#source.cellOf(column, row) ?? column.kind.defaultValue;
      return cellToPython(cell, column.kind, (table) => path.followReference(column.id, table));
    };
    if (this.#exactDepth >= MAX_EXACT_DEPTH || this.isEvaluating(column, row)) return stored();
    this.#exactDepth++;
    column.running.add(row);
    try {
      const own = this.#source.pathOf(column);
      const view = new EvaluationRow(this, this.#source, { column, row, path: own });
      const value = withPeek(() => column.formula?.run(view));
      if (value === undefined || isErrorCell(this.#source.cellOf(column, row))) return stored();
      this.#cacheValue(column, row, value);
      return value;
    } catch (error) {
      if (error instanceof TimeExceeded) throw new CellTimeExceeded(column, row, error);
      if (!(error instanceof PyError)) throw error;
      // The stored error lacks its message: rethrow the complete one.
      const cell = this.#source.cellOf(column, row);
      if (isErrorCell(cell) && cell[1] === error.typeName) throw error;
      return stored();
    } finally {
      column.running.delete(row);
      this.#exactDepth--;
    }
  }
}

/** Returns true for cells of formulas that must be re-evaluated to get their exact value. */
export const needsExactValue = (cell: CellValue, isAny: boolean): boolean =>
  isErrorCell(cell) ? !OVER_BUDGET.has(cell[1]) : isAny && !isLossless(cell);

/**
 * Returns true for untyped cells that encode their value without loss: not integers, which may be an int or a float,
 * and not the text of a value without a cell encoding.
 */
function isLossless(cell: CellValue): boolean {
  if (typeof cell === "number") return !Number.isInteger(cell);
  if (!Array.isArray(cell)) return true;
  const [code] = cell;
  return (
    code !== CELL_CODES.list &&
    code !== CELL_CODES.dict &&
    code !== CELL_CODES.unmarshallable &&
    code !== CELL_CODES.error
  );
}

/** The row for which a formula is being evaluated. */
class EvaluationRow implements FormulaRow {
  readonly #evaluation: Evaluation;
  readonly #cells: CellSource;
  readonly #column: ColumnNode;
  readonly #row: number;
  readonly #path: OwnPath;

  constructor(
    evaluation: Evaluation,
    cells: CellSource,
    { column, row, path }: { column: ColumnNode; row: number; path: OwnPath },
  ) {
    this.#evaluation = evaluation;
    this.#cells = cells;
    this.#column = column;
    this.#row = row;
    this.#path = path;
  }

  is(column: ColumnNode, row: number): boolean {
    return this.#row === row && this.#column === column;
  }

  read(colId: string): PyValue {
    const column = this.#column.table.columns.get(colId);
    if (column) return this.#evaluation.value(column, this.#row, this.#path);
    if (colId === "id") return BigInt(this.#row);
    throw unknownColumn(colId);
  }

  record(): PyValue {
    return new PyRecord(this.#path, this.#row);
  }

  table(name?: string): PyValue {
    return this.#cells.tableOf(this.#column, name);
  }

  triggerValue(name: "value" | "user"): PyValue {
    if (name === "user") return this.#cells.user;
    const cell = this.#evaluation.previous(this.#column, this.#row);
    const { kind } = this.#column;
    return cellToPython(cell, kind, (table) => this.#path.followReference(this.#column.id, table));
  }
}
