import { invalid } from "../../../errors.ts";
import { findNameReferences } from "../../../formula/names/reference-finder.ts";
import type { NameReference } from "../../../formula/names/name-references.ts";
import { replaceNames } from "../../../formula/names/apply-name-replacement.ts";
import type { CellValue } from "../../../values/cell.ts";
import { type ColumnType, columnType } from "../../../values/column-type.ts";
import { joinRow } from "../../../values/csv-row.ts";
import { cellFormatter } from "../../../values/cell-formatter.ts";
import type { ColumnInfo } from "../../schema.ts";
import { parseSettings, prepareCells } from "../prepare-cells.ts";
import type { Change } from "../change.ts";
import { checkType } from "./column-input.ts";
import { COLUMNS_TABLE, columnInfo } from "./columns.ts";
import { updateMetadata } from "../metadata.ts";
import { setDisplayFormula } from "../references/display-formulas.ts";
import { modifyColumn } from "./modify-column.ts";
import { readRows } from "../row-storage.ts";
import { targetsOf } from "../references/two-way-references.ts";

/** Fills one column of a table from another: with copies of its cells, or converted to another type. */

/** Copies the type, options and cells of a column to another. `options` override those of the source. */
export function copyColumn(
  change: Change,
  table: string,
  { from, to, options }: { from: string; to: string; options: string | null },
): void {
  const { source, target } = columnsOf(change, table, from, to);
  const values = readRows(change.db, table, [change.catalog.column(table, from)]);
  convertToData(change, table, target, {
    type: source.type,
    widgetOptions: options ?? source.widgetOptions,
    visibleCol: source.visibleCol,
    staysEmpty: source.type === "Any" && isEmptyColumn(source),
  });
  // Both columns share the conditional formats.
  if (source.rules && source.ref !== target.ref) {
    updateMetadata(change, COLUMNS_TABLE, target.ref, { rules: ["L", ...source.rules] });
  }
  const helper = change.schema.columnByRef.get(source.displayCol);
  setDisplayFormula(change, table, {
    field: null,
    column: to,
    formula: helper ? rewriteDisplayFormula(change, table, { formula: helper.formula, from, to }) : "",
  });
  writeCells(change, table, { to, ids: values.ids, cells: values.cells[0] ?? [] });
}

export interface Conversion {
  readonly from: string;
  readonly to: string;
  readonly type: string;
  /** The widget options of the target column; null or an empty string keeps its current ones. */
  readonly options: string | null;
  /** The ref of the display column of a reference, or 0. */
  readonly visibleCol: number;
}

/** Changes the type of a column and fills it by parsing the displayed texts of another column. */
export function convertColumn(change: Change, table: string, conversion: Conversion): void {
  const { target } = columnsOf(change, table, conversion.from, conversion.to);
  const { ids, cells } = previewConvertedCells(change, table, conversion);
  const { from, to, type, options, visibleCol } = conversion;
  convertToData(change, table, target, {
    type,
    widgetOptions: options || target.widgetOptions,
    visibleCol,
    staysEmpty: type === "Any" && isEmptyColumn(columnInfo(change, table, from)),
  });
  writeCells(change, table, { to, ids, cells });
}

export interface ConvertedCells {
  readonly ids: number[];
  readonly before: readonly CellValue[];
  /** The input of the conversion: displayed texts, and raw values where display loses precision. */
  readonly input: readonly CellValue[];
  readonly cells: CellValue[];
}

/** Returns the cells that a conversion would write, without writing them. */
export function previewConvertedCells(
  change: Change,
  table: string,
  { from, to, type, options, visibleCol }: Conversion,
): ConvertedCells {
  const source = columnInfo(change, table, from);
  const target = columnInfo(change, table, to);
  checkConvertible(source, target);
  checkType(type);
  const shown = change.schema.columnByRef.get(visibleCol);
  if (visibleCol > 0 && change.schema.tableByRef.get(shown?.tableRef ?? 0)?.id !== columnType(type).target) {
    throw invalid(`Column ${visibleCol} cannot be displayed by a column of type ${JSON.stringify(type)}`);
  }
  const rows = readRows(change.db, table, [change.catalog.column(table, from)]);
  const before = rows.cells[0] ?? [];
  const kind = columnType(type);
  const show = displayFormatter(change, table, source);
  const input = before.map((cell) => (isLossyAsText(cell, columnType(source.type), kind) ? cell : show(cell)));
  const column = { ...change.catalog.column(table, to), type, kind };
  const info = { ...target, widgetOptions: options || target.widgetOptions, visibleCol };
  return {
    ids: rows.ids,
    before,
    input,
    cells: prepareCells(change, { table, column, info, values: input, parse: true }),
  };
}

