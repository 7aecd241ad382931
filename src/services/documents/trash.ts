import { allows, type DocumentGrant, type Role, type WorkspaceGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import { must } from "../../lib/assert.ts";
import { recordAudit } from "../audit/record-audit.ts";
import type { Context } from "../context.ts";

/** How long documents and workspaces stay in the trash. */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

/** Moves a document to the trash; a document in the trash keeps its timestamp. */
export function removeDocument(ctx: Context, { actor, documentId }: DocumentGrant): void {
  const { home, clock } = ctx;
  home.transaction(() => {
    const { removedAt } = must(home.documents.byId(documentId), "document");
    home.documents.change(documentId, { removedAt: removedAt ?? clock.now() });
    if (removedAt === null) recordAudit(ctx, { event: "document.trashed", actor, documentId });
  });
}

/**
 * Returns who moved a document or workspace to the trash, according to the audit log; null if unknown. Owners and editors
 * see users, viewers do not, here and elsewhere.
 */
export function removerOf(
  { home }: Pick<Context, "home">,
  { kind, id, role, removedAt }: RemovedResource,
): { id: number; name: string } | null {
  if (removedAt === null || !allows(role, "editors")) return null;
  const userId = home.audit.userBehind(`${kind}.trashed`, { kind, id }, removedAt);
  const user = userId === null ? null : home.users.byId(userId);
  return user?.name ? { id: user.id, name: user.name } : null;
}

interface RemovedResource {
  readonly kind: "document" | "workspace";
  /** The UUID of a document. */
  readonly id: number | string;
  readonly role: Role | null;
  readonly removedAt: number | null;
}

/** Restores a document from the trash. Idempotent. */
export function restoreDocument(ctx: Context, { actor, documentId }: DocumentGrant): void {
  const { home } = ctx;
  home.transaction(() => {
    const { removedAt } = must(home.documents.byId(documentId), "document");
    home.documents.change(documentId, { removedAt: null });
    if (removedAt !== null) recordAudit(ctx, { event: "document.restored", actor, documentId });
  });
}

/** Moves a workspace and its content to the trash. */
export function removeWorkspace(ctx: Context, { actor, workspaceId }: WorkspaceGrant): void {
  const { home, clock } = ctx;
  home.transaction(() => {
    const { removedAt } = must(home.workspaces.byId(workspaceId), "workspace");
    home.workspaces.change(workspaceId, { removedAt: removedAt ?? clock.now() });
    if (removedAt === null) recordAudit(ctx, { event: "workspace.trashed", actor, workspaceId });
  });
}

/**
 * Restores a workspace from the trash. Documents that were removed individually stay there.
 * @throws AppError `conflict` in the site of a deleted user, which is restored as a whole
 */
export function restoreWorkspace(ctx: Context, { actor, orgId, workspaceId }: WorkspaceGrant): void {
  const { home } = ctx;
  if (home.deletedSites.isDeleted(orgId))
    throw new AppError("conflict", "The owner of this site was deleted; ask an administrator to restore it");
  home.transaction(() => {
    const { removedAt } = must(home.workspaces.byId(workspaceId), "workspace");
    home.workspaces.change(workspaceId, { removedAt: null });
    if (removedAt !== null) recordAudit(ctx, { event: "workspace.restored", actor, workspaceId });
  });
}

/** Permanently deletes content moved to the trash 30 days ago or earlier. Returns the number of deleted documents. */
export async function purgeTrash(ctx: Context): Promise<number> {
  const { home, clock, log } = ctx;
  const removedBefore = clock.now() - RETENTION_MS;
  const uuids = home.transaction(() => {
    const found: string[] = [];
    for (const workspaceId of home.workspaces.removedBefore(removedBefore)) {
      const documents = home.documents.uuidsOf({ workspaceId });
      found.push(...documents);
      const details = { documents: documents.length };
      recordAudit(ctx, { event: "workspace.deleted", actor: "server", workspaceId, details });
      home.workspaces.remove(workspaceId);
    }
    for (const { id, uuid } of home.documents.removedBefore(removedBefore)) {
      found.push(uuid);
      recordAudit(ctx, { event: "document.deleted", actor: "server", documentId: id });
      home.documents.remove(id);
    }
    home.deletedSites.removeEmpty();
    return found;
  });
  if (uuids.length > 0) log.info("trash.purged", { documents: uuids.length });
  await deleteDocumentFiles(ctx, uuids);
  return uuids.length;
}

/**
 * Removes the files of documents whose rows are deleted. After a failure, the files stay in an unreferenced folder: the
 * documents are deleted nevertheless.
 */
export async function deleteDocumentFiles({ documents, files, log }: Context, uuids: readonly string[]): Promise<void> {
  for (const uuid of uuids) {
    try {
      await documents.remove(uuid);
      await files.bucketStore(uuid)?.clear();
    } catch (error) {
      log.error("document.files_not_deleted", { document: uuid, error: String(error) });
    }
  }
}
