import { invalid } from "../../errors.ts";
import type { CellValue } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import type { ColumnInfo, TableInfo } from "../schema.ts";
import type { Change } from "./change.ts";
import { type AddedColumn, addColumn, COLUMNS, columnInfo } from "./columns.ts";
import { setDisplayFormula } from "./display.ts";
import { updateMetadata } from "./metadata.ts";
import { allIds, readRows } from "./rows.ts";
import { refuseGrouped } from "./summary-columns.ts";
import { tableInfo } from "./tables.ts";
import { targetsOf } from "./two-way.ts";

/** Gives the table that a reference leads to a column with the way back, filled, and joins the two. */
export function addReverseColumn(change: Change, table: string, id: string): AddedColumn {
  const column = columnInfo(change, table, id);
  const { target, base } = columnType(column.type);
  if (target === undefined || base === "Attachments") throw invalid(`${JSON.stringify(id)} is no reference`);
  if (column.isFormula) throw invalid(`${JSON.stringify(id)} is a formula column`);
  refuseGrouped(column);
  if (column.reverseCol > 0) throw invalid(`${JSON.stringify(id)} has a reverse column already`);
  const owner = tableInfo(change, table);
  tableInfo(change, target);
  const label = titleOf(change, owner);
  const added = addColumn(change, target, {
    name: label,
    input: { type: `RefList:${table}`, isFormula: false, label },
    place: "grids",
  });
  updateMetadata(change, COLUMNS, added.colRef, { reverseCol: column.ref });
  updateMetadata(change, COLUMNS, column.ref, { reverseCol: added.colRef });
  fill(change, { from: table, id, target, added: added.colId });
  const shown = firstPlain(tableInfo(change, table), column);
  if (shown) {
    updateMetadata(change, COLUMNS, added.colRef, { visibleCol: shown.ref });
    setDisplayFormula(change, target, { field: null, column: added.colRef, formula: `$${added.colId}.${shown.id}` });
  }
  return added;
}

function titleOf(change: Change, table: TableInfo): string {
  const [row] = change.db.values("select title from _grist_Views_section where id = ?", table.rawViewSectionRef);
  return String(row?.[0] ?? "") || table.id;
}

/** Each row gets those that refer to it. Rows without any are told as well: comparisons of states list the whole column. */
function fill(
  change: Change,
  { from, id, target, added }: { from: string; id: string; target: string; added: string },
): void {
  const { ids, cells } = readRows(change.db, from, [change.catalog.column(from, id)]);
  const back = new Map<number, number[]>();
  for (const [r, row] of ids.entries()) {
    for (const other of new Set(targetsOf(cells[0]?.[r] ?? null))) {
      const list = back.get(other);
      if (list) list.push(row);
      else back.set(other, [row]);
    }
  }
  const rows = allIds(change.db, target);
  const lists = rows.map((row): CellValue => {
    const referring = back.get(row);
    return referring ? ["L", ...referring] : null;
  });
  change.twoWay.pause(() => change.applyWhole(["BulkUpdateRecord", target, rows, { [added]: lists }]));
}

/** The first column that says something by itself: no reference, and not empty. */
function firstPlain(table: TableInfo, except: ColumnInfo): ColumnInfo | undefined {
  const columns = table.columns.filter(
    ({ ref, isHidden, isFormula, formula, type }) =>
      ref !== except.ref && !isHidden && !(isFormula && formula === "") && columnType(type).target === undefined,
  );
  return columns.toSorted((a, b) => a.position - b.position || a.ref - b.ref)[0];
}