const QUANTITIES: ReadonlySet<string> = new Set(["Numeric", "Int", "Bool"]);
const TIMES: ReadonlySet<string> = new Set(["Date", "DateTime"]);

/** Returns true when display loses precision: numbers are displayed rounded, times without seconds. */
function isLossyAsText(cell: CellValue, from: ColumnType, to: ColumnType): boolean {
  if (cell === null) return true;
  if (typeof cell !== "number" && typeof cell !== "boolean") return false;
  // As text, a number other than 1 and 0 is rejected as a boolean.
  if (to.base === "Bool") return from.base === "Bool";
  // An Any column keeps booleans, which text would lose.
  if (to.base === "Any" && typeof cell === "boolean") return true;
  return [QUANTITIES, TIMES].some((family) => family.has(from.base) && family.has(to.base));
}

/** Returns the function that formats the cells of a column for display. */
function displayFormatter(change: Change, table: string, source: ColumnInfo): (cell: CellValue) => string {
  const column = change.catalog.column(table, source.id);
  const { kind } = column;
  const ownFormatter = cellFormatter(kind, parseSettings(change, { table, column }));
  const shown = change.schema.columnByRef.get(source.visibleCol);
  const target = shown && change.schema.tableByRef.get(shown.tableRef)?.id;
  if (kind.target === undefined) return ownFormatter;
  const named = (ids: readonly number[], show: (id: number) => string) => joinRow(ids.map(show));
  if (target !== kind.target || !shown) return ownFormatter;
  const other = change.catalog.column(target, shown.id);
  const showOther = cellFormatter(other.kind, parseSettings(change, { table: target, column: other }));
  const rows = readRows(change.db, target, [other]);
  const byId = new Map(rows.ids.map((id, r) => [id, rows.cells[0]?.[r] ?? null]));
  return (cell) => (isText(cell) ? cell : named(targetsOf(cell), (id) => showOther(byId.get(id) ?? null)));
}

const isText = (cell: CellValue): cell is string => typeof cell === "string";

function columnsOf(
  change: Change,
  table: string,
  from: string,
  to: string,
): { source: ColumnInfo; target: ColumnInfo } {
  const source = columnInfo(change, table, from);
  const target = columnInfo(change, table, to);
  checkConvertible(source, target);
  if (target.isFormula && target.formula !== "") throw invalid(`${JSON.stringify(to)} is a formula column`);
  return { source, target };
}

function checkConvertible(source: ColumnInfo, target: ColumnInfo): void {
  for (const { id } of [source, target]) {
    if (id === "manualSort") throw invalid('The position column "manualSort" cannot be converted');
  }
  if (target.summarySourceCol > 0) {
    throw invalid(`${JSON.stringify(target.id)} is a group-by column of a summary table and cannot be changed`);
  }
}

/** Returns true for an empty column: it has no formula and has never had values. */
const isEmptyColumn = ({ isFormula, formula }: ColumnInfo): boolean => isFormula && formula === "";

/**
 * Converts a column to a data column with these properties. An empty column stays empty when `staysEmpty`.
 */
function convertToData(
  change: Change,
  table: string,
  target: ColumnInfo,
  {
    type,
    widgetOptions,
    visibleCol,
    staysEmpty,
  }: { type: string; widgetOptions: string; visibleCol: number; staysEmpty: boolean },
): void {
  const isFormula = staysEmpty && isEmptyColumn(target);
  modifyColumn(change, table, target.id, { type, isFormula, widgetOptions });
  modifyColumn(change, table, target.id, { visibleCol });
}

function writeCells(
  change: Change,
  table: string,
  { to, ids, cells }: { to: string; ids: number[]; cells: CellValue[] },
) {
  if (ids.length > 0) change.apply(["BulkUpdateRecord", table, ids, { [to]: cells }]);
}

/** Rewrites the display formula of one column for another: `$From.Name` becomes `$To.Name`. */
function rewriteDisplayFormula(
  change: Change,
  table: string,
  { formula, from, to }: { formula: string; from: string; to: string },
) {
  const isSourceColumn = (reference: NameReference) =>
    reference.kind === "column" && reference.column === from && formula[reference.from - 1] === "$";
  return replaceNames(formula, findNameReferences(formula, table, change.schema), (reference) =>
    isSourceColumn(reference) ? to : undefined,
  );
}
