import type { DocumentGrant, WorkspaceGrant } from "../../authorization.ts";
import { must } from "../../lib/assert.ts";
import type { Context } from "../context.ts";

/** How long things stay in the trash. */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

/** Puts a document into the trash; one that is there already keeps its time. */
export function removeDocument(ctx: Context, { documentId }: DocumentGrant): void {
  const { home, clock } = ctx;
  home.transaction(() => {
    const { removedAt } = must(home.documents.byId(documentId), "document");
    home.documents.change(documentId, { removedAt: removedAt ?? clock.now() });
  });
}

/** Takes a document out of the trash; elsewhere it makes no difference. */
export function restoreDocument({ home }: Context, { documentId }: DocumentGrant): void {
  home.transaction(() => home.documents.change(documentId, { removedAt: null }));
}

/** Puts a workspace into the trash, and with it what it holds. */
export function removeWorkspace(ctx: Context, { workspaceId }: WorkspaceGrant): void {
  const { home, clock } = ctx;
  home.transaction(() => {
    const { removedAt } = must(home.workspaces.byId(workspaceId), "workspace");
    home.workspaces.change(workspaceId, { removedAt: removedAt ?? clock.now() });
  });
}

/** Takes a workspace out of the trash. Documents that were removed by themselves stay there. */
export function restoreWorkspace({ home }: Context, { workspaceId }: WorkspaceGrant): void {
  home.transaction(() => home.workspaces.change(workspaceId, { removedAt: null }));
}

/** Deletes for good what was put into the trash 30 days ago or earlier. Answers how many documents went. */
export async function purgeTrash(ctx: Context): Promise<number> {
  const { home, clock, log } = ctx;
  const removedBefore = clock.now() - RETENTION_MS;
  const uuids = home.transaction(() => {
    const found: string[] = [];
    for (const workspaceId of home.workspaces.removedBefore(removedBefore)) {
      found.push(...home.documents.uuidsOf({ workspaceId }));
      home.workspaces.remove(workspaceId);
    }
    for (const { id, uuid } of home.documents.removedBefore(removedBefore)) {
      found.push(uuid);
      home.documents.remove(id);
    }
    return found;
  });
  if (uuids.length > 0) log.info("trash.purged", { documents: uuids.length });
  await deleteDocumentFiles(ctx, uuids);
  return uuids.length;
}

/**
 * Removes the files of documents whose rows are gone. What cannot be removed now stays as a folder that nothing leads
 * to: the documents are deleted all the same.
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
