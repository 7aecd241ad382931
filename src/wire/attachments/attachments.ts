import { z } from "@hono/zod-openapi";
import { time } from "../common/fields.ts";
import { DocParams } from "../common/params.ts";
import { flag } from "../common/query.ts";
import { FetchRecordsQuery } from "../tables/record-responses.ts";

export const AttachmentParams = DocParams.extend({
  attachmentId: z
    .string()
    .max(100)
    .regex(/^\s*[-+]?\d/, "must be a number")
    .transform((text) => Number.parseInt(text, 10))
    .openapi({ type: "integer", description: "Number of the attachment.", example: 7 } as never),
});

export const AttachmentInfo = z
  .object({
    fileName: z.string().openapi({ description: "As it was uploaded.", example: "invoice.pdf" }),
    fileSize: z.int().openapi({ description: "In bytes." }),
    timeUploaded: time,
  })
  .openapi("AttachmentInfo");

export const Attachments = z
  .object({ records: z.array(z.object({ id: z.int(), fields: AttachmentInfo })) })
  .openapi("Attachments");

export const ListAttachmentsQuery = FetchRecordsQuery.pick({ filter: true, sort: true, limit: true });

/** Where an attachment stands: asked for by callers whom access rules let see only some cells. */
const cell = {
  tableId: z.string().max(1000).optional().openapi({ description: "Table of a cell that it stands in." }),
  colId: z.string().max(1000).optional().openapi({ description: "Column of that cell." }),
  rowId: z
    .string()
    .regex(/^\d{1,15}$/, "must be a number")
    .optional()
    .openapi({ description: "Record of that cell. Table, column and record are given together." }),
  maybeNew: flag("It may be a file that the caller uploaded only just now."),
};

export const AttachmentQuery = z.object(cell);

export const DownloadAttachmentQuery = AttachmentQuery.extend({
  name: z
    .string()
    .max(1000)
    .regex(/^\P{Cc}*$/u, "may not have control characters")
    .optional()
    .openapi({
      // Without the flag, which is no part of a pattern.
      pattern: "^\\P{Cc}*$",
      description: "What the file is called instead; its type stays.",
      example: "scan.pdf",
    }),
  inline: flag("Let a browser show it, unless it is HTML."),
});

export const FileHeaders = z.object({
  Range: z.string().optional().openapi({ description: "One part of the file: 206." }),
  "If-Range": z.string().optional().openapi({ description: "The tag for which the part is wanted." }),
  "If-None-Match": z.string().optional().openapi({ description: "Tags that the caller holds; 304 when one is good." }),
});

export const UploadAttachments = z
  .object({
    upload: z
      .union([z.string(), z.array(z.string())])
      .openapi({ type: "array", items: { type: "string", format: "binary" }, description: "One file or many." }),
  })
  .openapi("UploadAttachments");

export const AttachmentIds = z
  .array(z.int())
  .openapi("AttachmentIds", { description: "In the order the files came.", example: [7, 8] });

export const ArchiveQuery = z.object({
  format: z.enum(["zip", "tar"]).optional().openapi({ description: "zip when missing." }),
});

export const UploadArchive = z
  .object({
    upload: z
      .string()
      .openapi({ format: "binary", description: "A tar or zip archive; the name of its field does not matter." }),
  })
  .openapi("UploadArchive");

export const RestoredAttachments = z
  .object({
    added: z.int().openapi({ description: "Contents that were missing and are there again." }),
    errored: z.int().openapi({ description: "Files that are not what their name says, or cannot be read." }),
    unused: z.int().openapi({ description: "Files that nothing is missing of." }),
  })
  .openapi("RestoredAttachments");
export type RestoredAttachments = z.infer<typeof RestoredAttachments>;

export const RemoveUnusedQuery = z.object({
  expiredonly: flag("Only what has stood in no cell for a week."),
  verifyfiles: flag("Verify the others afterwards."),
});
