import { listSnapshots, removeSnapshots } from "../../services/documents/snapshots.ts";
import { flushDocument, reloadDocument } from "../../services/documents/document-maintenance.ts";
import { NullResponse } from "../../wire/common/null-response.ts";
import { formatDocumentId } from "../../wire/documents/documents.ts";
import { DocParams } from "../../wire/common/params.ts";
import {
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

/** Earlier contents of documents, and what keeps their files in order. */
export const snapshotRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: `${path}/snapshots`,
      id: "listSnapshots",
      tag,
      summary: "List the snapshots of a document",
      about:
        "Contents that it had before, newest first: at each backup since which it changed, and before it was replaced. " +
        "`POST …/replace` with a `snapshotId` brings one back.",
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
      path: `${path}/snapshots/remove`,
      id: "removeSnapshots",
      tag,
      summary: "Forget snapshots of a document",
      about: "They cannot be brought back any more. Backups that hold them are not touched.",
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
      summary: "Close a document and open it anew",
      about:
        "Nothing is lost but attachments that were in no cell for 7 days. Large answers that are being read break off.",
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
      summary: "Write a document out to the disk",
      about:
        "What was written to it before survives a power cut when this is answered, also where the server is set to " +
        "acknowledge writes sooner.",
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
      summary: "Open a document anew that does not answer",
      about:
        "Other servers open a document without its formulas on this. Here formulas have limits that no document gets " +
        "stuck in, so that it is closed and opened anew, as by `force-reload`, and its formulas go on working.",
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
