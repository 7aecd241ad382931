import { omitUndefined } from "../../lib/omit-undefined.ts";
import { addQuery, listQueries, modifyQuery, removeQuery } from "../../services/documents/queries.ts";
import { NullResponse } from "../../wire/common/null-response.ts";
import { DocParams } from "../../wire/common/params.ts";
import { QueryBody, QueryChange, QueryParams, SavedQueries, SavedQuery } from "../../wire/documents/queries.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonResponse } from "../responses.ts";
import { jsonBody, route, type Route } from "../route.ts";

const path = "/api/docs/{docId}/queries";
const tag = "sql";
const rules = "If the document has access rules, requires permission to read the whole document.";

export const queryRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "listQueries",
      tag,
      summary: "List saved queries",
      about: `SQL queries that were saved in the document, by name. ${rules}`,
      access: documentContentAccess("viewers"),
      params: DocParams,
      response: SavedQueries,
    },
    async ({ ctx, grant }) => jsonResponse({ queries: await listQueries(ctx, grant) }),
  ),
  route(
    {
      method: "post",
      path,
      id: "addQuery",
      tag,
      summary: "Save a query",
      about: `The statement is not run. A document can have 500 saved queries. ${rules}`,
      access: documentContentAccess("editors"),
      params: DocParams,
      body: jsonBody(QueryBody),
      response: SavedQuery,
    },
    async ({ ctx, grant, body }) => jsonResponse(await addQuery(ctx, grant, { ...body, args: body.args ?? [] })),
  ),
  route(
    {
      method: "patch",
      path: `${path}/{queryId}`,
      id: "modifyQuery",
      tag,
      summary: "Change a saved query",
      about: `Fields that are left out stay. ${rules}`,
      access: documentContentAccess("editors"),
      params: QueryParams,
      body: jsonBody(QueryChange),
      response: SavedQuery,
    },
    async ({ ctx, grant, params, body: { name, sql, args } }) => {
      const change = omitUndefined({ name, sql, args });
      return jsonResponse(await modifyQuery(ctx, grant, { id: Number(params.queryId), change }));
    },
  ),
  route(
    {
      method: "delete",
      path: `${path}/{queryId}`,
      id: "deleteQuery",
      tag,
      summary: "Delete a saved query",
      about: rules,
      access: documentContentAccess("editors"),
      params: QueryParams,
      response: NullResponse,
    },
    async ({ ctx, grant, params }) => jsonResponse(await removeQuery(ctx, grant, Number(params.queryId))),
  ),
];
