import { z } from "@hono/zod-openapi";
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
const number = z.int().openapi({ description: "The workspace's number." });
/** The trash makes no difference to who owns a workspace and what may be done to it. */
const ALLOW_TRASHED = { removed: "any" } as const;

/** Workspaces. */
export const workspaceRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/orgs/{org}/workspaces",
      id: "listWorkspaces",
      tag,
      summary: "List a site's workspaces with their documents",
      about: "What the caller cannot see is left out.",
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
      summary: "Make an empty workspace",
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
      summary: "Delete a workspace with its documents, for good",
      access: workspaceAccess("owners", ALLOW_TRASHED),
      params: WorkspaceParams,
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
      summary: "Put a workspace into the trash",
      about: "With its documents. What is in the trash is deleted after 30 days.",
      access: workspaceAccess("owners", ALLOW_TRASHED),
      params: WorkspaceParams,
      query: RemoveQuery,
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
      summary: "Take a workspace out of the trash",
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
      summary: "List who has access to a workspace",
      about: "Owners see everybody, others themselves.",
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
      summary: "Change who has access to a workspace",
      about: "Owners; everybody may give up his own role. Unknown addresses are invited.",
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
