import { PyError } from "../../formula/runtime/errors.ts";
import { type CompiledFormula, compileFormula } from "../../formula/formula.ts";
import { ReadsCollector } from "../../formula/compiler/reads-collector.ts";
import type { PyValue } from "../../formula/runtime/values.ts";
import type { CellValue } from "../../values/cell.ts";
import { columnType, type ColumnType } from "../../values/column-type.ts";
import type { Catalog, CatalogColumn, CatalogTable } from "../actions/catalog.ts";
import type { ColumnInfo, Schema } from "../schema.ts";
import { PendingRows, type RowSelection } from "./pending-rows.ts";

/** A table as formulas see it. */
export class TableNode {
  readonly id: string;
  /** The table in the file; undefined for one that references name and nobody has. */
  readonly stored: CatalogTable | undefined;
  readonly columns = new Map<string, ColumnNode>();
  #formulas: readonly ColumnNode[] | undefined;

  constructor(stored: CatalogTable | undefined, id: string) {
    this.id = id;
    this.stored = stored;
  }

  /** The columns with formulas; to be asked for once all columns are there. */
  get formulas(): readonly ColumnNode[] {
    return (this.#formulas ??= [...this.columns.values()].filter((column) => column.formula !== undefined));
  }
}

/** The error of cells that need their own result. */
export const circular = ({ table, id }: ColumnNode): PyError =>
  new PyError("CircularRefError", `${table.id}.${id} depends on itself`);

/** How a formula came to cells of other rows. */
export interface Dependent {
  /** The formula's column. */
  readonly owner: ColumnNode;
  /** The rows of the formula's column that depend on these rows. */
  affected(rows: RowSelection): RowSelection;
}

/** When the formula of a data column is computed. */
export interface Trigger {
  /** 0 for new records and changes of what it depends on, 1 never, 2 on every change by hand. */
  readonly when: number;
  /** True when a value that is given for the column makes the formula run, which gets it as `value`. */
  readonly watchesOwnColumn: boolean;
}

/** A column as formulas see it: its cells, what they are computed from, and what is computed from them. */
export class ColumnNode {
  readonly table: TableNode;
  readonly id: string;
  readonly kind: ColumnType;
  readonly column: CatalogColumn;
  /** What its cells are computed by. */
  readonly formula: CompiledFormula | undefined;
  /** Of data columns with a formula. */
  readonly trigger: Trigger | undefined;
  /** Columns of the same table whose formulas read the cell of the same row, as their texts tell. */
  readonly sameRowReaders = new Set<ColumnNode>();
  /** Data columns of the same table whose formulas run when a cell of the same row changes. */
  readonly triggered: ColumnNode[] = [];
  /** How formulas came to the cells that they read otherwise. */
  readonly readers = new Set<Dependent>();
  readonly pending = new PendingRows();
  /** Rows that wait to be computed after others, which can therefore not read them. */
  readonly running = new Set<number>();
  /** What was computed and is not written yet. */
  results = new Map<number, CellValue>();
  /** Values that their cells do not tell in full, as long as the change is under way. */
  readonly values = new Map<number, PyValue>();
  /** True when it reads the clock. */
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

/** Moments in a column without a zone are those of the document's. */
const kindOf = ({ kind, type }: CatalogColumn, timezone: string): ColumnType =>
  type === "DateTime" ? columnType(`DateTime:${timezone}`) : kind;

const CLOCK_NAMES: readonly string[] = ["NOW", "TODAY", "SELF_HYPERLINK"];
const CLOCK_METHODS = /\b(?:now|today|utcnow|time|localtime|gmtime)\s*\(/;

function mayReadClock(formula: CompiledFormula): boolean {
  const { globals } = formula.reads;
  if (CLOCK_NAMES.some((name) => globals.has(name))) return true;
  return (globals.has("datetime") || globals.has("time")) && CLOCK_METHODS.test(formula.text);
}

/** Names whose values are others each time. */
const VOLATILE_NAMES: readonly string[] = ["RAND", "RANDBETWEEN", "UUID", "random", "uuid", "id", "hash"];

/** True for columns whose cells may be others when they are computed once more, with nothing changed. */
export const isVolatile = ({ formula, readsClock }: ColumnNode): boolean =>
  readsClock || VOLATILE_NAMES.some((name) => formula?.reads.globals.has(name)) || (formula?.reads.isPeeking ?? false);

/** Tables whose rows are not to be held in memory have no formulas: each cell says so, in words that clients know. */
const ON_DEMAND_FORMULA: CompiledFormula = {
  text: "",
  reads: new ReadsCollector(),
  supported: true,
  blank: false,
  run: () => {
    throw new PyError("Formula not supported", "the table is on demand");
  },
};

/** Compiled formulas by their text, for as long as there are the same tables. */
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

/** The nodes of a document's user tables, joined by what the texts of formulas tell. */
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
