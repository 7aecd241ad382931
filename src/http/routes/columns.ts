import { z } from "../../wire/common/schema.ts";
import {
  addColumns,
  convertColumn,
  deleteColumn,
  listColumns,
  modifyColumns,
  previewColumnConversion,
  putColumns,
} from "../../services/documents/content.ts";
import { ColumnParams, TableParams } from "../../wire/common/params.ts";
import { flag } from "../../wire/common/query.ts";
import {
  ColumnConversion,
  ConversionPreview,
  ConvertColumnBody,
  ConvertColumnQuery,
} from "../../wire/tables/column-conversion.ts";
import { ConditionalHeaders } from "../../wire/tables/record-responses.ts";
import { Columns } from "../../wire/tables/table-responses.ts";
import { NullResponse } from "../../wire/common/null-response.ts";
import {
  AddColumnsBody,
  AddedColumns,
  ModifyColumnsBody,
  PutColumnsBody,
  PutColumnsQuery,
} from "../../wire/tables/table-writes.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonBytesResponse, renderedResponse } from "../responses.ts";
import { requestCondition } from "../conditional-requests.ts";
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
      about: "Omits columns that access rules hide from the caller.",
      access: documentContentAccess("viewers"),
      params: TableParams,
      query: z.object({ hidden: flag("Include hidden columns, such as `manualSort`. Default: false.") }),
      headers: ConditionalHeaders,
      response: Columns,
    },
    async ({ call, ctx, grant, params, query }) => {
      const args = { table: params.tableId, hidden: query.hidden, condition: requestCondition(call, grant) };
      return renderedResponse(ctx, grant, await listColumns(ctx, grant, args));
    },
  ),
  route(
    {
      method: "post",
      path,
      id: "addColumns",
      tag: "columns",
      summary: "Add columns",

      access: documentContentAccess("editors"),
      params: TableParams,

      body: bytesBody(AddColumnsBody),
      dryRun: true,
      response: AddedColumns,
    },
    async ({ ctx, grant, params, body }) =>
      jsonBytesResponse((await addColumns(ctx, grant, { table: params.tableId, body })).bytes),
  ),
  route(
    {
      method: "patch",
      path,
      id: "modifyColumns",
      tag: "columns",
      summary: "Modify columns",

      access: documentContentAccess("editors"),
      params: TableParams,

      body: bytesBody(ModifyColumnsBody),
      dryRun: true,
      response: NullResponse,
    },
    async ({ ctx, grant, params, body }) =>
      jsonBytesResponse((await modifyColumns(ctx, grant, { table: params.tableId, body })).bytes),
  ),
  route(
    {
      method: "put",
      path,
      id: "putColumns",
      tag: "columns",
      summary: "Add or update columns",
      about: "Updates the columns that exist and adds the others. Query parameters restrict this.",
      access: documentContentAccess("editors"),
      params: TableParams,
      query: PutColumnsQuery,
      body: bytesBody(PutColumnsBody),
      dryRun: true,
      response: NullResponse,
    },
    async ({ ctx, grant, params, query, body }) =>
      jsonBytesResponse(
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
      method: "post",
      path: `${path}/{colId}/convert`,
      id: "convertColumn",
      tag: "columns",
      summary: "Convert a column to another type",
      about:
        "Parses the displayed text of each cell by the new type, the given formats and the document's locale, in one change. Text that cannot be parsed stays text. A formula column becomes a data column. With `dryRun`, changes nothing and counts the cells that would convert; if the document has access rules, this requires permission to copy the whole document.",
      access: documentContentAccess("editors"),
      params: ColumnParams,
      query: ConvertColumnQuery,
      body: bytesBody(ConvertColumnBody),
      dryRun: true,
      response: z.union([ColumnConversion, ConversionPreview]),
    },
    async ({ ctx, grant, params, query, body }) => {
      const convert = query.dryRun ? previewColumnConversion : convertColumn;
      return jsonBytesResponse(
        (await convert(ctx, grant, { table: params.tableId, column: params.colId, body })).bytes,
      );
    },
  ),
  route(
    {
      method: "delete",
      path: `${path}/{colId}`,
      id: "deleteColumn",
      tag: "columns",
      summary: "Delete a column",

      access: documentContentAccess("editors"),
      params: ColumnParams,

      dryRun: true,
      response: NullResponse,
    },
    async ({ ctx, grant, params }) =>
      jsonBytesResponse((await deleteColumn(ctx, grant, { table: params.tableId, column: params.colId })).bytes),
  ),
];
