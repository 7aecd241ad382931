import { deleteRecord, getRecord, modifyRecord } from "../../services/documents/content.ts";
import { NullResponse } from "../../wire/common/null-response.ts";
import { RecordParams } from "../../wire/common/params.ts";
import { ConditionalHeaders, FetchRecordQuery, Record } from "../../wire/tables/record-responses.ts";
import { ModifiedOrReturned, ModifyRecordBody, ModifyRecordQuery } from "../../wire/tables/record-writes.ts";
import { requestCondition } from "../conditional-requests.ts";
import { jsonBytesResponse, renderedResponse } from "../responses.ts";
import { documentContentAccess } from "../route-access.ts";
import { bytesBody, route, type Route } from "../route.ts";

const path = "/api/docs/{docId}/tables/{tableId}/records/{rowId}";

const HIDDEN_ROWS = "A record that access rules hide from the caller is not found.";

export const oneRecordRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "fetchRecord",
      tag: "records",
      summary: "Fetch a record by id",
      about: `${HIDDEN_ROWS} Metadata tables such as \`_grist_Tables\` can be read as well.`,
      access: documentContentAccess("viewers"),
      params: RecordParams,
      query: FetchRecordQuery,
      headers: ConditionalHeaders,
      response: Record,
    },
    async ({ call, ctx, grant, params, query: { at, ...query } }) => {
      if (at) call.accounting.extendDeadline();
      const args = {
        table: params.tableId,
        row: params.rowId,
        ...query,
        condition: requestCondition(call, grant),
      };
      return renderedResponse(ctx, grant, await getRecord(ctx, grant, { at, ...args }));
    },
  ),
  route(
    {
      method: "patch",
      path,
      id: "modifyRecord",
      tag: "records",
      summary: "Modify a record",
      about: HIDDEN_ROWS,
      access: documentContentAccess("editors"),
      params: RecordParams,
      query: ModifyRecordQuery,
      body: bytesBody(ModifyRecordBody),
      dryRun: true,
      response: ModifiedOrReturned,
    },
    async ({ ctx, grant, params, query: { noparse, return: returned }, body }) => {
      const args = { table: params.tableId, row: params.rowId, noparse, returned, body };
      return jsonBytesResponse((await modifyRecord(ctx, grant, args)).bytes);
    },
  ),
  route(
    {
      method: "delete",
      path,
      id: "deleteRecord",
      tag: "records",
      summary: "Delete a record",
      about: HIDDEN_ROWS,
      access: documentContentAccess("editors"),
      params: RecordParams,
      dryRun: true,
      response: NullResponse,
    },
    async ({ ctx, grant, params }) => {
      const args = { table: params.tableId, row: params.rowId };
      return jsonBytesResponse((await deleteRecord(ctx, grant, args)).bytes);
    },
  ),
];
