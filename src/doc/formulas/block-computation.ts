import {
  compileRowFunction,
  type NumberType,
  type RowColumns,
  type RowFunction,
} from "../../formula/codegen/row-function.ts";
import type { SqlValue } from "../../sqlite/database.ts";
import type { CellValue } from "../../values/cell.ts";
import type { BlockLayout, CellBlock } from "./cell-block.ts";
import type { ColumnNode, TableNode } from "./nodes.ts";
import { MAX_MEMO_INPUTS, type MemoTarget, RowMemo } from "./row-memo.ts";

/** Evaluates cells. */
export interface BlockTarget extends MemoTarget {
  /** Returns true when equal values in its row give a formula equal results, while its column is computed. */
  isMemoizable(column: ColumnNode): boolean;
  /** Number of computed cells of a column from which its formula is compiled to a row function. */
  readonly compiledCells: number;
}

/** A column of a group, and where its inputs begin among the columns of a block. */
interface GroupColumn {
  readonly node: ColumnNode;
  readonly rowFunction: RowFunction | undefined;
  readonly memo: RowMemo | undefined;
  readonly inputs: readonly (ColumnNode | null)[];
  readonly first: number;
}

/** Computes columns of a table in blocks of rows. */
export class BlockComputation {
  readonly layout: BlockLayout;
  readonly #columns: readonly GroupColumn[];
  readonly #target: BlockTarget;

  /**
   * @param columns each may read cells of earlier ones in its own row
   * @param cells an estimate of the number of cells of each column
   */
  constructor(table: TableNode, columns: readonly ColumnNode[], options: { target: BlockTarget; cells: number }) {
    this.#target = options.target;
    const all: (ColumnNode | null)[] = [];
    const before = new Map<ColumnNode, number>();
    const group: GroupColumn[] = [];
    for (const node of columns) {
      const rowFunction = rowFunctionOf(node, options);
      const reads = readsOf(node);
      const memo = !rowFunction && mayRepeat(node, reads, options) ? new RowMemo(node, options.target) : undefined;
      const inputs = rowFunction
        ? inputsOf(rowFunction, table)
        : memo
          ? reads
          : reads.filter((read) => !all.includes(read));
      group.push({ node, rowFunction, memo, inputs, first: all.length });
      all.push(...inputs);
      before.set(node, all.push(node) - 1);
    }
    this.#columns = group;
    this.layout = { table, columns: all, before };
  }

  /**
   * Computes the pending cells of a block.
   * @param rows the rows that were read for the block, some of which may be missing; by default the rows of the block
   */
  compute(block: CellBlock, rows?: readonly number[]): void {
    for (const column of this.#columns) {
      const { rowFunction, memo, node } = column;
      if ((rowFunction || memo) && this.#hasInputs(column, block)) {
        if (rowFunction) this.#run(column, rowFunction, block);
        else if (memo) this.#repeat(column, memo, block);
        if (!rows || rows.length === block.size) continue;
      }
      if (rows) for (const row of rows) this.#evaluate(node, row);
      else for (let at = 0; at < block.size; at++) this.#evaluate(node, block.rowId(at));
    }
  }

