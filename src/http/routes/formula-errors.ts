import { checkFormula, listFormulaErrors } from "../../services/documents/content.ts";
import { FormulaErrors, FormulaErrorsQuery } from "../../wire/tables/formula-errors.ts";
import { FormulaCheck, FormulaCheckBody } from "../../wire/tables/formula-check.ts";
import { DocParams, TableParams } from "../../wire/common/params.ts";
import { ConditionalHeaders } from "../../wire/tables/record-responses.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonBytesResponse, renderedResponse } from "../responses.ts";
import { requestCondition } from "../conditional-requests.ts";
import { bytesBody, route, type Route } from "../route.ts";

export const formulaErrorRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/docs/{docId}/formula-errors",
      id: "listFormulaErrors",
      tag: "tables",
      summary: "List formula errors",
      about:
        "Lists formulas with syntax errors, and cells whose formulas raise exceptions, each with an explanation and the line. If the document has access rules, requires permission to copy the whole document.",
      access: documentContentAccess("viewers"),
      params: DocParams,
      query: FormulaErrorsQuery,
      headers: ConditionalHeaders,
      response: FormulaErrors,
    },
    async ({ call, ctx, grant, query }) =>
      renderedResponse(
        ctx,
        grant,
        await listFormulaErrors(ctx, grant, { ...query, condition: requestCondition(call, grant) }),
      ),
  ),
  route(
    {
      method: "post",
      path: "/api/docs/{docId}/tables/{tableId}/formulas/check",
      id: "checkFormula",
      tag: "tables",
      summary: "Check a formula",
      about:
        "Returns the problems of a formula that is not stored, each with its place in the text, and its result in one row. " +
        "Nothing is written. Tables and columns that access rules hide from the caller count as missing, and a result that depends on a hidden cell is unknown. " +
        "Requires permission to change columns. An evaluation takes at most one second.",
      access: documentContentAccess("editors"),
      params: TableParams,
      body: bytesBody(FormulaCheckBody),
      idempotency: "ignored",
      response: FormulaCheck,
    },
    async ({ ctx, grant, params, body }) =>
      jsonBytesResponse((await checkFormula(ctx, grant, { table: params.tableId, body })).bytes),
  ),
];
