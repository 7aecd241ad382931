import { listTables } from "../../services/content.ts";
import { DocParams } from "../../wire/params.ts";
import { ConditionalHeaders } from "../../wire/record-answers.ts";
import { Tables, TablesQuery } from "../../wire/table-answers.ts";
import { documentContent } from "../access.ts";
import { rendered } from "../answers.ts";
import { condition } from "../conditions.ts";
import { route, type Route } from "../route.ts";

const path = "/api/docs/{docId}/tables";

export const tableRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "listTables",
      tag: "tables",
      summary: "List tables",
      access: documentContent("viewers"),
      params: DocParams,
      query: TablesQuery,
      headers: ConditionalHeaders,
      answer: Tables,
    },
    async ({ call, ctx, grant, query }) => {
      const args = { expandColumns: query.expand === "column", condition: condition(call, grant) };
      return rendered(ctx, grant, await listTables(ctx, grant, args));
    },
  ),
];
