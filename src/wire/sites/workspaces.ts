import { uploadIdParam } from "../common/params.ts";
import { z } from "../common/schema.ts";
import { DocumentSummary, withFormattedId, type DocumentIds } from "../documents/documents.ts";
import { changedName, optionalTime, newName, ListedAccess, removedBy, time } from "../common/fields.ts";
import { Org, OrgOwner } from "./orgs.ts";
import { flag } from "../common/query.ts";

/** Workspaces, which contain the documents of a site. */

export const WorkspaceParams = z.object({
  workspaceId: z.string().max(100).openapi({ description: "The workspace's id.", example: "3" }),
});

export const WorkspaceUploadParams = WorkspaceParams.extend({ uploadId: uploadIdParam });

const Workspace = z.object({
  id: z.int(),
  name: z.string(),
  access: ListedAccess,
  owner: OrgOwner.nullable().openapi({ description: "Owner of the personal site; null in team sites." }),
  isSupportWorkspace: z.literal(false),
  createdAt: time,
  updatedAt: time,
  removedAt: time.optional().openapi({ description: "When the workspace was moved to the trash." }),
  removedBy,
  docs: z.array(DocumentSummary),
});

export const ListedWorkspace = Workspace.extend({ orgDomain: z.string() }).openapi("ListedWorkspace");
export type ListedWorkspace = z.infer<typeof ListedWorkspace>;

export const WorkspaceDetails = Workspace.extend({ org: Org }).openapi("Workspace");
export type WorkspaceDetails = z.infer<typeof WorkspaceDetails>;

export const WorkspaceCreate = z
  .strictObject({
    name: newName.openapi({ description: "Default: `Untitled workspace`." }),
    createdAt: optionalTime,
    updatedAt: optionalTime,
  })
  .openapi("WorkspaceCreate");
export type WorkspaceCreate = z.infer<typeof WorkspaceCreate>;

export const WorkspaceChange = z
  .strictObject({ name: changedName, createdAt: optionalTime, updatedAt: optionalTime })
  .openapi("WorkspaceChange");
export type WorkspaceChange = z.infer<typeof WorkspaceChange>;

export const ShowRemovedQuery = z.object({ showRemoved: flag("Return only content in the trash. Default: false.") });
export const ListingQuery = ShowRemovedQuery.extend({
  sizes: flag("Include the size of documents as `sizeBytes`. Default: false."),
});
export const RemoveQuery = z.object({
  permanent: flag("Delete permanently instead of moving to the trash. Default: false."),
});

/** Replaces the ids of documents by the form that the server's settings require. */
export const withFormattedIds = <W extends { docs: DocumentSummary[] }>(workspace: W, ids: DocumentIds): W =>
  ids === "integer"
    ? workspace
    : { ...workspace, docs: workspace.docs.map((document) => withFormattedId(document, ids)) };
