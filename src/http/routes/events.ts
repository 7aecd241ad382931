import { guardDocument } from "../../services/access/guards.ts";
import { validate } from "../../payload.ts";
import { EventsHeaders, EventsQuery } from "../../wire/documents/events.ts";
import { DocParams } from "../../wire/common/params.ts";
import { documentStreamAccess } from "../route-access.ts";
import { identify } from "../auth.ts";
import type { Call } from "../call.ts";
import { EventStream } from "../event-stream.ts";
import { requestInfo } from "../request-info.ts";
import { route, type Route } from "../route.ts";

const ABOUT = `Tells what changes in the document from now on, as server-sent events, until the caller leaves:

- \`change\`: \`{action, actions, time, user, schema, tables}\`. \`tables\` lists what changed, without values: row ids \`added\`,
  \`updated\` (with \`columns\`), \`removed\`, or \`all\` for any rows.
- \`ready\`: all is told up to this state; what follows has just happened.
- \`reset\`: what happened cannot be told; everything is to be read again.
- \`end\`: the stream ends, with a \`reason\`.

With the id of an event in \`after\` or \`Last-Event-ID\` a stream goes on where another one ended. It begins with the number
of the state (\`action\`), which may be given instead. Callers from whom access rules hide something hear of tables that they
may read, not of rows; they get no \`action\` and \`actions\`, and ids that mean something to the server only.`;

export const eventRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/docs/{docId}/events",
      id: "followDocument",
      tag: "events",
      summary: "Follow the changes of a document",
      about: ABOUT,
      access: documentStreamAccess("viewers"),
      params: DocParams,
      query: EventsQuery,
      headers: EventsHeaders,
      response: { type: "text/event-stream", about: "Events, as they happen." },
    },
    async ({ call, ctx, grant, query }) => {
      const lastEventId = call.request.headers.get("last-event-id") || undefined;
      const { "Last-Event-ID": id } = validate(EventsHeaders, { "Last-Event-ID": lastEventId }, "query");
      // Not needed before somebody listens.
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
      // Whoever left while the document was asked is not noticed by the stream.
      if (request.signal.aborted) {
        subscription.unsubscribe();
        stream.end();
      }
      call.accounting.isStream = true;
      return stream.toResponse();
    },
  ),
];

/** Who calls and what he may now, by the document's UUID: what its address named may be another one meanwhile. */
function reauthorize(call: Call, uuid: string) {
  const actor = identify(call);
  return guardDocument(call.ctx, actor, call.scope, uuid, "viewers", { request: requestInfo(call) });
}
