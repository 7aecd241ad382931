import { cellToPython } from "../formula/cells.ts";
import { computeCell } from "../formula/compute-cell.ts";
import { PyError, unknownColumn } from "../formula/errors.ts";
import { type CompiledFormula, compileFormula } from "../formula/formula.ts";
import type { PyValue } from "../formula/values.ts";
import type { Database } from "../sqlite/database.ts";
import { type CellValue, CODES } from "../values/cell.ts";
import type { Catalog, CatalogColumn, CatalogTable } from "./actions/catalog.ts";
import type { DirtyRows, DirtyTable } from "./actions/dirty.ts";
import { type ColumnValues, type DocAction, isMetadataTable } from "./actions/doc-action.ts";
import { allIds, readRows } from "./actions/rows.ts";
import type { Schema } from "./schema.ts";

/** What computing formulas needs of the change that made it necessary. */
export interface Recalculated {
  readonly db: Database;
  readonly catalog: Catalog;
  readonly schema: Schema;
  /** Writes results. */
  applyCalculated(action: DocAction): void;
}

/**
 * Computes the formulas that depend on what was touched, and writes what differs. Formulas reach the cells of their
 * own row. What the formula language does not evaluate keeps the value that is stored, or becomes an error where
 * there is none.
 */
export function recalculate(change: Recalculated, touched: ReadonlyMap<string, DirtyTable>): void {
  for (const [id, dirty] of touched) {
    const table = isMetadataTable(id) ? undefined : change.catalog.find(id);
    if (!table) continue;
    const formulas = formulasOf(table, change.schema);
    if (formulas.size === 0) continue;
    for (const rows of dirty.rows) recalculateRows(change, table, { formulas, rows });
    recalculateColumns(change, table, { formulas, dirty });
  }
}

/** The formula columns of a table, and the data columns that a formula fills, by id. */
type Formulas = ReadonlyMap<string, { column: CatalogColumn; formula: CompiledFormula }>;

function formulasOf(table: CatalogTable, schema: Schema): Formulas {
  const isOnDemand = schema.tableById.get(table.id)?.onDemand ?? false;
  const found = [...table.columns.values()].filter(
    (column) => column.isStored && (column.isFormula || column.formula !== ""),
  );
  return new Map(
    found.map((column) => {
      const isRefused = isOnDemand && column.isFormula && column.formula !== "";
      return [column.id, { column, formula: isRefused ? NOT_ON_DEMAND : compiled(schema, column.formula) }];
    }),
  );
}

/** Tables whose rows are not to be held in memory have no formulas: each cell says so, in words that clients know. */
const NOT_ON_DEMAND: CompiledFormula = {
  columns: new Set(),
  supported: true,
  blank: false,
  run: () => {
    throw new PyError("Formula not supported", "the table is on demand");
  },
};

/** By schema: what a name in a formula means depends on which tables there are, and a table hides a function. */
const cache = new WeakMap<Schema, Map<string, CompiledFormula>>();
/** Formulas come from requests, so the cache must not grow without end. */
const MAX_CACHED = 10_000;

function compiled(schema: Schema, text: string): CompiledFormula {
  let known = cache.get(schema);
  if (!known || known.size >= MAX_CACHED) cache.set(schema, (known = new Map<string, CompiledFormula>()));
  let formula = known.get(text);
  if (!formula) known.set(text, (formula = compileFormula(text, { isTable: (name) => schema.tableById.has(name) })));
  return formula;
}

function recalculateRows(
  change: Recalculated,
  table: CatalogTable,
  { formulas, rows }: { formulas: Formulas; rows: DirtyRows },
): void {
  const triggered = rows.isByHand ? triggeredBy(change, table, rows, formulas) : [];
  const columns = rows.columns
    ? dependents(formulas, [...rows.columns, ...triggered])
    : [...formulas.values()].filter(({ column }) => column.isFormula).map(({ column }) => column.id);
  const isNew = rows.columns === null;
  compute(change, table, {
    formulas,
    ids: rows.ids,
    columns: new Set([...triggered, ...columns]),
    // A new row has nothing stored for formulas but what came with it.
    isLost: (column) => isNew && !rows.given.has(column),
  });
}

function recalculateColumns(
  change: Recalculated,
  table: CatalogTable,
  { formulas, dirty }: { formulas: Formulas; dirty: DirtyTable },
): void {
  const own = [...dirty.columns.keys()].filter((id) => formulas.get(id)?.column.isFormula);
  const columns = new Set([...own, ...dependents(formulas, [...dirty.columns.keys(), ...dirty.names])]);
  if (columns.size === 0) return;
  const written = new Set(dirty.rows.flatMap((rows) => [...(rows.columns ?? rows.given)]));
  compute(change, table, {
    formulas,
    ids: allIds(change.db, table.id),
    columns,
    isLost: (column) => dirty.columns.get(column) === true && !written.has(column),
  });
}

