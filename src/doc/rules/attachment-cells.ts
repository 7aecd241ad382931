import { forbidden } from "../../errors.ts";
import { quote } from "../../sqlite/quote.ts";
import { type CellValue, isList } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import { readRows } from "../actions/row-storage.ts";
import type { ColumnInfo } from "../schema.ts";
import type { RowCells } from "./access-types.ts";
import type { CallerRules } from "./document-rules.ts";
import type { AccessCheckedChange } from "./access-checked-change.ts";
import { hasUploaded } from "./own-uploads.ts";
import type { RulesSource } from "./stored-rules.ts";
import type { RowAction } from "./rows/row-write-checks.ts";

/** The location to search for an attachment; the whole document where it is undefined. */
export interface CellLocation {
  readonly tableId: string;
  readonly colId: string;
  readonly rowId: number;
}

/** True when the caller can read a cell that holds the attachment, at the given location or anywhere. */
export function canSeeAttachment(
  source: RulesSource,
  rules: CallerRules,
  id: number,
  location?: CellLocation,
): boolean {
  return source.schema.tables.some(
    (table) =>
      table.isStored &&
      (!location || location.tableId === table.id) &&
      table.columns.some(
        (column) =>
          column.isStored &&
          columnType(column.type).base === "Attachments" &&
          (!location || location.colId === column.id) &&
          isVisibleInColumn(source, rules, { id, table: table.id, column, rowId: location?.rowId }),
      ),
  );
}

/** True when a readable row of the column, or the given row, holds the attachment. */
function isVisibleInColumn(
  { db, schema }: RulesSource,
  rules: CallerRules,
  { id, table, column, rowId }: { id: number; table: string; column: ColumnInfo; rowId: number | undefined },
): boolean {
  const access = rules.table(table);
  if (access.column(column.id).read === "deny") return false;
  const reader = access.rows();
  const infos = schema.tableById.get(table)?.columnById;
  const read = reader.columns.flatMap((name) => infos?.get(name) ?? []).filter(({ isStored }) => isStored);
  const names = [column, ...read].map((info) => quote(info.id)).join(", ");
  // Lists are stored as text that may contain the number by chance, so the cell is decoded as well.
  const rows = db.values(
    `select id, ${names} from ${quote(table)} where ${quote(column.id)} like ? ${rowId === undefined ? "" : "and id = ?"}`,
    `%${id}%`,
    ...(rowId === undefined ? [] : [rowId]),
  );
  return rows.some((row) => {
    if (!idsIn(columnType(column.type).decode(row[1] ?? null)).includes(id)) return false;
    if (!reader.dependsOnRows) return true;
    const cells: RowCells = (name) => {
      if (name === "id") return Number(row[0]);
      const at = read.findIndex((info) => info.id === name);
      return at < 0 ? undefined : columnType(read[at]?.type ?? "Any").decode(row[at + 2] ?? null);
    };
    const view = reader.view(cells, db);
    return view === "whole" || (view !== "hidden" && !view.has(column.id));
  });
}

/** True when the caller may put the attachment into a cell. */
export const canUseAttachment = (change: AccessCheckedChange, rules: CallerRules, id: number): boolean =>
  rules.mayCopyEverything || rules.readsEverything || canSeeAttachment(change, rules, id) || hasUploaded(change, id);

/**
 * Requires access to each attachment that an action puts into a cell, since the caller could read it there: they must
 * have uploaded it recently or see it in another cell.
 * @throws AppError `forbidden`
 */
export function checkAttachments(change: AccessCheckedChange, rules: CallerRules, action: RowAction): void {
  if (action[0] === "BulkRemoveRecord") return;
  const table = change.catalog.find(action[1]);
  const attachmentColumns = Object.keys(action[3]).filter((id) => table?.columns.get(id)?.kind.base === "Attachments");
  if (!table || attachmentColumns.length === 0) return;
  const stored =
    action[0] === "BulkUpdateRecord"
      ? readStoredCells(change, action, attachmentColumns)
      : new Map<string, CellValue>();
  const newIds = attachmentColumns.flatMap((column) =>
    action[2].flatMap((row, r) => {
      const before = idsIn(stored.get(`${row} ${column}`));
      return idsIn(action[3][column]?.[r]).filter((id) => !before.includes(id));
    }),
  );
  for (const id of new Set(newIds)) {
    if (!canUseAttachment(change, rules, id)) {
      throw forbidden(
        `Attachment ${id} can only be used by the user who uploaded it or by users who can read it`,
        "access.rules",
      );
    }
  }
}

function readStoredCells(
  { db, catalog }: AccessCheckedChange,
  [, id, ids]: RowAction,
  columnIds: readonly string[],
): Map<string, CellValue> {
  const table = catalog.table(id);
  const columns = columnIds.flatMap((name) => table.columns.get(name) ?? []);
  const rows = readRows(db, id, columns, ids);
  const entries = columns.flatMap((column, c) =>
    rows.ids.map((row, r) => [`${row} ${column.id}`, rows.cells[c]?.[r] ?? null] as const),
  );
  return new Map(entries);
}

const idsIn = (cell: CellValue | undefined): number[] =>
  isList(cell) ? cell.slice(1).filter((item) => typeof item === "number") : [];
