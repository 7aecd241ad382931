import type { z } from "../../wire/common/schema.ts";
import type { DocumentGrant } from "../../authorization.ts";
import type { UserAction } from "../../doc/actions/apply-user-actions.ts";
import { takeChunks } from "../../doc/cursors.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { parseFilterValue } from "../../doc/filters/parse-filter.ts";
import { findMatchingRows } from "../../doc/read/matching-rows.ts";
import { recordsById } from "../../doc/read/records-by-id.ts";
import { findUserTable } from "../../doc/read/read-table.ts";
import { isRestricted, visibilityFor } from "../../doc/read/visibility-filter.ts";
import { replaceInColumn } from "../../doc/replace-text.ts";
import { defaultCell } from "../../doc/read/default-cell.ts";
import { valueBytes } from "../../doc/read/value-bytes.ts";
import type { ColumnInfo } from "../../doc/schema.ts";
import { AppError, invalid } from "../../errors.ts";
import { must } from "../../lib/assert.ts";
import { parseJson, validate } from "../../payload.ts";
import { ChangeMatchingBody, ChangeSizeBody } from "../../wire/tables/matching-changes.ts";
import { applyAsCaller, type JsonResult, jsonResult } from "./apply-actions.ts";
import { appliedAnswer } from "./writes.ts";
import { verb } from "./verb.ts";

interface MatchingArgs {
  /** Table id, or its numeric reference as digits. */
  readonly table: string;
  /** JSON as received. */
  readonly body: Uint8Array | null;
}

/** Changes of all rows that a filter selects. */
export const matchingChangeVerbs = {
  "records.change": verb({ needs: "editors", changes: "content", underRules: "enforced", run: changeMatching }),
};

export const changeSizeVerbs = {
  "records.changeSize": verb({ needs: "viewers", underRules: "enforced", run: changeSize }),
};

type Body = z.infer<typeof ChangeMatchingBody>;

function changeMatching(document: OpenDocument, grant: DocumentGrant, args: MatchingArgs): JsonResult {
  const body = validate(ChangeMatchingBody, parseJson(args.body), "body");
  const table = findUserTable(document.schema, args.table).id;
  const ids = matching(document, grant, table, body.filter);
  if (ids.length !== body.expectedRows) {
    throw new AppError(
      "filter.rows_changed",
      `The filter selects ${ids.length} rows; expectedRows is ${body.expectedRows}`,
      { details: { matchedRows: ids.length, expectedRows: body.expectedRows } },
    );
  }
  const { rows, action } = actionOf(document, grant, { table, ids, body });
  const options = { noparse: !("fields" in body) || body.noparse === true };
  const applied = applyAsCaller(document, grant, rows === 0 ? [] : [action], options);
  const { retValues: _, ...state } = appliedAnswer(document, grant, applied);
  return jsonResult({ rows, ...state });
}

interface Matching {
  readonly table: string;
  readonly ids: number[];
  readonly body: Body;
}

function actionOf(
  document: OpenDocument,
  grant: DocumentGrant,
  { table, ids, body }: Matching,
): { rows: number; action: UserAction } {
  if ("fields" in body) {
    const columns = Object.entries(body.fields).map(([name, cell]) => [name, ids.map(() => cell)] as const);
    return { rows: ids.length, action: ["BulkUpdateRecord", table, ids, Object.fromEntries(columns)] };
  }
  if ("replace" in body) return replacement(document, grant, { table, filter: body.filter, ...body.replace });
  if (body.action === "delete") return { rows: ids.length, action: ["BulkRemoveRecord", table, ids] };
  return duplication(document, grant, { table, ids });
}

interface Replacement {
  readonly table: string;
  readonly filter: object;
  readonly column: string;
  readonly find: string;
  readonly by: string;
  readonly matchCase?: boolean | undefined;
}

