import { runBatch } from "../../services/documents/content.ts";
import { DocParams } from "../../wire/common/params.ts";
import { BatchBody, BatchResults } from "../../wire/tables/batch.ts";
import { ApplyQuery } from "../../wire/tables/table-writes.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonBytesResponse } from "../responses.ts";
import { bytesBody, route, type Route } from "../route.ts";

export const batchRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path: "/api/docs/{docId}/batch",
      id: "runBatch",
      tag: "records",
      summary: "Write records of several tables in one transaction",
      about:
        "Operations run in order, and each sees the effects of the previous ones. Values and ids can refer to the result " +
        'of an earlier operation with `{"$ref": "order.ids.0"}`. If one is refused, none is applied, and ' +
        "`details.operation` is its index. Access rules are checked for each operation. The batch is one state of the " +
        "history.",
      access: documentContentAccess("editors"),
      params: DocParams,
      query: ApplyQuery,
      body: bytesBody(BatchBody),
      dryRun: true,
      response: BatchResults,
    },
    async ({ ctx, grant, query, body }) =>
      jsonBytesResponse((await runBatch(ctx, grant, { noparse: query.noparse, body })).bytes),
  ),
];
