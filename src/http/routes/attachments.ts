import type { z } from "../../wire/common/schema.ts";
import { invalid } from "../../errors.ts";
import { recordDownload } from "../../services/audit/downloads.ts";
import { markUnused, removeUnused, verifyAttachments } from "../../services/attachments/attachment-cleanup.ts";
import { describeAttachment, listAttachments } from "../../services/documents/content.ts";
import { downloadName } from "../../services/documents/downloads.ts";
import {
  ArchiveQuery,
  AttachmentIds,
  AttachmentInfo,
  AttachmentParams,
  AttachmentQuery,
  Attachments,
  DownloadAttachmentQuery,
  FileHeaders,
  ListAttachmentsQuery,
  RemoveUnusedQuery,
  RestoredAttachments,
  UploadArchive,
  UploadAttachments,
} from "../../wire/attachments/attachments.ts";
import { NullResponse } from "../../wire/common/null-response.ts";
import { DocParams } from "../../wire/common/params.ts";
import { ConditionalHeaders, FetchHeaders } from "../../wire/tables/record-responses.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonResponse, renderedResponse } from "../responses.ts";
import { requestCondition } from "../conditional-requests.ts";
import { contentDisposition } from "../content-disposition.ts";
import { fileResponse } from "../file-response.ts";
import { route, type Route, uploadBody } from "../route.ts";
import { incomingAttachmentUpload } from "../uploads.ts";
import { fetchArgs } from "./fetch-args.ts";

const path = "/api/docs/{docId}/attachments";
const tag = "attachments";

const ARCHIVE_TYPES = { zip: "application/zip", tar: "application/x-tar" } as const;

// Loaded on first use: with file types, image formats and archives they are a tenth of the idle server's memory.
const contents = () => import("../../services/attachments/attachments.ts");
const archives = () => import("../../services/attachments/attachment-archives.ts");

