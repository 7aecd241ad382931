import type { z } from "@hono/zod-openapi";
import { invalid } from "../../errors.ts";
import { archiveAttachments, restoreAttachments } from "../../services/attachment-archives.ts";
import { markUnused, removeUnused, verifyAttachments } from "../../services/attachment-upkeep.ts";
import { openAttachment, uploadAttachments } from "../../services/attachments.ts";
import { describeAttachment, listAttachments } from "../../services/content.ts";
import { downloadName } from "../../services/downloads.ts";
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
} from "../../wire/attachments.ts";
import { Nothing } from "../../wire/nothing.ts";
import { DocParams } from "../../wire/params.ts";
import { ConditionalHeaders, FetchHeaders } from "../../wire/record-answers.ts";
import { documentContent } from "../access.ts";
import { json, rendered } from "../answers.ts";
import { condition } from "../conditions.ts";
import { disposition } from "../disposition.ts";
import { fileAnswer } from "../file-answer.ts";
import { route, type Route, uploadBody } from "../route.ts";
import { incomingAttachments } from "../upload.ts";
import { fetchArgs } from "./fetch-args.ts";

const path = "/api/docs/{docId}/attachments";
const tag = "attachments";

const ARCHIVE_TYPES = { zip: "application/zip", tar: "application/x-tar" } as const;

export const attachmentRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path,
      id: "uploadAttachments",
      tag,
      summary: "Upload files",
      about: "All files of a request are taken, or none. Refer to them from cells of type Attachments by their ids.",
      access: documentContent("editors"),
      params: DocParams,
      body: uploadBody(UploadAttachments),
      answer: AttachmentIds,
    },
    async ({ call, ctx, grant }) => json(await uploadAttachments(ctx, grant, incomingAttachments(call))),
  ),
  route(
    {
      method: "get",
      path,
      id: "listAttachments",
      tag,
      summary: "List attachments",
      access: documentContent("viewers"),
      params: DocParams,
      query: ListAttachmentsQuery,
      headers: FetchHeaders,
      answer: Attachments,
    },
    async ({ call, ctx, grant, query }) => {
      const { filter, sort, limit } = fetchArgs(call, "", query);
      const args = { filter, sort, limit, condition: condition(call, grant) };
      return rendered(ctx, grant, await listAttachments(ctx, grant, args));
    },
  ),
  route(
    {
      method: "get",
      path: `${path}/archive`,
      id: "archiveAttachments",
      tag,
      summary: "Download all attachments as one archive",
      about: "Each content once, named after its SHA-1 and its file. A zip archive holds up to 4 GB, tar any size.",
      access: documentContent("viewers"),
      params: DocParams,
      query: ArchiveQuery,
      isLong: true,
      answer: { type: Object.values(ARCHIVE_TYPES), about: "The archive, of the type that `format` asks for." },
      further: { 413: "Too much for a zip archive." },
    },
    async ({ call, ctx, grant, query: { format = "zip" } }) => {
      const name = `${downloadName(ctx, grant, {})}-Attachments.${format}`;
      const headers = {
        "Content-Type": ARCHIVE_TYPES[format],
        "Content-Disposition": disposition(name),
        "Cache-Control": "no-store",
      };
      const archive = await archiveAttachments(ctx, grant, format);
      if (call.request.method !== "HEAD") return new Response(archive, { headers });
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
      summary: "Restore missing contents from an archive",
      about:
        "Takes archives as they are downloaded. Only contents that attachments refer to and that are missing count.",
      access: documentContent("owners"),
      params: DocParams,
      body: uploadBody(UploadArchive),
      answer: RestoredAttachments,
    },
    async ({ call, ctx, grant }) => json(await restoreAttachments(ctx, grant, incomingAttachments(call))),
  ),
  route(
    {
      method: "post",
      path: `${path}/updateUsed`,
      id: "markUnusedAttachments",
      tag,
      summary: "Note which attachments stand in no cell",
      about: "From then on the time counts after which `removeUnused` takes them as expired.",
      access: documentContent("editors"),
      params: DocParams,
      answer: Nothing,
    },
    async ({ ctx, grant }) => {
      await markUnused(ctx, grant);
      return json(null);
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/removeUnused`,
      id: "removeUnusedAttachments",
      tag,
      summary: "Remove attachments that stand in no cell",
      access: documentContent("owners"),
      params: DocParams,
      query: RemoveUnusedQuery,
      isLong: true,
      answer: Nothing,
    },
    async ({ ctx, grant, query }) => {
      await removeUnused(ctx, grant, { expiredOnly: query.expiredonly });
      if (query.verifyfiles) await verifyAttachments(ctx, grant);
      return json(null);
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/verifyFiles`,
      id: "verifyAttachments",
      tag,
      summary: "Verify that the contents of all attachments are there",
      access: documentContent("owners"),
      params: DocParams,
      isLong: true,
      answer: Nothing,
    },
    async ({ ctx, grant }) => {
      await verifyAttachments(ctx, grant);
      return json(null);
    },
  ),
  route(
    {
      method: "get",
      path: `${path}/{attachmentId}`,
      id: "describeAttachment",
      tag,
      summary: "Describe an attachment",
      access: documentContent("viewers"),
      params: AttachmentParams,
      query: AttachmentQuery,
      headers: ConditionalHeaders,
      answer: AttachmentInfo,
    },
    async ({ call, ctx, grant, params, query }) => {
      const args = { ...whichOf(params, query), condition: condition(call, grant) };
      return rendered(ctx, grant, await describeAttachment(ctx, grant, args));
    },
  ),
  route(
    {
      method: "get",
      path: `${path}/{attachmentId}/download`,
      id: "downloadAttachment",
      tag,
      summary: "Download an attachment",
      about: "Takes range requests and conditional ones.",
      access: documentContent("viewers"),
      params: AttachmentParams,
      query: DownloadAttachmentQuery,
      headers: FileHeaders,
      isLong: true,
      answer: { type: "*/*", about: "The file, with the type that its ending tells." },
      further: {
        206: "The part of the file that `Range` asks for.",
        304: "The caller has it.",
        416: "The file has no such part.",
      },
    },
    async ({ call, ctx, grant, params, query }) => {
      return fileAnswer(call.request, await openAttachment(ctx, grant, whichOf(params, query)), query);
    },
  ),
];

/** @throws AppError `invalid` when a cell is named by halves */
function whichOf(
  { attachmentId: id }: z.infer<typeof AttachmentParams>,
  { tableId, colId, rowId, maybeNew }: z.infer<typeof AttachmentQuery>,
) {
  if (tableId === undefined && colId === undefined && rowId === undefined) return { id, maybeNew };
  if (tableId === undefined || colId === undefined || rowId === undefined) {
    throw invalid("tableId, colId and rowId are given together or not at all");
  }
  return { id, maybeNew, cell: { tableId, colId, rowId: Number(rowId) } };
}
