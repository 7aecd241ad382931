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
  /** The ref of a field, or empty. */
  readonly field: unknown;
  /** The ref or id of a column, or empty. */
  readonly column: unknown;
  /** An empty formula displays the value itself. */
  readonly formula: string;
}

/**
 * Sets the display formula of a column, or of one of its fields. A hidden helper column computes it. Summaries grouped
 * by the column keep their display formula.
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

/** Returns the metadata record that holds displayCol: that of the field or that of the column. */
function displayOwner(change: Change, table: string, field: unknown, column: unknown): [table: string, id: number] {
  // Clients write an empty reference as null or 0.
  const hasField = field !== null && field !== undefined && field !== 0;
  const hasColumn = column !== null && column !== undefined && column !== 0;
  if (hasField === hasColumn) throw invalid("Exactly one of field and column must be given");
  if (typeof column === "string") return [COLUMNS_TABLE, columnInfo(change, table, column).ref];
  const ref = hasField ? field : column;
  const owner = hasField ? FIELDS_TABLE : COLUMNS_TABLE;
  const found = typeof ref === "number" && change.db.values(`select 1 from ${owner} where id = ?`, ref).length > 0;
  if (!found || (!hasField && change.schema.columnByRef.get(ref)?.tableRef !== tableInfo(change, table).ref)) {
    throw invalid(`${hasField ? "Field" : "Column"} ${String(ref)} does not exist`);
  }
  return [owner, ref];
}

/** Returns the helper column with this formula: an existing one, the current one modified, or a new one. */
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
  return addColumn(change, table, { name, input: { type: "Any", isFormula: true, formula }, visibility: "hidden" })
    .colRef;
}

function countUses(change: Change, ref: number): number {
  const count = (owner: string) =>
    Number(change.db.values(`select count(*) from ${owner} where displayCol = ?`, ref)[0]?.[0] ?? 0);
  return count(COLUMNS_TABLE) + count(FIELDS_TABLE);
}
