/** Data of the pages that list documents: everything that a user can see, by sites and workspaces. */
import { allows, type EffectiveRole, type UserActor, type UserGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import { guardAnyone, guardSite } from "../../services/access/guards.ts";
import { listOrgs } from "../../services/sites/orgs.ts";
import { listWorkspaces, type ListingOptions } from "../../services/sites/workspaces.ts";
import type { DocumentSummary } from "../../wire/documents/documents.ts";
import type { Org } from "../../wire/sites/orgs.ts";
import type { ListedWorkspace } from "../../wire/sites/workspaces.ts";
import type { PageContext } from "./page-context.ts";

export interface SiteListing {
  readonly org: Org;
  /** The display name. */
  readonly name: string;
  /** The user's role on the site; `guests` when they only have a role on something inside it. */
  readonly role: EffectiveRole;
  readonly workspaces: readonly ListedWorkspace[];
}

/** Returns the sites of a user, or the addressed one, with their workspaces and documents. */
export function listSites(c: PageContext, { actor }: UserGrant, options: ListingOptions): SiteListing[] {
  const { ctx, scope } = c.env.call;
  const orgs = listOrgs(ctx, guardAnyone(actor), { merged: false });
  const selected = scope.kind === "personal" ? orgs : orgs.filter(({ domain }) => domain === scope.domain);
  return selected.flatMap((org) => {
    const site = readSite(c, actor, { siteId: org.id, options });
    return site ? [{ org, name: siteName(org, actor.userId), ...site }] : [];
  });
}

/** Returns a user's role on a site, and what they can see of it; null for guests of a resource in the trash, who see nothing. */
export function readSite(
  c: PageContext,
  actor: UserActor,
  { siteId, options }: { readonly siteId: number; readonly options: ListingOptions },
): Pick<SiteListing, "role" | "workspaces"> | null {
  const { ctx, scope } = c.env.call;
  try {
    const grant = guardSite(ctx, actor, scope, String(siteId), null);
    return { role: grant.role, workspaces: listWorkspaces(ctx, grant, options).map(sortDocuments) };
  } catch (error) {
    if (error instanceof AppError && error.code === "forbidden") return null;
    throw error;
  }
}

/** All personal sites have the same name. */
const siteName = ({ name, owner }: Org, userId: number): string =>
  owner === null || owner.id === userId ? name : `${name} – ${owner.name}`;

/** Pinned documents first, then the most recently changed. */
export const sortDocuments = <Workspace extends Pick<ListedWorkspace, "docs">>(workspace: Workspace): Workspace => ({
  ...workspace,
  docs: workspace.docs.toSorted(
    (a, b) => Number(b.isPinned) - Number(a.isPinned) || b.updatedAt.localeCompare(a.updatedAt),
  ),
});

export const canAddDocuments = ({ access }: Pick<ListedWorkspace, "access">): boolean => allows(access, "editors");

export const isOwner = ({ access }: Pick<DocumentSummary | ListedWorkspace, "access">): boolean => access === "owners";
