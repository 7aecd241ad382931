import { z } from "@hono/zod-openapi";
import type { DocumentGrant } from "../../authorization.ts";
import { invalid } from "../../errors.ts";
import { listDocumentAccess } from "../../services/access/access-lists.ts";
import {
  copyDocument,
  createDocument,
  deleteDocument,
  describeDocument,
  modifyDocument,
  moveDocument,
  pinDocument,
  replaceDocument,
  setDisabled,
} from "../../services/documents/documents.ts";
import { guardDocument, guardSite, guardWorkspace } from "../../services/access/guards.ts";
import { restoreSnapshot } from "../../services/documents/snapshots.ts";
import { changeDocumentAccess } from "../../services/access/sharing.ts";
import { removeDocument, restoreDocument } from "../../services/documents/trash.ts";
import { listViewAsUsers } from "../../services/access/view-as.ts";
import { AccessList, Delta } from "../../wire/access/access-lists.ts";
import {
  Document,
  DocumentChange,
  DocumentCopy,
  DocumentCreate,
  DocumentId,
  DocumentMove,
  DocumentReplace,
  formatDocumentId,
  withFormattedId,
} from "../../wire/documents/documents.ts";
import { nullableUnion } from "../../wire/common/fields.ts";
import { DocParams } from "../../wire/common/params.ts";
import { UsersForViewAs } from "../../wire/access/view-as.ts";
import { RemoveQuery, ShowRemovedQuery, WorkspaceParams } from "../../wire/sites/workspaces.ts";
import { documentAdminAccess, documentContentAccess, documentInfoAccess, workspaceAccess } from "../route-access.ts";
import { documentIdResponse, jsonResponse } from "../responses.ts";
import { requireValidBody, requireNonEmptyName } from "../prechecks.ts";
import { requestInfo } from "../request-info.ts";
import { jsonBody, route, type AccessCheck, type Route } from "../route.ts";

const tag = "documents";
const path = "/api/docs/{docId}";
/** The trash makes no difference to who owns a document and what may be done to it. */
const ALLOW_TRASHED = { removed: "any" } as const;
/** Being disabled makes no difference to whether a document can be described and deleted. */
const ALLOW_DISABLED = { disabled: "any" } as const;
const ALLOW_TRASHED_OR_DISABLED = { ...ALLOW_TRASHED, ...ALLOW_DISABLED } as const;

const pinAccess: AccessCheck<DocumentGrant> = {
  about: "Owners and editors of the site who can see the document.",
  statuses: [401, 403, 404],
  check(call, params) {
    const grant = guardDocument(call.ctx, call.actor, call.scope, params["docId"] ?? "", "viewers");
    guardSite(call.ctx, call.actor, call.scope, String(grant.orgId), "editors");
    return grant;
  },
};

