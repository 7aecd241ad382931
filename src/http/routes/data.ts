import { fetchData } from "../../services/content.ts";
import { TableParams } from "../../wire/params.ts";
import { FetchDataQuery, FetchHeaders, TableData } from "../../wire/record-answers.ts";
import { documentContent } from "../access.ts";
import { rendered } from "../answers.ts";
import { condition } from "../conditions.ts";
import { route, type Route } from "../route.ts";
import { fetchArgs } from "./fetch-args.ts";

const path = "/api/docs/{docId}/tables/{tableId}/data";

export const dataRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "fetchData",
      tag: "data",
      summary: "Fetch the rows of a table as columns",
      about: "The older, columnar form. Prefer records.",
      access: documentContent("viewers"),
      params: TableParams,
      query: FetchDataQuery,
      headers: FetchHeaders,
      answer: TableData,
    },
    async ({ call, ctx, grant, params, query }) => {
      const args = { ...fetchArgs(call, params.tableId, query), condition: condition(call, grant) };
      return rendered(ctx, grant, await fetchData(ctx, grant, args));
    },
  ),
];
