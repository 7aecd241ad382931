import { invalid } from "../../../errors.ts";
import type { SqlValue } from "../../../sqlite/database.ts";
import { pickColumnId } from "../../identifiers.ts";
import type { TableInfo } from "../../schema.ts";
import { type AddedColumn, addColumn, COLUMNS_TABLE } from "../schema/columns.ts";
import type { Change } from "../change.ts";
import { idsOf, updateMetadata } from "../metadata.ts";
import { tableInfo } from "../schema/tables.ts";

/**
 * Conditional formats: each is a hidden column whose formula selects the rows, listed in the `rules` of the column,
 * field or section that it formats. It is removed when no list contains it any more.
 */

export interface FormatTarget {
  /** The ref of a field, or 0. */
  readonly field: number;
  /** The ref of a column, or 0. Without either, the rule formats whole rows. */
  readonly column: number;
}

/** Adds a conditional format with an empty formula. */
export function addEmptyRule(change: Change, table: string, { field, column }: FormatTarget): AddedColumn {
  if (field > 0 && column > 0) throw invalid("Only one of field and column may be given");
  const info = tableInfo(change, table);
  const [owner, id] = resolveFormatTarget(change, info, { field, column });
  const [stored] = change.db.values(`select rules from ${owner} where id = ?`, id);
  const name = pickColumnId(
    owner === SECTIONS ? "gristHelper_RowConditionalRule" : "gristHelper_ConditionalRule",
    info.columns.map((other) => other.id),
  );
  const input = { type: "Any", isFormula: true, formula: "" };
  const added = addColumn(change, table, { name, input, visibility: "hidden" });
  updateMetadata(change, owner, id, { rules: ["L", ...idsOf(stored?.[0]), added.colRef] });
  return added;
}

/** Returns the conditional formats of a table's rows. */
export function rowRules(change: Change, table: TableInfo): number[] {
  const [stored] = change.db.values(`select rules from ${SECTIONS} where id = ?`, table.rawViewSectionRef);
  return idsOf(stored?.[0]);
}

const SECTIONS = "_grist_Views_section";
const FIELDS = "_grist_Views_section_field";

function resolveFormatTarget(
  change: Change,
  { id, ref, rawViewSectionRef }: { id: string; ref: number; rawViewSectionRef: number },
  { field, column }: FormatTarget,
): [table: string, id: number] {
  const has = (sql: string, ...args: SqlValue[]) => change.db.values(sql, ...args).length > 0;
  if (column > 0) {
    if (change.schema.columnByRef.get(column)?.tableRef === ref) return [COLUMNS_TABLE, column];
    throw invalid(`Table ${JSON.stringify(id)} has no column ${column}`);
  }
  if (field > 0) {
    const sql = `select 1 from ${FIELDS} f join ${SECTIONS} s on s.id = f.parentId where f.id = ? and s.tableRef = ?`;
    if (has(sql, field, ref)) return [FIELDS, field];
    throw invalid(`Table ${JSON.stringify(id)} has no field ${field}`);
  }
  if (has(`select 1 from ${SECTIONS} where id = ?`, rawViewSectionRef)) return [SECTIONS, rawViewSectionRef];
  throw invalid(`Table ${JSON.stringify(id)} has no raw section`);
}
