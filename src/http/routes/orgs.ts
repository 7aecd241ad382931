import { z } from "@hono/zod-openapi";
import type { SiteGrant } from "../../authorization.ts";
import { gone } from "../../errors.ts";
import { listOrgAccess } from "../../services/access/access-lists.ts";
import { checkDomainAvailability } from "../../services/sites/domains.ts";
import { guardSite } from "../../services/access/guards.ts";
import {
  createOrg,
  deleteOrg,
  describeOrg,
  describeUsage,
  listOrgs,
  modifyOrg,
  roleToModifyOrg,
} from "../../services/sites/orgs.ts";
import { changeOrgAccess } from "../../services/access/sharing.ts";
import { OrgAccess, OrgDelta } from "../../wire/access/access-lists.ts";
import {
  DomainAvailability,
  DomainCheck,
  Org,
  OrgChange,
  OrgCreate,
  OrgDescription,
  OrgNameParams,
  OrgParams,
  OrgsQuery,
  OrgUsage,
} from "../../wire/sites/orgs.ts";
import { anyoneAccess, signedInAccess, siteAccess } from "../route-access.ts";
import { jsonResponse } from "../responses.ts";
import { requireValidBody } from "../prechecks.ts";
import { jsonBody, route, type AccessCheck, type Route } from "../route.ts";

const tag = "orgs";
const path = "/api/orgs/{org}";

/** What it takes depends on what is to be changed. */
const modifyAccess: AccessCheck<SiteGrant> = {
  about: "Owners of the site; for one's own preferences everybody with access to it or to something in it.",
  statuses: [401, 403, 404],
  check: (call, params, body) =>
    guardSite(call.ctx, call.actor, call.scope, params["org"] ?? "", roleToModifyOrg(body)),
};

/** Sites. */
export const orgRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/orgs",
      id: "listOrgs",
      tag,
      summary: "List the sites I can access",
      about: "The caller's personal site comes first. Without a key, sites shared with anonymous visitors are listed.",
      access: anyoneAccess,
      query: OrgsQuery,
      response: z.array(Org),
    },
    ({ ctx, grant, query }) => jsonResponse(listOrgs(ctx, grant, query)),
  ),
  route(
    {
      method: "post",
      path: "/api/orgs",
      id: "createOrg",
      tag,
      summary: "Make a team site",
      about: "It starts with a workspace `Home`; the caller owns both.",
      access: signedInAccess,
      body: jsonBody(OrgCreate),
      response: z.int().openapi({ description: "The site's id." }),
    },
    ({ ctx, grant, body }) => jsonResponse(createOrg(ctx, grant, body)),
  ),
  route(
    {
      method: "get",
      path,
      id: "describeOrg",
      tag,
      summary: "Describe a site",
      access: siteAccess("guests"),
      params: OrgParams,
      response: OrgDescription,
    },
    ({ ctx, grant }) => jsonResponse(describeOrg(ctx, grant)),
  ),
  route(
    {
      method: "patch",
      path,
      id: "modifyOrg",
      tag,
      summary: "Rename a site, change its domain or preferences",
      access: modifyAccess,
      params: OrgParams,
      body: jsonBody(OrgChange),
      response: z.null(),
    },
    ({ ctx, grant, body }) => {
      modifyOrg(ctx, grant, body);
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "delete",
      path,
      id: "deleteOrgWithoutName",
      tag,
      summary: "Refuse to delete a site without its name",
      about: "Always refused. Use `DELETE /api/orgs/{org}/{name}`, which guards against deleting a site by accident.",
      access: siteAccess("owners"),
      params: OrgParams,
      response: null,
      further: { 410: "The request is no longer supported; the message names the one to use." },
    },
    () => {
      throw gone("This endpoint is no longer supported. Use DELETE /api/orgs/:oid/:name instead.");
    },
  ),
  route(
    {
      method: "delete",
      path: `${path}/{name}`,
      id: "deleteOrg",
      tag,
      summary: "Delete a team site with everything in it",
      about: "The last segment must be the site's domain or name, or `force-delete`.",
      access: siteAccess("owners"),
      params: OrgNameParams,
      response: z.int().openapi({ description: "The site's id." }),
    },
    async ({ ctx, grant, params }) => jsonResponse(await deleteOrg(ctx, grant, params.name)),
  ),
  route(
    {
      method: "get",
      path: `${path}/usage`,
      id: "describeUsage",
      tag,
      summary: "How much a site holds",
      access: siteAccess("owners"),
      params: OrgParams,
      response: OrgUsage,
    },
    ({ ctx, grant }) => jsonResponse(describeUsage(ctx, grant)),
  ),
  route(
    {
      method: "get",
      path: `${path}/access`,
      id: "listOrgAccess",
      tag,
      summary: "List who has access to a site",
      about: "Owners see everybody, others themselves.",
      access: siteAccess("guests"),
      params: OrgParams,
      response: OrgAccess,
    },
    ({ ctx, grant }) => jsonResponse(listOrgAccess(ctx, grant)),
  ),
  route(
    {
      method: "patch",
      path: `${path}/access`,
      id: "changeOrgAccess",
      tag,
      summary: "Change who has access to a site",
      about:
        "Owners; everybody may give up his own role. Who is taken out of the site loses every role in it; what he owned " +
        "outright goes to the caller. Unknown addresses are invited.",
      access: siteAccess("guests"),
      params: OrgParams,
      body: jsonBody(OrgDelta),
      early: requireValidBody(OrgDelta),
      response: z.null(),
    },
    ({ ctx, grant, body }) => {
      changeOrgAccess(ctx, grant, body);
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "post",
      path: "/api/domains/check",
      id: "checkDomain",
      tag,
      summary: "Ask whether a site can have a domain",
      access: signedInAccess,
      body: jsonBody(DomainCheck),
      response: DomainAvailability,
    },
    ({ ctx, grant, body }) => jsonResponse(checkDomainAvailability(ctx, grant, body.domain)),
  ),
];
