import { invalid, frozenError } from "../../../errors.ts";
import { FROZEN } from "../../../errors/frozen-messages.ts";
import { pickColumnId } from "../../identifiers.ts";
import { checkText, LIMITS } from "../../limits.ts";
import type { ColumnInfo, TableInfo } from "../../schema.ts";
import type { Change } from "../change.ts";
import { type ColumnInput, readNewColumn, refField, refListField } from "./column-input.ts";
import type { RowValues } from "../doc-action.ts";
import { propagateColumnRenameToConditions } from "../renames/rename-in-conditions.ts";
import { propagateColumnRenameToRules } from "../renames/rename-in-access-rules.ts";
import { type ColumnVisibility, showColumn } from "../sections/layout.ts";
import { addMetadata, updateMetadata } from "../metadata.ts";
import { allocatePositions } from "../records/positions.ts";
import { renameWithFormulas } from "../renames/rename-in-formulas.ts";
import { summaryColumnsFor, refuseGroupingColumn, summariesOf } from "../summaries/summary-columns.ts";
import { renameSummary, tableInfo } from "./tables.ts";

export const COLUMNS_TABLE = "_grist_Tables_column";

/** The result of adding a column, with the field names of the API. */
export interface AddedColumn {
  readonly colRef: number;
  readonly colId: string;
}

/** Returns the column with this id. @throws AppError `invalid` when it does not exist */
export function columnInfo(change: Change, table: string, id: string): ColumnInfo {
  const info = tableInfo(change, table).columnById.get(id);
  if (!info) throw frozenError(FROZEN.invalidColumn, id);
  return info;
}

/** Adds a column. Its id is derived from `name`; without a name it is the next free letter. */
export function addColumn(
  change: Change,
  table: string,
  { name, input, visibility }: { name: string | null; input: ColumnInput; visibility: ColumnVisibility },
): AddedColumn {
  const info = tableInfo(change, table);
  checkText("id", name ?? "", LIMITS.nameLength);
  const { type, isFormula, formula, label, more } = readNewColumn(input, { formulaByDefault: true });
  if (!isFormula && info.summarySourceTable)
    throw invalid(`${JSON.stringify(table)} is a summary table: only formula columns can be added`);
  const id = pickColumnId(name ?? "", takenColumnIds(change, info));
  const values = {
    parentId: info.ref,
    colId: id,
    type,
    isFormula,
    formula,
    label: label ?? id,
    parentPos: columnPosition(change, input["_position"]),
    ...more,
    ...referenceFields(change, info.ref, { ...input, displayCol: undefined, reverseCol: undefined }),
  };
  change.apply(["AddColumn", table, id, { type, isFormula, formula }]);
  const [colRef = 0] = addMetadata(change, COLUMNS_TABLE, [values]);
  showColumn(change, info.ref, colRef, visibility);
  return { colRef, colId: id };
}

/** Renames a column to an id derived from `name`, updates formulas and summaries, and returns the new id. */
export function renameColumn(change: Change, table: string, from: string, name: string): string {
  const info = tableInfo(change, table);
  const column = columnInfo(change, table, from);
  if (column.isHidden && from === "manualSort") throw invalid('The position column "manualSort" cannot be renamed');
  const to = idForName(change, info, from, name);
  if (to === from) return to;
  refuseGroupingColumn(column);
  applyColumnId(change, info, column, to);
  return to;
}

/** Returns the id derived from `name` for a column. */
function idForName(change: Change, info: TableInfo, from: string, name: string): string {
  checkText("colId", name, LIMITS.nameLength);
  return pickColumnId(
    name,
    takenColumnIds(change, info).filter((id) => id !== from),
  );
}

function applyColumnId(change: Change, info: TableInfo, column: ColumnInfo, to: string): void {
  const table = info.id;
  const from = column.id;
  const summaryColumns = summaryColumnsFor(change.schema, column);
  renameWithFormulas(change, { table, column: from, to }, () => {
    change.apply(["RenameColumn", table, from, to]);
    updateMetadata(change, COLUMNS_TABLE, column.ref, { colId: to });
  });
  propagateColumnRenameToRules(change, { table, from, to });
  propagateColumnRenameToConditions(change, { table, from, to });
  for (const summaryColumn of summaryColumns) renameSummaryColumn(change, summaryColumn, to);
}

/**
 * Renames the summary's counterpart of a source column. Group-by columns are part of the summary's id, which follows.
 */
function renameSummaryColumn(change: Change, summaryColumn: ColumnInfo, name: string): void {
  const summary = change.schema.tableByRef.get(summaryColumn.tableRef);
  if (!summary) return;
  applyColumnId(change, summary, summaryColumn, idForName(change, summary, summaryColumn.id, name));
  if (summaryColumn.summarySourceCol > 0) renameSummary(change, summary.ref);
}

/** Returns a position before the first column that is not left of `requested`, or at the end. */
export function columnPosition(change: Change, requested: unknown): number {
  const targets = [typeof requested === "number" ? requested : null];
  const { positions, moved } = allocatePositions(change.db, { table: COLUMNS_TABLE, column: "parentPos", targets });
  if (moved) change.apply(["BulkUpdateRecord", COLUMNS_TABLE, moved.ids, { parentPos: moved.positions }]);
  return positions[0] ?? 0;
}

/** Returns the column ids that are taken: those of the table and of its summaries. */
function takenColumnIds(change: Change, table: TableInfo): string[] {
  const reserved = change.reservedNames?.tableByRef.get(table.ref);
  const tables = [table, ...summariesOf(change.schema, table.ref), ...(reserved ? [reserved] : [])];
  return tables.flatMap((other) => other.columns.map((column) => column.id));
}

const REFERENCE_FIELDS = ["visibleCol", "displayCol", "reverseCol"];
const LIST_FIELDS = ["rules", "recalcDeps"];

/**
 * Returns the given fields of a column's record that refer to other columns, and `recalcWhen`.
 * @throws AppError `invalid` when a referenced column does not exist, or belongs to another table where that is not
 *   allowed
 */
export function referenceFields(change: Change, tableRef: number, input: ColumnInput): RowValues {
  const values: RowValues = {};
  for (const name of REFERENCE_FIELDS) {
    const ref = refField(input, name);
    if (ref === undefined) continue;
    const other = change.schema.columnByRef.get(ref);
    if (ref > 0 && !other) throw invalid(`${name}: column ${ref} does not exist`);
    if (other && name === "displayCol" && other.tableRef !== tableRef) {
      throw invalid(`${name}: the table has no column ${ref}`);
    }
    values[name] = ref;
  }
  for (const name of LIST_FIELDS) {
    const list = refListField(input, name);
    if (list === undefined) continue;
    const refs = Array.isArray(list) ? list.slice(1) : [];
    const other = refs.find((ref) => change.schema.columnByRef.get(Number(ref))?.tableRef !== tableRef);
    if (other !== undefined) throw invalid(`${name}: the table has no column ${JSON.stringify(other)}`);
    values[name] = list;
  }
  const recalcWhen = refField(input, "recalcWhen");
  return recalcWhen === undefined ? values : { ...values, recalcWhen };
}
