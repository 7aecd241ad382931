import { z } from "@hono/zod-openapi";
import { shortIdOf, uuidOfShortId } from "../../lib/short-id.ts";
import { changedName, newName, ListedAccess, time, workspaceRef } from "../common/fields.ts";
import { Org, OrgOwner } from "../sites/orgs.ts";

/** Documents' metadata. */

const options = z.record(z.string(), z.unknown());

const isHttpsAddress = (value: unknown): boolean =>
  typeof value === "string" && value.length <= 4000 && URL.parse(value)?.protocol === "https:";

/** Clients load the icon as an image, so that it must not lead to scripts or be read by others on the way. */
const inputOptions = options.refine(({ icon }) => icon === undefined || icon === null || isHttpsAddress(icon), {
  path: ["icon"],
  message: "must be an https address or null",
});
const type = z.enum(["template", "tutorial"]).nullable();

/** All digits would be taken for an integer id, and a UUID in either form for a document's. */
export const urlId = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[A-Za-z0-9-]+$/, "may hold letters, digits and dashes only")
  .refine((text) => !/^\d+$/.test(text), "may not be digits only")
  .refine((text) => text !== "new", "is reserved")
  .refine((text) => !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text), "may not look like a document's UUID")
  .refine((text) => uuidOfShortId(text) === null, "may not look like the short form of a document's UUID")
  .nullable()
  .openapi({ pattern: "^[0-9]*[A-Za-z-][A-Za-z0-9-]*$", example: "price-list" });

export const DocumentId = z.string().max(36).openapi("DocumentId", {
  description: "The document's UUID, or its 22-character short form where the server is set so.",
  example: "3f0c1c1e-8f0e-4b4b-9d52-0c1b5e7c0a11",
});

export const DocumentSummary = z
  .object({
    id: z
      .union([z.int(), DocumentId])
      .openapi({ description: "An integer, or a text where the server is set so.", example: 7 }),
    uuid: z.string().openapi({ format: "uuid" }),
    name: z.string(),
    isPinned: z.boolean(),
    urlId: z.string().nullable(),
    access: ListedAccess,
    type,
    trunkId: z.null(),
    createdAt: time,
    updatedAt: time.openapi({ description: "The last change of its content, name or place." }),
    removedAt: time.optional().openapi({ description: "Since when it is in the trash." }),
    disabledAt: time.optional().openapi({
      description: "Since when an administrator of the installation has disabled it: its content is refused.",
    }),
    options: options.nullable().optional(),
    sizeBytes: z.int().optional().openapi({
      description: "Of the document's file, where the query asks for it. Attachments in stores do not count.",
    }),
  })
  .openapi("DocumentSummary");
export type DocumentSummary = z.infer<typeof DocumentSummary>;

export const Document = DocumentSummary.extend({
  options: options.nullable(),
  public: z.literal(true).optional().openapi({ description: "Present when everybody can open it." }),
  forks: z.array(z.unknown()),
  aliases: z
    .array(z.object({ orgId: z.int(), urlId: z.string() }))
    .openapi({ description: "Every urlId it has or had that still leads to it." }),
  workspace: z.object({
    id: z.int(),
    name: z.string(),
    access: ListedAccess,
    owner: OrgOwner.nullable(),
    createdAt: time,
    updatedAt: time,
    removedAt: time.optional(),
    org: Org,
  }),
}).openapi("Document");
export type Document = z.infer<typeof Document>;

export const DocumentCreate = z
  .strictObject({
    name: newName.openapi({ description: "`Untitled document` when missing." }),
    isPinned: z.boolean().optional(),
    urlId: urlId.optional(),
    type: type.optional(),
    options: inputOptions.nullish(),
  })
  .openapi("DocumentCreate");
export type DocumentCreate = z.infer<typeof DocumentCreate>;

export const DocumentChange = z
  .strictObject({
    name: changedName,
    isPinned: z.boolean().optional(),
    urlId: urlId.optional().openapi({ description: "null takes it away; it goes on leading to the document." }),
    type: type.optional(),
    options: inputOptions.nullish().openapi({
      description: "Merged key by key; null removes. `icon` must be an https address.",
    }),
  })
  .openapi("DocumentChange");
export type DocumentChange = z.infer<typeof DocumentChange>;

export const DocumentMove = z.object({ workspace: workspaceRef }).openapi("DocumentMove");

const TRUE_TEXTS = ["1", "true", "yes", "on"] as const;
const asTemplate = z
  .union([z.boolean(), z.literal(1), z.enum([...TRUE_TEXTS, "false"])])
  .transform((value) => value !== false && value !== "false")
  .optional()
  .openapi({
    anyOf: [{ type: "boolean" }, { enum: [1, ...TRUE_TEXTS, "false"] }],
    description: "Keep the structure only, without rows and history.",
  } as never);

export const documentName = z
  .union([z.string(), z.null()])
  .transform((name) => name || undefined)
  .optional()
  .openapi({ type: ["string", "null"], description: "What the document is called." } as never);

export const DocumentCopy = z.object({ workspaceId: workspaceRef, documentName, asTemplate }).openapi("DocumentCopy");

export const DocumentReplace = z
  .object({
    sourceDocId: z
      .union([z.string().max(100), z.int()])
      .transform(String)
      .nullish()
      .openapi({
        anyOf: [{ type: "string", maxLength: 100 }, { type: "integer" }, { type: "null" }],
        description: "The document whose content it gets. Without it and a snapshotId nothing happens.",
      } as never),
    snapshotId: z
      .string()
      .max(100)
      .regex(/^(|current|\d{8}T\d{9}Z-[0-9a-f]{8})$/, "must be the id of a snapshot")
      .nullish()
      .openapi({
        description:
          "The snapshot of this document whose content it gets. Empty counts as absent; `current` changes nothing.",
      }),
  })
  .openapi("DocumentReplace");

export const NewDocument = z
  .object({
    workspaceId: workspaceRef,
    documentName,
    sourceDocumentId: z
      .union([z.string().max(100), z.int()])
      .transform(String)
      .optional()
      .openapi({
        anyOf: [{ type: "string", maxLength: 100 }, { type: "integer" }],
        description: "The document to copy; without it an empty one is made.",
      } as never),
    asTemplate,
  })
  .openapi("NewDocument");

export const Upload = z
  .object({
    upload: z
      .string()
      .openapi({ format: "binary", description: "A document file (.grist), or tables: .csv, .tsv, .xlsx, .json." }),
    documentName: z.string().optional().openapi({ description: "By default what the file is called." }),
  })
  .openapi("Upload");

export const UploadToWorkspace = Upload.extend({ workspaceId: z.string() }).openapi("UploadToWorkspace");

export const ImportedDocument = z
  .object({
    id: DocumentId,
    title: z.string().openapi({ description: "The file's name without its ending." }),
  })
  .openapi("ImportedDocument");
export type ImportedDocument = z.infer<typeof ImportedDocument>;

/** How documents' ids read in responses; an integer does so in listings and descriptions alone. */
export type DocumentIds = "integer" | "uuid" | "short";

/** The id that the server is set to show where it is a text. */
export const formatDocumentId = (uuid: string, ids: DocumentIds): string => (ids === "short" ? shortIdOf(uuid) : uuid);

/** With the id that the server is set to show. */
export const withFormattedId = <D extends { id: number | string; uuid: string }>(document: D, ids: DocumentIds): D =>
  ids === "integer" ? document : { ...document, id: formatDocumentId(document.uuid, ids) };
