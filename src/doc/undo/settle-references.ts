import type { Database } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { CellValue } from "../../values/cell.ts";
import type { Catalog, CatalogColumn } from "../actions/catalog.ts";
import { targetsOf, twoWayColumns } from "../actions/references/two-way-references.ts";
import { existingIds, IN_IDS } from "../actions/row-storage.ts";
import type { ColumnInfo, Schema } from "../schema.ts";
import type { UndoDraft } from "./draft.ts";

interface SettleOptions {
  readonly db: Database;
  readonly catalog: Catalog;
  readonly schema: Schema;
  /** False for tables of which the caller may not know which rows exist. */
  knowsRowsOf(table: string): boolean;
}

/** A cell that refers to a row that is to be removed. */
interface Referrer {
  readonly table: string;
  readonly column: string;
  readonly row: number;
}

/**
 * Drops the parts of an undo after which a reference would lead nowhere, or the two ends of a two-way reference would differ:
 * rows that something else refers to, and cells that refer to rows which no longer exist. Each dropped part can make others
 * impossible, so this repeats until nothing changes.
 */
export function settleReferences(draft: UndoDraft, options: SettleOptions): void {
  const referrers = findReferrers(draft, options);
  const rows = new ExistingRows(options.db, options.catalog);
  const twoWay = twoWayColumns(options.schema);
  for (let isSettled = false; !isSettled;) {
    const conflicts = draft.conflicts.length;
    keepReferencedRows(draft, referrers);
    for (const [table, columns] of draft.cells) {
      for (const [column, reverts] of columns) {
        const settled = { draft, rows, options, reverse: reverseOf(twoWay.get(table), column, options.schema) };
        for (const [row, { from, to }] of reverts) settleCell(settled, { table, column, row, from, to });
      }
    }
    for (const [table, restored] of draft.restored) {
      for (const [row, cells] of restored) {
        for (const [column, to] of cells) {
          const reverse = reverseOf(twoWay.get(table), column, options.schema);
          settleCell({ draft, rows, options, reverse }, { table, column, row, from: null, to });
        }
      }
    }
    isSettled = draft.conflicts.length === conflicts;
  }
}

/** Finds the cells that refer to rows to be removed, as they are and as they will be. */
function findReferrers(draft: UndoDraft, { db, catalog }: SettleOptions): Map<string, Map<number, Referrer[]>> {
  const found = new Map<string, Map<number, Referrer[]>>();
  for (const [target, removed] of draft.removed) {
    const byRow = new Map<number, Referrer[]>();
    found.set(target, byRow);
    const add = (referrer: Referrer, cell: CellValue) => {
      for (const id of targetsOf(cell)) {
        if (!removed.has(id)) continue;
        const list = byRow.get(id);
        if (list) list.push(referrer);
        else byRow.set(id, [referrer]);
      }
    };
    for (const table of catalog.userTables()) {
      for (const column of table.columns.values()) {
        if (column.isFormula || !column.isStored || column.kind.target !== target) continue;
        for (const [row, cell] of referringCells(db, table.id, column, removed)) {
          add({ table: table.id, column: column.id, row }, cell);
        }
        for (const [row, { to }] of draft.cells.get(table.id)?.get(column.id) ?? []) {
          add({ table: table.id, column: column.id, row }, to);
        }
        for (const [row, cells] of draft.restored.get(table.id) ?? []) {
          add({ table: table.id, column: column.id, row }, cells.get(column.id) ?? null);
        }
      }
    }
  }
  return found;
}

function referringCells(
  db: Database,
  table: string,
  { id, kind }: CatalogColumn,
  targets: ReadonlySet<number>,
): [row: number, cell: CellValue][] {
  const name = quote(id);
  const isSingle = kind.base === "Ref";
  const where = isSingle
    ? `typeof(${name}) = 'integer' and ${name} ${IN_IDS}`
    : `typeof(${name}) = 'blob' or ${name} like '[%'`;
  const rows = db.values(
    `select id, ${name} from ${quote(table)} where ${where}`,
    ...(isSingle ? [JSON.stringify([...targets])] : []),
  );
  return rows.map(([row, stored = null]) => [Number(row), kind.decodeRaw(stored)]);
}

function keepReferencedRows(
  draft: UndoDraft,
  referrers: ReadonlyMap<string, ReadonlyMap<number, readonly Referrer[]>>,
) {
  for (const [table, rows] of draft.removed) {
    for (const row of rows) {
      const isReferenced = referrers
        .get(table)
        ?.get(row)
        ?.some((referrer) => {
          const cell = draft.finalCell(referrer.table, referrer.column, referrer.row);
          return cell !== undefined && targetsOf(cell).includes(row);
        });
      if (isReferenced) draft.dropRemoval(table, row, "referenced");
    }
  }
}

interface Settling {
  readonly draft: UndoDraft;
  readonly rows: ExistingRows;
  readonly options: SettleOptions;
  /** The other end of a two-way reference. */
  readonly reverse: { readonly table: string; readonly column: string } | null;
}

interface SettledCell extends Referrer {
  readonly from: CellValue;
  readonly to: CellValue;
}

function settleCell({ draft, rows, options, reverse }: Settling, { table, column, row, from, to }: SettledCell): void {
  const { target } = options.catalog.column(table, column).kind;
  if (target === undefined) return;
  const [before, after] = [new Set(targetsOf(from)), new Set(targetsOf(to))];
  const exists = (id: number) => !draft.isRemoved(target, id) && (draft.isRestored(target, id) || rows.has(target, id));
  if (options.knowsRowsOf(target) && [...after.difference(before)].some((id) => !exists(id))) {
    draft.dropCell(table, column, row, "missing_reference");
    return;
  }
  if (!reverse) return;
  const differs = [...before.symmetricDifference(after)].some((id) => {
    const other = draft.finalCell(reverse.table, reverse.column, id);
    return other !== undefined && targetsOf(other).includes(row) !== after.has(id);
  });
  if (differs) draft.dropCell(table, column, row, "two_way_reference");
}

function reverseOf(columns: readonly ColumnInfo[] | undefined, id: string, { columnByRef, tableByRef }: Schema) {
  const column = columns?.find((each) => each.id === id);
  const reverse = column && columnByRef.get(column.reverseCol);
  const table = reverse && tableByRef.get(reverse.tableRef);
  return table ? { table: table.id, column: reverse.id } : null;
}

/** The rows of tables that references lead to. */
class ExistingRows {
  readonly #db: Database;
  readonly #catalog: Catalog;
  readonly #known = new Map<string, Map<number, boolean>>();

  constructor(db: Database, catalog: Catalog) {
    this.#db = db;
    this.#catalog = catalog;
  }

  has(table: string, id: number): boolean {
    let rows = this.#known.get(table);
    if (!rows) this.#known.set(table, (rows = new Map()));
    let exists = rows.get(id);
    if (exists === undefined) {
      exists = this.#catalog.find(table) !== undefined && existingIds(this.#db, table, [id]).has(id);
      rows.set(id, exists);
    }
    return exists;
  }
}
