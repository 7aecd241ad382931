import { changeMatchingRecords, estimateChange } from "../../services/documents/content.ts";
import { TableParams } from "../../wire/common/params.ts";
import { ChangeMatchingBody, ChangeSize, ChangeSizeBody, MatchingChanged } from "../../wire/tables/matching-changes.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonBytesResponse } from "../responses.ts";
import { bytesBody, route, type Route } from "../route.ts";

const path = "/api/docs/{docId}/tables/{tableId}/records";
const tag = "records";

/** Routes that change all records of a filter, with the number of records that the caller expects. */
export const matchingChangeRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path: `${path}/change`,
      id: "changeMatchingRecords",
      tag,
      summary: "Change all records that a filter selects",
      about:
        "Sets cells, replaces a text, duplicates or deletes, in one change that can be undone by its `actionNum`. Refused " +
        "with 409 and the code `filter.rows_changed` if the filter selects another number of records than `expectedRows`.",
      access: documentContentAccess("editors"),
      params: TableParams,
      body: bytesBody(ChangeMatchingBody),
      dryRun: true,
      response: MatchingChanged,
    },
    async ({ ctx, grant, params, body }) =>
      jsonBytesResponse((await changeMatchingRecords(ctx, grant, { table: params.tableId, body })).bytes),
  ),
  route(
    {
      method: "post",
      path: `${path}/change/size`,
      id: "estimateChange",
      tag,
      summary: "Estimate the size of a change",
      about:
        "How many records and cells a change would concern, and about how much history it would take. A change that takes " +
        "more than `keptBytes` can be undone only until the next change. Changes nothing.",
      access: documentContentAccess("viewers"),
      params: TableParams,
      body: bytesBody(ChangeSizeBody),
      idempotency: "ignored",
      response: ChangeSize,
    },
    async ({ ctx, grant, params, body }) =>
      jsonBytesResponse((await estimateChange(ctx, grant, { table: params.tableId, body })).bytes),
  ),
];
