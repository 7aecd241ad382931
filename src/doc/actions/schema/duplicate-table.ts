import { invalid } from "../../../errors.ts";
import { must } from "../../../lib/assert.ts";
import { NameReferenceFinder } from "../../../formula/names/reference-finder.ts";
import { applyNameReplacement } from "../../../formula/names/apply-name-replacement.ts";
import { columnType } from "../../../values/column-type.ts";
import { pickTableId } from "../../identifiers.ts";
import type { ColumnInfo, TableInfo } from "../../schema.ts";
import type { Change } from "../change.ts";
import { COLUMNS_TABLE } from "./columns.ts";
import { setDisplayFormula } from "../references/display-formulas.ts";
import type { ColumnValues } from "../doc-action.ts";
import { updateMetadata } from "../metadata.ts";
import { modifyColumn } from "./modify-column.ts";
import { readRows } from "../row-storage.ts";
import { addEmptyRule, rowRules } from "../sections/conditional-formats.ts";
import { byPosition } from "../summaries/summary-table.ts";
import { addTable, tableInfo, takenTableIds } from "./tables.ts";

/** The result, with the field names of the API. */
export interface DuplicatedTable {
  readonly id: number;
  readonly table_id: string;
  readonly raw_section_id: number;
}

/** Duplicates a table, without a page. References of the table to itself become references of the copy to itself. */
export function duplicateTable(
  change: Change,
  from: string,
  { name, withData }: { name: string; withData: boolean },
): DuplicatedTable {
  const source = tableInfo(change, from);
  if (source.summarySourceTable) throw invalid(`Summary table ${JSON.stringify(from)} cannot be duplicated`);
  const to = pickTableId(name, takenTableIds(change));
  const reader = new NameReferenceFinder(change.schema);
  const ownFormula = (formula: string) =>
    applyNameReplacement(formula, reader.findReferences(formula, from), { table: from, to });
  const shown = byPosition(source).filter((column) => !column.isHidden);
  const inputs = shown.map(({ id, type, isFormula, formula, label, widgetOptions }) => {
    const kind = columnType(type);
    const ownType = kind.target === from ? `${kind.base}:${to}` : type;
    return { id, type: ownType, isFormula, formula: ownFormula(formula), label, widgetOptions };
  });
  const { id } = addTable(change, name, inputs, { page: false });
  const copyOf = (column: ColumnInfo | undefined) => column && tableInfo(change, to).columnById.get(column.id);
  for (const column of shown) copyFields(change, column, must(copyOf(column), "copied column"), copyOf);
  for (const column of shown) {
    const helper = change.schema.columnByRef.get(column.displayCol);
    if (helper) setDisplayFormula(change, to, { field: null, column: column.id, formula: ownFormula(helper.formula) });
  }
  const copyRules = (rules: readonly number[] | null, column: number) => {
    for (const rule of rules ?? []) {
      const formula = ownFormula(change.schema.columnByRef.get(rule)?.formula ?? "");
      const added = addEmptyRule(change, to, { field: 0, column });
      if (formula !== "") modifyColumn(change, to, added.colId, { formula });
    }
  };
  for (const column of shown) copyRules(column.rules, must(copyOf(column), "copied column").ref);
  copyRowRules(change, source, { to, copyRules });
  if (withData) copyRows(change, source, to);
  return { id, table_id: to, raw_section_id: tableInfo(change, to).rawViewSectionRef };
}

/** The styles of row rules are in the options of the raw section, as a list in the order of the rules. */
function copyRowRules(
  change: Change,
  source: TableInfo,
  { to, copyRules }: { to: string; copyRules: (rules: readonly number[], column: number) => void },
): void {
  const rules = rowRules(change, source);
  if (rules.length === 0) return;
  copyRules(rules, 0);
  const [stored] = change.db.values("select options from _grist_Views_section where id = ?", source.rawViewSectionRef);
  updateMetadata(change, "_grist_Views_section", tableInfo(change, to).rawViewSectionRef, {
    options: String(stored?.[0] ?? ""),
  });
}

/**
 * Copies the fields that are not set on creation. References to columns of the source become references to the copy's.
 */
function copyFields(
  change: Change,
  source: ColumnInfo,
  copy: ColumnInfo,
  copyOf: (column: ColumnInfo | undefined) => ColumnInfo | undefined,
): void {
  const remapRef = (ref: number): number => {
    const column = change.schema.columnByRef.get(ref);
    return column?.tableRef === source.tableRef ? (copyOf(column)?.ref ?? 0) : ref;
  };
  const deps = (source.recalcDeps ?? []).map(remapRef).filter((ref) => ref > 0);
  const { description, untieColIdFromLabel, recalcWhen } = source;
  updateMetadata(change, COLUMNS_TABLE, copy.ref, {
    description,
    untieColIdFromLabel,
    recalcWhen,
    recalcDeps: deps.length > 0 ? ["L", ...deps] : null,
    visibleCol: remapRef(source.visibleCol),
  });
}

/** Copies rows with their ids and positions. Includes results of formulas, because not all can be recomputed. */
function copyRows(change: Change, source: TableInfo, to: string): void {
  const targetColumns = change.catalog.table(to).columns;
  const columns = [...change.catalog.table(source.id).columns.values()].filter(({ id }) => targetColumns.has(id));
  const { ids, cells } = readRows(change.db, source.id, columns);
  const values: ColumnValues = Object.fromEntries(columns.map(({ id }, c) => [id, cells[c] ?? []]));
  change.apply(["BulkAddRecord", to, ids, values]);
}
