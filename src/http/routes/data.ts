import { addData, deleteData, fetchData, modifyData } from "../../services/documents/content.ts";
import { TableParams } from "../../wire/common/params.ts";
import { FetchDataQuery, FetchHeaders, TableData } from "../../wire/tables/record-responses.ts";
import { NullResponse } from "../../wire/common/null-response.ts";
import {
  AddDataBody,
  ModifyDataBody,
  ModifyDataQuery,
  RemovedRowIds,
  RowIds,
} from "../../wire/tables/record-writes.ts";
import { documentContentAccess } from "../route-access.ts";
import { renderedResponse } from "../responses.ts";
import { requestCondition } from "../conditional-requests.ts";
import { route, type Route } from "../route.ts";
import { fetchArgs } from "./fetch-args.ts";
import { rowWrite } from "./row-writes.ts";

const path = "/api/docs/{docId}/tables/{tableId}/data";

export const dataRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "fetchData",
      tag: "data",
      summary: "Fetch the rows of a table by column",
      about: "The older, columnar format, subject to the same access rules. Prefer `GET …/records`.",
      access: documentContentAccess("viewers"),
      params: TableParams,
      query: FetchDataQuery,
      headers: FetchHeaders,
      response: TableData,
    },
    async ({ call, ctx, grant, params, query }) => {
      if (query.at) call.accounting.extendDeadline();
      const args = { ...fetchArgs(call, params.tableId, query), condition: requestCondition(call, grant) };
      return renderedResponse(ctx, grant, await fetchData(ctx, grant, { at: query.at, ...args }));
    },
  ),
  rowWrite({
    spec: {
      method: "post",
      path,
      id: "addData",
      tag: "data",
      summary: "Add rows in columnar format",
      query: ModifyDataQuery,
      body: AddDataBody,
      response: RowIds,
    },
    write: addData,
    argsOf: ({ noparse }) => ({ noparse }),
  }),
  rowWrite({
    spec: {
      method: "patch",
      path,
      id: "modifyData",
      tag: "data",
      summary: "Modify rows in columnar format",
      query: ModifyDataQuery,
      body: ModifyDataBody,
      response: RowIds,
    },
    write: modifyData,
    argsOf: ({ noparse }) => ({ noparse }),
  }),
  rowWrite({
    spec: {
      method: "post",
      path: `${path}/delete`,
      id: "deleteData",
      tag: "data",
      summary: "Delete rows by id",
      body: RemovedRowIds,
      response: NullResponse,
    },
    write: deleteData,
    argsOf: () => ({}),
  }),
];