  #evaluate(node: ColumnNode, row: number): void {
    if (node.pending.has(row)) this.#target.evaluate(node, row);
  }

  /** Returns false when some input is still pending. Enters results that were not written yet into the block. */
  #hasInputs({ inputs, first }: GroupColumn, { rows }: CellBlock): boolean {
    for (const input of inputs) {
      if (!input || input.pending.isEmpty) continue;
      for (const row of rows) if (input.pending.has(Number(row[0]))) return false;
    }
    for (const [i, input] of inputs.entries()) {
      if (!input || input.results.size === 0) continue;
      for (const row of rows) {
        const result = input.results.get(Number(row[0]));
        if (result !== undefined) row[first + i + 1] = input.kind.encode(result);
      }
    }
    return true;
  }

  #repeat({ node, first, inputs }: GroupColumn, memo: RowMemo, { rows }: CellBlock): void {
    const before = first + inputs.length + 1;
    for (const row of rows) {
      const id = Number(row[0]);
      if (node.pending.has(id)) memo.compute(id, row.slice(first + 1, before), row[before]);
    }
  }

  #run({ node, first, inputs }: GroupColumn, rowFunction: RowFunction, { rows }: CellBlock): void {
    const { pending } = node;
    const due = rows.every((row) => pending.has(Number(row[0])))
      ? rows
      : rows.filter((row) => pending.has(Number(row[0])));
    const results: CellValue[] = [];
    const before = first + inputs.length + 1;
    const inputsAt = first + 1;
    for (let from = 0; from < due.length;) {
      const end = rowFunction.evaluateRows(due, { first: inputsAt, from }, results);
      for (; from < end; from++) this.#store(node, due[from], results[from] ?? null, before);
      if (from < due.length) this.#target.evaluate(node, Number(due[from++]?.[0]));
    }
  }

  #store(node: ColumnNode, row: readonly SqlValue[] | undefined, result: CellValue, before: number): void {
    if (!row) return;
    const id = Number(row[0]);
    node.pending.done(id);
    this.#target.storeResult(node, id, result, row[before]);
    if (node.values.size > 0) node.values.delete(id);
  }
}

/** Returns the compiled formula, if it is simple and so many cells are computed that it pays to compile it. */
function rowFunctionOf(
  node: ColumnNode,
  { target, cells }: { target: BlockTarget; cells: number },
): RowFunction | undefined {
  if (node.rowFunction !== undefined) return node.rowFunction ?? undefined;
  node.computedCells += cells;
  if (node.computedCells < target.compiledCells || !node.formula || node.trigger) return undefined;
  // Not compiled again while its inputs are compiled, one of which may read it.
  node.rowFunction = null;
  const columns = rowColumnsOf(node, { target, cells });
  const compiled = node.formula.blank
    ? undefined
    : compileRowFunction(node.formula, { columns, resultType: node.kind });
  // A column that the file does not have reads as the default of its type, not as what SQLite returns.
  const isReadable = compiled?.reads.every((id) => node.table.columns.get(id)?.column.isStored ?? true);
  node.rowFunction = compiled && isReadable ? compiled : null;
  return node.rowFunction ?? undefined;
}

/** Returns the columns of a formula's table as its row function reads them. */
export const rowColumnsOf = (node: ColumnNode, options: { target: BlockTarget; cells: number }): RowColumns =>
  new Map(
    Array.from(node.table.columns, ([id, column]) => {
      const numbers = node.formula?.reads.columns.has(id) ? numbersOf(column, options) : undefined;
      return [id, { type: column.kind, isFormula: column.column.isFormula, numbers }];
    }),
  );

/** Returns whether the numbers of an untyped formula column are ints or floats, which its cells do not tell. */
function numbersOf(node: ColumnNode, options: { target: BlockTarget; cells: number }): NumberType | undefined {
  return node.kind.base === "Any" && node.column.isFormula ? rowFunctionOf(node, options)?.numbers : undefined;
}

/** Returns true for formulas that may find the same values in many rows. */
function mayRepeat(
  node: ColumnNode,
  reads: readonly ColumnNode[],
  { target, cells }: { target: BlockTarget; cells: number },
): boolean {
  if (cells < target.compiledCells || reads.length > MAX_MEMO_INPUTS) return false;
  // Cells of untyped formula columns do not tell 1 from 1.0.
  if (reads.some(({ kind, column }) => kind.base === "Any" && column.isFormula)) return false;
  return target.isMemoizable(node);
}

const inputsOf = ({ reads }: RowFunction, { columns }: TableNode): (ColumnNode | null)[] =>
  reads.map((id) => columns.get(id) ?? null);

/** The columns of its own row that a formula reads. */
function readsOf({ formula, table }: ColumnNode): ColumnNode[] {
  return [...(formula?.reads.columns ?? [])].flatMap((id) => table.columns.get(id) ?? []);
}