export const attachmentRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path,
      id: "uploadAttachments",
      tag,
      summary: "Upload attachments",
      about:
        "Stores all files of the request, or none. To attach a file to a record, write its id to a cell of type Attachments.",
      access: documentContentAccess("editors"),
      params: DocParams,
      body: uploadBody(UploadAttachments),
      idempotency: { answerOf: (_, added) => (added as { readonly ids: readonly number[] }).ids },
      response: AttachmentIds,
    },
    async ({ call, ctx, grant }) => {
      const { uploadAttachments } = await contents();
      return jsonResponse(await uploadAttachments(ctx, grant, incomingAttachmentUpload(call)));
    },
  ),
  route(
    {
      method: "get",
      path,
      id: "listAttachments",
      tag,
      summary: "List attachments",
      access: documentContentAccess("viewers"),
      params: DocParams,
      query: ListAttachmentsQuery,
      headers: FetchHeaders,
      response: Attachments,
    },
    async ({ call, ctx, grant, query }) => {
      const { filter, sort, limit } = fetchArgs(call, "", query);
      const args = { filter, sort, limit, condition: requestCondition(call, grant) };
      return renderedResponse(ctx, grant, await listAttachments(ctx, grant, args));
    },
  ),
  route(
    {
      method: "get",
      path: `${path}/archive`,
      id: "archiveAttachments",
      tag,
      summary: "Download all attachments as one archive",
      about:
        "Each distinct file is included once, named by its SHA-1 and file name. Limits: 4 GB for zip, none for tar.",
      access: documentContentAccess("viewers"),
      params: DocParams,
      query: ArchiveQuery,
      isLong: true,
      response: { type: Object.values(ARCHIVE_TYPES), about: "The archive, in the requested `format`." },
      further: { 413: "The attachments are too large for a zip archive." },
    },
    async ({ call, ctx, grant, query: { format = "zip" } }) => {
      const name = `${downloadName(ctx, grant, {})}-Attachments.${format}`;
      const headers = {
        "Content-Type": ARCHIVE_TYPES[format],
        "Content-Disposition": contentDisposition(name),
        "Cache-Control": "no-store",
      };
      const { archiveAttachments } = await archives();
      const archive = await archiveAttachments(ctx, grant, format);
      if (call.request.method !== "HEAD") {
        recordDownload(ctx, grant, { event: "attachments.downloaded", format });
        return new Response(archive, { headers });
      }
      await archive.cancel();
      return new Response(null, { headers });
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/archive`,
      id: "restoreAttachments",
      tag,
      summary: "Restore missing attachment files from an archive",
      about:
        "Accepts archives in the form of `GET …/attachments/archive`. Restores only files that attachments refer to and that are missing; ignores all others.",
      access: documentContentAccess("owners"),
      params: DocParams,
      body: uploadBody(UploadArchive),
      response: RestoredAttachments,
    },
    async ({ call, ctx, grant }) => {
      const { restoreAttachments } = await archives();
      return jsonResponse(await restoreAttachments(ctx, grant, incomingAttachmentUpload(call)));
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/updateUsed`,
      id: "markUnusedAttachments",
      tag,
      summary: "Mark unused attachments",
      about:
        "Records which attachments no cell refers to. `removeUnused` with `expiredonly` deletes them 7 days later.",
      access: documentContentAccess("editors"),
      params: DocParams,
      idempotency: { answerOf: () => null },
      response: NullResponse,
    },
    async ({ ctx, grant }) => {
      await markUnused(ctx, grant);
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/removeUnused`,
      id: "removeUnusedAttachments",
      tag,
      summary: "Delete unused attachments",
      access: documentContentAccess("owners"),
      params: DocParams,
      query: RemoveUnusedQuery,
      isLong: true,
      idempotency: { answerOf: () => null },
      response: NullResponse,
    },
    async ({ ctx, grant, query }) => {
      await removeUnused(ctx, grant, { expiredOnly: query.expiredonly });
      if (query.verifyfiles) await verifyAttachments(ctx, grant);
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/verifyFiles`,
      id: "verifyAttachments",
      tag,
      summary: "Verify the files of all attachments",
      access: documentContentAccess("owners"),
      params: DocParams,
      isLong: true,
      response: NullResponse,
    },
    async ({ ctx, grant }) => {
      await verifyAttachments(ctx, grant);
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "get",
      path: `${path}/{attachmentId}`,
      id: "describeAttachment",
      tag,
      summary: "Get an attachment's metadata",
      access: documentContentAccess("viewers"),
      params: AttachmentParams,
      query: AttachmentQuery,
      headers: ConditionalHeaders,
      response: AttachmentInfo,
    },
    async ({ call, ctx, grant, params, query }) => {
      const args = { ...attachmentSelector(params, query), condition: requestCondition(call, grant) };
      return renderedResponse(ctx, grant, await describeAttachment(ctx, grant, args));
    },
  ),
  route(
    {
      method: "get",
      path: `${path}/{attachmentId}/download`,
      id: "downloadAttachment",
      tag,
      summary: "Download an attachment",
      about: "Supports range requests and conditional requests.",
      access: documentContentAccess("viewers"),
      params: AttachmentParams,
      query: DownloadAttachmentQuery,
      headers: FileHeaders,
      isLong: true,
      response: { type: "*/*", about: "The file. Its content type follows from the extension of its name." },
      further: {
        206: "The requested range of the file.",
        304: "The file is unchanged.",
        416: "The requested range is outside the file.",
      },
    },
    async ({ call, ctx, grant, params, query }) => {
      const { openAttachment } = await contents();
      return fileResponse(call.request, await openAttachment(ctx, grant, attachmentSelector(params, query)), query);
    },
  ),
];

/** @throws AppError `invalid` when only a part of the cell's coordinates is given */
function attachmentSelector(
  { attachmentId: id }: z.infer<typeof AttachmentParams>,
  { tableId, colId, rowId, maybeNew }: z.infer<typeof AttachmentQuery>,
) {
  if (tableId === undefined && colId === undefined && rowId === undefined) return { id, maybeNew };
  if (tableId === undefined || colId === undefined || rowId === undefined) {
    throw invalid("tableId, colId and rowId must be given together");
  }
  return { id, maybeNew, cell: { tableId, colId, rowId: Number(rowId) } };
}
