import type { z } from "../../../wire/common/schema.ts";
import type { UserGrant } from "../../../authorization.ts";
import { MAX_BULK_BYTES, readBulk } from "../../../services/scim/protocol/bulk-request.ts";
import { searchQueryOf } from "../../../services/scim/protocol/lists.ts";
import { textAt } from "../../../services/scim/protocol/attributes.ts";
import type { ScimMethod } from "../../../services/scim/provisioning.ts";
import type { ResourceKind } from "../../../services/scim/protocol/schemas.ts";
import {
  ScimBulk,
  ScimBulkResult,
  ScimGroupInput,
  ScimListQuery,
  ScimPatch,
  ScimRoleInput,
  ScimSearch,
  ScimUserInput,
} from "../../../wire/scim/messages.ts";
import { ScimGroup, ScimList, ScimParams, ScimResource, ScimRole, ScimUser } from "../../../wire/scim/resources.ts";
import type { Call } from "../../call.ts";
import { jsonBody, type Route } from "../../route.ts";
import {
  bulkAccess,
  describingAccess,
  errorResource,
  provisioningAccess,
  scimResponse,
  scimRoute,
} from "./scim-route.ts";

const path = "/api/scim/v2";

/** Loaded at the first request. */
const service = () => import("../../../services/scim/provisioning.ts");
const bulk = () => import("../../../services/scim/bulk.ts");

const describing: readonly Route[] = [
  scimRoute(
    {
      method: "get",
      path: `${path}/ServiceProviderConfig`,
      id: "scimGetConfig",
      summary: "Describe what the server supports",
      access: describingAccess,
      response: ScimResource,
    },
    async () => scimResponse((await import("../../../services/scim/protocol/schemas.ts")).SERVICE_PROVIDER_CONFIG),
  ),
  scimRoute(
    {
      method: "get",
      path: `${path}/ResourceTypes`,
      id: "scimListResourceTypes",
      summary: "List the types of resources",
      access: describingAccess,
      response: ScimList,
    },
    async () => scimResponse((await service()).describeResourceTypes(null)),
  ),
  scimRoute(
    {
      method: "get",
      path: `${path}/ResourceTypes/{id}`,
      id: "scimGetResourceType",
      summary: "Describe a type of resources",
      access: provisioningAccess,
      params: ScimParams,
      response: ScimResource,
    },
    async ({ params }) => scimResponse((await service()).describeResourceTypes(params.id)),
  ),
  scimRoute(
    {
      method: "get",
      path: `${path}/Schemas`,
      id: "scimListSchemas",
      summary: "List the schemas",
      access: describingAccess,
      response: ScimList,
    },
    async () => scimResponse(await (await service()).describeSchemas(null)),
  ),
  scimRoute(
    {
      method: "get",
      path: `${path}/Schemas/{id}`,
      id: "scimGetSchema",
      summary: "Describe a schema",
      access: provisioningAccess,
      params: ScimParams,
      response: ScimResource,
    },
    async ({ params }) => scimResponse(await (await service()).describeSchemas(params.id)),
  ),
  scimRoute(
    {
      method: "get",
      path: `${path}/Me`,
      id: "scimGetMe",
      summary: "Describe the caller as a user",
      access: describingAccess,
      response: ScimUser,
    },
    async ({ ctx, grant }) => {
      const user = (await service()).describeCaller(ctx, grant);
      return scimResponse(user, { headers: { Location: `${path}/Users/${textAt(user, "id")}` } });
    },
  ),
];

interface KindRoutes {
  readonly kind: ResourceKind;
  readonly resource: z.ZodType;
  readonly input: z.ZodType;
  /** Roles exist with what they are about. */
  readonly isFixed?: boolean;
  readonly about?: Partial<Record<"list" | "replace" | "patch" | "remove", string>>;
}

const KINDS: readonly KindRoutes[] = [
  {
    kind: "User",
    resource: ScimUser,
    input: ScimUserInput,
    about: {
      list: "Service accounts are not listed. A filter on `userName` alone that matches more than 200 users is refused with 413.",
      patch: "`active: false` disables a user: their sessions and keys end at once. 204 if nothing changed.",
      remove:
        "Removes every role and membership. The personal site stays in the trash for 30 days, and an administrator can restore it for another user with `quern org restore`.",
    },
  },
  {
    kind: "Group",
    resource: ScimGroup,
    input: ScimGroupInput,
    about: { remove: "The roles of the group end with it." },
  },
  {
    kind: "Role",
    resource: ScimRole,
    input: ScimRoleInput,
    isFixed: true,
    about: {
      list: 'Each document, workspace and site has a resource for each of its roles. Find them with a filter such as `docId eq "…" and displayName eq "viewers"`.',
      replace: "Replaces the users and groups of a role. Inherited roles stay.",
      patch: "Inherited roles stay. 204 if nothing changed.",
    },
  },
];

