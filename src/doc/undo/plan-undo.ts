import type { DocumentGrant } from "../../authorization.ts";
import type { CellValue } from "../../values/cell.ts";
import { Catalog } from "../actions/catalog.ts";
import { sameCell } from "../actions/row-storage.ts";
import type { OpenDocument } from "../document.ts";
import { isHiddenColumn, type TableInfo } from "../schema.ts";
import { type RestoredCells, UndoDraft } from "./draft.ts";
import { type CellEntry, type ColumnEntry, isMetadata, type TableEntry } from "./ledger.ts";
import { authorOf, readOwnChanges, resolveSince } from "./own-changes.ts";
import { type PresentRows, PresentReader } from "./present-rows.ts";
import { settleDraft } from "./settle-draft.ts";

/** The undo of an author's changes since a state, as the present document and the caller's rights allow it. */
export interface PlannedUndo {
  readonly since: number;
  readonly draft: UndoDraft;
}

/**
 * Plans the undo of the caller's own changes since a state or time. Changes nothing.
 * @throws AppError as `resolveSince`, `authorOf` and `readOwnChanges`; `undo.too_large`
 */
export function planUndo(document: OpenDocument, grant: DocumentGrant, since: number | string): PlannedUndo {
  const author = authorOf(grant.actor);
  const n = resolveSince(document, since);
  const { db, schema } = document;
  const catalog = new Catalog(schema);
  const reader = new PresentReader(document, grant, catalog);
  const ledger = readOwnChanges(document, { since: n, author, directOnly: reader.isRestricted });
  const draft = new UndoDraft(db, catalog);
  for (const table of ledger.all) new TablePlanner(table, { document, draft, reader }).plan();
  const wording = { done: "reverted", remedy: "use a later state" };
  settleDraft(draft, { document, grant, catalog, reader, wording });
  return { since: n, draft };
}

interface PlannerOptions {
  readonly document: OpenDocument;
  readonly draft: UndoDraft;
  readonly reader: PresentReader;
}

/** Plans the undo of the changes of one table. */
class TablePlanner {
  readonly #entry: TableEntry;
  readonly #draft: UndoDraft;
  readonly #reader: PresentReader;
  readonly #info: TableInfo | undefined;
  /** The columns of the history by their present names. */
  readonly #columns: ReadonlyMap<string, ColumnEntry>;

  constructor(entry: TableEntry, { document, draft, reader }: PlannerOptions) {
    this.#entry = entry;
    this.#draft = draft;
    this.#reader = reader;
    this.#info = entry.after === null ? undefined : document.schema.tableById.get(entry.after);
    const columns = [...entry.columns.all].flatMap((column) =>
      column.after === null ? [] : ([[column.after, column]] as const),
    );
    this.#columns = new Map(columns);
  }