/** The formula columns that read any of these, directly or through others. */
function dependents(formulas: Formulas, changed: Iterable<string>): string[] {
  const affected = new Set(changed);
  const found = new Set<string>();
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const [id, { column, formula }] of formulas) {
      if (!column.isFormula || found.has(id) || ![...formula.columns].some((read) => affected.has(read))) continue;
      found.add(id);
      affected.add(id);
    }
  }
  return [...found];
}

const RECALC_NEVER = 1;
const RECALC_ON_EVERY_CHANGE = 2;

/** The data columns whose formula a user's change to records makes run. */
function triggeredBy(change: Recalculated, table: CatalogTable, rows: DirtyRows, formulas: Formulas): string[] {
  const info = change.schema.tableById.get(table.id);
  const changed = rows.columns && new Set([...rows.columns, ...dependents(formulas, rows.columns)]);
  return [...formulas.values()].flatMap(({ column: { id, isFormula } }) => {
    const column = info?.columnById.get(id);
    if (!column || isFormula || rows.given.has(id) || column.recalcWhen === RECALC_NEVER) return [];
    if (!changed || column.recalcWhen === RECALC_ON_EVERY_CHANGE) return [id];
    const isDue = column.recalcDeps?.some((ref) => changed.has(change.schema.columnByRef.get(ref)?.id ?? ""));
    return isDue ? [id] : [];
  });
}

interface Computation {
  readonly formulas: Formulas;
  readonly ids: readonly number[];
  /** The columns to compute. */
  readonly columns: ReadonlySet<string>;
  /** True where a cell that cannot be computed has no value that could stay. */
  readonly isLost: (column: string) => boolean;
}

/** Rows that are held in memory at a time. */
const ROWS_AT_ONCE = 10_000;

function compute(change: Recalculated, table: CatalogTable, computation: Computation): void {
  const { formulas, ids, columns } = computation;
  if (columns.size === 0) return;
  const inputs = new Set(columns);
  for (const id of columns) for (const read of formulas.get(id)?.formula.columns ?? []) inputs.add(read);
  const read = [...inputs].flatMap((id) => table.columns.get(id) ?? []);
  for (let from = 0; from < ids.length; from += ROWS_AT_ONCE) {
    const rows = readRows(change.db, table.id, read, ids.slice(from, from + ROWS_AT_ONCE));
    const values: ColumnValues = Object.fromEntries([...columns].map((id) => [id, []]));
    for (const [r, id] of rows.ids.entries()) {
      const row = new Row(id, table, computation);
      for (const [c, column] of read.entries()) row.stored.set(column.id, rows.cells[c]?.[r] ?? null);
      for (const column of columns) values[column]?.push(row.result(column));
    }
    if (rows.ids.length > 0) change.applyCalculated(["BulkUpdateRecord", table.id, rows.ids, values]);
  }
}

/** One row while its formulas are computed: each when it is asked for, and once. */
class Row {
  readonly stored = new Map<string, CellValue>();
  readonly #id: number;
  readonly #table: CatalogTable;
  readonly #computation: Computation;
  readonly #results = new Map<string, CellValue>();
  readonly #underWay = new Set<string>();

  constructor(id: number, table: CatalogTable, computation: Computation) {
    this.#id = id;
    this.#table = table;
    this.#computation = computation;
  }

  result(id: string): CellValue {
    const known = this.#results.get(id);
    if (known !== undefined) return known;
    const entry = this.#computation.formulas.get(id);
    const before = this.stored.get(id) ?? null;
    if (!entry) return before;
    this.#underWay.add(id);
    const computed = computeCell(entry.formula, (column) => this.#read(column), entry.column.kind);
    const result = computed === undefined ? this.#kept(id, before) : computed;
    this.#underWay.delete(id);
    this.#results.set(id, result);
    return result;
  }

  /** What stands where a formula cannot be evaluated. */
  #kept(id: string, before: CellValue): CellValue {
    const isFormula = this.#computation.formulas.get(id)?.column.isFormula;
    return isFormula && this.#computation.isLost(id) ? [CODES.error, "NotImplementedError"] : before;
  }

  #read(id: string): PyValue {
    if (id === "id") return BigInt(this.#id);
    const column = this.#table.columns.get(id);
    if (!column) throw unknownColumn(id);
    if (this.#underWay.has(id)) throw new PyError("CircularRefError", `${id} depends on itself`);
    const cell = this.#computation.columns.has(id) ? this.result(id) : (this.stored.get(id) ?? null);
    return cellToPython(cell, column.kind);
  }
}
