import { listSnapshots, removeSnapshots } from "../../services/snapshots.ts";
import { flushDocument, reloadDocument } from "../../services/upkeep.ts";
import { Nothing } from "../../wire/nothing.ts";
import { shownId } from "../../wire/documents.ts";
import { DocParams } from "../../wire/params.ts";
import {
  RecoverDocument,
  RecoveredDocument,
  RemovedSnapshots,
  RemoveSnapshots,
  Snapshots,
} from "../../wire/snapshots.ts";
import { documentContent } from "../access.ts";
import { json } from "../answers.ts";
import { jsonBody, route, type Route } from "../route.ts";

const path = "/api/docs/{docId}";
const tag = "snapshots";
const owners = documentContent("owners");

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
      access: documentContent("viewers"),
      params: DocParams,
      answer: Snapshots,
    },
    async ({ call, ctx, grant }) => {
      const { snapshots } = await listSnapshots(ctx, grant);
      const docId = shownId(grant.uuid, call.config.docIds);
      return json({ snapshots: snapshots.map((snapshot) => ({ ...snapshot, docId })) });
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
      access: owners,
      params: DocParams,
      body: jsonBody(RemoveSnapshots),
      answer: RemovedSnapshots,
    },
    async ({ ctx, grant, body }) => json(await removeSnapshots(ctx, grant, body)),
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
      access: documentContent("owners", { inTrash: true }),
      params: DocParams,
      answer: Nothing,
    },
    async ({ ctx, grant }) => json(await reloadDocument(ctx, grant)),
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
      access: documentContent("editors"),
      params: DocParams,
      answer: Nothing,
    },
    async ({ ctx, grant }) => json(await flushDocument(ctx, grant)),
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
      access: owners,
      params: DocParams,
      body: jsonBody(RecoverDocument),
      answer: RecoveredDocument,
    },
    async ({ ctx, grant }) => {
      await reloadDocument(ctx, grant);
      return json({ recoveryMode: false });
    },
  ),
];
