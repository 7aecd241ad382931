import type { AppError } from "../../../errors.ts";
import type { RowAccess, RowView } from "../access-types.ts";
import type { AccessCheckedChange } from "../access-checked-change.ts";
import { rulesRefusal } from "../refusals.ts";
import { isCensored } from "./derived-row-access.ts";
import { OriginalRows } from "./original-rows.ts";
import type { TableAccess } from "../table-rules.ts";
import { readRuleRows } from "./read-rule-rows.ts";

/**
 * Restricts writers to cells and rows that they can read: updating a cell requires reading it, removing a row requires
 * seeing it. A refusal must not reveal hidden data either, so it does not depend on them: hidden rows and missing rows
 * are refused alike, before any value is examined.
 */
export class ReadabilityChecker {
  readonly #change: AccessCheckedChange;
  readonly #originalRows: OriginalRows;

  constructor(change: AccessCheckedChange) {
    this.#change = change;
    this.#originalRows = new OriginalRows(change);
  }

  /** @param columns the columns to be written; none for the whole row @throws AppError `forbidden` */
  check(access: TableAccess, ids: readonly number[], columns: readonly string[]): void {
    if (access.read === "allow") return;
    if (access.read === "deny") throw unreadable(access, "table");
    const canRead = columns.map((column) => access.column(column).read);
    const denied = columns.find((_, c) => canRead[c] === "deny");
    if (denied !== undefined) throw unreadable(access, "column", denied);
    if (!access.hidesRows && !canRead.includes("mixed")) return;
    const reader = access.rows();
    const rows = this.#originalRows.read(access.table.id, { columns: reader.columns, ids });
    for (const id of ids) {
      const cells = rows.get(id);
      const view = cells ? reader.view(cells, this.#change.db) : "hidden";
      if (view === "hidden" && access.hidesRows) throw unreadable(access, "row");
      const censored = cells && columns.find((column) => isCensored(view, column));
      if (censored !== undefined) throw unreadable(access, "column", censored);
    }
  }

  /** @throws AppError `forbidden` where rows of the table may be hidden from the caller, whether or not any are */
  checkSeesAllRows(access: TableAccess): void {
    if (access.hidesRows) throw unreadable(access, "row");
  }

  /** True when the caller could read the cell before the change and can read it now. */
  canRead(access: TableAccess, column: string, id: number): boolean {
    const { read } = access.column(column);
    if (access.read === "deny" || read === "deny") return false;
    if (read === "allow" && !access.hidesRows) return true;
    const reader = access.rows();
    const { db, catalog } = this.#change;
    const selection = { columns: reader.columns, ids: [id] };
    const original = this.#originalRows.read(access.table.id, selection).get(id);
    const current = readRuleRows(db, catalog.table(access.table.id), selection).get(id);
    return [original, current].every((cells) => cells && !isCensored(this.#view(reader, cells), column));
  }

  #view(reader: RowAccess, cells: Parameters<RowAccess["view"]>[0]): RowView {
    return reader.view(cells, this.#change.db);
  }
}

/** Uses only memos that do not depend on a row, so that they are the same for all rows. */
function unreadable(access: TableAccess, level: "table" | "row" | "column", column?: string): AppError {
  const { context } = access;
  return rulesRefusal(level, "read", access.memos("read", { ...(column !== undefined && { column }), context }));
}
