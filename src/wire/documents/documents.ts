import { z } from "../common/schema.ts";
import { shortIdOf, uuidOfShortId } from "../../lib/short-id.ts";
import { changedName, newName, ListedAccess, removedBy, time, workspaceRef } from "../common/fields.ts";
import { Org, OrgOwner } from "../sites/orgs.ts";

/** Metadata of documents. */

const options = z.record(z.string(), z.unknown());

const isHttpsAddress = (value: unknown): boolean =>
  typeof value === "string" && value.length <= 4000 && URL.parse(value)?.protocol === "https:";

/** Clients load the icon as an image: it must not run scripts, and must use an encrypted connection. */
const inputOptions = options.refine(({ icon }) => icon === undefined || icon === null || isHttpsAddress(icon), {
  path: ["icon"],
  message: "must be an https address or null",
});
const type = z.enum(["template", "tutorial"]).nullable();

/** Digits would conflict with integer ids, and UUIDs in either form with the ids of documents. */
export const urlId = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[A-Za-z0-9-]+$/, "must contain only letters, digits and hyphens")
  .refine((text) => !/^\d+$/.test(text), "must not consist of digits only")
  .refine((text) => text !== "new", "is reserved")
  .refine(
    (text) => !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text),
    "must not have the form of a document UUID",
  )
  .refine((text) => uuidOfShortId(text) === null, "must not have the short form of a document UUID")
  .nullable()
  .openapi({ pattern: "^[0-9]*[A-Za-z-][A-Za-z0-9-]*$", example: "price-list" });

export const DocumentId = z.string().max(36).openapi("DocumentId", {
  description: "The document's UUID, or its 22-character short form, depending on the server's settings.",
  example: "3f0c1c1e-8f0e-4b4b-9d52-0c1b5e7c0a11",
});

export const DocumentSummary = z
  .object({
    id: z
      .union([z.int(), DocumentId])
      .openapi({ description: "An integer or a text, depending on the server's settings.", example: 7 }),
    uuid: z.string().openapi({ format: "uuid" }),
    name: z.string(),
    isPinned: z.boolean(),
    urlId: z.string().nullable(),
    access: ListedAccess,
    type,
    trunkId: z.null(),
    createdAt: time,
    updatedAt: time.openapi({ description: "Time of the last change to its content, name or location." }),
    removedAt: time.optional().openapi({ description: "When the document was moved to the trash." }),
    removedBy,
    disabledAt: time.optional().openapi({
      description: "When an administrator of the installation disabled the document. Its content is not accessible.",
    }),
    options: options.nullable().optional(),
    sizeBytes: z.int().optional().openapi({
      description: "Size of the document file in bytes, if requested. Excludes attachments in stores.",
    }),
  })
  .openapi("DocumentSummary");
export type DocumentSummary = z.infer<typeof DocumentSummary>;

export const Document = DocumentSummary.extend({
  options: options.nullable(),
  public: z.literal(true).optional().openapi({ description: "Present if the document is public." }),
  forks: z.array(z.unknown()),
  aliases: z
    .array(z.object({ orgId: z.int(), urlId: z.string() }))
    .openapi({ description: "All current and previous urlIds that lead to the document." }),
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

/** The documents to start from, in the order of their cards. */
export const TEMPLATE_NAMES = ["order-book", "tasks"] as const;

export const DocumentCreate = z
  .strictObject({
    name: newName.openapi({ description: "Default: `Untitled document`." }),
    isPinned: z.boolean().optional(),
    urlId: urlId.optional(),
    type: type.optional(),
    options: inputOptions.nullish(),
    template: z
      .enum(TEMPLATE_NAMES, `must be ${TEMPLATE_NAMES.join(" or ")}`)
      .optional()
      .openapi({
        description: "A template to start from: its tables with sample rows. Default: one empty table.",
      }),
  })
  .openapi("DocumentCreate");
export type DocumentCreate = z.infer<typeof DocumentCreate>;

export const DocumentChange = z
  .strictObject({
    name: changedName,
    isPinned: z.boolean().optional(),
    urlId: urlId
      .optional()
      .openapi({ description: "The new urlId; null removes it. Previous urlIds still lead to the document." }),
    type: type.optional(),
    options: inputOptions.nullish().openapi({
      description: "Merged with the existing options by key; null removes a key. `icon` must be an https address.",
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
    description: "Copy only the structure, without rows and history. Default: false.",
  } as never);

export const documentName = z
  .union([z.string(), z.null()])
  .transform((name) => name || undefined)
  .optional()
  .openapi({ type: ["string", "null"], description: "Name of the copy." } as never);

export const DocumentCopy = z.object({ workspaceId: workspaceRef, documentName, asTemplate }).openapi("DocumentCopy");

export const DocumentReplace = z
  .object({
    sourceDocId: z
      .union([z.string().max(100), z.int()])
      .transform(String)
      .nullish()
      .openapi({
        anyOf: [{ type: "string", maxLength: 100 }, { type: "integer" }, { type: "null" }],
        description: "The document to copy the content from. Without it and `snapshotId`, nothing changes.",
      } as never),
    snapshotId: z
      .string()
      .max(100)
      .regex(/^(|current|\d{8}T\d{9}Z-[0-9a-f]{8})$/, "must be a snapshot id")
      .nullish()
      .openapi({
        description:
          "The snapshot of this document to copy the content from. Empty counts as absent; `current` changes nothing.",
      }),
    ifState: z
      .string()
      .max(100)
      .optional()
      .openapi({
        description:
          "With `snapshotId`: the hash of the document's newest state, as `actionHash` and `GET …/states` name it. If there " +
          "is a newer one, nothing changes: 409 with the code `document.state_changed`.",
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
        description: "The document to copy. Default: an empty document.",
      } as never),
    asTemplate,
  })
  .openapi("NewDocument");

export const Upload = z
  .object({
    upload: z
      .string()
      .openapi({ format: "binary", description: "A document file (.grist), or tables: .csv, .tsv, .xlsx, .json." }),
    documentName: z
      .string()
      .optional()
      .openapi({ description: "Name of the document. Default: the file name without its extension." }),
  })
  .openapi("Upload");

export const UploadToWorkspace = Upload.extend({ workspaceId: z.string() }).openapi("UploadToWorkspace");

export const ImportedDocument = z
  .object({
    id: DocumentId,
    title: z.string().openapi({ description: "The file name without its extension." }),
  })
  .openapi("ImportedDocument");
export type ImportedDocument = z.infer<typeof ImportedDocument>;

/** The form of document ids in responses. Integers are used only in listings and descriptions. */
export type DocumentIds = "integer" | "uuid" | "short";

/** Returns the text form of a document id, by the server's settings. */
export const formatDocumentId = (uuid: string, ids: DocumentIds): string => (ids === "short" ? shortIdOf(uuid) : uuid);

/** Replaces the id by the form that the server's settings require. */
export const withFormattedId = <D extends { id: number | string; uuid: string }>(document: D, ids: DocumentIds): D =>
  ids === "integer" ? document : { ...document, id: formatDocumentId(document.uuid, ids) };
