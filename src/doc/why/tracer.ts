import { cellToPython } from "../../formula/cell-to-python.ts";
import { type CompiledFormula, lineOf } from "../../formula/formula.ts";
import { pythonToCell } from "../../formula/python-to-cell.ts";
import { remainingOfChange } from "../../formula/runtime/budget.ts";
import { currentContext, withContext } from "../../formula/runtime/evaluation-context.ts";
import { PyError } from "../../formula/runtime/errors.ts";
import type { LookupCondition } from "../../formula/records/tracked-table.ts";
import type { PyValue } from "../../formula/runtime/values.ts";
import { type CellValue, isErrorCell } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import type { Calculation } from "../formulas/calculation.ts";
import { needsExactValue } from "../formulas/evaluation.ts";
import { circular, type ColumnNode, type TableNode } from "../formulas/nodes.ts";
import type { UserInfo } from "../user-info.ts";
import type { ReadableCells } from "./readable-cells.ts";
import { type CellRead, type LookupRead, Stopped, type Trace, type TraceSession } from "./trace.ts";
import { TracedRow, TracedTable } from "./traced-table.ts";

/** Maximum number of distinct cells and of look-ups that are recorded. */
const MAX_READS = 20_000;
const MAX_LOOKUPS = 1000;
/** Maximum depth of nested evaluations for exact values, as while formulas are computed. */
const MAX_EXACT_DEPTH = 3;

/**
 * Evaluates formulas to record what they read, and writes nothing.
 *
 * For a caller from whom rules hide something, the formula is evaluated on what they can read: look-ups find the rows
 * that they see, and the evaluation ends before the first cell, column or table that they do not. The trace then
 * follows from visible cells alone, so that it tells nothing about the others.
 */
export class Tracer implements TraceSession {
  readonly calculation: Calculation;
  readonly readable: ReadableCells | null;
  readonly actor: UserInfo;
  readonly #tables = new Map<TableNode, TracedTable>();
  /** The cells that are being evaluated, outermost first. */
  readonly #evaluating: CellRead[] = [];
  /** Evaluations whose reads are not those of the traced formula. */
  #silentDepth = 0;
  #cells = new Map<string, CellRead>();
  /** The cell whose error ended the last evaluation that failed by reading one. */
  #failed: CellRead | null = null;
  #lookups: LookupRead[] = [];
  #user = new Set<string>();

  constructor(calculation: Calculation, { readable, actor }: { readable: ReadableCells | null; actor: UserInfo }) {
    this.calculation = calculation;
    this.readable = readable;
    this.actor = actor;
  }

  get owner(): ColumnNode | undefined {
    return this.#evaluating.at(-1)?.column;
  }

  get currentRow(): number {
    return this.#evaluating.at(-1)?.row ?? 0;
  }