/** Cells that the caller cannot read do not meet the condition, so their texts neither change nor become known. */
function replacement(document: OpenDocument, grant: DocumentGrant, { table, filter, column, ...texts }: Replacement) {
  const found = visibilityFor(document, grant).readTable(table).table.fieldById.has(column);
  if (!found) throw new AppError("column.unknown", `Invalid column "${column}"`);
  const { type, isFormula } = findUserTable(document.schema, table).columnById.get(column) ?? {};
  if (type !== "Text" || isFormula) throw invalid(`"${column}" must be a data column of type Text`);
  const condition = { [column]: { contains: texts.find } };
  const both = Object.keys(filter).length > 0 ? { and: [filter, condition] } : condition;
  const candidates = matching(document, grant, table, both);
  const { ids, values } = replaceInColumn(document, { table, column, ids: candidates }, texts);
  return { rows: ids.length, action: ["BulkUpdateRecord", table, ids, { [column]: values }] as UserAction };
}

/** The largest rows, as JSON, that one change copies. */
const MAX_COPIED_BYTES = 128 * 1024 ** 2;

/** Copies what the caller can read: cells that access rules hide are empty in the copies. */
function duplication(
  document: OpenDocument,
  grant: DocumentGrant,
  { table, ids }: { table: string; ids: readonly number[] },
) {
  const { bytes, isDone } = takeChunks(recordsById(document, grant, { table, ids }), MAX_COPIED_BYTES);
  if (!isDone) throw new AppError("limit.size", "The records are too large to be duplicated at once");
  const { records } = parseJson(bytes) as unknown as { records: { fields: Record<string, unknown> }[] };
  const columns = findUserTable(document.schema, table).columns.filter(({ isFormula }) => !isFormula);
  const copied = columns.map(({ id, type }) => {
    const defaultValue = defaultCell(type);
    return [id, records.map(({ fields }) => readable(fields[id]) ?? defaultValue)] as const;
  });
  const isRead = (id: string) => records.some(({ fields }) => readable(fields[id]) !== undefined);
  const values = Object.fromEntries(copied.filter(([id]) => isRead(id)));
  const action: UserAction = ["BulkAddRecord", table, records.map(() => null), values];
  return { rows: records.length, action };
}

const readable = (cell: unknown): unknown => (Array.isArray(cell) && cell[0] === "C" ? undefined : cell);

const ALL_ROWS = { id: { gt: 0 } };

/** Bytes of a history entry for each changed row (its id, in three lists) and for the encoding of each value. */
const BYTES_PER_ROW = 15;
const BYTES_PER_CELL = 10;
/** Access rules may hide cells, and so the length of their values. */
const ASSUMED_VALUE_BYTES = 16;

function changeSize(document: OpenDocument, grant: DocumentGrant, args: MatchingArgs): JsonResult {
  const { filter, columns: named } = validate(ChangeSizeBody, parseJson(args.body), "body");
  const { id: table, columns } = findUserTable(document.schema, args.table);
  const visible = visibilityFor(document, grant).readTable(table).table;
  const unknown = named?.find((id) => !visible.fieldById.has(id));
  if (unknown !== undefined) throw new AppError("column.unknown", `Invalid column "${unknown}"`);
  const isData = ({ id, isFormula, isHidden }: ColumnInfo) => !isFormula && !isHidden && visible.fieldById.has(id);
  const changed = named ?? columns.filter(isData).map(({ id }) => id);
  const ids = matching(document, grant, table, filter);
  const cells = ids.length * changed.length;
  const values = isRestricted(document, grant)
    ? cells * ASSUMED_VALUE_BYTES
    : valueBytes(document, { table, columns: changed, ids });
  const bytes = BYTES_PER_ROW * ids.length + BYTES_PER_CELL * cells + 2 * values;
  return jsonResult({ rows: ids.length, cells, bytes, keptBytes: document.historyLimits.bytes });
}

const parseFilter = (filter: object) =>
  must(parseFilterValue(Object.keys(filter).length > 0 ? filter : ALL_ROWS), "filter");

function matching(document: OpenDocument, grant: DocumentGrant, table: string, filter: object): number[] {
  return findMatchingRows(document, visibilityFor(document, grant).readTable(table), parseFilter(filter));
}
