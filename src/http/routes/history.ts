import type { DocumentGrant } from "../../authorization.ts";
import { compareStates, listStates, restoreState, undoState } from "../../services/documents/content.ts";
import { guardDocument } from "../../services/access/guards.ts";
import {
  compareDocuments,
  describeHistory,
  readRetention,
  removeStates,
  setRetention,
} from "../../services/documents/history.ts";
import {
  CompareDocumentsQuery,
  CompareQuery,
  Comparison,
  DocumentComparison,
  History,
  HistoryQuery,
  RemoveStatesBody,
  Retention,
  RetentionBody,
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
import { type AccessCheck, bytesBody, jsonBody, route, type Route } from "../route.ts";

const path = "/api/docs/{docId}";
const tag = "history";

const viewerAccess = documentContentAccess("viewers");

/** Also requires access to a second document, under `{docId2}`. */
const twoDocumentsAccess: AccessCheck<{ left: DocumentGrant; right: DocumentGrant }> = {
  ...viewerAccess,
  about: "Owners, editors and viewers of both documents.",
  documentOf: ({ left }) => left,
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
      about: "Each change creates a state. When there are too many, the oldest are deleted.",
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
      summary: "Get the history of a document",
      about:
        "Lists the states with time, user and changes, newest first. Requires permission to copy the whole document.",
      access: viewerAccess,
      params: DocParams,
      query: HistoryQuery,
      response: History,
    },
    async ({ ctx, grant, query: { before = null, limit = 50, table, row, user } }) =>
      jsonResponse(await describeHistory(ctx, grant, { before, limit, table, row, user })),
  ),
  route(
    {
      method: "post",
      path: `${path}/states/remove`,
      id: "removeStates",
      tag,
      summary: "Delete old states of a document",
      about: "Keeps the document's content. The history before the kept states is lost.",
      access: documentContentAccess("owners"),
      params: DocParams,
      body: bytesBody(RemoveStatesBody),
      response: NullResponse,
    },
    async ({ ctx, grant, body }) => jsonBytesResponse((await removeStates(ctx, grant, { body })).bytes),
  ),
  route(
    {
      method: "get",
      path: `${path}/states/retention`,
      id: "getHistoryRetention",
      tag,
      summary: "Get how many states a document keeps",
      about: "The number that its owners chose, and the limits of the server. The smaller one applies.",
      access: documentContentAccess("owners"),
      params: DocParams,
      response: Retention,
    },
    async ({ ctx, grant }) => jsonResponse(await readRetention(ctx, grant)),
  ),
  route(
    {
      method: "put",
      path: `${path}/states/retention`,
      id: "setHistoryRetention",
      tag,
      summary: "Set how many states a document keeps",
      about:
        "Deletes older states now, and whenever their number exceeds the new one by a quarter. " +
        "Copies and downloads of the document keep as many as the server does.",
      access: documentContentAccess("owners"),
      params: DocParams,
      body: jsonBody(RetentionBody),
      response: Retention,
    },
    async ({ ctx, grant, body }) => jsonResponse(await setRetention(ctx, grant, body.states)),
  ),
  route(
    {
      method: "post",
      path: `${path}/states/{state}/undo`,
      id: "undoState",
      tag,
      summary: "Undo a change",
      about:
        "Reverts the change that led to a state. This is a change of its own: to redo, undo it. Later changes of other cells " +
        "are preserved. Only the author of a change can undo it.",
      access: documentContentAccess("editors"),
      params: StateParams,
      dryRun: true,
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
      summary: "Restore a document to a state",
      about:
        "Reverts all changes after the state in one change, which can itself be undone. Does nothing for the newest state; " +
        "`isModification` is then false. Does not restore data outside of the history, such as the contents of deleted " +
        "attachments. If there are too many later changes, restore a snapshot instead. Requires permission to copy the " +
        "whole document.",
      access: documentContentAccess("owners"),
      params: StateParams,
      isLong: true,
      dryRun: true,
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
        "Lists the changes from the left, older state to the right one. If the document has access rules, requires " +
        "permission to copy the whole document.",
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
      summary: "Compare two documents",
      about:
        "A copy shares history with its original: the comparison shows which of the two has changed since, and how. Requires " +
        "permission to copy both documents.",
      access: twoDocumentsAccess,
      // Only this node asks for documents that others own.
      requestClass: "home",
      params: DocsParams,
      query: CompareDocumentsQuery,
      response: DocumentComparison,
    },
    async ({ ctx, grant, query }) => jsonBytesResponse(await compareDocuments(ctx, grant, query)),
  ),
];
