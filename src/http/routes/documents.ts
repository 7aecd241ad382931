import { z } from "../../wire/common/schema.ts";
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
import type { CreatedDocument } from "../../services/documents/documents.ts";
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
import type { Call } from "../call.ts";
import { requireValidBody, requireNonEmptyName } from "../prechecks.ts";
import { requestInfo } from "../request-info.ts";
import { jsonBody, route, type AccessCheck, type Route } from "../route.ts";

const tag = "documents";
const path = "/api/docs/{docId}";
/** The owner of a document and the permitted operations are the same in the trash. */
const ALLOW_TRASHED = { removed: "any" } as const;
/** Disabled documents can still be described and deleted. */
const ALLOW_DISABLED = { disabled: "any" } as const;
const ALLOW_TRASHED_OR_DISABLED = { ...ALLOW_TRASHED, ...ALLOW_DISABLED } as const;

const pinAccess: AccessCheck<DocumentGrant> = {
  about: "Owners and editors of the site who have access to the document.",
  statuses: [401, 403, 404],
  check(call, params) {
    const grant = guardDocument(call.ctx, call.actor, call.scope, params["docId"] ?? "", "viewers");
    guardSite(call.ctx, call.actor, call.scope, String(grant.orgId), "editors");
    return grant;
  },
};

/** Returns the answer of a route that has created a document, from the result of the transaction. */
const createdId = ({ call }: { readonly call: Call }, created: unknown): string =>
  formatDocumentId((created as CreatedDocument).uuid, call.config.docIds);

/** Routes of documents, except for their content. */
export const documentRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path: "/api/workspaces/{workspaceId}/docs",
      id: "createDocument",
      tag,
      summary: "Create a document",
      about:
        "Without a template, the document has one table, Table1, with the columns A, B and C. The caller becomes its owner.",
      access: workspaceAccess("editors", ALLOW_TRASHED),
      params: WorkspaceParams,
      body: jsonBody(DocumentCreate),
      early: requireNonEmptyName,
      idempotency: { answerOf: createdId },
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
      summary: "Rename a document or change its metadata",
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
      summary: "Permanently delete a document",
      access: documentInfoAccess("owners", ALLOW_TRASHED_OR_DISABLED),
      params: DocParams,
      idempotency: { answerOf: ({ call, grant }) => formatDocumentId(grant.uuid, call.config.docIds), removes: true },
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
      summary: "Move a document to the trash",
      about: "Documents in the trash are permanently deleted after 30 days.",
      access: documentInfoAccess("owners", ALLOW_TRASHED_OR_DISABLED),
      params: DocParams,
      query: RemoveQuery,
      idempotency: {
        answerOf: ({ call, grant, query }) =>
          query.permanent ? formatDocumentId(grant.uuid, call.config.docIds) : null,
        removes: true,
      },
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
      summary: "Restore a document from the trash",
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
            ? "Refuses all access to the document's content and metadata. The document can still be described and deleted."
            : "Sends pending webhook deliveries.",
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
        summary: verb === "pin" ? "Pin a document" : "Unpin a document",
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
      about: "Requires the owner or editor role in the target workspace. Roles granted on the document are preserved.",
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
      about:
        "Requires the owner or editor role in the target workspace. The caller becomes the only owner of the copy.",
      access: documentContentAccess("viewers"),
      requestClass: "home",
      params: DocParams,
      body: jsonBody(DocumentCopy),
      isLong: true,
      idempotency: { answerOf: createdId },
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
      summary: "Replace a document's content with that of another document or a snapshot",
      about:
        "Requires permission to copy the whole source document. Name and sharing are preserved; the replaced content " +
        "becomes a snapshot. Webhooks are preserved only with `snapshotId`, if the snapshot has them.",
      access: documentContentAccess("owners"),
      requestClass: "home",
      params: DocParams,
      body: jsonBody(DocumentReplace),
      isLong: true,
      idempotency: { answerOf: () => null },
      response: z.null(),
    },
    async ({ call, ctx, grant, body }) => {
      const { sourceDocId, snapshotId, ifState } = body;
      if (sourceDocId && snapshotId) throw invalid("Provide either sourceDocId or snapshotId");
      if (ifState && !snapshotId) throw invalid("ifState needs a snapshotId");
      if (snapshotId) await restoreSnapshot(ctx, grant, snapshotId, { ifState });
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
      summary: "List the users that a document can be viewed as",
      about: "Lists all users with access, users in the user attribute tables of the access rules, and example users.",
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
      summary: "Assign a document to another worker group",
      about: "For compatibility. There is one server, so the response is always false.",
      access: documentContentAccess("editors"),
      requestClass: "anywhere",
      params: DocParams,
      idempotency: "ignored",
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
      summary: "List the users with access to a document",
      about: "Owners and editors get all users; other callers get only themselves.",
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
      summary: "Change the users with access to a document",
      about:
        "Requires the owner role, except to remove your own role. Unknown email addresses are invited. A role for `everyone@getgrist.com` " +
        "makes the document public; one for `anon@getgrist.com` opens it to callers without a key.",
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
