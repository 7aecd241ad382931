import { addData, deleteData, fetchData, modifyData } from "../../services/content.ts";
import { TableParams } from "../../wire/params.ts";
import { FetchDataQuery, FetchHeaders, TableData } from "../../wire/record-answers.ts";
import { Nothing } from "../../wire/nothing.ts";
import { AddDataBody, ModifyDataBody, ModifyRecordsQuery, RemovedRowIds, RowIds } from "../../wire/records-write.ts";
import { documentContent } from "../access.ts";
import { jsonBytes, rendered } from "../answers.ts";
import { condition } from "../conditions.ts";
import { bytesBody, route, type Route } from "../route.ts";
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
      about: "The older, columnar form, under the same access rules inside the document. Prefer records.",
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
  route(
    {
      method: "post",
      path,
      id: "addData",
      tag: "data",
      summary: "Add rows given as columns",

      access: documentContent("editors"),
      params: TableParams,
      query: ModifyRecordsQuery,
      body: bytesBody(AddDataBody),
      answer: RowIds,
    },
    async ({ ctx, grant, params, query, body }) =>
      jsonBytes((await addData(ctx, grant, { table: params.tableId, noparse: query.noparse, body })).bytes),
  ),
  route(
    {
      method: "patch",
      path,
      id: "modifyData",
      tag: "data",
      summary: "Modify rows given as columns",

      access: documentContent("editors"),
      params: TableParams,
      query: ModifyRecordsQuery,
      body: bytesBody(ModifyDataBody),
      answer: RowIds,
    },
    async ({ ctx, grant, params, query, body }) =>
      jsonBytes((await modifyData(ctx, grant, { table: params.tableId, noparse: query.noparse, body })).bytes),
  ),
  route(
    {
      method: "post",
      path: `${path}/delete`,
      id: "deleteData",
      tag: "data",
      summary: "Delete rows by their ids",

      access: documentContent("editors"),
      params: TableParams,

      body: bytesBody(RemovedRowIds),
      answer: Nothing,
    },
    async ({ ctx, grant, params, body }) =>
      jsonBytes((await deleteData(ctx, grant, { table: params.tableId, body })).bytes),
  ),
];
