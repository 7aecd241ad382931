import type { DocumentGrant } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { findRecord, isVisibleRow } from "../../doc/read/output/find-record.ts";
import { visibilityFor, type VisibleTable } from "../../doc/read/visibility-filter.ts";
import { notFound } from "../../errors.ts";
import { applyAsCaller, type JsonResult, jsonResult } from "./apply-actions.ts";
import { type OutputArgs, outputRequest } from "./output-args.ts";
import { parseModifiedRecord } from "./record-bodies.ts";
import { type ConditionalArgs, renderValue, type Rendered } from "./render.ts";
import { returning, type ReturningArgs } from "./returned-records.ts";
import { verb } from "./verb.ts";

interface RecordArgs {
  /** Table id, or its numeric reference as digits; includes metadata tables. */
  readonly table: string;
  /** As in the path. */
  readonly row: string;
}

interface GetArgs extends RecordArgs, ConditionalArgs, OutputArgs {
  readonly hidden: boolean;
}

interface ModifyArgs extends RecordArgs, ReturningArgs {
  /** JSON as received. */
  readonly body: Uint8Array | null;
  /** Strings are stored without parsing. */
  readonly noparse: boolean;
}

const WRITE_VERB = { needs: "editors", changes: "content", underRules: "enforced", commits: "batched" } as const;

/** Verbs for one record, named by the path. A row that rules hide from the caller does not exist for them. */
export const oneRecordVerbs = {
  "record.get": verb({ needs: "viewers", reads: "snapshot", underRules: "enforced", run: getRecord }),
  "record.modify": verb({ ...WRITE_VERB, run: modifyRecord }),
  "record.delete": verb({ ...WRITE_VERB, run: deleteRecord }),
};

function getRecord(document: OpenDocument, grant: DocumentGrant, args: GetArgs): Rendered {
  return renderValue(document, grant, args, () => {
    const visibility = visibilityFor(document, grant);
    const visible = visibility.readTable(args.table);
    const id = parseRowId(args.row) ?? NO_ROW;
    return findRecord(visibility, visible, { id, output: outputRequest(args) }) ?? refuse(args.row);
  });
}

function modifyRecord(document: OpenDocument, grant: DocumentGrant, args: ModifyArgs): JsonResult {
  const { fields } = parseModifiedRecord(args.body);
  const { table, id } = findRow(document, grant, args);
  const columns = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value]]));
  const write = () => {
    applyAsCaller(document, grant, [["BulkUpdateRecord", table.id, [id], columns]], args);
    return { ids: [id], answer: null };
  };
  return returning(document, grant, { returned: args.returned, table: table.id, write });
}

function deleteRecord(document: OpenDocument, grant: DocumentGrant, args: RecordArgs): JsonResult {
  const { table, id } = findRow(document, grant, args);
  applyAsCaller(document, grant, [["BulkRemoveRecord", table.id, [id]]], { noparse: true });
  return jsonResult(null);
}

/** @throws AppError `notFound` for a row that does not exist for the caller */
function findRow(
  document: OpenDocument,
  grant: DocumentGrant,
  { table: name, row }: RecordArgs,
): VisibleTable & { id: number } {
  const visible = visibilityFor(document, grant).readTable(name);
  const id = parseRowId(row);
  if (id === null || !isVisibleRow(document, visible, id)) return refuse(row);
  return { ...visible, id };
}

/** No row has this id. */
const NO_ROW = 0;

/** Returns the id of a path; null for any other text. */
const parseRowId = (row: string): number | null => (/^[1-9]\d{0,14}$/.test(row) ? Number(row) : null);

function refuse(row: string): never {
  throw notFound(`Record not found "${row}"`, "record.not_found");
}
