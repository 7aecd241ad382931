/** What the pages that list documents show: all that a person can see, by sites and workspaces. */
import { allows, type EffectiveRole, type UserGrant } from "../../authorization.ts";
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
  /** What people call it. */
  readonly name: string;
  /** The person's role there; `guests` when he only has something further down. */
  readonly role: EffectiveRole;
  readonly workspaces: readonly ListedWorkspace[];
}

/** The sites of a person, or the one that the address speaks of, with what is there. */
export function listSites(c: PageContext, { actor }: UserGrant, options: ListingOptions): SiteListing[] {
  const { ctx, scope } = c.env.call;
  const orgs = listOrgs(ctx, guardAnyone(actor), { merged: false });
  const selected = scope.kind === "personal" ? orgs : orgs.filter(({ domain }) => domain === scope.domain);
  return selected.flatMap((org) => {
    try {
      const grant = guardSite(ctx, actor, scope, String(org.id), null);
      const workspaces = listWorkspaces(ctx, grant, options).map(sortDocuments);
      return [{ org, name: siteName(org, actor.userId), role: grant.role, workspaces }];
    } catch (error) {
      // A guest of something that is in the trash has nothing to see.
      if (error instanceof AppError && error.code === "forbidden") return [];
      throw error;
    }
  });
}

/** Personal sites are all called the same. */
const siteName = ({ name, owner }: Org, userId: number): string =>
  owner === null || owner.id === userId ? name : `${name} – ${owner.name}`;

/** Pinned documents first, then what was changed last. */
const sortDocuments = (workspace: ListedWorkspace): ListedWorkspace => ({
  ...workspace,
  docs: workspace.docs.toSorted(
    (a, b) => Number(b.isPinned) - Number(a.isPinned) || b.updatedAt.localeCompare(a.updatedAt),
  ),
});

export const canAddDocuments = ({ access }: Pick<ListedWorkspace, "access">): boolean => allows(access, "editors");

export const isOwner = ({ access }: Pick<DocumentSummary | ListedWorkspace, "access">): boolean => access === "owners";
