import { invalid } from "../../../errors.ts";
import { type CellValue, isErrorCell } from "../../../values/cell.ts";
import { columnType } from "../../../values/column-type.ts";
import type { ColumnInfo } from "../../schema.ts";
import type { CatalogColumn } from "../catalog.ts";
import type { Change } from "../change.ts";
import {
  booleanField,
  type ColumnInput,
  checkType,
  labelText,
  optionsText,
  refField,
  textField,
} from "./column-input.ts";
import { changeType, typeConversion } from "./column-type-change.ts";
import { COLUMNS_TABLE, columnInfo, columnPosition, referenceFields, renameColumn } from "./columns.ts";
import type { ColumnSpec, RowValues } from "../doc-action.ts";
import { updateMetadata } from "../metadata.ts";
import { readRows } from "../row-storage.ts";
import { checkSummaryColumn } from "../summaries/summary-columns.ts";
import { followInSisters, propagateToSummaries, keepsDisplay } from "../summaries/propagate-to-summaries.ts";

/** The fields of a column that a request may change. */
export const MODIFIABLE_FIELDS: ReadonlySet<string> = new Set(
  (
    "label colId type formula isFormula widgetOptions description untieColIdFromLabel " +
    "visibleCol displayCol rules recalcWhen recalcDeps reverseCol parentPos"
  ).split(" "),
);

/**
 * Changes the name, type, formula and other properties of a column, and returns its id. A new type of a summary's
 * formula column also applies to the columns with the same id and formula in other summaries of the source. A two-way
 * reference keeps its reverse when it changes between Ref and RefList, is unlinked when it becomes another type, and
 * cannot refer to another table.
 */
export function modifyColumn(change: Change, table: string, id: string, input: ColumnInput): string {
  const info = columnInfo(change, table, id);
  if (id === "manualSort") refuseManualSortChange(input);
  checkSummaryColumn(change.schema, info, input);
  checkReverse(info, input);
  const name = requestedName(info, input);
  const to = name === undefined ? id : renameColumn(change, table, id, name);
  const spec = applyKind(change, table, to, input);
  const clearedDisplay =
    spec.type !== undefined && !keepsDisplay(info.type, spec.type) ? { visibleCol: 0, displayCol: 0 } : {};
  const unlinksReverse = Object.keys(clearedDisplay).length > 0 || spec.isFormula === true || input["reverseCol"] === 0;
  const values: RowValues = {
    ...spec,
    ...clearedDisplay,
    ...plainFields(change, input),
    ...referenceFields(change, info.tableRef, input),
  };
  updateMetadata(change, COLUMNS_TABLE, info.ref, values);
  propagateToSummaries(change, { ...info, id: to }, values);
  followInSisters(change, info, values);
  if (unlinksReverse && info.reverseCol > 0)
    updateMetadata(change, COLUMNS_TABLE, [info.ref, info.reverseCol], { reverseCol: 0 });
  if (values.displayCol !== undefined || values.rules !== undefined) change.mayLeaveHelpers = true;
  return to;
}

/** Returns the name to derive the new id from; undefined to keep the id. `colId` takes precedence over `label`. */
function requestedName(info: ColumnInfo, input: ColumnInput): string | undefined {
  const { colId } = input;
  if (typeof colId === "number") return String(colId);
  if (colId !== undefined && colId !== null) return textField(input, "colId");
  const untied = booleanField(input, "untieColIdFromLabel");
  if (untied ?? info.untieColIdFromLabel) return undefined;
  if (input["label"] !== undefined) return labelText(input["label"]);
  return untied === false && info.untieColIdFromLabel ? info.label : undefined;
}

/** Applies the requested type and formula to the column. Returns the changed fields of its record. */
function applyKind(change: Change, table: string, id: string, input: ColumnInput): Partial<ColumnSpec> {
  const column = change.catalog.column(table, id);
  const requested = {
    type: textField(input, "type"),
    isFormula: booleanField(input, "isFormula"),
    formula: textField(input, "formula"),
  };
  if (requested.type !== undefined) checkType(requested.type);
  const isFormula = requested.isFormula ?? column.isFormula;
  const type = requested.type ?? (column.isFormula && !isFormula ? dataTypeFor(change, table, column) : column.type);
  const spec: { -readonly [K in keyof ColumnSpec]?: ColumnSpec[K] } = {};
  if (type !== column.type) spec.type = type;
  if (isFormula !== column.isFormula) spec.isFormula = isFormula;
  if (requested.formula !== undefined && requested.formula !== column.formula) spec.formula = requested.formula;
  if (Object.keys(spec).length === 0) return spec;
  // Results of formulas are recomputed; data are converted.
  if (isFormula || type === column.type) change.apply(["ModifyColumn", table, id, spec]);
  else changeType(change, table, column, { spec, convert: typeConversion(column.type, type) });
  return spec;
}

/** Returns the data type for the results of an untyped formula column that becomes a data column. */
function dataTypeFor(change: Change, table: string, column: CatalogColumn): string {
  if (column.type !== "Any") return column.type;
  const [cells = []] = readRows(change.db, table, [column]).cells;
  const values = cells.filter((value) => value !== null && value !== "" && !isErrorCell(value));
  const numbers = values.filter((value) => typeof value === "number");
  return values.length > 0 && numbers.length >= values.length * 0.9 ? "Numeric" : "Text";
}

/** Returns the given fields that affect the column's record only. */
function plainFields(change: Change, input: ColumnInput): RowValues {
  const position = input["parentPos"] ?? input["_position"];
  const values: Record<string, CellValue | undefined> = {
    label: input["label"] === undefined ? undefined : labelText(input["label"]),
    widgetOptions: input["widgetOptions"] === undefined ? undefined : optionsText(input["widgetOptions"]),
    description: input["description"] === undefined ? undefined : labelText(input["description"]),
    untieColIdFromLabel: booleanField(input, "untieColIdFromLabel"),
    parentPos: position === undefined ? undefined : columnPosition(change, position),
  };
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, CellValue] => entry[1] !== undefined),
  );
}

/** A reverse column is linked when it is created; afterwards it can only be unlinked. */
function checkReverse(info: ColumnInfo, input: ColumnInput): void {
  const reverse = refField(input, "reverseCol") ?? info.reverseCol;
  if (reverse !== 0 && reverse !== info.reverseCol) throw invalid('"reverseCol" can only be set by AddReverseColumn');
  const type = textField(input, "type");
  const target = type === undefined ? undefined : columnType(type).target;
  if (reverse > 0 && target !== undefined && target !== columnType(info.type).target) {
    throw invalid(
      `Column ${JSON.stringify(info.id)} has a reverse column and cannot refer to ${JSON.stringify(target)}: ` +
        `set its reverseCol to 0 first`,
    );
  }
}

function refuseManualSortChange(input: ColumnInput): void {
  const wrong = ["colId", "type", "isFormula", "formula"].find((field) => input[field] !== undefined);
  if (wrong) throw invalid(`${JSON.stringify(wrong)} of the position column "manualSort" cannot be changed`);
}
