import type { DocumentGrant } from "../../authorization.ts";
import { Change } from "../../doc/actions/change.ts";
import type { UserAction } from "../../doc/actions/apply-user-actions.ts";
import { previewConversion } from "../../doc/actions/schema/preview-conversion.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { findUserTable } from "../../doc/read/read-table.ts";
import { userInfo } from "../../doc/user-info.ts";
import { notFound } from "../../errors.ts";
import { parseJson, validate } from "../../payload.ts";
import { ConvertColumnBody } from "../../wire/tables/column-conversion.ts";
import { verb } from "./verb.ts";
import { applyAsCaller, type JsonResult, jsonResult } from "./apply-actions.ts";

interface ConvertColumnArgs {
  /** Table id, or its numeric reference as digits. */
  readonly table: string;
  /** The column's id, in its exact case. */
  readonly column: string;
  /** JSON as received. */
  readonly body: Uint8Array | null;
}

/** Verbs that convert the cells of a column to another type. */
export const conversionVerbs = {
  "columns.convert": verb({ needs: "editors", changes: "content", underRules: "enforced", run: convert }),
  // Counts and examples include rows that access rules hide from the caller.
  "columns.previewConversion": verb({
    needs: "editors",
    changes: "none",
    underRules: "requiresFullAccess",
    run: preview,
  }),
};

function convert(document: OpenDocument, grant: DocumentGrant, args: ConvertColumnArgs): JsonResult {
  const { table, column, conversion, visibleCol, addsMissing } = readConversion(document, args);
  const { type, options, visibleCol: matchCol } = conversion;
  const isComputed = column.isFormula && column.formula !== "";
  const shown = document.schema.columnByRef.get(visibleCol);
  const display = shown ? `$${column.id}.${shown.id}` : "";
  const actions: UserAction[] = [
    ...(isComputed ? [["ModifyColumn", table.id, column.id, { isFormula: false, formula: "" }]] : []),
    ["ConvertFromColumn", table.id, column.id, column.id, type, options, matchCol, addsMissing],
    ...(matchCol === visibleCol ? [] : [["ModifyColumn", table.id, column.id, { visibleCol }]]),
    ["SetDisplayFormula", table.id, null, column.ref, display],
  ];
  const { state } = applyAsCaller(document, grant, actions, { noparse: false });
  return jsonResult({ actionNum: state?.actionNum ?? 0 });
}

function preview(document: OpenDocument, grant: DocumentGrant, args: ConvertColumnArgs): JsonResult {
  const { table, conversion, addsMissing } = readConversion(document, args);
  const change = new Change(document, { parse: true, user: userInfo(grant), nowMs: document.clock.now() });
  return jsonResult(previewConversion(change, table.id, { ...conversion, addsMissing }));
}

function readConversion(document: OpenDocument, args: ConvertColumnArgs) {
  const body = validate(ConvertColumnBody, parseJson(args.body), "body");
  const { type, widgetOptions, visibleCol = 0, matchCol = visibleCol, addMissing = false } = body;
  const table = findUserTable(document.schema, args.table);
  const column = table.columnById.get(args.column);
  if (!column) throw notFound(`Column not found: ${args.column}`);
  const conversion = { from: column.id, to: column.id, type, options: widgetOptions ?? null, visibleCol: matchCol };
  return { table, column, conversion, visibleCol, addsMissing: addMissing };
}
