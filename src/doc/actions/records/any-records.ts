import { invalid } from "../../../errors.ts";
import type { TableInfo } from "../../schema.ts";
import type { CellValue } from "../../../values/cell.ts";
import { columnOf } from "../catalog.ts";
import type { Change } from "../change.ts";
import { booleanField, type ColumnInput } from "../schema/column-input.ts";
import { removeComments } from "../comments.ts";
import { isMetadataTable } from "../doc-action.ts";
import { convertEmptyToText } from "./empty-columns.ts";
import { metadataIds, updateMetadata } from "../metadata.ts";
import { checkMetadataReferences } from "../metadata-references.ts";
import { modifyColumn } from "../schema/modify-column.ts";
import {
  addRecords,
  type InputIds,
  type InputValues,
  removeRecords,
  replaceRecords,
  updateRecords,
} from "./records.ts";
import { removeShares } from "./share-records.ts";
import {
  removeColumn,
  removePages,
  removeSections,
  removeTable,
  removeUnusedHelpers,
} from "../schema/remove-columns-and-tables.ts";
import { checkRuleTableAccess, withParsedFormulas } from "./access-rule-records.ts";
import { keepHiddenFilters } from "../sections/hidden-filters.ts";
import { checkFieldRemoval, checkSectionUpdate } from "../sections/built-in-sections.ts";
import { renameTable } from "../schema/tables.ts";
import { removePageRecords } from "../sections/remove-views.ts";

/**
 * Changes records of any table. Records of `_grist_Tables` and `_grist_Tables_column` represent tables and columns:
 * changing or removing them changes or removes the table or column.
 */

export function addAnyRecords(change: Change, table: string, ids: InputIds, values: InputValues): number[] {
  checkMetadata(change, table);
  if (table === TABLES_TABLE || table === COLUMNS_TABLE || table === DOC_INFO_TABLE)
    throw invalid(`Records cannot be added to ${table}`);
  const added = addRecords(change, table, ids, withParsedFormulas(table, values));
  checkMetadataReferences(change, table, { ids: added, columns: values.keys(), areNew: true });
  return added;
}

export function updateAnyRecords(change: Change, table: string, ids: readonly number[], values: InputValues): void {
  checkMetadata(change, table);
  if (table === DOC_INFO_TABLE) checkDocInfoColumns(values.keys());
  checkSectionUpdate(change, table, { ids, values });
  if (table === "_grist_Views_section") propagateTitles(change, ids, values.get("title"));
  if (table !== TABLES_TABLE && table !== COLUMNS_TABLE) {
    const kept = table === "_grist_Views_section" ? keepHiddenFilters(change, ids, values) : values;
    updateRecords(change, table, ids, withParsedFormulas(table, kept));
    checkMetadataReferences(change, table, { ids, columns: values.keys() });
    // Fields and sections may have been the last users of a hidden column.
    if (isMetadataTable(table) && (values.has("rules") || values.has("displayCol"))) removeUnusedHelpers(change);
    return;
  }
  for (const name of values.keys()) columnOf(change.catalog.table(table), name);
  change.reservedNames = change.schema;
  for (const [r, id] of ids.entries()) {
    const input: ColumnInput = Object.fromEntries([...values].map(([name, list]) => [name, list[r] ?? null]));
    if (table === TABLES_TABLE) modifyTable(change, tableOf(change, id), input);
    else {
      const column = findColumnByRef(change, id);
      modifyColumn(change, column.table, column.id, input);
    }
  }
  change.reservedNames = null;
}

/** The title of a raw section is the name of its table: renames the table and the pages with the same name. */
function propagateTitles(change: Change, sections: readonly number[], titles: readonly unknown[] | undefined): void {
  for (const [s, title] of (titles ?? []).entries()) {
    const table = change.schema.tables.find(({ rawViewSectionRef }) => rawViewSectionRef === sections[s]);
    if (!table || typeof title !== "string" || title === "") continue;
    const [row] = change.db.values("select title from _grist_Views_section where id = ?", table.rawViewSectionRef);
    const before = String(row?.[0] || table.id);
    if (title === before) continue;
    renameTable(change, table.id, title);
    const shows = "exists (select 1 from _grist_Views_section s where s.parentId = v.id and s.tableRef = ?)";
    const views = `select id from _grist_Views v where name = ? and ${shows}`;
    updateMetadata(change, "_grist_Views", metadataIds(change, views, before, table.ref), { name: title });
  }
}

