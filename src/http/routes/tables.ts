import { addTables, deleteTable, listTables, modifyTables } from "../../services/documents/content.ts";
import { DocParams, TableParams } from "../../wire/common/params.ts";
import { ConditionalHeaders } from "../../wire/tables/record-responses.ts";
import { Tables, TablesQuery } from "../../wire/tables/table-responses.ts";
import { NullResponse } from "../../wire/common/null-response.ts";
import { AddedTables, AddTablesBody, ModifyTablesBody } from "../../wire/tables/table-writes.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonBytesResponse, renderedResponse } from "../responses.ts";
import { requestCondition } from "../conditional-requests.ts";
import { bytesBody, route, type Route } from "../route.ts";

const path = "/api/docs/{docId}/tables";

export const tableRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "listTables",
      tag: "tables",
      summary: "List tables",
      about: "Omits tables and columns that access rules hide from the caller.",
      access: documentContentAccess("viewers"),
      params: DocParams,
      query: TablesQuery,
      headers: ConditionalHeaders,
      response: Tables,
    },
    async ({ call, ctx, grant, query }) => {
      const args = { expandColumns: query.expand === "column", condition: requestCondition(call, grant) };
      return renderedResponse(ctx, grant, await listTables(ctx, grant, args));
    },
  ),
  route(
    {
      method: "post",
      path,
      id: "addTables",
      tag: "tables",
      summary: "Add tables",

      access: documentContentAccess("editors"),
      params: DocParams,

      body: bytesBody(AddTablesBody),
      dryRun: true,
      response: AddedTables,
    },
    async ({ ctx, grant, body }) => jsonBytesResponse((await addTables(ctx, grant, { body })).bytes),
  ),
  route(
    {
      method: "patch",
      path,
      id: "modifyTables",
      tag: "tables",
      summary: "Modify tables",

      access: documentContentAccess("editors"),
      params: DocParams,

      body: bytesBody(ModifyTablesBody),
      dryRun: true,
      response: NullResponse,
    },
    async ({ ctx, grant, body }) => jsonBytesResponse((await modifyTables(ctx, grant, { body })).bytes),
  ),
  route(
    {
      method: "delete",
      path: `${path}/{tableId}`,
      id: "deleteTable",
      tag: "tables",
      summary: "Delete a table",
      about: "Deletes its records, columns, summary tables and widgets as well. The history can undo it.",
      access: documentContentAccess("editors"),
      params: TableParams,
      dryRun: true,
      response: NullResponse,
    },
    async ({ ctx, grant, params }) =>
      jsonBytesResponse((await deleteTable(ctx, grant, { table: params.tableId })).bytes),
  ),
];
