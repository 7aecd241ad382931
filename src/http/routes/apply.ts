import { applyActions } from "../../services/documents/content.ts";
import { DocParams } from "../../wire/common/params.ts";
import { ApplyResult, ApplyQuery, UserActions } from "../../wire/tables/table-writes.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonBytesResponse } from "../responses.ts";
import { bytesBody, route, type Route } from "../route.ts";

export const applyRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path: "/api/docs/{docId}/apply",
      id: "applyActions",
      tag: "actions",
      summary: "Apply user actions",
      about: "Applies a list of user actions in one transaction. If one action fails, none is applied.",
      access: documentContentAccess("editors"),
      params: DocParams,
      query: ApplyQuery,
      body: bytesBody(UserActions),
      dryRun: true,
      response: ApplyResult,
    },
    async ({ ctx, grant, query, body }) =>
      jsonBytesResponse((await applyActions(ctx, grant, { noparse: query.noparse, body })).bytes),
  ),
];