export function removeAnyRecords(change: Change, table: string, ids: readonly number[]): void {
  checkMetadata(change, table);
  switch (table) {
    case DOC_INFO_TABLE:
      throw invalid(`The record of ${table} cannot be removed`);
    case TABLES_TABLE:
      for (const id of ids) if (change.schema.tableByRef.has(id)) removeTable(change, tableOf(change, id).id);
      return;
    case COLUMNS_TABLE:
      for (const id of ids) {
        if (!change.schema.columnByRef.has(id)) continue;
        const column = findColumnByRef(change, id);
        removeColumn(change, column.table, column.id);
      }
      return;
    case "_grist_Views":
      return removePages(change, ids);
    case "_grist_Views_section":
      return removeSections(change, ids);
    case "_grist_Views_section_field":
      checkFieldRemoval(change, ids);
      removeRecords(change, table, ids);
      return removeUnusedHelpers(change);
    case "_grist_Pages":
      return removePageRecords(change, ids);
    case "_grist_Cells":
      return removeComments(change, ids);
    case "_grist_Shares":
      return removeShares(change, ids);
    default:
      return removeRecords(change, table, ids);
  }
}

export function replaceAnyRecords(change: Change, table: string, ids: InputIds, values: InputValues): void {
  if (isMetadataTable(table)) throw invalid(`The records of ${table} cannot be replaced`);
  replaceRecords(change, table, ids, values);
}

/** Changes the id of a table and the fields of its record. */
export function modifyTable(change: Change, table: TableInfo, input: ColumnInput): void {
  const { tableId, onDemand: _, ...rest } = input;
  if (tableId !== undefined) renameTable(change, table.id, nameOf(tableId));
  const onDemand = booleanField(input, "onDemand");
  if (onDemand && table.summarySourceTable) throw invalid("Summary tables cannot be loaded on demand");
  if (onDemand !== undefined && onDemand !== table.onDemand) setOnDemand(change, table, onDemand);
  const values: [string, CellValue][] = Object.entries(rest).map(([name, value]) => {
    if (name === "summarySourceTable" && value !== table.summarySourceTable) {
      throw invalid('"summarySourceTable" cannot be changed');
    }
    if (typeof value === "number" && Number.isSafeInteger(value)) return [name, value];
    throw invalid(`${JSON.stringify(name)} must be an integer`);
  });
  updateMetadata(change, TABLES_TABLE, table.ref, Object.fromEntries(values));
  checkMetadataReferences(change, TABLES_TABLE, { ids: [table.ref], columns: values.map(([name]) => name) });
}

const TABLES_TABLE = "_grist_Tables";
const COLUMNS_TABLE = "_grist_Tables_column";
/** Holds one record about the document itself. */
export const DOC_INFO_TABLE = "_grist_DocInfo";

function checkMetadata(change: Change, table: string): void {
  if (!isMetadataTable(table)) return;
  change.catalog.table(table);
  checkRuleTableAccess(change, table);
}

const SETTABLE_DOC_INFO: ReadonlySet<string> = new Set(["timezone", "documentSettings"]);

/** @throws AppError `invalid` when a caller must not set one of these columns of the document's record */
export function checkDocInfoColumns(columns: Iterable<string>): void {
  for (const name of columns) if (!SETTABLE_DOC_INFO.has(name)) throw invalid(`${JSON.stringify(name)} cannot be set`);
}

function nameOf(tableId: unknown): string {
  if (typeof tableId === "string") return tableId;
  if (typeof tableId === "number") return String(tableId);
  throw invalid('"tableId" must be a string');
}

/** Sets whether a table is loaded on demand. Such a table has no empty columns: they become text columns. */
function setOnDemand(change: Change, table: TableInfo, onDemand: boolean): void {
  updateMetadata(change, TABLES_TABLE, table.ref, { onDemand });
  const { id } = change.schema.tableByRef.get(table.ref) ?? table;
  for (const column of change.catalog.table(id).columns.values()) {
    if (!column.isFormula) continue;
    if (onDemand && column.formula === "") convertEmptyToText(change, id, column);
    else change.dirty.columnChanged(id, column.id);
  }
}

function tableOf(change: Change, ref: number): TableInfo {
  const table = change.schema.tableByRef.get(ref);
  if (!table) throw invalid(`Table ${ref} does not exist`);
  return table;
}

function findColumnByRef(change: Change, ref: number): { table: string; id: string } {
  const column = change.schema.columnByRef.get(ref);
  const table = column && change.schema.tableByRef.get(column.tableRef);
  if (!table) throw invalid(`Column ${ref} does not exist`);
  return { table: table.id, id: column.id };
}
