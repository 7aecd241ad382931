import { invalid } from "../../../errors.ts";
import { pickColumnId } from "../../identifiers.ts";
import type { ColumnInfo } from "../../schema.ts";
import type { Change } from "../change.ts";
import { addColumn, COLUMNS_TABLE, columnInfo } from "../schema/columns.ts";
import { updateMetadata } from "../metadata.ts";
import { modifyColumn } from "../schema/modify-column.ts";
import { tableInfo } from "../schema/tables.ts";

const FIELDS_TABLE = "_grist_Views_section_field";

export interface DisplayFormulaRequest {
  /** The number of a field, or nothing. */
  readonly field: unknown;
  /** The number or id of a column, or nothing. */
  readonly column: unknown;
  /** Empty: what is shown is the value itself. */
  readonly formula: string;
}

/**
 * Has a column, or a single field of it, show what a formula makes of it, kept in a hidden column. Summaries grouped by
 * the column go on showing what they did.
 */
export function setDisplayFormula(
  change: Change,
  table: string,
  { field, column, formula }: DisplayFormulaRequest,
): void {
  const [owner, id] = displayOwner(change, table, field, column);
  const [current = 0] = change.db
    .values(`select displayCol from ${owner} where id = ?`, id)
    .map(([ref]) => Number(ref));
  const displayCol = formula === "" ? 0 : helperFor(change, table, formula, change.schema.columnByRef.get(current));
  updateMetadata(change, owner, id, { displayCol });
  change.mayLeaveHelpers = true;
}

/** Which record says what is shown: that of the field or that of the column. */
function displayOwner(change: Change, table: string, field: unknown, column: unknown): [table: string, id: number] {
  // Clients write an empty reference as null or 0.
  const hasField = field !== null && field !== undefined && field !== 0;
  const hasColumn = column !== null && column !== undefined && column !== 0;
  if (hasField === hasColumn) throw invalid("Either a field or a column must be given");
  if (typeof column === "string") return [COLUMNS_TABLE, columnInfo(change, table, column).ref];
  const ref = hasField ? field : column;
  const owner = hasField ? FIELDS_TABLE : COLUMNS_TABLE;
  const found = typeof ref === "number" && change.db.values(`select 1 from ${owner} where id = ?`, ref).length > 0;
  if (!found || (!hasField && change.schema.columnByRef.get(ref)?.tableRef !== tableInfo(change, table).ref)) {
    throw invalid(`There is no ${hasField ? "field" : "column"} with the number ${String(ref)}`);
  }
  return [owner, ref];
}

/** The hidden column with this formula: one that exists, the current one changed, or a new one. */
function helperFor(change: Change, table: string, formula: string, current: ColumnInfo | undefined): number {
  const { columns } = tableInfo(change, table);
  const isHelper = (column: ColumnInfo) => column.id.startsWith("gristHelper_Display");
  const equal = columns.find((column) => isHelper(column) && column.formula === formula);
  if (equal) return equal.ref;
  if (current && isHelper(current) && countUses(change, current.ref) <= 1) {
    modifyColumn(change, table, current.id, { formula });
    return current.ref;
  }
  const name = pickColumnId(
    "gristHelper_Display",
    columns.map((column) => column.id),
  );
  return addColumn(change, table, { name, input: { type: "Any", isFormula: true, formula }, visibility: "nowhere" })
    .colRef;
}

function countUses(change: Change, ref: number): number {
  const count = (owner: string) =>
    Number(change.db.values(`select count(*) from ${owner} where displayCol = ?`, ref)[0]?.[0] ?? 0);
  return count(COLUMNS_TABLE) + count(FIELDS_TABLE);
}
