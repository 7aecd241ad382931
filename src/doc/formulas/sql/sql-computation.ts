import { chargeCells } from "../../../formula/runtime/budget.ts";
import type { Database } from "../../../sqlite/database.ts";
import { quote } from "../../../sqlite/quote.ts";
import { type BlockTarget, rowColumnsOf } from "../block-computation.ts";
import type { ColumnNode } from "../nodes.ts";
import { createSqlExpression } from "./sql-expression.ts";

/** Records cells that were written in SQL. */
export interface SqlResultRecorder {
  /**
   * Returns true if no further cells of the column are needed, neither for the history nor for anyone who follows the
   * change. Writes results that wait.
   */
  isRecordingDone(column: ColumnNode): boolean;
  /** Call after cells in these rows were written; in `changed` of them they differ from before. */
  written(column: ColumnNode, rows: number[], changed: number): void;
}

/** Row ids of a block, of which some may be missing. */
interface Range {
  readonly first: number;
  readonly last: number;
}

/** The largest number of blocks that are computed in another way after a block that could not be computed in SQL. */
const MAX_SKIPPED_BLOCKS = 64;
/** Parameters 1 and 2 are the first and the last row. */
const FIRST_CONSTANT = 3;

/**
 * Computes a formula of arithmetic for blocks of rows by one UPDATE for each: half of the time of reading cells,
 * calling the row function and writing the results. A block counts as computed if the statement changed all of its
 * rows; it leaves all others, with equal or unexpected values, as they are, to be computed as any block.
 */
export class SqlComputation {
  readonly #db: Database;
  readonly #column: ColumnNode;
  readonly #inputs: readonly ColumnNode[];
  readonly #recorder: SqlResultRecorder;
  readonly #update: string;
  readonly #constants: readonly number[];
  readonly #steps: number;
  /** The number of blocks to leave out, and how many were left out last. */
  #skips = 0;
  #skipped = 0;

  private constructor(
    db: Database,
    column: ColumnNode,
    options: {
      inputs: readonly ColumnNode[];
      recorder: SqlResultRecorder;
      update: string;
      constants: readonly number[];
      steps: number;
    },
  ) {
    this.#db = db;
    this.#column = column;
    this.#inputs = options.inputs;
    this.#recorder = options.recorder;
    this.#update = options.update;
    this.#constants = options.constants;
    this.#steps = options.steps;
  }

  /** Returns the computation of a group of columns; undefined if it is not a single one whose formula is arithmetic. */
  static create(
    db: Database,
    [column, ...others]: readonly ColumnNode[],
    { target, cells, recorder }: { target: BlockTarget; cells: number; recorder: SqlResultRecorder | null },
  ): SqlComputation | undefined {
    const tree = column?.formula?.tree;
    if (!tree || !column.rowFunction || others.length > 0 || !recorder) return undefined;
    const { table, kind } = column;
    const expression = createSqlExpression(tree, {
      columns: rowColumnsOf(column, { target, cells }),
      resultType: kind,
      firstParameter: FIRST_CONSTANT,
    });
    if (!expression) return undefined;
    const inputs = expression.reads.flatMap((id) => table.columns.get(id) ?? []);
    if (!haveDeclaredTypes(db, [column, ...inputs])) return undefined;
    const { result, stored, condition, constants, steps } = expression;
    const name = quote(column.id);
    const update =
      `update ${quote(table.id)} set ${name} = ${stored}` +
      ` where id between ?1 and ?2 and ${condition} and ${name} is not ${result}`;
    return new SqlComputation(db, column, { inputs, recorder, update, constants, steps });
  }

  /**
   * Computes the block of rows after a row.
   * @returns the last row of the block; undefined if the block has to be computed in another way
   */
  computeAfter(after: number, limit: number): number | undefined {
    if (this.#skips > 0) {
      this.#skips--;
      return undefined;
    }
    if (this.#inputs.some(({ pending }) => !pending.isEmpty) || !this.#recorder.isRecordingDone(this.#column)) {
      return undefined;
    }
    const range = { first: after + 1, last: after + limit };
    this.#db.run(this.#update, range.first, range.last, ...this.#constants);
    const changed = Number(this.#db.values("select changes()")[0]?.[0]);
    // Mostly all ids of the range exist: reading the rows to find out takes a third of the time of changing them.
    const rows = changed === limit ? Array.from({ length: limit }, (_, i) => range.first + i) : this.#rowsIn(range);
    if (changed > 0) this.#recorder.written(this.#column, rows, changed);
    // Not charged before, as the row function charges all rows of a block that is computed again.
    if (changed === 0 || changed !== rows.length || !chargeCells(rows.length, this.#steps)) {
      this.#skipped = Math.min(this.#skipped * 2 + 1, MAX_SKIPPED_BLOCKS);
      this.#skips = this.#skipped;
      return undefined;
    }
    this.#skipped = 0;
    const { pending, values } = this.#column;
    for (const row of rows) pending.done(row);
    if (values.size > 0) for (const row of rows) values.delete(row);
    return range.last;
  }

  #rowsIn({ first, last }: Range): number[] {
    const table = quote(this.#column.table.id);
    return this.#db.values(`select id from ${table} where id between ? and ?`, first, last).map(([id]) => Number(id));
  }
}

/**
 * Returns true if SQLite converts the values of these columns as their types require. Files of other programs may
 * declare other types.
 */
function haveDeclaredTypes(db: Database, columns: readonly ColumnNode[]): boolean {
  const table = columns[0]?.table.id ?? "";
  const declared = new Map(
    db.values("select name, type from pragma_table_info(?)", table).map(([id, type]) => [id, type]),
  );
  return columns.every(({ id, kind, column }) => column.isStored && declared.get(id) === kind.sqlType);
}
