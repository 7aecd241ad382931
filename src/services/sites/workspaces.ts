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
import { recordAudit } from "../audit/record-audit.ts";
import { reachesDocument, reachesSite, reachesWorkspace } from "../access/key-limits.ts";
import type { Context } from "../context.ts";
import { toDocumentSummary } from "../documents/documents.ts";
import { toListedAccess, toOrg, toOrgOwner } from "./orgs.ts";
import { deleteDocumentFiles, removerOf } from "../documents/trash.ts";

export interface ListingOptions {
  /** Returns only content in the trash: removed workspaces, and other workspaces with their removed documents. */
  readonly showRemoved: boolean;
  /** Includes the size of documents. */
  readonly sizes: boolean;
}

/**
 * Returns the workspaces of a site, with the documents, that are visible to the caller.
 * @throws AppError `forbidden` for a guest without visible content outside of the trash
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
    .map((workspace) => reachedPart(actor, orgId, { workspace, documents: documents.get(workspace.id) ?? [] }))
    .map((part) => visibleWorkspace(ctx, { actor, site, ...part }, options))
    .filter((shown) => shown !== null)
    .map((shown) => ({ ...shown, orgDomain: site.domain }));
  if (role === "guests" && found.length === 0 && !options.showRemoved) throw forbidden();
  return found;
}

/** Returns a workspace with the documents that are visible to the caller. */
export function describeWorkspace(
  ctx: Context,
  { actor, orgId, workspaceId }: WorkspaceGrant,
  options: ListingOptions,
): WorkspaceDetails {
  const { home } = ctx;
  const site = must(home.orgs.byId(orgId), "site");
  const { workspace, documents } = reachedPart(actor, orgId, {
    workspace: must(home.workspaces.listing(workspaceId, actorId(actor)), "workspace"),
    documents: home.documents.listOf({ workspaceId }, actorId(actor)),
  });
  const siteRole = home.reach.site({ by: "id", id: orgId }, actorId(actor))?.role ?? null;
  const isGuest =
    !reachesSite(actor, orgId) ||
    (siteRole === null && actor.kind === "user" && home.reach.isGuestOfSite(orgId, actor.userId));
  return {
    ...toListedWorkspace(ctx, { workspace, site, documents: visibleDocuments(workspace, documents, options) }, options),
    org: toOrg(site, isGuest ? "guests" : siteRole),
  };
}

/**
 * Creates an empty workspace that the caller owns.
 * @returns its id
 */
export function createWorkspace(
  ctx: Context,
  { actor, orgId }: SiteGrant,
  { name = "Untitled workspace", createdAt, updatedAt }: WorkspaceCreate,
): number {
  const { home } = ctx;
  return home.transaction(() => {
    const id = home.workspaces.add({ orgId, name, ...omitUndefined({ createdAt, updatedAt }) });
    // Objects created without a key have no owner: otherwise all anonymous users would own them.
    if (actor.kind === "user") home.grants.set({ kind: "workspace", id }, actor.userId, "owners");
    recordAudit(ctx, { event: "workspace.created", actor, workspaceId: id });
    return id;
  });
}

/** Returns the workspace's id. */
export function modifyWorkspace(ctx: Context, { actor, workspaceId }: WorkspaceGrant, change: WorkspaceChange): number {
  const columns = omitUndefined(change);
  const fields = Object.keys(columns);
  if (fields.length > 0) {
    ctx.home.transaction(() => {
      ctx.home.workspaces.change(workspaceId, { updatedAt: ctx.clock.now(), ...columns });
      recordAudit(ctx, { event: "workspace.changed", actor, workspaceId, details: { fields } });
    });
  }
  return workspaceId;
}

/** Permanently deletes a workspace with its documents. Returns its id. */
export async function deleteWorkspace(ctx: Context, { actor, workspaceId }: WorkspaceGrant): Promise<number> {
  const { home } = ctx;
  const uuids = home.transaction(() => {
    const found = home.documents.uuidsOf({ workspaceId });
    recordAudit(ctx, { event: "workspace.deleted", actor, workspaceId, details: { documents: found.length } });
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
  /** True if the caller's API key does not reach all of the workspace. */
  readonly isPart: boolean;
}

/** Returns a workspace and its documents as far as the caller's key reaches them: parts of it as for a guest. */
function reachedPart(
  actor: Actor,
  orgId: number,
  part: Pick<WorkspaceContents, "workspace" | "documents">,
): Omit<WorkspaceContents, "site"> {
  const workspaceId = part.workspace.id;
  if (reachesWorkspace(actor, { orgId, workspaceId })) return { ...part, isPart: false };
  return {
    isPart: true,
    workspace: { ...part.workspace, role: null },
    documents: part.documents.filter(({ uuid }) => reachesDocument(actor, { orgId, workspaceId, uuid })),
  };
}

/** Returns a workspace for a listing; null if it is not visible to the caller. */
function visibleWorkspace(
  ctx: Context,
  { actor, workspace, site, documents, isPart }: WorkspaceContents & { readonly actor: Actor },
  options: ListingOptions,
): WorkspaceWithDocuments | null {
  const isGuest =
    actor.kind === "user" &&
    documents.some(
      ({ isDirectGrant, role, removedAt }) => (isPart ? role !== null : isDirectGrant) && removedAt === null,
    );
  if (workspace.role === null && !isGuest) return null;
  const visibleDocumentList = visibleDocuments(workspace, documents, options);
  const isRemoved = workspace.removedAt !== null;
  if (options.showRemoved ? !isRemoved && visibleDocumentList.length === 0 : isRemoved) return null;
  return toListedWorkspace(ctx, { workspace, site, documents: visibleDocumentList }, options);
}

/**
 * Omits documents without access, except for callers who can add documents here: they see that the documents exist. All
 * documents of a removed workspace are in the trash.
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
  { workspace, site, documents }: Omit<WorkspaceContents, "isPart">,
  options: ListingOptions,
): WorkspaceWithDocuments => {
  const removedBy = removerOf(ctx, { ...workspace, kind: "workspace" });
  return {
    id: workspace.id,
    name: workspace.name,
    access: toListedAccess(workspace.role satisfies Role | null) ?? "viewers",
    owner: toOrgOwner(site.owner),
    isSupportWorkspace: false,
    createdAt: isoTime(workspace.createdAt),
    updatedAt: isoTime(workspace.updatedAt),
    ...(workspace.removedAt !== null && { removedAt: isoTime(workspace.removedAt) }),
    ...(removedBy && { removedBy }),
    docs: documents.map((document) => toDocumentSummary(ctx, document, options)),
  };
};
