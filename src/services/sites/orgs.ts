import {
  actorId,
  type Actor,
  type AnyoneGrant,
  type EffectiveRole,
  type SiteGrant,
  type UserGrant,
} from "../../authorization.ts";
import { invalid } from "../../errors.ts";
import type { Site, SiteOwner } from "../../home/orgs.ts";
import { inheritableRole } from "../../home/roles.ts";
import { must } from "../../lib/assert.ts";
import { isoTime } from "../../lib/time/clock.ts";
import { omitUndefined } from "../../lib/omit-undefined.ts";
import type { ListedAccess } from "../../wire/common/fields.ts";
import type { Org, OrgChange, OrgCreate, OrgDescription, OrgOwner, OrgUsage } from "../../wire/sites/orgs.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { reachesSite, seesSite } from "../access/key-limits.ts";
import type { Context } from "../context.ts";
import { requireAvailableDomain } from "./domains.ts";
import { deleteDocumentFiles } from "../documents/trash.ts";

/**
 * Returns the sites that the caller has any access to, their own first; for callers without a key, the sites shared
 * with anonymous users.
 * @param merged merges all personal sites into one, with id 0
 */
export function listOrgs(ctx: Context, { actor }: AnyoneGrant, { merged }: { merged: boolean }): Org[] {
  const all = ctx.home.orgs
    .listOf(actorId(actor))
    // Sharing with anonymous users does not make them guests.
    .filter(({ role }) => actor.kind === "user" || role !== null)
    .filter(({ id }) => reachesSite(actor, id) || seesSite(ctx.home, actor, id))
    .map((site) => ({ ...toOrg(site, siteRoleFor(actor, site)), ...publicFlag(actor) }));
  if (!merged) return all;
  const [personal] = all.filter(({ owner }) => owner !== null);
  const teams = all.filter(({ owner }) => owner === null);
  return personal ? [{ ...personal, id: 0, domain: "docs" }, ...teams] : teams;
}

export function describeOrg(ctx: Context, { actor, orgId, role }: SiteGrant): OrgDescription {
  const site = must(ctx.home.orgs.byId(orgId), "site");
  return { ...toOrg(site, role), ...publicFlag(actor), ...preferencesOf(ctx, actor, orgId) };
}

/** Returns the role that a listing shows: guests have none of their own, and a key may reach only parts of the site. */
const siteRoleFor = (actor: Actor, { id, role }: { id: number; role: EffectiveRole | null }): EffectiveRole =>
  (reachesSite(actor, id) ? role : null) ?? "guests";

/** Sites visible to callers without a key are shared with all anonymous users. */
const publicFlag = (actor: Actor): { public?: true } => (actor.kind === "anonymous" ? { public: true } : {});

/**
 * Creates a team site with a workspace "Home", both owned by the caller.
 * @returns its id
 * @throws AppError `invalid` if the name is missing, or the domain is invalid or in use
 */
export function createOrg(ctx: Context, { actor }: UserGrant, { name, domain }: OrgCreate): number {
  if (!name) throw invalid("The site must have a name");
  return ctx.home.transaction(() => {
    if (domain) requireAvailableDomain(ctx, domain);
    const orgId = ctx.home.orgs.createTeam({ name, domain: domain || null, ownerId: actor.userId });
    recordAudit(ctx, { event: "site.created", actor, orgId });
    return orgId;
  });
}

/** Changing the caller's own preferences requires any access to the site; all other changes require an owner. */
export function roleToModifyOrg(change: object): "owners" | "guests" {
  const names = Object.keys(change);
  const ownOnly = names.length > 0 && names.every((name) => name === "userPrefs" || name === "userOrgPrefs");
  return ownOnly ? "guests" : "owners";
}