/** Runs an operation on the resources of a kind. */
async function answer(
  {
    call,
    grant,
    method,
    kind,
    id,
  }: { call: Call; grant: UserGrant; method: ScimMethod; kind: ResourceKind; id: string | null },
  body: unknown,
): Promise<Response> {
  const { answerScim, scimContext } = await service();
  const scim = await scimContext(call.ctx, grant, call.config.docIds);
  const { status, resource } = await answerScim(scim, method, { kind, id, search: call.search, body });
  const location = status === 201 ? { Location: `${path}/${kind}s/${textAt(resource, "id")}` } : {};
  return scimResponse(resource, { status, headers: location });
}

function routesOf({ kind, resource, input, isFixed = false, about = {} }: KindRoutes): readonly Route[] {
  const list = `${path}/${kind}s`;
  const one = `${list}/{id}`;
  const noun = kind.toLowerCase();
  const access = provisioningAccess;
  const aboutOf = (text: string | undefined) => (text === undefined ? {} : { about: text });
  const conflict = { 409: `The name of the ${noun} is in use.` };
  return [
    scimRoute(
      {
        method: "get",
        path: list,
        id: `scimList${kind}s`,
        summary: `List ${noun}s`,
        ...aboutOf(about.list),
        access,
        query: ScimListQuery,
        response: ScimList,
        further: { 413: "Too many results: use a narrower filter." },
      },
      ({ call, grant }) => answer({ call, grant, method: "GET", kind, id: null }, null),
    ),
    scimRoute(
      {
        method: "get",
        path: one,
        id: `scimGet${kind}`,
        summary: `Get a ${noun}`,
        access,
        params: ScimParams,
        response: resource,
      },
      ({ call, grant, params }) => answer({ call, grant, method: "GET", kind, id: params.id }, null),
    ),
    ...(isFixed
      ? []
      : [
          scimRoute(
            {
              method: "post",
              path: list,
              id: `scimCreate${kind}`,
              summary: `Create a ${noun}`,
              access,
              body: jsonBody(input),
              successStatus: 201,
              response: resource,
              further: { 404: "A member does not exist.", ...conflict },
            },
            ({ call, grant, body }) => answer({ call, grant, method: "POST", kind, id: null }, body),
          ),
          scimRoute(
            {
              method: "delete",
              path: one,
              id: `scimDelete${kind}`,
              summary: `Delete a ${noun}`,
              ...aboutOf(about.remove),
              access,
              params: ScimParams,
              response: null,
              further: { 204: "Deleted." },
            },
            ({ call, grant, params }) => answer({ call, grant, method: "DELETE", kind, id: params.id }, null),
          ),
        ]),
    scimRoute(
      {
        method: "put",
        path: one,
        id: `scimReplace${kind}`,
        summary: `Replace a ${noun}`,
        ...aboutOf(about.replace),
        access,
        params: ScimParams,
        body: jsonBody(input),
        response: resource,
        further: conflict,
      },
      ({ call, grant, params, body }) => answer({ call, grant, method: "PUT", kind, id: params.id }, body),
    ),
    scimRoute(
      {
        method: "patch",
        path: one,
        id: `scimPatch${kind}`,
        summary: `Change a ${noun}`,
        ...aboutOf(about.patch),
        access,
        params: ScimParams,
        body: jsonBody(ScimPatch),
        response: resource,
        further: { 204: "Nothing changed.", ...conflict },
      },
      ({ call, grant, params, body }) => answer({ call, grant, method: "PATCH", kind, id: params.id }, body),
    ),
    searchRoute(`${list}/.search`, kind),
  ];
}

function searchRoute(template: string, kind: ResourceKind | null): Route {
  return scimRoute(
    {
      method: "post",
      path: template,
      id: kind === null ? "scimSearch" : `scimSearch${kind}s`,
      summary: kind === null ? "Search users, groups and roles" : `Search ${kind.toLowerCase()}s`,
      access: provisioningAccess,
      // It changes nothing.
      requestClass: "anywhere",
      body: jsonBody(ScimSearch),
      early: (body) => void searchQueryOf(body),
      response: ScimList,
    },
    async ({ call, grant, body }) => {
      const { scimContext, searchScim } = await service();
      const scim = await scimContext(call.ctx, grant, call.config.docIds);
      return scimResponse(searchScim(scim, kind, body));
    },
  );
}

const bulkRoute = scimRoute(
  {
    method: "post",
    path: `${path}/Bulk`,
    id: "scimBulk",
    summary: "Run several operations",
    about:
      "The operations run one after the other; a failure neither stops nor undoes others, unless `failOnErrors` is given. `bulkId:…` in the data is replaced by the id of what an earlier operation created.",
    access: bulkAccess,
    isLong: true,
    maxBytes: MAX_BULK_BYTES,
    body: jsonBody(ScimBulk),
    early: (body) => void readBulk(body),
    response: ScimBulkResult,
  },
  async ({ call, grant: { grant, refusal }, body }) => {
    const { runBulk } = await bulk();
    const { scimContext } = await service();
    const scim = refusal ? null : await scimContext(call.ctx, grant, call.config.docIds);
    return scimResponse(await runBulk(readBulk(body), { scim, refusal, describeError: errorResource }));
  },
);

export const scimRoutes: readonly Route[] = [
  ...describing,
  ...KINDS.flatMap(routesOf),
  searchRoute(`${path}/.search`, null),
  bulkRoute,
];
