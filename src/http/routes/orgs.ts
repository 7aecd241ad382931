import { z } from "../../wire/common/schema.ts";
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

/** The required role depends on the changed fields. */
const modifyAccess: AccessCheck<SiteGrant> = {
  about: "Owners of the site. Your own preferences: all users with access to the site or anything in it.",
  statuses: [401, 403, 404],
  check: (call, params, body) =>
    guardSite(call.ctx, call.actor, call.scope, params["org"] ?? "", roleToModifyOrg(body)),
};

/** Routes of sites. */
export const orgRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/orgs",
      id: "listOrgs",
      tag,
      summary: "List the caller's sites",
      about: "The caller's personal site comes first. Without a key, returns the sites shared with anonymous users.",
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
      summary: "Create a team site",
      about: "The site has one workspace, `Home`. The caller becomes the owner of both.",
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
      summary: "Rename a site, or change its domain or preferences",
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
      summary: "Refuse to delete a site by its id alone",
      about: "Always refused. Use `DELETE /api/orgs/{org}/{name}`, which prevents accidental deletion.",
      access: siteAccess("owners"),
      params: OrgParams,
      response: null,
      further: { 410: "The endpoint is no longer supported; the message names its replacement." },
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
      summary: "Permanently delete a team site and its content",
      about: "The last segment must be the site's domain or name, or `force-delete`.",
      access: siteAccess("owners"),
      params: OrgNameParams,
      idempotency: { answerOf: ({ grant }) => grant.orgId, removes: true },
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
      summary: "Get the usage of a site",
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
      summary: "List the users with access to a site",
      about: "Owners get all users; other callers get only themselves.",
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
      summary: "Change the users with access to a site",
      about:
        "Requires the owner role, except to remove your own role. A user removed from the site loses all their roles in it; the caller " +
        "takes over what they own. Unknown email addresses are invited.",
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
      summary: "Check whether a domain is available",
      access: signedInAccess,
      requestClass: "anywhere",
      body: jsonBody(DomainCheck),
      idempotency: "ignored",
      response: DomainAvailability,
    },
    ({ ctx, grant, body }) => jsonResponse(checkDomainAvailability(ctx, grant, body.domain)),
  ),
];
