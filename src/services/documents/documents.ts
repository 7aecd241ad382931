import {
  actorId,
  type Actor,
  type DocumentAdminGrant,
  type DocumentGrant,
  type WorkspaceGrant,
} from "../../authorization.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import type { AuditTarget } from "../../home/identity/audit-log.ts";
import type { DocumentInfo, DocumentOptions, DocumentListing } from "../../home/documents.ts";
import type { StoredContent } from "../../hosts/verbs/attachments.ts";
import { must } from "../../lib/assert.ts";
import { isoTime } from "../../lib/time/clock.ts";
import { omitUndefined } from "../../lib/omit-undefined.ts";
import { newUuid } from "../../lib/ids.ts";
import type { Document, DocumentChange, DocumentCreate, DocumentSummary } from "../../wire/documents/documents.ts";
import { copyContents } from "../attachments/attachment-copies.ts";
import { guardAccount } from "../access/guards.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { reachesSite, reachesWorkspace } from "../access/key-limits.ts";
import type { Context } from "../context.ts";
import { toListedAccess, toOrg, toOrgOwner } from "../sites/orgs.ts";
import { compressSnapshots } from "./snapshots.ts";
import { deleteDocumentFiles, removerOf } from "./trash.ts";

/** Returns the metadata of a document. */
export function describeDocument(ctx: Context, grant: DocumentGrant): Document {
  const { documentId } = grant;
  const actor = guardAccount(grant.actor);
  const found = must(ctx.home.documents.describe(documentId, actorId(actor)), "document");
  const { workspace, site } = found;
  const workspaceRole = reachesWorkspace(actor, { orgId: site.id, workspaceId: workspace.id })
    ? (workspace.role ?? guestRole(actor, workspace.isGuest))
    : "guests";
  const siteRole = reachesSite(actor, site.id) ? (found.siteRole ?? guestRole(actor, found.isGuestOfSite)) : "guests";
  return {
    ...toDocumentInfo(ctx, found),
    access: found.role,
    options: found.options,
    ...(found.isPublic && { public: true }),
    forks: [],
    aliases: found.aliases.map((urlId) => ({ orgId: site.id, urlId })),
    workspace: {
      id: workspace.id,
      name: workspace.name,
      access: toListedAccess(workspaceRole),
      owner: toOrgOwner(site.owner),
      createdAt: isoTime(workspace.createdAt),
      updatedAt: isoTime(workspace.updatedAt),
      ...(workspace.removedAt !== null && { removedAt: isoTime(workspace.removedAt) }),
      org: toOrg(site, siteRole),
    },
  };
}

/**
 * Creates a document with one empty table or the content of a template, owned by the caller.
 * @returns its UUID
 * @throws AppError `invalid` if the workspace is in the trash or the urlId is in use
 */
export async function createDocument(ctx: Context, grant: WorkspaceGrant, input: DocumentCreate): Promise<string> {
  const uuid = newUuid();
  const { template, ...row } = input;
  const makeFile = () =>
    template === undefined ? ctx.documents.create(uuid) : ctx.documents.createFromTemplate(uuid, template);
  return createDocumentWithFile(ctx, grant, { ...row, uuid, makeFile });
}

/** A document that was created, and what its file was made of. */
export interface CreatedDocument<Made = unknown> {
  readonly uuid: string;
  readonly made: Made;
}

export interface NewDocumentFile extends Omit<DocumentCreate, "template"> {
  readonly uuid: string;
  /** The document that it is a copy of. */
  readonly source?: DocumentGrant;
  /** Creates the document file under the UUID. */
  readonly makeFile: () => Promise<unknown>;
}

/**
 * Creates the file first and the row last, so that unfinished documents are never visible. Removes the file if the row
 * cannot be created.
 * @returns the UUID
 */
export async function createDocumentWithFile(
  ctx: Context,
  grant: WorkspaceGrant,
  { uuid, makeFile, ...input }: NewDocumentFile,
): Promise<string> {
  requireCreatable(ctx, grant, input.urlId ?? null);
  try {
    const made = await makeFile();
    ctx.home.transaction((): CreatedDocument => {
      insertDocumentRow(ctx, grant, { ...input, uuid });
      return { uuid, made };
    });
  } catch (error) {
    await deleteDocumentFiles(ctx, [uuid]);
    throw error;
  }
  return uuid;
}

/**
 * Returns the document's UUID.
 * @throws AppError `invalid` if the urlId is in use
 */
