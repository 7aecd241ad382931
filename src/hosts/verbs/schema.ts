import type { DocumentGrant } from "../../authorization.ts";
import type { UserAction } from "../../doc/actions/apply-user-actions.ts";
import { MODIFIABLE_FIELDS } from "../../doc/actions/schema/modify-column.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { findUserTable } from "../../doc/read/read-table.ts";
import { visibilityFor } from "../../doc/read/visibility-filter.ts";
import type { ColumnInfo, TableInfo } from "../../doc/schema.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import {
  AddColumnsBody,
  AddTablesBody,
  ModifyColumnsBody,
  ModifyTablesBody,
  PutColumnsBody,
} from "../../wire/tables/table-writes.ts";
import { parseJson, validate } from "../../payload.ts";
import { verb } from "./verb.ts";
import { applyAsCaller, type JsonResult, jsonResult } from "./apply-actions.ts";

interface BodyArgs {
  /** JSON as received. */
  readonly body: Uint8Array | null;
}

interface ColumnsArgs extends BodyArgs {
  /** Table id, or its numeric reference as digits. */
  readonly table: string;
}

interface PutColumnsArgs extends ColumnsArgs {
  readonly noadd: boolean;
  readonly noupdate: boolean;
  readonly replaceall: boolean;
}

interface DeleteTableArgs {
  /** Table id, or its numeric reference as digits. */
  readonly table: string;
}

interface DeleteColumnArgs {
  readonly table: string;
  /** The column's id, in its exact case. */
  readonly column: string;
}

/** Verbs that change tables and columns. */
export const schemaVerbs = {
  "tables.add": verb({ needs: "editors", changes: "content", underRules: "enforced", run: addTables }),
  "tables.modify": verb({ needs: "editors", changes: "content", underRules: "enforced", run: modifyTables }),
  "tables.delete": verb({ needs: "editors", changes: "content", underRules: "enforced", run: deleteTable }),
  "columns.add": verb({ needs: "editors", changes: "content", underRules: "enforced", run: addColumns }),
  "columns.modify": verb({ needs: "editors", changes: "content", underRules: "enforced", run: modifyColumns }),
  "columns.put": verb({ needs: "editors", changes: "content", underRules: "enforced", run: putColumns }),
  "columns.delete": verb({ needs: "editors", changes: "content", underRules: "enforced", run: deleteColumn }),
};

const TABLES = "_grist_Tables";
const COLUMNS = "_grist_Tables_column";
const PARSED = { noparse: false };

type Fields = Readonly<Record<string, unknown>>;

/** Accepted fields of a new table's columns; others are ignored. */
const NEW_TABLE_FIELDS = ["type", "formula", "isFormula", "label", "widgetOptions"];

function addTables(document: OpenDocument, grant: DocumentGrant, args: BodyArgs): JsonResult {
  const { tables } = validate(AddTablesBody, parseJson(args.body), "body");
  const actions = tables.map(({ id, columns }) => [
    "AddTable",
    id ?? null,
    columns.map((column) => ({ ...pick(column.fields ?? {}, NEW_TABLE_FIELDS), id: column.id ?? "" })),
  ]);
  const { retValues } = applyAsCaller(document, grant, actions, PARSED);
  return jsonResult({ tables: (retValues as { table_id: string }[]).map(({ table_id: id }) => ({ id })) });
}

const TABLE_FIELDS: ReadonlySet<string> = new Set([
  "tableId",
  "tableRef",
  "onDemand",
  "primaryViewId",
  "rawViewSectionRef",
  "recordCardViewSectionRef",
]);

function modifyTables(document: OpenDocument, grant: DocumentGrant, args: BodyArgs): JsonResult {
  const { tables } = validate(ModifyTablesBody, parseJson(args.body), "body");
  requireSameFields(tables, "tables");
  const refs = tables.map(({ id, fields }) => {
    const { ref } = findUserTable(document.schema, id);
    const { tableRef = ref } = fields;
    if (tableRef !== ref) throw invalid(`The table ${JSON.stringify(id)} has the tableRef ${ref}, which cannot change`);
    return ref;
  });
  const names = requireKnownFields(tables[0]?.fields ?? {}, TABLE_FIELDS).filter((name) => name !== "tableRef");
  const columns = Object.fromEntries(names.map((name) => [name, tables.map(({ fields }) => fields[name])]));
  applyAsCaller(document, grant, [["BulkUpdateRecord", TABLES, refs, columns]], PARSED);
  return jsonResult(null);
}

