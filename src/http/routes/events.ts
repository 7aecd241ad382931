import { guardDocument } from "../../services/access/guards.ts";
import { validate } from "../../payload.ts";
import { EventsHeaders, EventsQuery } from "../../wire/documents/events.ts";
import { DocParams } from "../../wire/common/params.ts";
import { documentStreamAccess } from "../route-access.ts";
import { identify } from "../auth.ts";
import type { Call } from "../call.ts";
import { EventStream } from "../event-stream.ts";
import { checkKeyLimits } from "../keys/key-limits.ts";
import { requestInfo } from "../request-info.ts";
import { route, type Route } from "../route.ts";

const ABOUT = `Streams the changes of the document as server-sent events until the caller disconnects:

- \`change\`: \`{action, actions, time, user, schema, tables}\`. \`tables\` lists the changes without values: row ids \`added\`,
  \`updated\` (with \`columns\`), \`removed\`, or \`all\` if any row may have changed.
- \`ready\`: the stream has caught up with this state; later events are live.
- \`reset\`: the missed changes are no longer available; reload the document.
- \`end\`: the stream ends, with a \`reason\`.

To resume a stream, pass the id of the last event in \`after\` or \`Last-Event-ID\`. The id begins with the number of the
state (\`action\`), which is accepted as well. If access rules hide anything from the caller, events name only tables that
the caller may read and no rows, have no \`action\` and \`actions\`, and their ids are opaque.`;

export const eventRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/docs/{docId}/events",
      id: "followDocument",
      tag: "events",
      summary: "Stream the changes of a document",
      about: ABOUT,
      access: documentStreamAccess("viewers"),
      params: DocParams,
      query: EventsQuery,
      headers: EventsHeaders,
      response: { type: "text/event-stream", about: "A stream of server-sent events." },
    },
    async ({ call, ctx, grant, query }) => {
      const lastEventId = call.request.headers.get("last-event-id") || undefined;
      const { "Last-Event-ID": id } = validate(EventsHeaders, { "Last-Event-ID": lastEventId }, "query");
      // Loaded lazily: not needed before the first subscriber.
      const { subscribeToDocument } = await import("../../services/events/events.ts");
      const stream = new EventStream(call.services.streams);
      const { request, config } = call;
      const subscriber = {
        reauthorize: () => reauthorize(call, grant.uuid),
        send: (text: string) => stream.send(text),
        get isLagging() {
          return stream.isLagging;
        },
        end: () => stream.end(),
      };
      const limits = { perDocument: config.maxDocumentStreams, total: config.maxStreams };
      const subscription = await subscribeToDocument(ctx, grant, {
        subscriber,
        after: id ?? query.after ?? null,
        limits,
      });
      stream.onDrained = subscription.onDrained;
      stream.onDisconnected = subscription.unsubscribe;
      // The stream does not report a disconnect during the call above.
      if (request.signal.aborted) {
        subscription.unsubscribe();
        stream.end();
      }
      call.accounting.isStream = true;
      return stream.toResponse();
    },
  ),
];

/**
 * Returns the caller's current grant, by the document's UUID: the id in the path may refer to another document by now.
 */
function reauthorize(call: Call, uuid: string) {
  const actor = identify(call);
  checkKeyLimits({ actor, search: call.search, accounting: call.accounting }, "followDocument", undefined);
  return guardDocument(call.ctx, actor, call.scope, uuid, "viewers", { request: requestInfo(call), tables: "part" });
}
