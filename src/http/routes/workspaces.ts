import { z } from "../../wire/common/schema.ts";
import { listWorkspaceAccess } from "../../services/access/access-lists.ts";
import { changeWorkspaceAccess } from "../../services/access/sharing.ts";
import { removeWorkspace, restoreWorkspace } from "../../services/documents/trash.ts";
import {
  createWorkspace,
  deleteWorkspace,
  describeWorkspace,
  listWorkspaces,
  modifyWorkspace,
} from "../../services/sites/workspaces.ts";
import { AccessList, Delta } from "../../wire/access/access-lists.ts";
import { OrgParams } from "../../wire/sites/orgs.ts";
import {
  WorkspaceDetails,
  ListedWorkspace,
  ListingQuery,
  RemoveQuery,
  withFormattedIds,
  WorkspaceChange,
  WorkspaceCreate,
  WorkspaceParams,
} from "../../wire/sites/workspaces.ts";
import { siteAccess, workspaceAccess } from "../route-access.ts";
import { jsonResponse } from "../responses.ts";
import { requireValidBody, requireNonEmptyName } from "../prechecks.ts";
import { jsonBody, route, type Route } from "../route.ts";

const tag = "workspaces";
const path = "/api/workspaces/{workspaceId}";
const number = z.int().openapi({ description: "The workspace's id." });
/** The owner of a workspace and the permitted operations are the same in the trash. */
const ALLOW_TRASHED = { removed: "any" } as const;

/** Routes of workspaces. */
export const workspaceRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/orgs/{org}/workspaces",
      id: "listWorkspaces",
      tag,
      summary: "List the workspaces of a site with their documents",
      about: "Omits workspaces and documents that the caller has no access to.",
      access: siteAccess("guests"),
      params: OrgParams,
      query: ListingQuery,
      response: z.array(ListedWorkspace),
    },
    ({ call, ctx, grant, query }) =>
      jsonResponse(listWorkspaces(ctx, grant, query).map((found) => withFormattedIds(found, call.config.docIds))),
  ),
  route(
    {
      method: "post",
      path: "/api/orgs/{org}/workspaces",
      id: "createWorkspace",
      tag,
      summary: "Create an empty workspace",
      access: siteAccess("editors"),
      params: OrgParams,
      body: jsonBody(WorkspaceCreate),
      early: requireNonEmptyName,
      response: number,
    },
    ({ ctx, grant, body }) => jsonResponse(createWorkspace(ctx, grant, body)),
  ),
  route(
    {
      method: "get",
      path,
      id: "describeWorkspace",
      tag,
      summary: "Describe a workspace with its documents",
      access: workspaceAccess("guests"),
      params: WorkspaceParams,
      query: ListingQuery,
      response: WorkspaceDetails,
    },
    ({ call, ctx, grant, query }) =>
      jsonResponse(withFormattedIds(describeWorkspace(ctx, grant, query), call.config.docIds)),
  ),
  route(
    {
      method: "patch",
      path,
      id: "modifyWorkspace",
      tag,
      summary: "Rename a workspace",
      access: workspaceAccess("owners", ALLOW_TRASHED),
      params: WorkspaceParams,
      body: jsonBody(WorkspaceChange),
      response: number,
    },
    ({ ctx, grant, body }) => jsonResponse(modifyWorkspace(ctx, grant, body)),
  ),
  route(
    {
      method: "delete",
      path,
      id: "deleteWorkspace",
      tag,
      summary: "Permanently delete a workspace and its documents",
      access: workspaceAccess("owners", ALLOW_TRASHED),
      params: WorkspaceParams,
      idempotency: { answerOf: ({ grant }) => grant.workspaceId, removes: true },
      response: number,
    },
    async ({ ctx, grant }) => jsonResponse(await deleteWorkspace(ctx, grant)),
  ),
  route(
    {
      method: "post",
      path: `${path}/remove`,
      id: "removeWorkspace",
      tag,
      summary: "Move a workspace to the trash",
      about: "Its documents move with it. Content in the trash is permanently deleted after 30 days.",
      access: workspaceAccess("owners", ALLOW_TRASHED),
      params: WorkspaceParams,
      query: RemoveQuery,
      idempotency: { answerOf: ({ grant, query }) => (query.permanent ? grant.workspaceId : null), removes: true },
      response: number.nullable(),
    },
    async ({ ctx, grant, query }) => {
      if (query.permanent) return jsonResponse(await deleteWorkspace(ctx, grant));
      removeWorkspace(ctx, grant);
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/unremove`,
      id: "unremoveWorkspace",
      tag,
      summary: "Restore a workspace from the trash",
      access: workspaceAccess("owners", ALLOW_TRASHED),
      params: WorkspaceParams,
      response: z.null(),
    },
    ({ ctx, grant }) => {
      restoreWorkspace(ctx, grant);
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "get",
      path: `${path}/access`,
      id: "listWorkspaceAccess",
      tag,
      summary: "List the users with access to a workspace",
      about: "Owners get all users; other callers get only themselves.",
      access: workspaceAccess("guests", ALLOW_TRASHED),
      params: WorkspaceParams,
      response: AccessList,
    },
    ({ ctx, grant }) => jsonResponse(listWorkspaceAccess(ctx, grant)),
  ),
  route(
    {
      method: "patch",
      path: `${path}/access`,
      id: "changeWorkspaceAccess",
      tag,
      summary: "Change the users with access to a workspace",
      about: "Requires the owner role, except to remove your own role. Unknown email addresses are invited.",
      access: workspaceAccess("guests", ALLOW_TRASHED),
      params: WorkspaceParams,
      body: jsonBody(Delta),
      early: requireValidBody(Delta),
      response: z.null(),
    },
    ({ ctx, grant, body }) => {
      changeWorkspaceAccess(ctx, grant, body);
      return jsonResponse(null);
    },
  ),
];
