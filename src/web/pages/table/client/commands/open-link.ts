import type { RecordJson } from "../../../../base/table-data.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { t } from "../../../../base/client/texts.ts";
import { parseLink } from "../cells/links.ts";
import { cellValue, type Column, listItems } from "../columns/columns.ts";
import type { Sheet } from "../sheet.ts";
import { cellUrl } from "../why/cell-address.ts";

/** Returns the address that a cell leads to: the web page of a link, or the linked row; null for other cells. */
export function linkOf(sheet: Sheet, column: Column, row: RecordJson): { href: string; isOutside: boolean } | null {
  const { target } = column.type;
  const value = cellValue(row, column.id);
  if (target !== undefined && (column.type.base === "Ref" || column.type.base === "RefList")) {
    const first = typeof value === "number" ? value : Number(listItems(value)[0] ?? 0);
    return first > 0 ? { href: cellUrl(sheet, { table: target, row: first }), isOutside: false } : null;
  }
  const link = typeof value === "string" ? parseLink(value) : null;
  return link && { href: link.href, isOutside: true };
}

/** Opens the link of a cell, or the row that it refers to. */
export function openCellLink(sheet: Sheet, column: Column, row: RecordJson): void {
  const link = linkOf(sheet, column, row);
  if (!link) return void showToast(t("table.link.none"));
  if (link.isOutside) window.open(link.href, "_blank", "noopener,noreferrer");
  else location.assign(link.href);
}
