import { listFormulaErrors } from "../../services/documents/content.ts";
import { FormulaErrors, FormulaErrorsQuery } from "../../wire/tables/formula-errors.ts";
import { DocParams } from "../../wire/common/params.ts";
import { ConditionalHeaders } from "../../wire/tables/record-responses.ts";
import { documentContentAccess } from "../route-access.ts";
import { renderedResponse } from "../responses.ts";
import { requestCondition } from "../conditional-requests.ts";
import { route, type Route } from "../route.ts";

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
];
