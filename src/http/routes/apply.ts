import { applyActions } from "../../services/content.ts";
import { DocParams } from "../../wire/params.ts";
import { Applied, ApplyQuery, UserActions } from "../../wire/tables-write.ts";
import { documentContent } from "../access.ts";
import { jsonBytes } from "../answers.ts";
import { bytesBody, route, type Route } from "../route.ts";

export const applyRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path: "/api/docs/{docId}/apply",
      id: "applyActions",
      tag: "actions",
      summary: "Apply actions",
      about: "Every change of a document can be said as a list of actions. All are done, or none.",
      access: documentContent("editors"),
      params: DocParams,
      query: ApplyQuery,
      body: bytesBody(UserActions),
      answer: Applied,
    },
    async ({ ctx, grant, query, body }) =>
      jsonBytes((await applyActions(ctx, grant, { noparse: query.noparse, body })).bytes),
  ),
];