  plan(): void {
    const { after, last } = this.#entry;
    if (isMetadata(this.#entry)) return this.#planMetadata(last);
    if (after === null) return this.#planRemovedTable(last);
    const info = this.#info;
    // Rows of summaries follow from those of their source.
    if (!info?.isStored || info.summarySourceTable > 0) return;
    const present = this.#reader.read(info.id, this.#rowIds(), this.#dataColumns(info));
    if (!present) return;
    this.#planSchema(info);
    this.#planRows(info, present);
    this.#planCells(info, present);
  }

  #planMetadata(table: string): void {
    const isOwn = [...this.#entry.rows.values(), ...cellsOf(this.#entry)].some((entry) => entry.isOwn);
    if (isOwn && !this.#reader.isRestricted) this.#draft.conflict({ table, reason: "settings" });
  }

  /** Rules of tables that are gone are unknown. */
  #planRemovedTable(table: string): void {
    if (this.#reader.isRestricted) return;
    if (this.#entry.ownChanges.has("removed")) return this.#draft.conflict({ table, reason: "schema" });
    const isOwn = [...this.#entry.rows.values(), ...cellsOf(this.#entry)].some((entry) => entry.isOwn);
    if (isOwn) this.#draft.conflict({ table, reason: "table_removed" });
  }

  #planSchema({ id: table, columnById }: TableInfo): void {
    const isNew = this.#entry.before === null;
    if (this.#entry.ownChanges.size > 0) this.#draft.conflict({ table, reason: "schema" });
    for (const { after, last: column, ownChanges, cells } of this.#entry.columns.all) {
      if (isHiddenColumn(column)) continue;
      if (after === null) {
        if (this.#reader.isRestricted) continue;
        if (ownChanges.has("removed")) this.#draft.conflict({ table, column, reason: "schema" });
        else if ([...cells.values()].some((cell) => cell.isOwn && isRevertible(cell))) {
          this.#draft.conflict({ table, column, reason: "column_removed" });
        }
      } else if (ownChanges.size > 0 && columnById.has(after) && !isNew && this.#reader.canReadColumn(table, after)) {
        this.#draft.conflict({ table, column: after, reason: "schema" });
      }
    }
  }

  #planRows(info: TableInfo, present: PresentRows): void {
    const { id: table } = info;
    for (const [row, { before, after, isOwn, touched }] of this.#entry.rows) {
      if (isOwn && after && !before) {
        if (!present.has(row)) continue;
        const isTouched = [...touched].some(({ after: name }) => name !== null && isContent(info, name));
        if (this.#reader.isRestricted) this.#draft.conflict({ table, row, reason: "not_permitted" });
        else if (isTouched) this.#draft.conflict({ table, row, reason: "changed_since" });
        else this.#draft.removeRow(table, row);
      } else if (before && (!after || !isOwn)) this.#planRestoration(info, row, present);
    }
  }

  /** Plans the return of a row that the author removed. */
  #planRestoration(info: TableInfo, row: number, present: PresentRows): void {
    const { id: table } = info;
    if (this.#reader.isRestricted) {
      // Whether the id is in use tells about hidden rows.
      return this.#draft.conflict({ table, row, reason: "not_permitted" });
    }
    if (present.has(row)) return this.#draft.conflict({ table, row, reason: "id_in_use" });
    const cells: RestoredCells = new Map();
    for (const column of this.#dataColumns(info)) {
      const cell = this.#columns.get(column)?.cells.get(row);
      if (cell?.isConverted) return this.#draft.conflict({ table, row, reason: "column_changed" });
      if (cell?.before) cells.set(column, cell.before[0] as CellValue);
    }
    if (this.#entry.rows.get(row)?.isOwn) this.#draft.restoreRow(table, row, cells);
  }

  #planCells(info: TableInfo, present: PresentRows): void {
    const gone = new Set<number>();
    for (const column of this.#dataColumns(info)) {
      for (const [row, entry] of this.#columns.get(column)?.cells ?? []) {
        const known = this.#entry.rows.get(row);
        // Rows that the author added or removed are planned as a whole.
        const isOfRow = known && !(known.isOwn && known.before && known.after);
        if (isOfRow || !isRevertible(entry)) continue;
        if (present.has(row)) this.#planCell(info, { column, row, entry, present });
        else gone.add(row);
      }
    }
    if (this.#reader.isRestricted) return;
    for (const row of gone) this.#draft.conflict({ table: info.id, row, reason: "removed_since" });
  }

  #planCell(
    { id: table, columnById }: TableInfo,
    { column, row, entry, present }: { column: string; row: number; entry: CellEntry; present: PresentRows },
  ): void {
    const from = present.cell(row, column);
    const to = entry.wasEmpty ? this.#reader.defaultOf(table, column) : (entry.before?.[0] as CellValue | undefined);
    if (from === undefined || to === undefined || sameCell(from, to)) return;
    const isTwoWay = (columnById.get(column)?.reverseCol ?? 0) > 0;
    const expected = entry.after ? (entry.after[0] as CellValue) : this.#reader.defaultOf(table, column);
    if (entry.isConverted) this.#draft.conflict({ table, row, column, reason: "column_changed" });
    else if (!entry.isOwn || !sameCell(from, expected)) {
      this.#draft.conflict({ table, row, column, reason: "changed_since" });
    } else if (isTwoWay && this.#reader.isRestricted) {
      // The other end may be hidden.
      this.#draft.conflict({ table, row, column, reason: "not_permitted" });
    } else this.#draft.revertCell(table, column, row, { from, to });
  }

  #rowIds(): Set<number> {
    const ids = new Set(this.#entry.rows.keys());
    for (const { cells } of this.#columns.values()) for (const id of cells.keys()) ids.add(id);
    return ids;
  }

  /** Columns whose cells no formula computes. */
  #dataColumns({ columns }: TableInfo): string[] {
    return columns.filter(({ isFormula, isStored }) => !isFormula && isStored).map(({ id }) => id);
  }
}

function* cellsOf({ columns }: TableEntry): Generator<CellEntry> {
  for (const { cells } of columns.all) yield* cells.values();
}

/** False where the author's writes made no difference, and for cells of rows that the author added. */
const isRevertible = ({ before, after }: CellEntry): boolean =>
  before !== null && !(after && sameCell(before[0] as CellValue, after[0] as CellValue));

/** False for computed cells, and for the position of the row. */
function isContent({ columnById }: TableInfo, id: string): boolean {
  const column = columnById.get(id);
  return column !== undefined && !column.isFormula && !column.isHidden;
}
