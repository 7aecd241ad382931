import type { RowFunction } from "../../formula/codegen/row-function.ts";
import { PyError } from "../../formula/runtime/errors.ts";
import { type CompiledFormula, compileFormula } from "../../formula/formula.ts";
import { ReadsCollector } from "../../formula/compiler/reads-collector.ts";
import type { PyValue } from "../../formula/runtime/values.ts";
import { columnType, type ColumnType } from "../../values/column-type.ts";
import type { Catalog, CatalogColumn, CatalogTable } from "../actions/catalog.ts";
import type { ColumnInfo, Schema } from "../schema.ts";
import { ColumnResults } from "./column-results.ts";
import { PendingRows, type RowSelection } from "./pending-rows.ts";

/** A table as formulas see it. */
export class TableNode {
  readonly id: string;
  /** The table in the file; undefined for a missing table that references point to. */
  readonly stored: CatalogTable | undefined;
  readonly columns = new Map<string, ColumnNode>();
  #formulas: readonly ColumnNode[] | undefined;

  constructor(stored: CatalogTable | undefined, id: string) {
    this.id = id;
    this.stored = stored;
  }

  /** The columns with formulas. Cached: must be read only after all columns were added. */
  get formulas(): readonly ColumnNode[] {
    return (this.#formulas ??= [...this.columns.values()].filter((column) => column.formula !== undefined));
  }
}

/** Returns the error of cells that depend on their own result. */
export const circular = ({ table, id }: ColumnNode): PyError =>
  new PyError("CircularRefError", `${table.id}.${id} depends on itself`);

/** A dependency of a formula column on cells of other rows. */
export interface Dependent {
  /** The formula's column. */
  readonly owner: ColumnNode;
  /** Returns the rows of the formula's column that depend on these rows. */
  affected(rows: RowSelection): RowSelection;
}

/** When a trigger formula runs. */
export interface Trigger {
  /** 0: for new records and changes of its dependencies; 1: never; 2: on every edit by a user. */
  readonly when: number;
  /** True when setting the column runs the formula, which receives the new value as `value`. */
  readonly watchesOwnColumn: boolean;
}

/** A column in the dependency graph: its formula, its pending cells and its dependents. */
export class ColumnNode {
  readonly table: TableNode;
  readonly id: string;
  readonly kind: ColumnType;
  readonly column: CatalogColumn;
  /** The formula that computes its cells. */
  readonly formula: CompiledFormula | undefined;
  /** Set for data columns with a trigger formula. */
  readonly trigger: Trigger | undefined;
  /** Columns of the same table whose formulas read the cell of the same row, by static analysis. */
  readonly sameRowReaders = new Set<ColumnNode>();
  /** Columns of the same table whose trigger formulas run when a cell of the same row changes. */
  readonly triggered: ColumnNode[] = [];
  /** Dependencies of formulas that read cells of other rows. */
  readonly readers = new Set<Dependent>();
  readonly pending = new PendingRows();
  /** Rows whose evaluation waits for other cells, which therefore must not read them. */
  readonly running = new Set<number>();
  /** Computed cells that are not written yet. */
  readonly results = new ColumnResults();
  /** Cache of exact values whose cell encoding is lossy, for the duration of a change. */
  readonly values = new Map<number, PyValue>();
  /** The formula as a function of a row's own cells; null when it is not simple enough, undefined until needed. */
  rowFunction: RowFunction | null | undefined;
  /** The number of cells that were computed before there was a row function. */
  computedCells = 0;
  /** True when the formula reads the clock. */
  readsClock: boolean;

