import type { z } from "../../wire/common/schema.ts";
import {
  addRecords,
  deleteRecords,
  fetchRecords,
  listRecords,
  modifyRecords,
  upsertRecords,
} from "../../services/documents/content.ts";
import { cursorKey } from "../../services/documents/cursor-keys.ts";
import { TableParams } from "../../wire/common/params.ts";
import { AtQuery } from "../../wire/common/past-states.ts";
import { FetchHeaders, FetchRecordsQuery, RecordLines, Records } from "../../wire/tables/record-responses.ts";
import { RecordsListBody } from "../../wire/tables/records.ts";
import { NullResponse } from "../../wire/common/null-response.ts";
import {
  AddedLines,
  AddedOrReturned,
  AddRecordsBody,
  AddRecordsQuery,
  DeleteRecordsBody,
  ModifiedOrReturned,
  ModifyRecordsBodies,
  ModifyRecordsQuery,
  UpsertedLines,
  UpsertedOrReturned,
  UpsertRecordsBody,
  UpsertRecordsQuery,
} from "../../wire/tables/record-writes.ts";
import { documentContentAccess } from "../route-access.ts";
import { renderedResponse } from "../responses.ts";
import { requestCondition } from "../conditional-requests.ts";
import { bytesBody, route, type Route } from "../route.ts";
import { acceptsLines } from "../body.ts";
import { compressedForPages } from "../compress-rows.ts";
import { recordHeaders } from "../record-lines.ts";
import { fetchArgs } from "./fetch-args.ts";
import { rowWrite } from "./row-writes.ts";

const path = "/api/docs/{docId}/tables/{tableId}/records";

type UpsertQuery = Omit<z.infer<typeof UpsertRecordsQuery>, "onError" | "atomic">;

const upsertArgs = ({ noparse, onmany, noadd, noupdate, allow_empty_require: allowEmptyRequire }: UpsertQuery) => ({
  noparse,
  onmany,
  noadd,
  noupdate,
  allowEmptyRequire,
});

export const recordRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "fetchRecords",
      tag: "records",
      summary: "Fetch records of a table",
      about:
        "Metadata tables such as `_grist_Tables` can be read as well. Omits rows and columns that access rules hide from " +
        'the caller; single hidden cells are `["C"]`.',
      access: documentContentAccess("viewers"),
      params: TableParams,
      query: FetchRecordsQuery,
      headers: FetchHeaders,
      response: Records,
      lines: RecordLines,
    },
    async ({ call, ctx, grant, params, query }) => {
      const args = {
        ...fetchArgs(call, params.tableId, query),
        hidden: query.hidden,
        fields: query.fields,
        expand: query.expand,
        cellFormat: query.cellFormat,
        total: query.total,
        lines: acceptsLines(call),
        // Each answer has a token of its own.
        ...(query.cursor === undefined
          ? { condition: requestCondition(call, grant) }
          : { cursor: query.cursor, cursorKey: cursorKey(ctx, grant) }),
      };
      const { at } = query;
      if (at) call.accounting.extendDeadline();
      const answer = await fetchRecords(ctx, grant, { at, ...args });
      const response = renderedResponse(ctx, grant, answer, recordHeaders(call));
      return answer.kind === "bytes" ? compressedForPages(call, response, answer.bytes) : response;
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/list`,
      id: "listRecords",
      tag: "records",
      summary: "Fetch records, with parameters in the body",
      about: "For filters that are too long for a URL. Ignores the query string, except for `at`.",
      access: documentContentAccess("viewers"),
      params: TableParams,
      query: AtQuery,
      body: bytesBody(RecordsListBody),
      idempotency: "ignored",
      response: Records,
      lines: RecordLines,
    },
    async ({ call, ctx, grant, params, query: { at }, body }) => {
      const mayHaveCursor =
        body !== null && Buffer.from(body.buffer, body.byteOffset, body.length).includes('"cursor"');
      const args = {
        table: params.tableId,
        body,
        lines: acceptsLines(call),
        ...(mayHaveCursor && { cursorKey: cursorKey(ctx, grant) }),
      };
      if (at) call.accounting.extendDeadline();
      return renderedResponse(ctx, grant, await listRecords(ctx, grant, { at, ...args }), recordHeaders(call));
    },
  ),
  rowWrite({
    spec: {
      method: "post",
      path,
      id: "addRecords",
      tag: "records",
      summary: "Add records",
      query: AddRecordsQuery,
      body: AddRecordsBody,
      response: AddedOrReturned,
    },
    write: addRecords,
    argsOf: ({ noparse, flat, return: returned }) => ({ noparse, flat, returned }),
    lines: {
      method: "add",
      schema: AddedLines,
      argsOf: ({ noparse }) => ({ noparse, flat: true }),
      optionsOf: ({ noparse, onError = "stop", atomic }) => ({ query: { noparse }, onError, atomic }),
    },
  }),
  rowWrite({
    spec: {
      method: "patch",
      path,
      id: "modifyRecords",
      tag: "records",
      summary: "Modify records",
      about:
        "Names the records by id, or with `filter` all records that it selects and that the caller can read, which then " +
        'get the same values: `{"fields": {"Status": "done"}}`. Refused with 413 and the code `limit.matched_rows` if ' +
        "they are more than `maxRows`.",
      query: ModifyRecordsQuery,
      body: ModifyRecordsBodies,
      response: ModifiedOrReturned,
    },
    write: modifyRecords,
    argsOf: ({ noparse, filter, maxRows, return: returned }) => ({ noparse, filter, maxRows, returned }),
  }),
  rowWrite({
    spec: {
      method: "put",
      path,
      id: "upsertRecords",
      tag: "records",
      summary: "Add or update records",
      about:
        "Updates the records that match `require` with `fields`. If none matches, adds a record with the values of both.",
      query: UpsertRecordsQuery,
      body: UpsertRecordsBody,
      response: UpsertedOrReturned,
    },
    write: upsertRecords,
    argsOf: (query) => ({ ...upsertArgs(query), returned: query.return }),
    lines: {
      method: "upsert",
      schema: UpsertedLines,
      argsOf: upsertArgs,
      optionsOf: ({ onError = "stop", atomic, ...query }) => ({ query: upsertArgs(query), onError, atomic }),
    },
  }),
  rowWrite({
    spec: {
      method: "post",
      path: `${path}/delete`,
      id: "deleteRecords",
      tag: "records",
      summary: "Delete records by id or by a filter",
      about:
        "Ignores ids that do not exist. A filter selects records that the caller can read; refused with 413 and the code " +
        "`limit.matched_rows` if they are more than `maxRows`.",
      body: DeleteRecordsBody,
      response: NullResponse,
    },
    write: deleteRecords,
    argsOf: () => ({}),
  }),
];