export function modifyDocument(
  ctx: Context,
  { actor, documentId, orgId, uuid }: DocumentGrant,
  change: DocumentChange,
): string {
  const { home } = ctx;
  home.transaction(() => {
    const stored = must(home.documents.byId(documentId), "document");
    const { urlId } = change;
    if (urlId) {
      const holder = home.urlIds.documentFor(orgId, urlId);
      if (holder !== null && holder !== documentId) throw urlIdTaken(urlId);
      home.urlIds.assign(orgId, urlId, documentId);
    }
    const options = change.options === undefined ? undefined : mergeOptions(stored.options, change.options);
    const columns = omitUndefined({ ...change, options });
    const fields = Object.keys(columns);
    if (fields.length === 0) return;
    home.documents.change(documentId, { ...columns, updatedAt: ctx.clock.now() });
    recordAudit(ctx, { event: "document.changed", actor, documentId, details: { fields } });
  });
  return uuid;
}

/** Pins or unpins a document. */
export function pinDocument({ home, clock }: Context, { documentId }: DocumentGrant, isPinned: boolean): void {
  home.transaction(() => home.documents.change(documentId, { isPinned, updatedAt: clock.now() }));
}

/**
 * Disables or enables a document. Its description, its deletion and the trash stay available. Disabling a disabled
 * document keeps its timestamp.
 */
export function setDisabled(ctx: Context, { actor, documentId, uuid }: DocumentAdminGrant, isDisabled: boolean): void {
  const { home, clock, signals, webhooks } = ctx;
  home.transaction(() => {
    const { disabledAt } = must(home.documents.byId(documentId), "document");
    home.documents.change(documentId, { disabledAt: isDisabled ? (disabledAt ?? clock.now()) : null });
    if (isDisabled === (disabledAt !== null)) return;
    recordAudit(ctx, { event: isDisabled ? "document.disabled" : "document.enabled", actor, documentId });
  });
  // Reauthorizes subscribers of the document and resumes its deliveries.
  signals.emit(uuid, "changed");
  if (!isDisabled) webhooks.wake(uuid);
}

/** Permanently deletes a document. Returns its UUID. */
export async function deleteDocument(ctx: Context, { actor, documentId, uuid }: DocumentGrant): Promise<string> {
  ctx.home.transaction(() => {
    recordAudit(ctx, { event: "document.deleted", actor, documentId });
    ctx.home.documents.remove(documentId);
  });
  await deleteDocumentFiles(ctx, [uuid]);
  return uuid;
}

/**
 * Moves a document to another workspace. Preserves the roles granted on it; in another site, it loses its urlIds.
 * Returns its UUID.
 * @throws AppError `invalid` if it already is in the workspace
 */
export function moveDocument(ctx: Context, document: DocumentGrant, target: WorkspaceGrant): string {
  const { home, clock } = ctx;
  const { actor, documentId, uuid } = document;
  if (document.workspaceId === target.workspaceId) throw invalid("The document already is in this workspace");
  const leavesSite = document.orgId !== target.orgId;
  home.transaction(() => {
    if (leavesSite) home.urlIds.removeAll(documentId);
    const { workspaceId } = target;
    const change = { workspaceId, updatedAt: clock.now(), ...(leavesSite && { urlId: null }) };
    const { workspace } = home.audit.describe({ workspaceId: document.workspaceId });
    home.documents.change(documentId, change);
    recordAudit(ctx, { event: "document.moved", actor, documentId, target: workspace ? { from: workspace } : {} });
  });
  return uuid;
}

export interface CopyInput {
  readonly documentName: string;
  /** Structure only: no rows, attachments and history. */
  readonly asTemplate?: boolean | undefined;
}

/**
 * Copies a document's content to a new document that only the caller owns.
 * @returns the new document's UUID
 * @throws AppError `invalid` if the workspace is in the trash
 */
export async function copyDocument(
  ctx: Context,
  source: DocumentGrant,
  target: WorkspaceGrant,
  { documentName, asTemplate = false }: CopyInput,
): Promise<string> {
  const uuid = newUuid();
  const makeFile = async () => {
    const stored = await ctx.documents.copy(source, uuid, { asTemplate });
    await copyContents(ctx, { from: source, to: uuid, stored });
  };
  return createDocumentWithFile(ctx, target, { name: documentName, uuid, makeFile, source });
}

/**
 * Replaces a document's content by that of another document, including history. Preserves its name, location, sharing
 * and urlIds, and its previous content as a snapshot.
 * @throws AppError `forbidden` if anything in the other document is hidden from the caller
 */
