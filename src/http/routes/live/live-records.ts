import { guardDocument, requireReachedTable } from "../../../services/access/guards.ts";
import { AppError } from "../../../errors.ts";
import { validate } from "../../../payload.ts";
import { TableParams } from "../../../wire/common/params.ts";
import { LiveRecordsHeaders, LiveRecordsQuery } from "../../../wire/tables/live-records.ts";
import { identify } from "../../auth.ts";
import type { Call } from "../../call.ts";
import { EventStream } from "../../event-stream.ts";
import { checkKeyLimits } from "../../keys/key-limits.ts";
import { requestInfo } from "../../request-info.ts";
import { documentStreamAccess } from "../../route-access.ts";
import { route, type Route } from "../../route.ts";

const ABOUT = `Streams the records that a query selects, and then their changes, as server-sent events until the caller
disconnects:

- \`reset\`: \`{reason, records}\`. All records of the result, which replace what the client has. The first event of a stream.
- \`change\`: \`{added, updated, removed}\`. Records that were added to the result or changed in it, and the ids of records that
  no longer belong to it.
- \`current\`: \`{}\`. Nothing has changed since the state that the client resumed from.
- \`closed\`: \`{reason}\`. The stream ends.

Each event leads from one state of the document to another: applying all events gives what a read with the same parameters gives.
To resume a stream, pass the id of the last event in \`after\` or \`Last-Event-ID\`. A result has at most 10,000 records.`;

const ID = "followRecords";

/** Changes that are buffered for a client that does not read. They are shared with other subscribers of the same query. */
const MAX_LAG_BYTES = 64 * 1024;

export const liveRecordRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/docs/{docId}/tables/{tableId}/records/live",
      id: ID,
      tag: "records",
      summary: "Follow the records that a query selects",
      about: ABOUT,
      access: documentStreamAccess("viewers"),
      params: TableParams,
      query: LiveRecordsQuery,
      headers: LiveRecordsHeaders,
      response: { type: "text/event-stream", about: "A stream of server-sent events." },
      further: { 413: "The result has too many records, or is too large." },
    },
    async ({ call, ctx, grant, params, query }) => {
      refuseOtherParameters(call);
      const lastEventId = call.request.headers.get("last-event-id") || undefined;
      const { "Last-Event-ID": id } = validate(LiveRecordsHeaders, { "Last-Event-ID": lastEventId }, "query");
      // Loaded lazily: not needed before the first subscriber.
      const { subscribeToRecords } = await import("../../../services/live/live-queries.ts");
      const stream = new EventStream(call.services.streams);
      const { request, config } = call;
      const { after, ...rest } = query;
      const { unsubscribe, onDrained } = await subscribeToRecords(ctx, grant, {
        subscriber: {
          reauthorize: () => reauthorize(call, grant.uuid, params.tableId),
          send: (bytes, onTaken) => stream.send(bytes, onTaken),
          get isLagging() {
            return stream.isLagging;
          },
          get partsTaken() {
            return stream.partsTaken;
          },
          maxLagBytes: MAX_LAG_BYTES,
          end: () => stream.end(),
        },
        query: { table: params.tableId, ...rest },
        after: id ?? after ?? null,
        limits: {
          perDocument: config.maxDocumentStreams,
          total: config.maxStreams,
          bufferedBytes: config.maxStreamMemory,
        },
      });
      stream.onDrained = onDrained;
      stream.onDisconnected = unsubscribe;
      // The stream does not report a disconnect during the call above.
      if (request.signal.aborted) unsubscribe();
      call.accounting.isStream = true;
      return stream.toResponse();
    },
  ),
];

/** Parameters of reads that a live query does not have, with what to do instead. */
const OTHER_PARAMETERS: Readonly<Record<string, string>> = {
  limit: "use a filter",
  offset: "use a filter",
  sort: "sort the records in the client",
  cursor: "all records are sent",
  total: "count the records in the client",
  at: "a past state does not change",
};

/** @throws AppError `invalid`: a client that expects part of the records, or an order, must not get something else */
function refuseOtherParameters({ search, request }: Call): void {
  const query = new URLSearchParams(search);
  for (const [name, instead] of Object.entries(OTHER_PARAMETERS)) {
    if ((query.get(name) ?? "") !== "" || (request.headers.get(`x-${name}`) ?? "") !== "")
      throw new AppError("live.parameter", `${name} cannot be used with a live query: ${instead}`);
  }
}

/**
 * Returns the caller's current grant, by the document's UUID: the id in the path may refer to another document by now.
 */
function reauthorize(call: Call, uuid: string, tableId: string) {
  const actor = identify(call);
  checkKeyLimits({ actor, search: call.search, accounting: call.accounting }, ID, { tableId });
  const { ctx, scope, accounting } = call;
  const options = { request: requestInfo(call), ...(accounting.tableUse && { tables: accounting.tableUse }) };
  const grant = guardDocument(ctx, actor, scope, uuid, "viewers", options);
  requireReachedTable(grant, tableId);
  return grant;
}