/** A table that rules hide from the caller does not exist for them. */
function deleteTable(document: OpenDocument, grant: DocumentGrant, args: DeleteTableArgs): JsonResult {
  const { id } = visibilityFor(document, grant).userTable(args.table);
  applyAsCaller(document, grant, [["RemoveTable", id]], PARSED);
  return jsonResult(null);
}

function addColumns(document: OpenDocument, grant: DocumentGrant, args: ColumnsArgs): JsonResult {
  const { columns } = validate(AddColumnsBody, parseJson(args.body), "body");
  const table = findUserTable(document.schema, args.table);
  const actions = columns.map(({ id, fields }) => addition(table, id, fields ?? {}));
  const { retValues } = applyAsCaller(document, grant, actions, PARSED);
  return jsonResult({ columns: (retValues as { colId: string }[]).map(({ colId: id }) => ({ id })) });
}

function modifyColumns(document: OpenDocument, grant: DocumentGrant, args: ColumnsArgs): JsonResult {
  const { columns } = validate(ModifyColumnsBody, parseJson(args.body), "body");
  requireSameFields(columns, "columns");
  const table = findUserTable(document.schema, args.table);
  const refs = columns.map(({ id }) => findColumn(table, id).ref);
  const names = requireKnownFields(columns[0]?.fields ?? {}, MODIFIABLE_FIELDS);
  const values = Object.fromEntries(names.map((name) => [name, columns.map(({ fields }) => fields[name])]));
  applyAsCaller(document, grant, [["BulkUpdateRecord", COLUMNS, refs, values]], PARSED);
  return jsonResult(null);
}

/** Updates existing columns, then adds new ones, then removes unlisted ones. */
function putColumns(document: OpenDocument, grant: DocumentGrant, args: PutColumnsArgs): JsonResult {
  const { columns } = validate(PutColumnsBody, parseJson(args.body), "body");
  const table = findUserTable(document.schema, args.table);
  const existing = columns.filter(({ id }) => table.columnById.has(id));
  const newColumns = columns.filter(({ id }) => !table.columnById.has(id));
  for (const { fields } of existing) if (!args.noupdate) requireKnownFields(fields, MODIFIABLE_FIELDS);
  const requestedIds = new Set(columns.map(({ id }) => id));
  const unlistedColumns = table.columns.filter(({ id, isHidden }) => !isHidden && !requestedIds.has(id));
  const actions: UserAction[] = [
    ...(args.noupdate ? [] : existing.flatMap(({ id, fields }) => update(table.columnById.get(id), fields))),
    ...(args.noadd ? [] : newColumns.map(({ id, fields }) => addition(table, id, fields))),
    ...(args.replaceall && unlistedColumns.length > 0
      ? [["BulkRemoveRecord", COLUMNS, unlistedColumns.map(({ ref }) => ref)]]
      : []),
  ];
  applyAsCaller(document, grant, actions, PARSED);
  return jsonResult(null);
}

function deleteColumn(document: OpenDocument, grant: DocumentGrant, args: DeleteColumnArgs): JsonResult {
  const table = findUserTable(document.schema, args.table);
  const column = findColumn(table, args.column);
  applyAsCaller(document, grant, [["RemoveColumn", table.id, column.id]], PARSED);
  return jsonResult(null);
}

function findColumn(table: TableInfo, id: string): ColumnInfo {
  const column = table.columnById.get(id);
  if (!column) throw notFound(`Column not found "${id}"`, "column.not_found");
  return column;
}

const addition = (table: TableInfo, id: string | undefined, fields: Fields): UserAction => [
  "AddVisibleColumn",
  table.id,
  id ?? null,
  fields,
];

const update = (column: ColumnInfo | undefined, fields: Fields): UserAction[] =>
  column ? [["UpdateRecord", COLUMNS, column.ref, fields]] : [];

const pick = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));

/** The columns of one action need the same set of fields in all items. */
function requireSameFields(items: readonly { fields: Fields }[], listName: string): void {
  const keys = items.map(({ fields }) => Object.keys(fields).toSorted().join("\n"));
  const differingIndex = keys.findIndex((fieldNames) => fieldNames !== keys[0]);
  if (differingIndex < 0) return;
  const details = {
    userError: `Error: body.${listName}[${differingIndex}].fields must name the same fields as the others`,
  };
  throw new AppError("record.fields_differ", "Invalid payload", { details });
}

/** Returns the names of the fields. @throws AppError `invalid` for unknown ones */
function requireKnownFields(fields: Fields, known: ReadonlySet<string>): string[] {
  const names = Object.keys(fields);
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) throw invalid(`Unknown field ${JSON.stringify(unknown)}`);
  return names;
}