export async function replaceDocument(ctx: Context, target: DocumentGrant, source: DocumentGrant): Promise<void> {
  const { home, documents, files, snapshots, clock } = ctx;
  if (target.uuid === source.uuid) return;
  // Files of attachments must exist before rows refer to them; a second pass copies files added in between.
  const copyAttachments = (stored: readonly StoredContent[]) =>
    copyContents(ctx, { from: source, to: target.uuid, stored });
  await files.locks.runShared(target.uuid, async () => {
    await copyAttachments(await documents.call(source, "attachments.stored", {}));
    await copyAttachments(await documents.replace(target, source, { keepAs: snapshots.newSnapshotPath(target.uuid) }));
  });
  home.transaction(() => {
    home.documents.change(target.documentId, { updatedAt: clock.now() });
    // Webhooks belong to the replaced content.
    home.webhooks.removeOf(target.documentId);
    const { actor, documentId } = target;
    const details = { by: "document" };
    recordAudit(ctx, { event: "document.replaced", actor, documentId, target: sourceTarget(ctx, source), details });
  });
  await compressSnapshots(ctx, target);
}

/** Returns a document for listings; its size requires a file system call. */
export const toDocumentSummary = (
  ctx: Context,
  document: DocumentListing,
  { sizes }: { sizes: boolean },
): DocumentSummary => {
  const sizeBytes = sizes ? ctx.documents.sizeBytes(document.uuid) : null;
  const removedBy = removerOf(ctx, { ...document, kind: "document", id: document.uuid });
  return {
    ...toDocumentInfo(ctx, document),
    access: document.role,
    ...(removedBy && { removedBy }),
    ...(document.options !== null && { options: document.options }),
    ...(sizeBytes !== null && { sizeBytes }),
  };
};

const toDocumentInfo = ({ lastChanges }: Context, document: DocumentInfo) => ({
  id: document.id,
  uuid: document.uuid,
  name: document.name,
  isPinned: document.isPinned,
  urlId: document.urlId,
  type: document.type,
  trunkId: null,
  createdAt: isoTime(document.createdAt),
  updatedAt: isoTime(lastChanges.of(document)),
  ...(document.removedAt !== null && { removedAt: isoTime(document.removedAt) }),
  ...(document.disabledAt !== null && { disabledAt: isoTime(document.disabledAt) }),
});

/** Returns the guest role on a workspace or site; anonymous access makes no guests. */
const guestRole = (actor: Actor, isGuest: boolean): "guests" | null =>
  actor.kind === "user" && isGuest ? "guests" : null;

/** Checks the conditions of `addRow` first, to avoid creating a file in vain. */
function requireCreatable({ home }: Context, { orgId, workspaceId }: WorkspaceGrant, urlId: string | null): void {
  const workspace = home.workspaces.byId(workspaceId);
  if (!workspace) throw notFound("The workspace was deleted", "workspace.not_found");
  if (workspace.removedAt !== null) throw new AppError("workspace.removed", "The workspace is in the trash");
  if (urlId !== null && home.urlIds.documentFor(orgId, urlId) !== null) throw urlIdTaken(urlId);
}

function insertDocumentRow(ctx: Context, grant: WorkspaceGrant, input: Omit<NewDocumentFile, "makeFile">): void {
  const { home } = ctx;
  const { actor, orgId, workspaceId } = grant;
  const {
    uuid,
    name = "Untitled document",
    isPinned = false,
    urlId = null,
    type = null,
    options = null,
    source,
  } = input;
  requireCreatable(ctx, grant, urlId);
  const id = home.documents.add({
    uuid,
    workspaceId,
    name,
    isPinned,
    urlId,
    type,
    options: mergeOptions(null, options),
  });
  if (urlId !== null) home.urlIds.assign(orgId, urlId, id);
  // Objects created without a key have no owner: otherwise all anonymous users would own them.
  if (actor.kind === "user") home.grants.set({ kind: "document", id }, actor.userId, "owners");
  if (!source) return recordAudit(ctx, { event: "document.created", actor, documentId: id });
  recordAudit(ctx, { event: "document.copied", actor, documentId: id, target: sourceTarget(ctx, source) });
}

function sourceTarget({ home }: Context, { documentId }: DocumentGrant): AuditTarget {
  const { document } = home.audit.describe({ documentId });
  return document ? { source: document } : {};
}

const urlIdTaken = (urlId: string) =>
  new AppError("name.taken", `The urlId ${urlId} is used by another document of the site`);

/** Merges by key; null removes a key, and null instead of an object removes all. */
function mergeOptions(before: DocumentOptions | null, change: DocumentOptions | null): DocumentOptions | null {
  if (change === null) return null;
  const entries = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null);
  return entries.length > 0 ? Object.fromEntries(entries) : null;
}