/** @throws AppError `invalid` if the domain is invalid or in use */
export function modifyOrg(ctx: Context, { actor, orgId }: SiteGrant, change: OrgChange): void {
  const { home } = ctx;
  const { name, userPrefs, userOrgPrefs, orgPrefs, createdAt, updatedAt } = change;
  home.transaction(() => {
    // An unchanged domain is accepted without validation.
    const domain = change.domain === must(home.orgs.byId(orgId), "site").domain ? undefined : change.domain;
    if (domain !== undefined) requireAvailableDomain(ctx, domain);
    if (orgPrefs) home.preferences.set({ userId: 0, orgId }, orgPrefs);
    if (actor.kind === "user" && userPrefs) home.preferences.set({ userId: actor.userId, orgId: 0 }, userPrefs);
    if (actor.kind === "user" && userOrgPrefs) home.preferences.set({ userId: actor.userId, orgId }, userOrgPrefs);
    const columns = omitUndefined({ name, domain, createdAt, updatedAt });
    const fields = Object.keys(columns);
    if (fields.length === 0) return;
    home.orgs.change(orgId, { updatedAt: ctx.clock.now(), ...columns });
    recordAudit(ctx, { event: "site.changed", actor, orgId, details: { fields } });
  });
}

/**
 * Permanently deletes a team site and its content.
 * @param name its domain, its name, or `force-delete`, as confirmation
 * @returns its id
 * @throws AppError `invalid` for another name and for personal sites, which are deleted with their owners
 */
export async function deleteOrg(ctx: Context, { actor, orgId }: SiteGrant, name: string): Promise<number> {
  const { home } = ctx;
  const uuids = home.transaction(() => {
    const site = must(home.orgs.byId(orgId), "site");
    if (![site.domain, site.name, "force-delete"].includes(name))
      throw invalid("The name does not match the site's name");
    if (site.owner) throw invalid("A personal site can only be deleted with its owner's account");
    const found = home.documents.uuidsOf({ orgId });
    recordAudit(ctx, { event: "site.deleted", actor, orgId, details: { documents: found.length } });
    home.orgs.remove(orgId);
    return found;
  });
  await deleteDocumentFiles(ctx, uuids);
  return orgId;
}

export function describeUsage(ctx: Context, { orgId }: SiteGrant): OrgUsage {
  const { documents, removedDocuments, workspaces } = ctx.home.orgs.count(orgId);
  // Documents have no limits.
  const countsByDataLimitStatus = { approachingLimit: 0, gracePeriod: 0, deleteOnly: 0 };
  return { countsByDataLimitStatus, workspaces, documents, removedDocuments };
}

/** Returns the response form of a site for a caller with this role. */
export const toOrg = (site: Site, role: EffectiveRole | null): Org => ({
  id: site.id,
  name: site.name,
  domain: site.domain,
  host: null,
  owner: toOrgOwner(site.owner),
  access: toListedAccess(role),
  createdAt: isoTime(site.createdAt),
  updatedAt: isoTime(site.updatedAt),
});

export const toOrgOwner = (owner: SiteOwner | null): OrgOwner | null =>
  owner && {
    id: owner.id,
    name: owner.name,
    picture: owner.picture,
    ref: owner.ref,
    type: owner.kind === "service" ? "service" : "login",
    createdAt: isoTime(owner.createdAt),
  };

/** Members and guests are shown as viewers: they can see that the resource exists. */
export const toListedAccess = (role: EffectiveRole | null): ListedAccess =>
  role === null ? null : (inheritableRole(role) ?? "viewers");

function preferencesOf(ctx: Context, actor: Actor, orgId: number): Partial<OrgDescription> {
  const { preferences } = ctx.home;
  const userId = actor.kind === "user" ? actor.userId : null;
  const userPrefs = userId === null ? null : preferences.get({ userId, orgId: 0 });
  const userOrgPrefs = userId === null ? null : preferences.get({ userId, orgId });
  const orgPrefs = preferences.get({ userId: 0, orgId });
  return { ...(userPrefs && { userPrefs }), ...(userOrgPrefs && { userOrgPrefs }), ...(orgPrefs && { orgPrefs }) };
}
