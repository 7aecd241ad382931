import { fetchRecords, listRecords } from "../../services/content.ts";
import { TableParams } from "../../wire/params.ts";
import { FetchHeaders, FetchRecordsQuery, Records } from "../../wire/record-answers.ts";
import { RecordsListBody } from "../../wire/records.ts";
import { documentContent } from "../access.ts";
import { rendered } from "../answers.ts";
import { condition } from "../conditions.ts";
import { bytesBody, route, type Route } from "../route.ts";
import { fetchArgs } from "./fetch-args.ts";

const path = "/api/docs/{docId}/tables/{tableId}/records";

export const recordRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "fetchRecords",
      tag: "records",
      summary: "Fetch records of a table",
      about: "Metadata tables (`_grist_Tables` and the like) can be read too.",
      access: documentContent("viewers"),
      params: TableParams,
      query: FetchRecordsQuery,
      headers: FetchHeaders,
      answer: Records,
    },
    async ({ call, ctx, grant, params, query }) => {
      const args = {
        ...fetchArgs(call, params.tableId, query),
        hidden: query.hidden,
        condition: condition(call, grant),
      };
      return rendered(ctx, grant, await fetchRecords(ctx, grant, args));
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/list`,
      id: "listRecords",
      tag: "records",
      summary: "Fetch records, with the parameters in the body",
      about: "For filters that are too long for an address. The query string is not looked at.",
      access: documentContent("viewers"),
      params: TableParams,
      body: bytesBody(RecordsListBody),
      answer: Records,
    },
    async ({ ctx, grant, params, body }) => {
      const args = { table: params.tableId, body };
      return rendered(ctx, grant, await listRecords(ctx, grant, args));
    },
  ),
];
