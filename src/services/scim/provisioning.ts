/** Provisioning of users, groups and roles by SCIM 2.0: the operations of all kinds of resources. */
import type { UserGrant } from "../../authorization.ts";
import type { DocumentIds } from "../../wire/documents/documents.ts";
import type { Context } from "../context.ts";
import type { Resource } from "./protocol/attributes.ts";
import { plainError } from "./protocol/errors.ts";
import { listQueryOf, listResponse, type ListQuery, searchQueryOf, selectionOf } from "./protocol/lists.ts";
import { RESOURCE_TYPES, type ResourceKind, loadSchemas, schemaResources } from "./protocol/schemas.ts";
import { groupOperations } from "./resources/groups.ts";
import { roleOperations } from "./resources/roles.ts";
import { parseId, type ResourceOperations, type ScimContext } from "./resources/scim-context.ts";
import { describeSelf, userOperations } from "./resources/users.ts";

/** Returns what operations need; call it after `guardProvisioning`. */
export const scimContext = async (ctx: Context, grant: UserGrant, docIds: DocumentIds): Promise<ScimContext> => ({
  ctx,
  grant,
  docIds,
  schemas: await loadSchemas(),
});

const OPERATIONS: Readonly<Record<ResourceKind, ResourceOperations>> = {
  User: userOperations,
  Group: groupOperations,
  Role: roleOperations,
};

export interface ScimRequest {
  readonly kind: ResourceKind;
  /** As in the path; null for the list. */
  readonly id: string | null;
  readonly search: string;
  readonly body: unknown;
}

export interface ScimAnswer {
  readonly status: 200 | 201 | 204;
  readonly resource: Resource | null;
}

export type ScimMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** @throws AppError */
export async function answerScim(scim: ScimContext, method: ScimMethod, request: ScimRequest): Promise<ScimAnswer> {
  const { kind, search, body } = request;
  const operations = OPERATIONS[kind];
  if (method === "POST") {
    if (!operations.create) throw notSupported(kind);
    return { status: 201, resource: operations.create(scim, body) };
  }
  if (request.id === null) {
    if (method !== "GET") throw plainError("notFound", "The path needs an id");
    return { status: 200, resource: operations.list(scim, listQueryOf(search)) };
  }
  if (method === "DELETE" && !operations.remove) throw notSupported(kind);
  const id = parseId(request.id);
  switch (method) {
    case "GET":
      return { status: 200, resource: operations.get(scim, id, selectionOf(search)) };
    case "PUT":
      return { status: 200, resource: operations.replace(scim, id, body) };
    case "PATCH": {
      const resource = operations.patch(scim, id, body);
      return resource ? { status: 200, resource } : { status: 204, resource: null };
    }
    case "DELETE":
      await operations.remove?.(scim, id);
      return { status: 204, resource: null };
    default:
      return method satisfies never;
  }
}

export const notSupported = (kind: string) => plainError("notImplemented", `${kind}s cannot be created or deleted`);

/** Answers a search of one kind of resources, or of all. */
export function searchScim(scim: ScimContext, kind: ResourceKind | null, body: unknown): Resource {
  const query = searchQueryOf(body);
  return kind === null ? searchAll(scim, query) : OPERATIONS[kind].list(scim, query);
}

/** Users come before groups, and groups before roles; each kind is sorted. */
function searchAll(scim: ScimContext, query: ListQuery): Resource {
  const { startIndex, count } = query;
  const found: Resource[] = [];
  let total = 0;
  for (const kind of ["User", "Group", "Role"] as const) {
    const from = Math.max(1, startIndex - total);
    const part = OPERATIONS[kind].list(scim, { ...query, startIndex: from, count: count - found.length });
    found.push(...(part["Resources"] as readonly Resource[]));
    total += Number(part["totalResults"]);
  }
  return listResponse(found, { total, startIndex, count });
}

/** @throws AppError `notFound` for an unknown id */
export async function describeSchemas(id: string | null): Promise<Resource> {
  const all = schemaResources(await loadSchemas());
  return id === null ? listResponse(all) : findById(all, id, "Schema");
}

/** @throws AppError `notFound` for an unknown id */
export const describeResourceTypes = (id: string | null): Resource =>
  id === null ? listResponse(RESOURCE_TYPES) : findById(RESOURCE_TYPES, id, "ResourceType");

function findById(resources: readonly Resource[], id: string, kind: string): Resource {
  const found = resources.find((one) => one["id"] === id);
  if (!found) throw plainError("notFound", `${kind} ${id} does not exist`);
  return found;
}

/** Returns the caller as a user. */
export function describeCaller({ home }: Context, { actor }: UserGrant): Resource {
  const user = home.users.byId(actor.userId);
  if (!user) throw plainError("notFound", "The user was deleted");
  return describeSelf(user);
}
