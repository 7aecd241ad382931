import type { User } from "../../../home/users.ts";
import { isEmail, normaliseEmail } from "../../../lib/text/email.ts";
import type { Context } from "../../context.ts";
import { recordAudit } from "../../audit/record-audit.ts";
import { revokeLinks, revokeUserAccess } from "../../accounts/users.ts";
import { isObject, type Json, type Resource } from "../protocol/attributes.ts";
import { plainError, scimError } from "../protocol/errors.ts";
import { type Compared, matches } from "../protocol/filter.ts";
import { readResource } from "../protocol/input.ts";
import { isSelected, type ListQuery, listResources, select, type Selection } from "../protocol/lists.ts";
import { patchResource, readOperations } from "../protocol/patch.ts";
import { MAX_FILTER_RESULTS } from "../protocol/schemas.ts";
import { BASE_PATH, USER_URN } from "../protocol/urns.ts";
import { deprovisionUser, requireOtherAdministrator } from "./deprovision.ts";
import {
  limitLength,
  MAX_NAME_LENGTH,
  notFoundError,
  type ResourceOperations,
  type ScimContext,
} from "./scim-context.ts";

export const userOperations: ResourceOperations = {
  list: (scim, query) => listUsers(scim, query),
  get: (scim, id, selection) => present(scim, findUser(scim.ctx, id), selection),
  create: (scim, body) => createUser(scim, body),
  replace: (scim, id, body) => replaceUser(scim, id, body),
  patch: (scim, id, body) => patchUser(scim, id, body),
  remove: (scim, id) => deprovisionUser(scim, findChangeable(scim.ctx, id)),
};

const ALL: Selection = { attributes: [], excludedAttributes: [] };

/** Returns the caller as a resource. */
export const describeSelf = (user: User): Resource => withoutHidden(userResource(user), user, ALL);

function listUsers(scim: ScimContext, query: ListQuery): Resource {
  const { ctx, schemas } = scim;
  const { filter } = query;
  const isByName = filter !== null && filter.kind === "compare" && isUserName(filter);
  const found = listResources(query, {
    schema: schemas.User,
    items: isByName ? usersByName(ctx, filter) : ctx.home.directory.people(),
    describe: userResource,
    matches: (resource, condition) => matches(resource, condition, { ignoresCase: isByName }),
    present: (user, selection) => present(scim, user, selection),
  });
  if (isByName && Number(found["totalResults"]) > MAX_FILTER_RESULTS)
    throw scimError("tooMany", `More than ${MAX_FILTER_RESULTS} users match: use a narrower filter`);
  return found;
}

const isUserName = ({ path }: Compared): boolean => path.join(".").toLowerCase() === "username";

/** Provisioning looks each user up by name: that needs no list of all. */
function usersByName({ home }: Context, { by, value }: Compared): User[] {
  if (by !== "eq" || typeof value !== "string") return home.directory.people();
  const user = home.users.byEmail(value);
  return user && user.kind !== "service" ? [user] : [];
}

const present = ({ schemas }: ScimContext, user: User, selection: Selection): Resource =>
  select(withoutHidden(userResource(user), user, selection), schemas.User, selection);

/**
 * Leaves out what existing clients do not expect: `active` is returned for disabled users, for users with the identifier
 * of a client, and on request.
 */
function withoutHidden(resource: Resource, user: User, selection: Selection): Resource {
  if (user.disabledAt !== null || user.externalId !== null || isSelected(selection, "active")) return resource;
  const { active: _, ...rest } = resource;
  return rest;
}

function userResource({ id, email, displayEmail, name, locale, picture, disabledAt, externalId }: User): Resource {
  return {
    schemas: [USER_URN],
    id: String(id),
    meta: { resourceType: "User", location: `${BASE_PATH}/Users/${id}` },
    ...(externalId !== null && { externalId }),
    userName: email,
    name: { formatted: name },
    displayName: name,
    preferredLanguage: locale ?? "en",
    locale: locale ?? "en",
    active: disabledAt === null,
    emails: [{ value: displayEmail, primary: true }],
    ...(picture !== null && { photos: [{ value: picture, type: "photo", primary: true }] }),
  };
}

/** @throws AppError `notFound`, also for service accounts */
function findUser({ home }: Context, id: number): User {
  const user = home.users.byId(id);
  if (!user || user.kind === "service") throw notFoundError("User", id);
  return user;
}

/** @throws AppError `notFound`; `forbidden` for the users that every installation has */
function findChangeable(ctx: Context, id: number): User {
  const user = findUser(ctx, id);
  if (user.kind === "pseudo") throw plainError("forbidden", "This user is part of every installation");
  return user;
}