  constructor(
    table: TableNode,
    column: CatalogColumn,
    options: { formula?: CompiledFormula | undefined; trigger?: Trigger | undefined; timezone: string },
  ) {
    this.table = table;
    this.id = column.id;
    this.kind = kindOf(column, options.timezone);
    this.column = column;
    this.formula = options.formula;
    this.trigger = options.trigger;
    this.readsClock = options.formula !== undefined && mayReadClock(options.formula);
  }
}

/** Returns the type of a column. DateTime columns without a timezone use the document's. */
const kindOf = ({ kind, type }: CatalogColumn, timezone: string): ColumnType =>
  type === "DateTime" ? columnType(`DateTime:${timezone}`) : kind;

const CLOCK_NAMES: readonly string[] = ["NOW", "TODAY", "SELF_HYPERLINK"];
const CLOCK_METHODS = /\b(?:now|today|utcnow|time|localtime|gmtime)\s*\(/;

function mayReadClock(formula: CompiledFormula): boolean {
  const { globals } = formula.reads;
  if (CLOCK_NAMES.some((name) => globals.has(name))) return true;
  return (globals.has("datetime") || globals.has("time")) && CLOCK_METHODS.test(formula.text);
}

/** Names whose values differ between evaluations. */
const VOLATILE_NAMES: readonly string[] = ["RAND", "RANDBETWEEN", "UUID", "random", "uuid", "id", "hash"];

/** Returns true for columns whose cells may differ when they are recomputed without any change. */
export const isVolatile = ({ formula, readsClock }: ColumnNode): boolean =>
  readsClock || VOLATILE_NAMES.some((name) => formula?.reads.globals.has(name)) || (formula?.reads.isPeeking ?? false);

/**
 * Returns true for formulas whose result follows from the cells of its own row that the text names, as long as no other
 * cell changes.
 */
export function dependsOnInputsOnly(column: ColumnNode): boolean {
  const { formula, trigger, table } = column;
  if (!formula?.supported || trigger || formula.reads.isDynamic || isVolatile(column)) return false;
  if (mayReadAnyName(formula)) return false;
  return [...formula.reads.columns].every((id) => table.columns.get(id)?.column.isStored);
}

/** On-demand tables, whose rows are not held in memory, do not support formulas. Clients know this error's name. */
const ON_DEMAND_FORMULA: CompiledFormula = {
  text: "",
  reads: new ReadsCollector(),
  supported: true,
  blank: false,
  run: () => {
    throw new PyError("Formula not supported", "the table is on demand");
  },
};

/** Functions that read attributes by names computed at run time. */
const DYNAMIC_ACCESS_NAMES: readonly string[] = ["dir", "getattr", "vars", "eval", "operator", "RECORD"];

/** Returns true for formulas that may read a column that their text does not mention. */
export const mayReadAnyName = ({ reads }: CompiledFormula): boolean =>
  DYNAMIC_ACCESS_NAMES.some((name) => reads.globals.has(name));

/** Cache of compiled formulas by text, valid for one set of tables. */
export class CompiledFormulas {
  readonly #isTable: (name: string) => boolean;
  readonly #cache = new Map<string, CompiledFormula>();

  constructor(isTable: (name: string) => boolean) {
    this.#isTable = isTable;
  }

  get(text: string, isTrigger: boolean): CompiledFormula {
    const key = `${isTrigger ? "t" : "f"}${text}`;
    let formula = this.#cache.get(key);
    if (!formula) this.#cache.set(key, (formula = compileFormula(text, { isTable: this.#isTable, isTrigger })));
    return formula;
  }
}

/** Builds the nodes of a document's user tables, linked by static analysis of formulas. */
export function buildNodes(
  catalog: Catalog,
  schema: Schema,
  { compiled, timezone }: { compiled: CompiledFormulas; timezone: string },
): Map<string, TableNode> {
  const tables = new Map(catalog.userTables().map((table) => [table.id, new TableNode(table, table.id)]));
  for (const node of tables.values()) {
    const info = schema.tableById.get(node.id);
    for (const column of node.stored?.columns.values() ?? []) {
      const columnInfo = info?.columnById.get(column.id);
      const formula = formulaOf(column, { isOnDemand: info?.onDemand ?? false, compiled });
      const trigger = formula && !column.isFormula && columnInfo ? triggerOf(columnInfo) : undefined;
      node.columns.set(column.id, new ColumnNode(node, column, { formula, trigger, timezone }));
    }
    linkColumns(node, schema);
  }
  return tables;
}

function formulaOf(
  column: CatalogColumn,
  { isOnDemand, compiled }: { isOnDemand: boolean; compiled: CompiledFormulas },
): CompiledFormula | undefined {
  if (!column.isStored || (column.formula === "" && !column.isFormula)) return undefined;
  if (isOnDemand && column.isFormula && column.formula !== "") return ON_DEMAND_FORMULA;
  return compiled.get(column.formula, !column.isFormula);
}

const triggerOf = ({ ref, recalcWhen, recalcDeps }: ColumnInfo): Trigger => ({
  when: recalcWhen,
  watchesOwnColumn: recalcDeps?.includes(ref) ?? false,
});

function linkColumns(table: TableNode, schema: Schema): void {
  for (const column of table.columns.values()) {
    if (!column.formula) continue;
    if (column.trigger) {
      const watched = schema.tableById.get(table.id)?.columnById.get(column.id)?.recalcDeps ?? [];
      for (const ref of watched) {
        const id = schema.columnByRef.get(ref)?.id;
        if (id !== undefined) table.columns.get(id)?.triggered.push(column);
      }
    } else {
      for (const read of column.formula.reads.columns) table.columns.get(read)?.sameRowReaders.add(column);
    }
  }
}