/** Documents: everything but their content. */
export const documentRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path: "/api/workspaces/{workspaceId}/docs",
      id: "createDocument",
      tag,
      summary: "Make an empty document",
      about: "It has one table, Table1, with columns A, B and C. The caller owns it.",
      access: workspaceAccess("editors", ALLOW_TRASHED),
      params: WorkspaceParams,
      body: jsonBody(DocumentCreate),
      early: requireNonEmptyName,
      response: DocumentId,
    },
    async ({ call, ctx, grant, body }) => documentIdResponse(call, await createDocument(ctx, grant, body)),
  ),
  route(
    {
      method: "get",
      path,
      id: "describeDocument",
      tag,
      summary: "Describe a document",
      access: documentInfoAccess("viewers", ALLOW_DISABLED),
      params: DocParams,
      query: ShowRemovedQuery,
      response: Document,
    },
    ({ call, ctx, grant }) => jsonResponse(withFormattedId(describeDocument(ctx, grant), call.config.docIds)),
  ),
  route(
    {
      method: "patch",
      path,
      id: "modifyDocument",
      tag,
      summary: "Rename a document, or change its metadata",
      access: documentInfoAccess("owners", ALLOW_TRASHED),
      params: DocParams,
      body: jsonBody(DocumentChange),
      response: DocumentId,
    },
    ({ call, ctx, grant, body }) => documentIdResponse(call, modifyDocument(ctx, grant, body)),
  ),
  route(
    {
      method: "delete",
      path,
      id: "deleteDocument",
      tag,
      summary: "Delete a document for good",
      access: documentInfoAccess("owners", ALLOW_TRASHED_OR_DISABLED),
      params: DocParams,
      response: DocumentId,
    },
    async ({ call, ctx, grant }) => documentIdResponse(call, await deleteDocument(ctx, grant)),
  ),
  route(
    {
      method: "post",
      path: `${path}/remove`,
      id: "removeDocument",
      tag,
      summary: "Put a document into the trash",
      about: "What is in the trash is deleted after 30 days.",
      access: documentInfoAccess("owners", ALLOW_TRASHED_OR_DISABLED),
      params: DocParams,
      query: RemoveQuery,
      response: nullableUnion(DocumentId),
    },
    async ({ call, ctx, grant, query }) => {
      if (query.permanent) return documentIdResponse(call, await deleteDocument(ctx, grant));
      removeDocument(ctx, grant);
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/unremove`,
      id: "unremoveDocument",
      tag,
      summary: "Take a document out of the trash",
      access: documentInfoAccess("owners", ALLOW_TRASHED_OR_DISABLED),
      params: DocParams,
      response: z.null(),
    },
    ({ ctx, grant }) => {
      restoreDocument(ctx, grant);
      return jsonResponse(null);
    },
  ),
  ...(["disable", "enable"] as const).map((verb) =>
    route(
      {
        method: "post",
        path: `${path}/${verb}`,
        id: `${verb}Document`,
        tag,
        summary: verb === "disable" ? "Disable a document" : "Enable a disabled document",
        about:
          verb === "disable"
            ? "Reading and changing its content or metadata is refused to everybody; it can be described and deleted."
            : "Webhook deliveries that waited are sent.",
        access: documentAdminAccess,
        params: DocParams,
        response: z.null(),
      },
      ({ ctx, grant }) => {
        setDisabled(ctx, grant, verb === "disable");
        return jsonResponse(null);
      },
    ),
  ),
  ...(["pin", "unpin"] as const).map((verb) =>
    route(
      {
        method: "patch",
        path: `${path}/${verb}`,
        id: `${verb}Document`,
        tag,
        summary: verb === "pin" ? "Pin a document" : "Pin a document no longer",
        access: pinAccess,
        params: DocParams,
        response: z.null(),
      },
      ({ ctx, grant }) => {
        pinDocument(ctx, grant, verb === "pin");
        return jsonResponse(null);
      },
    ),
  ),
  route(
    {
      method: "patch",
      path: `${path}/move`,
      id: "moveDocument",
      tag,
      summary: "Move a document to another workspace",
      about: "Takes an owner or editor of the other workspace too. Roles given on the document itself stay.",
      access: documentInfoAccess("owners", ALLOW_TRASHED),
      params: DocParams,
      body: jsonBody(DocumentMove),
      response: DocumentId,
    },
    ({ call, ctx, grant, body }) => {
      const target = guardWorkspace(ctx, grant.actor, body.workspace, "editors", ALLOW_TRASHED);
      return documentIdResponse(call, moveDocument(ctx, grant, target));
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/copy`,
      id: "copyDocument",
      tag,
      summary: "Copy a document",
      about: "Takes an owner or editor of the other workspace too. Only the caller owns the copy.",
      access: documentContentAccess("viewers"),
      params: DocParams,
      body: jsonBody(DocumentCopy),
      isLong: true,
      response: DocumentId,
    },
    async ({ call, ctx, grant, body }) => {
      const target = guardWorkspace(ctx, grant.actor, body.workspaceId, "editors", ALLOW_TRASHED);
      const { documentName = formatDocumentId(grant.uuid, call.config.docIds) } = body;
      return documentIdResponse(call, await copyDocument(ctx, grant, target, { ...body, documentName }));
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/replace`,
      id: "replaceDocument",
      tag,
      summary: "Replace a document's content by another's, or by an earlier one",
      about:
        "Takes a viewer of the other document from whom nothing in it is hidden. Name and sharing stay; what the content " +
        "was becomes a snapshot. Webhooks stay only with a `snapshotId`, as far as they were there then.",
      access: documentContentAccess("owners"),
      params: DocParams,
      body: jsonBody(DocumentReplace),
      isLong: true,
      response: z.null(),
    },
    async ({ call, ctx, grant, body }) => {
      const { sourceDocId, snapshotId } = body;
      if (sourceDocId && snapshotId) throw invalid("Name either sourceDocId or snapshotId");
      if (snapshotId) await restoreSnapshot(ctx, grant, snapshotId);
      if (!sourceDocId) return jsonResponse(null);
      const request = requestInfo(call);
      const source = guardDocument(ctx, grant.actor, call.scope, sourceDocId, "viewers", { request });
      await replaceDocument(ctx, grant, source);
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "get",
      path: `${path}/usersForViewAs`,
      id: "listUsersForViewAs",
      tag,
      summary: "List the users as whom a document can be viewed",
      about: "Everybody with access, people in tables that access rules look users up in, and example users.",
      access: documentContentAccess("owners"),
      params: DocParams,
      response: UsersForViewAs,
    },
    async ({ ctx, grant }) => jsonResponse(await listViewAsUsers(ctx, grant)),
  ),
  route(
    {
      method: "post",
      path: `${path}/assign`,
      id: "assignDocument",
      tag,
      summary: "Assign a document to another group of servers",
      about: "There is one server, so nothing is reassigned and the answer is false.",
      access: documentContentAccess("editors"),
      params: DocParams,
      response: z.literal(false),
    },
    () => jsonResponse(false),
  ),
  route(
    {
      method: "get",
      path: `${path}/access`,
      id: "listDocumentAccess",
      tag,
      summary: "List who has access to a document",
      about: "Owners and editors see everybody who can see it, others themselves.",
      access: documentInfoAccess("viewers", ALLOW_TRASHED_OR_DISABLED),
      params: DocParams,
      response: AccessList,
    },
    ({ ctx, grant }) => jsonResponse(listDocumentAccess(ctx, grant)),
  ),
  route(
    {
      method: "patch",
      path: `${path}/access`,
      id: "changeDocumentAccess",
      tag,
      summary: "Change who has access to a document",
      about:
        "Owners; everybody may give up his own role. Unknown addresses are invited. `everyone@getgrist.com` opens it to " +
        "everybody, `anon@getgrist.com` to callers without a key.",
      access: documentInfoAccess("viewers", ALLOW_TRASHED),
      params: DocParams,
      body: jsonBody(Delta),
      early: requireValidBody(Delta),
      response: z.null(),
    },
    ({ ctx, grant, body }) => {
      changeDocumentAccess(ctx, grant, body);
      return jsonResponse(null);
    },
  ),
];