  /** @param options `line`: finds the line of an error, which compiles the formula again */
  trace(column: ColumnNode, row: number, { line = false } = {}): Trace {
    const position = line ? { offset: 0 } : null;
    const formula = position ? this.calculation.compileTraced(column, position) : column.formula;
    if (!formula) return NO_READS;
    this.#cells = new Map();
    this.#lookups = [];
    this.#user = new Set();
    this.#tables.clear();
    this.#failed = null;
    let clock = false;
    let isStopped = false;
    let error: Trace["error"] = null;
    const before = remainingOfChange().steps;
    if (formula.broken) {
      const { error: type, ...details } = formula.broken;
      error = { type, ...details };
    } else {
      const onClockRead = () => (clock ||= this.#silentDepth === 0);
      try {
        withContext({ ...currentContext(), onClockRead }, () => this.#run(formula, column, row));
      } catch (thrown) {
        if (thrown instanceof Stopped) isStopped = true;
        else if (thrown instanceof PyError) {
          const failedLine = position && lineOf(formula.text, position.offset);
          error = { type: thrown.typeName, detail: thrown.message, line: failedLine };
        } else throw thrown;
      }
    }
    return {
      cells: [...this.#cells.values()],
      lookups: this.#lookups,
      user: [...this.#user],
      clock,
      isStopped,
      error,
      failedRead: error && this.#failed,
      steps: Math.max(before - remainingOfChange().steps, 0),
    };
  }

  /**
   * Evaluates a formula that is not stored, as if it were that of the column.
   * @throws PyError, or `Stopped` where it reads what the caller cannot
   */
  evaluate(formula: CompiledFormula, column: ColumnNode, row: number): PyValue {
    this.#tables.clear();
    return this.#run(formula, column, row);
  }

  /** Returns the rows of the group of a summary's row, as a trace. */
  traceGroup(column: ColumnNode, row: number): Trace {
    this.#lookups = [];
    this.#tables.clear();
    try {
      this.tableFor(column.table).summarySource(row);
      return { ...NO_READS, lookups: this.#lookups };
    } catch (error) {
      if (!(error instanceof Stopped || error instanceof PyError)) throw error;
      return NO_READS;
    }
  }

  tableFor(node: TableNode): TracedTable {
    let table = this.#tables.get(node);
    if (!table) this.#tables.set(node, (table = new TracedTable(this, node)));
    return table;
  }

  value(column: ColumnNode, row: number): PyValue {
    try {
      return this.#valueOf(column, row);
    } catch (error) {
      if (error instanceof PyError && this.#silentDepth === 0) this.#failed = { column, row };
      throw error;
    }
  }

  #valueOf(column: ColumnNode, row: number): PyValue {
    const { kind } = column;
    const follow = (table: string) => this.tableFor(this.calculation.table(table));
    // The cells of an empty reference are the defaults.
    if (row === 0) return cellToPython(kind.defaultValue, kind, follow);
    if (this.readable) {
      const cell = this.readable.cell(column.table.id, row, column.id);
      if (cell === undefined) throw new Stopped();
      this.#record(column, row);
      return cellToPython(cell, kind, follow);
    }
    const cell = this.calculation.cellOf(column, row);
    if (cell === undefined) return cellToPython(kind.defaultValue, kind, follow);
    this.#record(column, row);
    if (column.formula && !column.trigger && this.#isEvaluating(column, row)) throw circular(column);
    if (!column.column.isFormula || !needsExactValue(cell, kind.base === "Any"))
      return cellToPython(cell, kind, follow);
    return this.#exactValue(column, row, () => cellToPython(cell, kind, follow));
  }

  sortValue(column: ColumnNode, row: number): PyValue {
    this.#silentDepth++;
    try {
      return this.value(column, row);
    } finally {
      this.#silentDepth--;
    }
  }

  recordLookup(lookup: LookupRead): void {
    if (this.#silentDepth === 0 && this.#lookups.length < MAX_LOOKUPS) this.#lookups.push(lookup);
  }

  recordUser(attribute: string): void {
    if (this.#silentDepth === 0) this.#user.add(attribute);
  }

  conditionCell(table: TableNode, { column, value, contains }: LookupCondition): CellValue {
    const kind = contains || column === "id" ? ANY : (table.columns.get(column)?.kind ?? ANY);
    try {
      return pythonToCell(value, kind);
    } catch (error) {
      if (error instanceof PyError) return null;
      throw error;
    }
  }

  #run(formula: CompiledFormula, column: ColumnNode, row: number): PyValue {
    this.#evaluating.push({ column, row });
    try {
      return formula.run(new TracedRow(this, column, row));
    } finally {
      this.#evaluating.pop();
    }
  }

  #record(column: ColumnNode, row: number): void {
    if (this.#silentDepth > 0 || this.#cells.size >= MAX_READS) return;
    const key = `${column.table.id} ${column.id} ${row}`;
    if (!this.#cells.has(key)) this.#cells.set(key, { column, row });
  }

  #isEvaluating(column: ColumnNode, row: number): boolean {
    return this.#evaluating.some((cell) => cell.column === column && cell.row === row);
  }

  /** Returns the value of a cell that encodes it with loss, by evaluating its formula as well. */
  #exactValue(column: ColumnNode, row: number, stored: () => PyValue): PyValue {
    const { formula } = column;
    if (!formula || this.#silentDepth >= MAX_EXACT_DEPTH) return stored();
    this.#silentDepth++;
    try {
      return this.#run(formula, column, row);
    } catch (error) {
      if (!(error instanceof PyError)) throw error;
      const cell = this.calculation.cellOf(column, row);
      if (isErrorCell(cell ?? null) && Array.isArray(cell) && cell[1] === error.typeName) throw error;
      return stored();
    } finally {
      this.#silentDepth--;
    }
  }
}

const ANY = columnType("Any");

const NO_READS: Trace = {
  cells: [],
  lookups: [],
  clock: false,
  user: [],
  isStopped: false,
  error: null,
  failedRead: null,
  steps: 0,
};
