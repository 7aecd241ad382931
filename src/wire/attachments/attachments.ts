import { z } from "../common/schema.ts";
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
    .openapi({ type: "integer", description: "The attachment's id.", example: 7 } as never),
});

export const AttachmentInfo = z
  .object({
    fileName: z.string().openapi({ description: "The file name of the upload.", example: "invoice.pdf" }),
    fileSize: z.int().openapi({ description: "The size in bytes." }),
    timeUploaded: time,
  })
  .openapi("AttachmentInfo");

export const Attachments = z
  .object({ records: z.array(z.object({ id: z.int(), fields: AttachmentInfo })) })
  .openapi("Attachments");

export const ListAttachmentsQuery = FetchRecordsQuery.pick({ filter: true, sort: true, limit: true });

/** A cell that refers to the attachment: required from callers who can read only some cells under access rules. */
const cell = {
  tableId: z.string().max(1000).optional().openapi({
    description: "Table of a cell that refers to the attachment. Required if access rules hide cells from the caller.",
  }),
  colId: z.string().max(1000).optional().openapi({ description: "Column of the cell." }),
  rowId: z
    .string()
    .regex(/^\d{1,15}$/, "must be a number")
    .optional()
    .openapi({ description: "Row id of the cell. `tableId`, `colId` and `rowId` must be given together." }),
  maybeNew: flag(
    "Also allow attachments that the caller has uploaded recently and that no cell refers to yet. Default: false.",
  ),
};

export const AttachmentQuery = z.object(cell);

export const DownloadAttachmentQuery = AttachmentQuery.extend({
  name: z
    .string()
    .max(1000)
    .regex(/^\P{Cc}*$/u, "must not contain control characters")
    .optional()
    .openapi({
      // JSON schema patterns have no flags.
      pattern: "^\\P{Cc}*$",
      description: "File name for the download. The content type does not change.",
      example: "scan.pdf",
    }),
  inline: flag("Display the file in the browser instead of downloading it. Ignored for HTML. Default: false."),
});

export const FileHeaders = z.object({
  Range: z.string().optional().openapi({ description: "A single range of bytes; the response is 206." }),
  "If-Range": z.string().optional().openapi({ description: "The ETag that the range applies to." }),
  "If-None-Match": z
    .string()
    .optional()
    .openapi({ description: "ETags of cached responses; 304 if one of them is current." }),
});

export const UploadAttachments = z
  .object({
    upload: z
      .union([z.string(), z.array(z.string())])
      .openapi({ type: "array", items: { type: "string", format: "binary" }, description: "One or more files." }),
  })
  .openapi("UploadAttachments");

export const AttachmentIds = z
  .array(z.int())
  .openapi("AttachmentIds", { description: "The ids, in the order of the files.", example: [7, 8] });

export const ArchiveQuery = z.object({
  format: z.enum(["zip", "tar"]).optional().openapi({ description: "Format of the archive. Default: `zip`." }),
});

export const UploadArchive = z
  .object({
    upload: z.string().openapi({ format: "binary", description: "A tar or zip archive, in a form field of any name." }),
  })
  .openapi("UploadArchive");

export const RestoredAttachments = z
  .object({
    added: z.int().openapi({ description: "Number of restored files." }),
    errored: z
      .int()
      .openapi({ description: "Number of files that do not match the hash in their name, or cannot be read." }),
    unused: z.int().openapi({ description: "Number of files that are not missing." }),
  })
  .openapi("RestoredAttachments");
export type RestoredAttachments = z.infer<typeof RestoredAttachments>;

export const RemoveUnusedQuery = z.object({
  expiredonly: flag("Delete only attachments that have been unused for 7 days. Default: false."),
  verifyfiles: flag("Verify the files of the remaining attachments afterwards. Default: false."),
});
