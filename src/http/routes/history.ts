import type { DocumentGrant } from "../../authorization.ts";
import { compareStates, listStates, removeStates, restoreState, undoState } from "../../services/documents/content.ts";
import { guardDocument } from "../../services/access/guards.ts";
import { compareDocuments, describeHistory } from "../../services/documents/history.ts";
import {
  CompareDocumentsQuery,
  CompareQuery,
  Comparison,
  DocumentComparison,
  History,
  HistoryQuery,
  RemoveStatesBody,
  StateParams,
  States,
} from "../../wire/documents/history.ts";
import { NullResponse } from "../../wire/common/null-response.ts";
import { DocParams, DocsParams } from "../../wire/common/params.ts";
import { ConditionalHeaders } from "../../wire/tables/record-responses.ts";
import { ApplyResult } from "../../wire/tables/table-writes.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonResponse, jsonBytesResponse, renderedResponse } from "../responses.ts";
import { requestCondition } from "../conditional-requests.ts";
import { type AccessCheck, bytesBody, route, type Route } from "../route.ts";

const path = "/api/docs/{docId}";
const tag = "history";

const viewerAccess = documentContentAccess("viewers");

/** A second document, under `{docId2}`, besides the first. */
const twoDocumentsAccess: AccessCheck<{ left: DocumentGrant; right: DocumentGrant }> = {
  ...viewerAccess,
  about: "Owners, editors and viewers of both documents.",
  check(call, params, body) {
    const left = viewerAccess.check(call, params, body);
    try {
      const { request } = left;
      const right = guardDocument(call.ctx, call.actor, call.scope, params["docId2"] ?? "", "viewers", {
        request,
      });
      return { left, right };
    } catch (error) {
      viewerAccess.done?.(call);
      throw error;
    }
  },
};

export const historyRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: `${path}/states`,
      id: "listStates",
      tag,
      summary: "List the states of a document",
      about: "Each change of a document makes a new state. Old ones are forgotten once there are many.",
      access: viewerAccess,
      params: DocParams,
      headers: ConditionalHeaders,
      response: States,
    },
    async ({ call, ctx, grant }) =>
      renderedResponse(ctx, grant, await listStates(ctx, grant, { condition: requestCondition(call, grant) })),
  ),
  route(
    {
      method: "get",
      path: `${path}/history`,
      id: "describeHistory",
      tag,
      summary: "Tell the history of a document",
      about:
        "The states of the document with when, by whom and what was done, newest first. For those who may copy everything.",
      access: viewerAccess,
      params: DocParams,
      query: HistoryQuery,
      response: History,
    },
    async ({ ctx, grant, query: { before = null, limit = 50 } }) =>
      jsonResponse(await describeHistory(ctx, grant, { before, limit })),
  ),
  route(
    {
      method: "post",
      path: `${path}/states/remove`,
      id: "removeStates",
      tag,
      summary: "Forget old states of a document",
      about: "The document itself stays as it is; what was done to it before cannot be told any more.",
      access: documentContentAccess("owners"),
      params: DocParams,
      body: bytesBody(RemoveStatesBody),
      response: NullResponse,
    },
    async ({ ctx, grant, body }) => jsonBytesResponse((await removeStates(ctx, grant, { body })).bytes),
  ),
  route(
    {
      method: "post",
      path: `${path}/states/{state}/undo`,
      id: "undoState",
      tag,
      summary: "Undo a change of one's own",
      about:
        "Takes back the change that led to a state, as a change of its own: undoing that one does it again. What others " +
        "did since stays, but for the same cells. For whoever made the change.",
      access: documentContentAccess("editors"),
      params: StateParams,
      response: ApplyResult,
    },
    async ({ ctx, grant, params }) => jsonBytesResponse((await undoState(ctx, grant, { state: params.state })).bytes),
  ),
  route(
    {
      method: "post",
      path: `${path}/states/{state}/restore`,
      id: "restoreState",
      tag,
      summary: "Bring a document back to a state",
      about:
        "Undoes everything that came after the state, as one change that can be undone itself. Nothing is done, and the " +
        "answer says so (`isModification`), for the newest state. What stood in no history, such as the contents of " +
        "attachments that were removed, does not come back. Where too much happened since, restore a snapshot. For those " +
        "who may copy everything.",
      access: documentContentAccess("owners"),
      params: StateParams,
      isLong: true,
      response: ApplyResult,
    },
    async ({ ctx, grant, params }) =>
      jsonBytesResponse((await restoreState(ctx, grant, { state: params.state })).bytes),
  ),
  route(
    {
      method: "get",
      path: `${path}/compare`,
      id: "compareStates",
      tag,
      summary: "Compare two states of a document",
      about:
        "Tells what happened between the left, older state and the right one. A document with access rules tells it only " +
        "those who may copy everything.",
      access: viewerAccess,
      params: DocParams,
      query: CompareQuery,
      headers: ConditionalHeaders,
      response: Comparison,
    },
    async ({ call, ctx, grant, query }) =>
      renderedResponse(
        ctx,
        grant,
        await compareStates(ctx, grant, { ...query, condition: requestCondition(call, grant) }),
      ),
  ),
  route(
    {
      method: "get",
      path: `${path}/compare/{docId2}`,
      id: "compareDocuments",
      tag,
      summary: "Compare a document with another",
      about:
        "A copy shares its past with the original: this tells which of the two changed since, and how. Each has to be one " +
        "that the caller may copy as a whole.",
      access: twoDocumentsAccess,
      params: DocsParams,
      query: CompareDocumentsQuery,
      response: DocumentComparison,
    },
    async ({ ctx, grant, query }) => jsonBytesResponse(await compareDocuments(ctx, grant, query)),
  ),
];
