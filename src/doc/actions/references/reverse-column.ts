import { invalid } from "../../../errors.ts";
import type { CellValue } from "../../../values/cell.ts";
import { columnType } from "../../../values/column-type.ts";
import type { ColumnInfo, TableInfo } from "../../schema.ts";
import type { Change } from "../change.ts";
import { type AddedColumn, addColumn, COLUMNS_TABLE, columnInfo } from "../schema/columns.ts";
import { setDisplayFormula } from "./display-formulas.ts";
import { updateMetadata } from "../metadata.ts";
import { allIds, readRows } from "../row-storage.ts";
import { refuseGroupingColumn } from "../summaries/summary-columns.ts";
import { tableInfo } from "../schema/tables.ts";
import { targetsOf } from "./two-way-references.ts";

/**
 * Adds the reverse column of a reference to its target table, fills it, and links the two columns. Its label is by
 * default the title of the table.
 */
export function addReverseColumn(
  change: Change,
  table: string,
  { id, label: requestedLabel }: { id: string; label: string | null },
): AddedColumn {
  const column = columnInfo(change, table, id);
  const { target, base } = columnType(column.type);
  if (target === undefined || base === "Attachments") throw invalid(`${JSON.stringify(id)} is not a reference column`);
  if (column.isFormula) throw invalid(`${JSON.stringify(id)} is a formula column`);
  refuseGroupingColumn(column);
  if (column.reverseCol > 0) throw invalid(`${JSON.stringify(id)} already has a reverse column`);
  const owner = tableInfo(change, table);
  tableInfo(change, target);
  const label = requestedLabel || titleOf(change, owner);
  const added = addColumn(change, target, {
    name: label,
    input: { type: `RefList:${table}`, isFormula: false, label },
    visibility: "grids",
  });
  updateMetadata(change, COLUMNS_TABLE, added.colRef, { reverseCol: column.ref });
  updateMetadata(change, COLUMNS_TABLE, column.ref, { reverseCol: added.colRef });
  fillReverseColumn(change, { from: table, id, target, added: added.colId });
  const shown = firstDisplayColumn(tableInfo(change, table), column);
  if (shown) {
    updateMetadata(change, COLUMNS_TABLE, added.colRef, { visibleCol: shown.ref });
    setDisplayFormula(change, target, { field: null, column: added.colRef, formula: `$${added.colId}.${shown.id}` });
  }
  return added;
}

function titleOf(change: Change, table: TableInfo): string {
  const [row] = change.db.values("select title from _grist_Views_section where id = ?", table.rawViewSectionRef);
  return String(row?.[0] ?? "") || table.id;
}

/** Fills each row with its referring rows. Writes rows without any too: comparisons of states list the whole column. */
function fillReverseColumn(
  change: Change,
  { from, id, target, added }: { from: string; id: string; target: string; added: string },
): void {
  const { ids, cells } = readRows(change.db, from, [change.catalog.column(from, id)]);
  const referrers = new Map<number, number[]>();
  for (const [r, row] of ids.entries()) {
    for (const other of new Set(targetsOf(cells[0]?.[r] ?? null))) {
      const list = referrers.get(other);
      if (list) list.push(row);
      else referrers.set(other, [row]);
    }
  }
  const rows = allIds(change.db, target);
  const lists = rows.map((row): CellValue => {
    const referring = referrers.get(row);
    return referring ? ["L", ...referring] : null;
  });
  change.twoWayReferences.withoutTracking(() =>
    change.applyWhole(["BulkUpdateRecord", target, rows, { [added]: lists }]),
  );
}

/** Returns the first column that is neither empty nor a reference. */
function firstDisplayColumn(table: TableInfo, except: ColumnInfo): ColumnInfo | undefined {
  const columns = table.columns.filter(
    ({ ref, isHidden, isFormula, formula, type }) =>
      ref !== except.ref && !isHidden && !(isFormula && formula === "") && columnType(type).target === undefined,
  );
  return columns.toSorted((a, b) => a.position - b.position || a.ref - b.ref)[0];
}
