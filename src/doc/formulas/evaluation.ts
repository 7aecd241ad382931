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

/** What evaluation needs of the cells that are there. */
export interface CellSource {
  /** The cell as it is now, computed or stored; undefined when there is no such row. */
  cellOf(column: ColumnNode, row: number): CellValue | undefined;
  pathOf(column: ColumnNode): OwnPath;
  /** A table by its name, or that of the column, as the column's formula has it. */
  tableOf(column: ColumnNode, name: string | undefined): PyValue;
  /** The formula of a column, made so that it tells how far it came. */
  compileTraced(column: ColumnNode, trace: Trace): CompiledFormula;
  /** What a trigger formula knows about whoever made the change. */
  readonly user: PyValue;
}

/**
 * Formulas that compute one another's cells one within the other; beyond, what is needed is put off until this one was
 * given up, and then computed first. The stack serves the formulas' own depth.
 */
const MAX_DEPTH = 40;
/** How many formulas are evaluated anew, one within the other, to know a value in full. */
const MAX_EXACT_DEPTH = 3;

/** Thrown through a formula that has to wait for a cell. No formula can catch it. */
class Postponed extends Error {
  readonly column: ColumnNode;
  readonly row: number;

  constructor(column: ColumnNode, row: number) {
    super("a cell has to wait");
    this.column = column;
    this.row = row;
  }
}

/** Thrown when the formula of a cell takes too long and the change is to be refused. */
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

/** Errors of cells that used up their budget: computing them once more would use it up again. */
const OVER_BUDGET: ReadonlySet<unknown> = new Set(["TimeoutError", "MemoryError"]);

/** Evaluates formulas cell by cell, each after those that it reads. */
export class Evaluation {
  readonly #source: CellSource;
  #depth = 0;
  /** The cells that are being computed, one within the other; as many as the depth tells. */
  readonly #evaluating: EvaluationRow[] = [];
  /** Columns of which values are remembered. */
  readonly #columnsWithValues = new Set<ColumnNode>();
  #exactDepth = 0;
  #row = 0;
  #generation = 0;
  #lastGeneration = 0;
  #column: ColumnNode | undefined;

  constructor(cells: CellSource) {
    this.#source = cells;
  }

  /**
   * Runs the formula of a cell once more to tell how it fails, with the line of it, from 1, null where that is not
   * known; undefined when it does not.
   * Nothing is kept.
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

  /** To be told when a formula reads the clock. */
  markClockRead(): void {
    if (this.#column) this.#column.readsClock = true;
  }

  get currentRow(): number {
    return this.#row;
  }

  /** Another number for each evaluation of a cell. */
  get currentGeneration(): number {
    return this.#generation;
  }

  /** Computes a cell that is due, after all that it needs. */
  compute(column: ColumnNode, row: number): void {
    try {
      this.#evaluate(column, row);
    } catch (error) {
      if (!(error instanceof Postponed)) throw error;
      this.#computeIteratively([{ column, row }, error]);
    }
  }

  /** Computes cells from the last to the first: each waits for the one after it. */
  #computeIteratively(stack: { readonly column: ColumnNode; readonly row: number }[]): void {
    // Whatever is computed meanwhile cannot need what waits without going in a circle.
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

  /** A cell as formulas see it, computed first if it is due. Throws PyError. */
  value(column: ColumnNode, row: number, path: Path): PyValue {
    // An empty reference has the defaults of all columns; no formula is computed for it.
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

  /** True for cells that are being computed, or wait for others: nothing that they need can need them. */
  isEvaluating(column: ColumnNode, row: number): boolean {
    for (let depth = this.#depth - 1; depth >= 0; depth--) if (this.#evaluating[depth]?.is(column, row)) return true;
    return column.running.size > 0 && column.running.has(row);
  }

  /** Where all rows of a column are due, one that does not exist seems so too. */
  #rowExists(column: ColumnNode, row: number): boolean {
    return !column.pending.isAll || (row > 0 && this.#source.cellOf(column, row) !== undefined);
  }

  /** Computes a cell that is due, from within the evaluation of another or from outside. */
  computeNow(column: ColumnNode, row: number): void {
    if (this.#depth === 0) return this.compute(column, row);
    if (this.#depth >= MAX_DEPTH) throw new Postponed(column, row);
    this.#evaluate(column, row);
  }

  #evaluate(column: ColumnNode, row: number): void {
    if (!column.formula) return;
    // First, so that whatever makes it due again while it is computed is not lost.
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
      column.results.set(row, [
        CELL_CODES.error,
        error.typeName,
        error.message,
        null,
        { u: this.previous(column, row) },
      ]);
      return;
    }
    column.results.set(row, cell);
    if (column.kind.base !== "Any") return;
    // Where nobody is known to read it, it is computed once more for whoever does.
    const isRead = column.sameRowReaders.size + column.readers.size > 0;
    if (isRead && value !== undefined && !isLossless(cell)) this.#cacheValue(column, row, value);
    else if (column.values.size > 0) column.values.delete(row);
  }

  #cacheValue(column: ColumnNode, row: number, value: PyValue): void {
    if (column.values.size === 0) this.#columnsWithValues.add(column);
    column.values.set(row, value);
  }

  /** To be told that a change is complete. */
  clearValues(): void {
    for (const column of this.#columnsWithValues) column.values.clear();
    this.#columnsWithValues.clear();
  }

  /** What a data column held before its formula ran, failures apart. */
  previous(column: ColumnNode, row: number): CellValue {
    const cell = this.#source.cellOf(column, row) ?? column.kind.defaultValue;
    if (!isErrorCell(cell)) return cell;
    const errorDetails: unknown = cell[4];
    return typeof errorDetails === "object" && errorDetails !== null && "u" in errorDetails
      ? (errorDetails.u as CellValue)
      : null;
  }

  /** The value of a cell that does not tell it in full: as long as it is known, or by computing it once more. */
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
      // What the cell does not tell of an error is its message.
      const cell = this.#source.cellOf(column, row);
      if (isErrorCell(cell) && cell[1] === error.typeName) throw error;
      return stored();
    } finally {
      column.running.delete(row);
      this.#exactDepth--;
    }
  }
}

/** True for cells of formulas that may have to be computed once more to know what they stand for. */
const needsExactValue = (cell: CellValue, isAny: boolean): boolean =>
  isErrorCell(cell) ? !OVER_BUDGET.has(cell[1]) : isAny && !isLossless(cell);

/**
 * True for cells of no type that tell their value in full: not a whole number, which may be an int or a float, and not
 * the text of a value that has no cell.
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

/** One row while a formula is evaluated for it. */
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
