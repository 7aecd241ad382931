import { declareTypes } from "../../services/documents/types.ts";
import { DocParams } from "../../wire/common/params.ts";
import { ConditionalHeaders } from "../../wire/tables/record-responses.ts";
import { requestCondition } from "../conditional-requests.ts";
import { renderedResponse } from "../responses.ts";
import { documentContentAccess } from "../route-access.ts";
import { route, type Route } from "../route.ts";

const TYPE = "text/plain";

export const typeRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/docs/{docId}/types.d.ts",
      id: "declareTypes",
      tag: "tables",
      summary: "Declare the tables as types in TypeScript",
      about:
        "Returns a `Schema` for the TypeScript client, with labels and descriptions as comments. Omits tables and columns that access rules hide from the caller, and tables that an API key does not reach, also as targets of references and in types of formulas.",
      access: documentContentAccess("viewers"),
      params: DocParams,
      headers: ConditionalHeaders,
      response: { type: TYPE, about: "The declarations." },
    },
    async ({ call, ctx, grant }) =>
      renderedResponse(ctx, grant, await declareTypes(ctx, grant, requestCondition(call, grant)), {
        "Content-Type": `${TYPE}; charset=utf-8`,
      }),
  ),
];
