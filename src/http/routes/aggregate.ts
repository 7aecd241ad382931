import { aggregateRecords } from "../../services/documents/content.ts";
import { TableParams } from "../../wire/common/params.ts";
import { AtQuery } from "../../wire/common/past-states.ts";
import { Aggregate, AggregateBody } from "../../wire/tables/aggregate.ts";
import { renderedResponse } from "../responses.ts";
import { documentContentAccess } from "../route-access.ts";
import { bytesBody, route, type Route } from "../route.ts";

export const aggregateRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path: "/api/docs/{docId}/tables/{tableId}/aggregate",
      id: "aggregateRecords",
      tag: "records",
      summary: "Count, sum and group records",
      about:
        "Covers the rows and cells that the caller can read. At most 100,000 groups; more, and requests that take longer than 10 s, get 400 with the code `limit.exceeded`.",
      access: documentContentAccess("viewers"),
      params: TableParams,
      query: AtQuery,
      body: bytesBody(AggregateBody),
      idempotency: "ignored",
      response: Aggregate,
    },
    async ({ call, ctx, grant, params, query: { at }, body }) => {
      if (at) call.accounting.extendDeadline();
      const args = { table: params.tableId, body };
      return renderedResponse(ctx, grant, await aggregateRecords(ctx, grant, { at, ...args }));
    },
  ),
];
