import { actorId, allows, type Actor, type Role, type SiteGrant, type WorkspaceGrant } from "../../authorization.ts";
import { forbidden } from "../../errors.ts";
import type { DocumentListing } from "../../home/documents.ts";
import type { Site } from "../../home/orgs.ts";
import type { WorkspaceListing as StoredWorkspace } from "../../home/workspaces.ts";
import { must } from "../../lib/assert.ts";
import { isoTime } from "../../lib/time/clock.ts";
import { omitUndefined } from "../../lib/omit-undefined.ts";
import type {
  WorkspaceDetails,
  ListedWorkspace,
  WorkspaceChange,
  WorkspaceCreate,
} from "../../wire/sites/workspaces.ts";
import type { Context } from "../context.ts";
import { toDocumentSummary } from "../documents/documents.ts";
import { toListedAccess, toOrg, toOrgOwner } from "./orgs.ts";
import { deleteDocumentFiles } from "../documents/trash.ts";

export interface ListingOptions {
  /** Shows only what is in the trash: removed workspaces, and others with their removed documents. */
  readonly showRemoved: boolean;
  /** Tells how large documents are. */
  readonly sizes: boolean;
}

/**
 * The workspaces of a site that the caller can see, with the documents he can see.
 * @throws AppError `forbidden` for a guest who is left with nothing to see outside of the trash
 */
export function listWorkspaces(
  ctx: Context,
  { actor, orgId, role }: SiteGrant,
  options: ListingOptions,
): ListedWorkspace[] {
  const { home } = ctx;
  const site = must(home.orgs.byId(orgId), "site");
  const documents = Map.groupBy(home.documents.listOf({ orgId }, actorId(actor)), ({ workspaceId }) => workspaceId);
  const found = home.workspaces
    .listOf(orgId, actorId(actor))
    .map((workspace) =>
      visibleWorkspace(ctx, { actor, workspace, site, documents: documents.get(workspace.id) ?? [] }, options),
    )
    .filter((shown) => shown !== null)
    .map((shown) => ({ ...shown, orgDomain: site.domain }));
  if (role === "guests" && found.length === 0 && !options.showRemoved) throw forbidden();
  return found;
}

/** A workspace with the documents that the caller can see. */
export function describeWorkspace(
  ctx: Context,
  { actor, orgId, workspaceId }: WorkspaceGrant,
  options: ListingOptions,
): WorkspaceDetails {
  const { home } = ctx;
  const site = must(home.orgs.byId(orgId), "site");
  const workspace = must(home.workspaces.listing(workspaceId, actorId(actor)), "workspace");
  const documents = home.documents.listOf({ workspaceId }, actorId(actor));
  const siteRole = home.reach.site({ by: "id", id: orgId }, actorId(actor))?.role ?? null;
  const isGuest = siteRole === null && actor.kind === "user" && home.reach.isGuestOfSite(orgId, actor.userId);
  return {
    ...toListedWorkspace(ctx, { workspace, site, documents: visibleDocuments(workspace, documents, options) }, options),
    org: toOrg(site, isGuest ? "guests" : siteRole),
  };
}

/**
 * Makes an empty workspace that the caller owns.
 * @returns its number
 */
export function createWorkspace(
  { home }: Context,
  { actor, orgId }: SiteGrant,
  { name = "Untitled workspace", createdAt, updatedAt }: WorkspaceCreate,
): number {
  return home.transaction(() => {
    const id = home.workspaces.add({ orgId, name, ...omitUndefined({ createdAt, updatedAt }) });
    // What somebody without a key makes belongs to nobody in particular: it would be everybody's.
    if (actor.kind === "user") home.grants.set({ kind: "workspace", id }, actor.userId, "owners");
    return id;
  });
}

/** Answers the workspace's number. */
export function modifyWorkspace(
  { home, clock }: Context,
  { workspaceId }: WorkspaceGrant,
  change: WorkspaceChange,
): number {
  const columns = omitUndefined(change);
  if (Object.keys(columns).length > 0) {
    home.transaction(() => home.workspaces.change(workspaceId, { updatedAt: clock.now(), ...columns }));
  }
  return workspaceId;
}

/** Removes a workspace for good with its documents. Answers its number. */
export async function deleteWorkspace(ctx: Context, { workspaceId }: WorkspaceGrant): Promise<number> {
  const { home } = ctx;
  const uuids = home.transaction(() => {
    const found = home.documents.uuidsOf({ workspaceId });
    home.workspaces.remove(workspaceId);
    return found;
  });
  await deleteDocumentFiles(ctx, uuids);
  return workspaceId;
}

interface WorkspaceContents {
  readonly workspace: StoredWorkspace;
  readonly site: Site;
  readonly documents: readonly DocumentListing[];
}

/** A workspace as a listing shows it to the caller; null when it does not. */
function visibleWorkspace(
  ctx: Context,
  { actor, workspace, site, documents }: WorkspaceContents & { readonly actor: Actor },
  options: ListingOptions,
): WorkspaceWithDocuments | null {
  const isGuest =
    actor.kind === "user" && documents.some(({ isDirectGrant, removedAt }) => isDirectGrant && removedAt === null);
  if (workspace.role === null && !isGuest) return null;
  const visibleDocumentList = visibleDocuments(workspace, documents, options);
  const isRemoved = workspace.removedAt !== null;
  if (options.showRemoved ? !isRemoved && visibleDocumentList.length === 0 : isRemoved) return null;
  return toListedWorkspace(ctx, { workspace, site, documents: visibleDocumentList }, options);
}

/**
 * Documents without access are left out, except for those who may add documents here: they see that there are more.
 * A removed workspace takes all its documents into the trash.
 */
function visibleDocuments(
  { role, removedAt }: StoredWorkspace,
  documents: readonly DocumentListing[],
  { showRemoved }: ListingOptions,
): DocumentListing[] {
  const seesAll = allows(role, "editors");
  return documents
    .filter((document) => seesAll || document.role !== null)
    .filter((document) => (document.removedAt !== null) === showRemoved || (showRemoved && removedAt !== null));
}

type WorkspaceWithDocuments = Omit<ListedWorkspace, "orgDomain">;

const toListedWorkspace = (
  ctx: Context,
  { workspace, site, documents }: WorkspaceContents,
  options: ListingOptions,
): WorkspaceWithDocuments => ({
  id: workspace.id,
  name: workspace.name,
  access: toListedAccess(workspace.role satisfies Role | null) ?? "viewers",
  owner: toOrgOwner(site.owner),
  isSupportWorkspace: false,
  createdAt: isoTime(workspace.createdAt),
  updatedAt: isoTime(workspace.updatedAt),
  ...(workspace.removedAt !== null && { removedAt: isoTime(workspace.removedAt) }),
  docs: documents.map((document) => toDocumentSummary(ctx, document, options)),
});
