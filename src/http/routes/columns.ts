import { z } from "@hono/zod-openapi";
import { addColumns, deleteColumn, listColumns, modifyColumns, putColumns } from "../../services/content.ts";
import { ColumnParams, TableParams } from "../../wire/params.ts";
import { flag } from "../../wire/query.ts";
import { ConditionalHeaders } from "../../wire/record-answers.ts";
import { Columns } from "../../wire/table-answers.ts";
import { Nothing } from "../../wire/nothing.ts";
import {
  AddColumnsBody,
  AddedColumns,
  ModifyColumnsBody,
  PutColumnsBody,
  PutColumnsQuery,
} from "../../wire/tables-write.ts";
import { documentContent } from "../access.ts";
import { jsonBytes, rendered } from "../answers.ts";
import { condition } from "../conditions.ts";
import { bytesBody, route, type Route } from "../route.ts";

const path = "/api/docs/{docId}/tables/{tableId}/columns";

export const columnRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "listColumns",
      tag: "columns",
      summary: "List the columns of a table",
      about: "Columns that access rules inside the document hide from the caller are left out.",
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
  route(
    {
      method: "post",
      path,
      id: "addColumns",
      tag: "columns",
      summary: "Add columns",

      access: documentContent("editors"),
      params: TableParams,

      body: bytesBody(AddColumnsBody),
      answer: AddedColumns,
    },
    async ({ ctx, grant, params, body }) =>
      jsonBytes((await addColumns(ctx, grant, { table: params.tableId, body })).bytes),
  ),
  route(
    {
      method: "patch",
      path,
      id: "modifyColumns",
      tag: "columns",
      summary: "Modify columns",

      access: documentContent("editors"),
      params: TableParams,

      body: bytesBody(ModifyColumnsBody),
      answer: Nothing,
    },
    async ({ ctx, grant, params, body }) =>
      jsonBytes((await modifyColumns(ctx, grant, { table: params.tableId, body })).bytes),
  ),
  route(
    {
      method: "put",
      path,
      id: "putColumns",
      tag: "columns",
      summary: "Add or update columns",
      about: "Columns that exist are updated, others added, as far as the query allows.",
      access: documentContent("editors"),
      params: TableParams,
      query: PutColumnsQuery,
      body: bytesBody(PutColumnsBody),
      answer: Nothing,
    },
    async ({ ctx, grant, params, query, body }) =>
      jsonBytes(
        (
          await putColumns(ctx, grant, {
            table: params.tableId,
            noadd: query.noadd,
            noupdate: query.noupdate,
            replaceall: query.replaceall,
            body,
          })
        ).bytes,
      ),
  ),
  route(
    {
      method: "delete",
      path: `${path}/{colId}`,
      id: "deleteColumn",
      tag: "columns",
      summary: "Delete a column",

      access: documentContent("editors"),
      params: ColumnParams,

      answer: Nothing,
    },
    async ({ ctx, grant, params }) =>
      jsonBytes((await deleteColumn(ctx, grant, { table: params.tableId, column: params.colId })).bytes),
  ),
];
