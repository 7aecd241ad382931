import { listFormulaErrors } from "../../services/content.ts";
import { FormulaErrors, FormulaErrorsQuery } from "../../wire/formula-errors.ts";
import { DocParams } from "../../wire/params.ts";
import { ConditionalHeaders } from "../../wire/record-answers.ts";
import { documentContent } from "../access.ts";
import { rendered } from "../answers.ts";
import { condition } from "../conditions.ts";
import { route, type Route } from "../route.ts";

export const formulaErrorRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/docs/{docId}/formula-errors",
      id: "listFormulaErrors",
      tag: "tables",
      summary: "List formulas that fail",
      about:
        "Formulas that cannot be read, and cells whose formulas fail, each with what is wrong in plain words, and the line. Under access rules only for who may copy everything.",
      access: documentContent("viewers"),
      params: DocParams,
      query: FormulaErrorsQuery,
      headers: ConditionalHeaders,
      answer: FormulaErrors,
    },
    async ({ call, ctx, grant, query }) =>
      rendered(ctx, grant, await listFormulaErrors(ctx, grant, { ...query, condition: condition(call, grant) })),
  ),
];
