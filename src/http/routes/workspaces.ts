import { z } from "@hono/zod-openapi";
import { listWorkspaceAccess } from "../../services/access.ts";
import { changeWorkspaceAccess } from "../../services/sharing.ts";
import { removeWorkspace, unremoveWorkspace } from "../../services/trash.ts";
import {
  createWorkspace,
  deleteWorkspace,
  describeWorkspace,
  listWorkspaces,
  modifyWorkspace,
} from "../../services/workspaces.ts";
import { AccessList, Delta } from "../../wire/access.ts";
import { OrgParams } from "../../wire/orgs.ts";
import {
  DescribedWorkspace,
  ListedWorkspace,
  ListingQuery,
  RemoveQuery,
  withShownIds,
  WorkspaceChange,
  WorkspaceCreate,
  WorkspaceParams,
} from "../../wire/workspaces.ts";
import { site, workspace } from "../access.ts";
import { json } from "../answers.ts";
import { fitting, nameNotEmpty } from "../early.ts";
import { jsonBody, route, type Route } from "../route.ts";

const tag = "workspaces";
const path = "/api/workspaces/{workspaceId}";
const number = z.int().openapi({ description: "The workspace's number." });
/** The trash makes no difference to who owns a workspace and what may be done to it. */
const trashed = { removed: "any" } as const;

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
      access: site("guests"),
      params: OrgParams,
      query: ListingQuery,
      answer: z.array(ListedWorkspace),
    },
    ({ call, ctx, grant, query }) =>
      json(listWorkspaces(ctx, grant, query).map((found) => withShownIds(found, call.config.docIds))),
  ),
  route(
    {
      method: "post",
      path: "/api/orgs/{org}/workspaces",
      id: "createWorkspace",
      tag,
      summary: "Make an empty workspace",
      access: site("editors"),
      params: OrgParams,
      body: jsonBody(WorkspaceCreate),
      early: nameNotEmpty,
      answer: number,
    },
    ({ ctx, grant, body }) => json(createWorkspace(ctx, grant, body)),
  ),
  route(
    {
      method: "get",
      path,
      id: "describeWorkspace",
      tag,
      summary: "Describe a workspace with its documents",
      access: workspace("guests"),
      params: WorkspaceParams,
      query: ListingQuery,
      answer: DescribedWorkspace,
    },
    ({ call, ctx, grant, query }) => json(withShownIds(describeWorkspace(ctx, grant, query), call.config.docIds)),
  ),
  route(
    {
      method: "patch",
      path,
      id: "modifyWorkspace",
      tag,
      summary: "Rename a workspace",
      access: workspace("owners", trashed),
      params: WorkspaceParams,
      body: jsonBody(WorkspaceChange),
      answer: number,
    },
    ({ ctx, grant, body }) => json(modifyWorkspace(ctx, grant, body)),
  ),
  route(
    {
      method: "delete",
      path,
      id: "deleteWorkspace",
      tag,
      summary: "Delete a workspace with its documents, for good",
      access: workspace("owners", trashed),
      params: WorkspaceParams,
      answer: number,
    },
    async ({ ctx, grant }) => json(await deleteWorkspace(ctx, grant)),
  ),
  route(
    {
      method: "post",
      path: `${path}/remove`,
      id: "removeWorkspace",
      tag,
      summary: "Put a workspace into the trash",
      about: "With its documents. What is in the trash is deleted after 30 days.",
      access: workspace("owners", trashed),
      params: WorkspaceParams,
      query: RemoveQuery,
      answer: number.nullable(),
    },
    async ({ ctx, grant, query }) => {
      if (query.permanent) return json(await deleteWorkspace(ctx, grant));
      removeWorkspace(ctx, grant);
      return json(null);
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/unremove`,
      id: "unremoveWorkspace",
      tag,
      summary: "Take a workspace out of the trash",
      access: workspace("owners", trashed),
      params: WorkspaceParams,
      answer: z.null(),
    },
    ({ ctx, grant }) => {
      unremoveWorkspace(ctx, grant);
      return json(null);
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
      access: workspace("guests", trashed),
      params: WorkspaceParams,
      answer: AccessList,
    },
    ({ ctx, grant }) => json(listWorkspaceAccess(ctx, grant)),
  ),
  route(
    {
      method: "patch",
      path: `${path}/access`,
      id: "changeWorkspaceAccess",
      tag,
      summary: "Change who has access to a workspace",
      about: "Owners; everybody may give up his own role. Unknown addresses are invited.",
      access: workspace("guests", trashed),
      params: WorkspaceParams,
      body: jsonBody(Delta),
      early: fitting(Delta),
      answer: z.null(),
    },
    ({ ctx, grant, body }) => {
      changeWorkspaceAccess(ctx, grant, body);
      return json(null);
    },
  ),
];
