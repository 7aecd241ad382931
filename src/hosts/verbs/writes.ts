import type { DocumentGrant } from "../../authorization.ts";
import type { AppliedActions, UserAction } from "../../doc/actions/apply-user-actions.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { undoSince } from "../../doc/history/restore.ts";
import { undoOf } from "../../doc/history/undo.ts";
import { maskedHash } from "../../doc/history/states.ts";
import { isRestricted } from "../../doc/read/visibility-filter.ts";
import { findReadTable } from "../../doc/read/read-table.ts";
import { userInfo } from "../../doc/user-info.ts";
import { invalidPayload, frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import { parseJson } from "../../payload.ts";
import {
  collectAddedRecords,
  collectUpsertedRecords,
  parseAddedData,
  parseAddedRecords,
  parseModifiedData,
  parseModifiedRecords,
  parseRowIds,
  parseUpsertedRecords,
  type UpsertGroup,
} from "./record-bodies.ts";
import { conversionVerbs } from "./conversions.ts";
import { schemaVerbs } from "./schema.ts";
import { verb } from "./verb.ts";
import { type LinesArgs, namingLine } from "./line-faults.ts";
import { applyAsCaller, type JsonResult, jsonResult } from "./apply-actions.ts";
import { type MatchedRowsArgs, parseDeletedByFilter, parseModifiedByFilter } from "./matched-rows.ts";
import { returning, type ReturningArgs } from "./returned-records.ts";

interface TableArgs {
  /** Table id, or its numeric reference as digits; includes metadata tables. */
  readonly table: string;
  /** JSON as received. */
  readonly body: Uint8Array | null;
}

interface ParsedArgs extends TableArgs {
  /** Strings are stored without parsing. */
  readonly noparse: boolean;
}

interface AddArgs extends ParsedArgs, ReturningArgs, LinesArgs {
  /** The body may be a list of records with fields at the top level. */
  readonly flat: boolean;
}

interface UpsertOptions {
  /** `first`, `none` or `all`; empty counts as absent. */
  readonly onmany?: string | undefined;
  readonly noadd: boolean;
  readonly noupdate: boolean;
  readonly allowEmptyRequire: boolean;
}

interface ModifyArgs extends ParsedArgs, MatchedRowsArgs, ReturningArgs {}

interface UpsertArgs extends ParsedArgs, ReturningArgs, UpsertOptions, LinesArgs {}

interface UndoArgs {
  /** Number of the state. */
  readonly state: number;
}

interface ApplyArgs {
  readonly noparse: boolean;
  readonly body: Uint8Array | null;
}

const WRITE_VERB = { needs: "editors", changes: "content", underRules: "enforced", commits: "batched" } as const;

/** Verbs that change a document, one entry each. Bodies are parsed and validated here; answers are JSON as bytes. */
export const writeVerbs = {
  "records.add": verb({ ...WRITE_VERB, run: addRecords }),
  "records.modify": verb({ ...WRITE_VERB, run: modifyRecords }),
  "records.upsert": verb({ ...WRITE_VERB, run: upsertRecords }),
  "records.delete": verb({ ...WRITE_VERB, run: deleteRecords }),
  "data.add": verb({ ...WRITE_VERB, run: addData }),
  "data.modify": verb({ ...WRITE_VERB, run: modifyData }),
  "data.delete": verb({ ...WRITE_VERB, run: deleteData }),
  "actions.apply": verb({ ...WRITE_VERB, run: applyActions }),
  "states.undo": verb({ ...WRITE_VERB, run: undoState }),
  "states.restore": verb({ needs: "owners", changes: "content", underRules: "requiresFullAccess", run: restoreState }),
  ...schemaVerbs,
  ...conversionVerbs,
};

function addRecords(document: OpenDocument, grant: DocumentGrant, args: AddArgs): JsonResult {
  const actionsOf = (records: readonly Record<string, unknown>[]) => [
    addAction(tableId(document, args), collectAddedRecords(records, args)),
  ];
  return namingLine(document, grant, { args, actionsOf, write: () => addParsedRecords(document, grant, args) });
}

function addParsedRecords(document: OpenDocument, grant: DocumentGrant, args: AddArgs): JsonResult {
  const added = parseAddedRecords(args.body, args);
  const table = tableId(document, args);
  const write = () => {
    const ids = addRows(document, grant, { ...args, table }, added);
    return { ids, answer: { records: ids.map((id) => ({ id })) } };
  };
  return returning(document, grant, { returned: args.returned, table, write });
}

function addData(document: OpenDocument, grant: DocumentGrant, args: ParsedArgs): JsonResult {
  const added = parseAddedData(args.body);
  return jsonResult(addRows(document, grant, { ...args, table: tableId(document, args) }, added));
}

function addRows(
  document: OpenDocument,
  grant: DocumentGrant,
  { table, ...args }: ParsedArgs,
  added: { count: number; columns: object },
): number[] {
  const options = { ...args, storesRecords: true };
  const { retValues } = applyAsCaller(document, grant, [addAction(table, added)], options);
  return retValues[0] as number[];
}

const addAction = (table: string, { count, columns }: { count: number; columns: object }): UserAction => [
  "BulkAddRecord",
  table,
  Array.from({ length: count }, () => null),
  columns,
];

function modifyRecords(document: OpenDocument, grant: DocumentGrant, args: ModifyArgs): JsonResult {
  const { filter, body } = args;
  const { ids, columns } = filter
    ? parseModifiedByFilter(document, grant, { ...args, filter })
    : parseModifiedRecords(body);
  const table = tableId(document, args);
  const write = () => {
    applyAsCaller(document, grant, [["BulkUpdateRecord", table, ids, columns]], args);
    return { ids, answer: null };
  };
  return returning(document, grant, { returned: args.returned, table, write });
}

function modifyData(document: OpenDocument, grant: DocumentGrant, args: ParsedArgs): JsonResult {
  const { ids, columns } = parseModifiedData(args.body);
  applyAsCaller(document, grant, [["BulkUpdateRecord", tableId(document, args), ids, columns]], args);
  return jsonResult(ids);
}

function deleteRecords(document: OpenDocument, grant: DocumentGrant, args: TableArgs): JsonResult {
  const ids = parseDeletedByFilter(document, grant, args) ?? parseRowIds(args.body);
  applyAsCaller(document, grant, [["BulkRemoveRecord", tableId(document, args), ids]], { noparse: true });
  return jsonResult(null);
}

function deleteData(document: OpenDocument, grant: DocumentGrant, args: TableArgs): JsonResult {
  const ids = parseRowIds(args.body);
  applyAsCaller(document, grant, [["BulkRemoveRecord", tableId(document, args), ids]], { noparse: true });
  return jsonResult(null);
}

const ON_MANY: ReadonlySet<string> = new Set(["first", "none", "all"]);

/** Returns the options of `BulkAddOrUpdateRecord`. @throws AppError `invalid` for an unknown `onmany` */
export function upsertOptionsOf(query: Partial<UpsertOptions>) {
  const onMany = query.onmany || "first";
  if (!ON_MANY.has(onMany)) throw frozenError(FROZEN.unknownOnMany, onMany);
  const { noadd = false, noupdate = false, allowEmptyRequire = false } = query;
  return { on_many: onMany, add: !noadd, update: !noupdate, allow_empty_require: allowEmptyRequire };
}

function upsertRecords(document: OpenDocument, grant: DocumentGrant, args: UpsertArgs): JsonResult {
  const actionsOf = (records: readonly Record<string, unknown>[]) =>
    upsertActions(document, args, collectUpsertedRecords(records).groups);
  return namingLine(document, grant, { args, actionsOf, write: () => upsertParsedRecords(document, grant, args) });
}

function upsertActions(document: OpenDocument, args: UpsertArgs, groups: readonly UpsertGroup[]): UserAction[] {
  const options = upsertOptionsOf(args);
  const table = tableId(document, args);
  return groups.map(({ require, fields }) => ["BulkAddOrUpdateRecord", table, require, fields, options]);
}

function upsertParsedRecords(document: OpenDocument, grant: DocumentGrant, args: UpsertArgs): JsonResult {
  upsertOptionsOf(args);
  const { count, groups } = parseUpsertedRecords(args.body);
  const actions = upsertActions(document, args, groups);
  const table = tableId(document, args);
  const write = () => {
    const { retValues } = applyAsCaller(document, grant, actions, { ...args, storesRecords: true });
    const answer = mergeResults(count, groups, retValues as GroupResult[]);
    return { ids: answer.recordIds.flat(), answer };
  };
  return returning(document, grant, { returned: args.returned, table, write });
}

export interface GroupResult {
  readonly recordIds: number[][];
  readonly addRecordIds: number[];
  readonly updateRecordIds: number[][];
}

/** Merges the results of the groups; per-record results follow the order of the request. */
export function mergeResults(
  count: number,
  groups: readonly UpsertGroup[],
  results: readonly GroupResult[],
): GroupResult {
  const recordIds = Array.from({ length: count }, (): number[] => []);
  for (const [g, { members }] of groups.entries()) {
    for (const [k, index] of members.entries()) recordIds[index] = results[g]?.recordIds[k] ?? [];
  }
  // A request without any columns affects no records.
  const isEmptyRequest = groups.every((group) => Object.keys({ ...group.require, ...group.fields }).length === 0);
  return {
    recordIds: isEmptyRequest ? [] : recordIds,
    addRecordIds: results.flatMap((result) => result.addRecordIds),
    updateRecordIds: results.flatMap((result) => result.updateRecordIds),
  };
}

function applyActions(document: OpenDocument, grant: DocumentGrant, args: ApplyArgs): JsonResult {
  const actions = parseJson(args.body);
  if (!Array.isArray(actions)) throw invalidPayload("Error: body must be a list of actions");
  const invalidIndex = actions.findIndex((action) => !Array.isArray(action));
  if (invalidIndex >= 0)
    throw invalidPayload(`Error: body[${invalidIndex}] must be a list: an action's name and arguments`);
  return appliedResult(document, grant, applyAsCaller(document, grant, actions as UserAction[], args));
}

function undoState(document: OpenDocument, grant: DocumentGrant, { state }: UndoArgs): JsonResult {
  const actions = undoOf(document, state, userInfo(grant));
  const options = { noparse: true, restores: true };
  return appliedResult(document, grant, applyAsCaller(document, grant, [["ApplyUndoActions", actions]], options));
}

/** All access rules apply, as for the same changes made one by one. */
function restoreState(document: OpenDocument, grant: DocumentGrant, { state }: UndoArgs): JsonResult {
  const actions = undoSince(document, state);
  if (actions.length === 0) return jsonResult({ actionNum: 0, actionHash: null, retValues: [], isModification: false });
  const options = { noparse: true, restores: true, note: `Restored state ${state}` };
  return appliedResult(document, grant, applyAsCaller(document, grant, [["ApplyUndoActions", actions]], options));
}

const appliedResult = (document: OpenDocument, grant: DocumentGrant, applied: AppliedActions): JsonResult =>
  jsonResult(appliedAnswer(document, grant, applied));

/** The answer of a change: its state, which can be undone, and what the actions return. */
export function appliedAnswer(
  document: OpenDocument,
  grant: DocumentGrant,
  { stored, calculated, retValues, state }: AppliedActions,
) {
  const isModification = stored.length + calculated.length > 0;
  const { actionNum = 0 } = state ?? {};
  const isHashHidden = state !== null && isRestricted(document, grant);
  const actionHash = isHashHidden ? maskedHash(actionNum) : (state?.actionHash ?? null);
  return { actionNum, actionHash, retValues, isModification };
}

/** @throws AppError `notFound` for an unknown table */
export const tableId = (document: OpenDocument, { table }: { table: string }): string =>
  findReadTable(document.schema, table).id;
