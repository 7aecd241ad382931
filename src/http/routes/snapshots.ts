import { createSnapshot, listSnapshots, removeSnapshots } from "../../services/documents/snapshots.ts";
import { flushDocument, reloadDocument } from "../../services/documents/document-maintenance.ts";
import { NullResponse } from "../../wire/common/null-response.ts";
import { formatDocumentId } from "../../wire/documents/documents.ts";
import { DocParams } from "../../wire/common/params.ts";
import {
  CreatedSnapshot,
  RecoverDocument,
  RecoveredDocument,
  RemovedSnapshots,
  RemoveSnapshots,
  Snapshots,
} from "../../wire/documents/snapshots.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonResponse } from "../responses.ts";
import { jsonBody, route, type Route } from "../route.ts";

const path = "/api/docs/{docId}";
const tag = "snapshots";
const ownerAccess = documentContentAccess("owners");

/** Routes of snapshots and of the maintenance of document files. */
export const snapshotRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: `${path}/snapshots`,
      id: "listSnapshots",
      tag,
      summary: "List the snapshots of a document",
      about:
        "Snapshots are created by backups of changed documents and before a document is replaced; newest first. To restore " +
        "one, call `POST …/replace` with its `snapshotId`.",
      access: documentContentAccess("viewers"),
      params: DocParams,
      response: Snapshots,
    },
    async ({ call, ctx, grant }) => {
      const { snapshots } = await listSnapshots(ctx, grant);
      const docId = formatDocumentId(grant.uuid, call.config.docIds);
      return jsonResponse({ snapshots: snapshots.map((snapshot) => ({ ...snapshot, docId })) });
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/snapshots`,
      id: "createSnapshot",
      tag,
      summary: "Save a snapshot of a document",
      about:
        "Saves the current content, for example before a change that is too large for the history. Interrupts large " +
        "responses in progress. The oldest snapshots beyond the number that the server keeps are deleted; 409 if it keeps none.",
      access: ownerAccess,
      params: DocParams,
      isLong: true,
      response: CreatedSnapshot,
    },
    async ({ ctx, grant }) => jsonResponse(await createSnapshot(ctx, grant)),
  ),
  route(
    {
      method: "post",
      path: `${path}/snapshots/remove`,
      id: "removeSnapshots",
      tag,
      summary: "Delete snapshots of a document",
      about: "Deleted snapshots cannot be restored. Backups that contain them are not affected.",
      access: ownerAccess,
      params: DocParams,
      body: jsonBody(RemoveSnapshots),
      response: RemovedSnapshots,
    },
    async ({ ctx, grant, body }) => jsonResponse(await removeSnapshots(ctx, grant, body)),
  ),
  route(
    {
      method: "post",
      path: `${path}/force-reload`,
      id: "reloadDocument",
      tag,
      summary: "Close and reopen a document",
      about: "Removes attachments that have been unused for 7 days. Interrupts large responses in progress.",
      access: documentContentAccess("owners", { inTrash: true }),
      params: DocParams,
      response: NullResponse,
    },
    async ({ ctx, grant }) => jsonResponse(await reloadDocument(ctx, grant)),
  ),
  route(
    {
      method: "post",
      path: `${path}/flush`,
      id: "flushDocument",
      tag,
      summary: "Flush a document to disk",
      about:
        "After the response, all previous writes survive a power failure, even if the server is configured to " +
        "acknowledge writes earlier.",
      access: documentContentAccess("editors"),
      params: DocParams,
      response: NullResponse,
    },
    async ({ ctx, grant }) => jsonResponse(await flushDocument(ctx, grant)),
  ),
  route(
    {
      method: "post",
      path: `${path}/recover`,
      id: "recoverDocument",
      tag,
      summary: "Reopen an unresponsive document",
      about:
        "For compatibility: other servers reopen the document with formulas disabled. Here, limits on formulas prevent " +
        "documents from hanging, so the document is reopened with formulas enabled, as by `force-reload`.",
      access: ownerAccess,
      params: DocParams,
      body: jsonBody(RecoverDocument),
      response: RecoveredDocument,
    },
    async ({ ctx, grant }) => {
      await reloadDocument(ctx, grant);
      return jsonResponse({ recoveryMode: false });
    },
  ),
];