function createUser(scim: ScimContext, body: unknown): Resource {
  const { ctx, schemas, grant } = scim;
  const { email, name, picture, externalId, active } = readUser(readResource(schemas.User, body));
  return ctx.home.transaction(() => {
    const { users, orgs } = ctx.home;
    requireFreeAddress(ctx, email, null);
    const { id } = users.add({ email, name, kind: "person" });
    orgs.createPersonal(id);
    recordAudit(ctx, { event: "user.created", actor: grant.actor, userId: id });
    users.change(id, { picture, externalId, ...(active === false && { disabledAt: ctx.clock.now() }) });
    return present(scim, findUser(ctx, id), ALL);
  });
}

function replaceUser(scim: ScimContext, id: number, body: unknown): Resource {
  const { ctx, schemas } = scim;
  const input = readUser(readResource(schemas.User, body));
  changeUser(scim, findChangeable(ctx, id), input);
  return present(scim, findUser(ctx, id), ALL);
}

function patchUser(scim: ScimContext, id: number, body: unknown): Resource | null {
  const { ctx, schemas } = scim;
  const operations = readOperations(body);
  const user = findChangeable(ctx, id);
  const before = userResource(user);
  const patched = patchResource(schemas.User, before, operations);
  // A new userName is a new address, unless the address was changed itself.
  const isAddressKept = firstValue(patched["emails"]) === firstValue(before["emails"]);
  const isRenamed = patched["userName"] !== before["userName"] && isAddressKept;
  const input = readUser(isRenamed ? { ...patched, emails: [] } : patched);
  const isLocaleKept = patched["locale"] === before["locale"];
  // The name of an invited user is empty until they accept the invitation.
  const isNameKept = patched["displayName"] === before["displayName"];
  changeUser(scim, user, {
    ...input,
    ...(isLocaleKept && { locale: user.locale }),
    ...(isNameKept && { name: user.name }),
  });
  const after = findUser(ctx, id);
  return Bun.deepEquals(before, userResource(after)) ? null : present(scim, after, ALL);
}

interface UserInput {
  readonly email: string;
  readonly name: string;
  readonly picture: string | null;
  readonly locale: string | null;
  readonly externalId: string | null;
  /** Undefined to leave it as it is. */
  readonly active: boolean | undefined;
}

/** @throws AppError `invalid` with the keyword invalidValue */
function readUser(resource: Resource): UserInput {
  const email = (firstValue(resource["emails"]) ?? textOf(resource["userName"]) ?? "").trim();
  if (!isEmail(email)) throw scimError("invalidValue", "userName, or the first of emails, must be an email address");
  const name = textOf(resource["displayName"])?.trim() ?? email.replace(/@.*/, "");
  const picture = firstValue(resource["photos"]);
  const locale = textOf(resource["locale"]);
  const externalId = textOf(resource["externalId"]);
  const active = resource["active"];
  return {
    email,
    name: limitLength("displayName", name, MAX_NAME_LENGTH),
    picture: picture === null ? null : limitLength("photos.value", picture, 2000),
    locale: locale === null ? null : limitLength("locale", locale, 35),
    externalId: externalId === null ? null : limitLength("externalId", externalId, MAX_NAME_LENGTH),
    active: typeof active === "boolean" ? active : undefined,
  };
}

const textOf = (value: Json | undefined): string | null =>
  typeof value === "string" && value.trim() !== "" ? value : null;

function firstValue(list: Json | undefined): string | null {
  const first: Json | undefined = Array.isArray(list) ? (list as readonly Json[])[0] : undefined;
  return isObject(first) ? textOf(first["value"]) : null;
}

function changeUser({ ctx, grant }: ScimContext, user: User, { email, active, ...change }: UserInput): void {
  const { home } = ctx;
  home.transaction(() => {
    requireFreeAddress(ctx, email, user.id);
    const next = { ...change, email: normaliseEmail(email), displayEmail: email };
    const fields = (Object.keys(next) as (keyof typeof next)[]).filter((name) => next[name] !== user[name]);
    home.users.change(user.id, next);
    if (fields.length > 0)
      recordAudit(ctx, { event: "user.changed", actor: grant.actor, userId: user.id, details: { fields } });
    // Links that were sent to the former address must not work any more.
    if (normaliseEmail(email) !== user.email) revokeLinks(ctx, user.id);
    if (active === undefined || active === (user.disabledAt === null)) return;
    if (active) {
      home.users.change(user.id, { disabledAt: null });
      recordAudit(ctx, { event: "user.enabled", actor: grant.actor, userId: user.id });
    } else {
      if (user.id === grant.actor.userId) throw scimError("mutability", "You cannot disable yourself");
      requireOtherAdministrator(ctx, user);
      revokeUserAccess(ctx, user, grant.actor);
    }
  });
}

function requireFreeAddress({ home }: Context, email: string, ownId: number | null): void {
  const found = home.users.byEmail(email);
  if (found && found.id !== ownId) throw scimError("uniqueness", "A user with this address exists");
}
