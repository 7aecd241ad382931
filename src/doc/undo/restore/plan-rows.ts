import type { CellValue } from "../../../values/cell.ts";
import { columnType } from "../../../values/column-type.ts";
import { sameCell } from "../../actions/row-storage.ts";
import type { ColumnChanges, DocumentChanges, TableChanges } from "../../history/changes.ts";
import { type ColumnInfo, isHiddenColumn, type TableInfo } from "../../schema.ts";
import type { RestoredCells, UndoDraft } from "../draft.ts";
import { quote } from "../../../sqlite/quote.ts";
import { sameKnown } from "../ledger.ts";
import type { PresentReader, PresentRows } from "../present-rows.ts";
import { changesOfColumn, changesOfTable, formerColumnField } from "./changes-since.ts";
import type { RestoreRequest } from "./restore-request.ts";

interface RowPlannerOptions {
  readonly draft: UndoDraft;
  readonly reader: PresentReader;
  /** The changes since the state. */
  readonly changes: DocumentChanges;
  /** The changes that the caller has not seen; null if those do not matter. */
  readonly later: DocumentChanges | null;
  readonly table: TableInfo;
  /** Null for all. */
  readonly columns: ReadonlySet<string> | null;
}

/** Plans the return of rows and cells of one table. */
export class RowPlanner {
  readonly #options: RowPlannerOptions;
  readonly #rows: readonly number[] | undefined;
  readonly #changes: TableChanges | undefined;
  readonly #later: TableChanges | undefined;
  readonly #newIds: boolean;
  /** The highest id that is taken; undefined until one is needed. */
  #lastId: number | undefined;
  /** The ids of rows that return under another one. */
  readonly renumbered = new Set<number>();

  constructor(options: RowPlannerOptions, { rows, newIds = false }: Pick<RestoreRequest, "rows" | "newIds">) {
    this.#options = options;
    this.#rows = rows;
    this.#newIds = newIds;
    this.#changes = changesOfTable(options.changes, options.table.id);
    this.#later = options.later ? changesOfTable(options.later, options.table.id) : undefined;
  }

  plan(): void {
    const { reader, table } = this.#options;
    const columns = this.#restorableColumns();
    const ids = new Set(this.#rows ?? columns.flatMap(({ cells }) => [...cells.keys()]));
    const data = this.#dataColumns();
    const present = reader.read(
      table.id,
      ids,
      data.map(({ id }) => id),
    );
    if (!present) return;
    for (const row of [...ids].toSorted((a, b) => a - b)) this.#planRow(row, { columns, data, present });
  }

  #planRow(row: number, { columns, data, present }: PlannedColumns): void {
    const { draft, table, columns: requested } = this.#options;
    const known = this.#changes?.changes.rows.get(row);
    const existed = known ? (known.before ?? true) : present.has(row);
    const conflict = (reason: "not_in_state" | "id_in_use" | "removed_since"): void => {
      // Of a whole column, only rows that exist at both ends are restored.
      if (this.#rows) draft.conflict({ table: table.id, row, reason });
    };
    if (!existed) return conflict("not_in_state");
    if (!present.has(row)) return requested ? conflict("removed_since") : this.#restoreRow(row, data);
    if (known?.wasRemoved) {
      if (!this.#newIds || !this.#rows || requested) return conflict("id_in_use");
      const id = this.#newId();
      this.renumbered.add(id);
      return this.#restoreRow(row, data, id);
    }
    for (const column of columns) this.#planCell(row, column, present);
  }

  /**
   * Returns an id that neither a row has nor one that returns here: another plan, made after a row was added, has another one.
   */
  #newId(): number {
    const { reader, table } = this.#options;
    if (this.#lastId === undefined) {
      const [[last] = []] = reader.document.db.values(`select max(id) from ${quote(table.id)}`);
      this.#lastId = (this.#rows ?? []).reduce((highest, id) => Math.max(highest, id), Number(last ?? 0));
    }
    return ++this.#lastId;
  }

  /** @param id the row's id when it returns */
  #restoreRow(row: number, data: readonly ColumnInfo[], id = row): void {
    const { draft, table } = this.#options;
    const cells: RestoredCells = new Map();
    for (const column of data) {
      const before = changesOfColumn(this.#changes, column.id)?.cells.get(row)?.before;
      if (!before) continue;
      // Values of the former type do not fit the column.
      if (this.#isConverted(column))
        draft.conflict({ table: table.id, row, column: column.id, reason: "column_changed" });
      else cells.set(column.id, before[0] as CellValue);
    }
    draft.restoreRow(table.id, id, cells);
  }

  #planCell(row: number, { column, cells }: RestorableColumn, present: PresentRows): void {
    const { draft, table } = this.#options;
    const before = cells.get(row)?.before;
    const from = present.cell(row, column);
    if (!before || from === undefined) return;
    const to = before[0] as CellValue;
    if (sameCell(from, to)) return;
    const unseen = changesOfColumn(this.#later, column)?.cells.get(row);
    if (unseen && !sameKnown(unseen.before, unseen.after)) {
      draft.conflict({ table: table.id, row, column, reason: "changed_since" });
    } else draft.revertCell(table.id, column, row, { from, to });
  }

  /** The requested columns whose former values fit. */
  #restorableColumns(): RestorableColumn[] {
    const { draft, table, columns: requested } = this.#options;
    const wanted = table.columns.filter(({ id }) => (requested ? requested.has(id) : !isHiddenColumn(id)));
    return wanted.flatMap((column): RestorableColumn[] => {
      const changes = changesOfColumn(this.#changes, column.id);
      const reason =
        column.isFormula || !column.isStored ? "computed" : this.#isConverted(column) ? "column_changed" : null;
      if (reason === null) return [{ column: column.id, cells: changes?.cells ?? new Map() }];
      const isAffected = requested !== null || (reason === "column_changed" && this.#touches(changes));
      if (isAffected) draft.conflict({ table: table.id, column: column.id, reason });
      return [];
    });
  }

  #touches(changes: ColumnChanges | undefined): boolean {
    if (!changes) return false;
    return this.#rows ? this.#rows.some((row) => changes.cells.has(row)) : changes.cells.size > 0;
  }

  /** True if the column has another type than at the state, or was a formula then. */
  #isConverted({ ref, type }: ColumnInfo): boolean {
    const { changes } = this.#options;
    if (formerColumnField(changes, ref, "isFormula")) return true;
    const former = formerColumnField(changes, ref, "type");
    if (typeof former !== "string") return false;
    const [before, after] = [columnType(former), columnType(type)];
    const renamed = [...changes.all].find((table) => table.before === before.target);
    return before.base !== after.base || (renamed ? renamed.after : before.target) !== after.target;
  }

  #dataColumns(): ColumnInfo[] {
    return this.#options.table.columns.filter(({ isFormula, isStored }) => !isFormula && isStored);
  }
}

interface RestorableColumn {
  readonly column: string;
  readonly cells: ColumnChanges["cells"];
}

interface PlannedColumns {
  readonly columns: readonly RestorableColumn[];
  readonly data: readonly ColumnInfo[];
  readonly present: PresentRows;
}
