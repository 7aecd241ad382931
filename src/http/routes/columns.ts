import { z } from "@hono/zod-openapi";
import { listColumns } from "../../services/content.ts";
import { TableParams } from "../../wire/params.ts";
import { flag } from "../../wire/query.ts";
import { ConditionalHeaders } from "../../wire/record-answers.ts";
import { Columns } from "../../wire/table-answers.ts";
import { documentContent } from "../access.ts";
import { rendered } from "../answers.ts";
import { condition } from "../conditions.ts";
import { route, type Route } from "../route.ts";

const path = "/api/docs/{docId}/tables/{tableId}/columns";

export const columnRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "listColumns",
      tag: "columns",
      summary: "List the columns of a table",
      access: documentContent("viewers"),
      params: TableParams,
      query: z.object({ hidden: flag("Include hidden columns, such as manualSort.") }),
      headers: ConditionalHeaders,
      answer: Columns,
    },
    async ({ call, ctx, grant, params, query }) => {
      const args = { table: params.tableId, hidden: query.hidden, condition: condition(call, grant) };
      return rendered(ctx, grant, await listColumns(ctx, grant, args));
    },
  ),
];
