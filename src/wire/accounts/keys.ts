import { z } from "../common/schema.ts";
import { nullishTime } from "../common/fields.ts";

const ref = z.string().min(1).max(1000);

const scopes = z
  .array(z.string().min(1).max(100))
  .max(100)
  .nullish()
  .openapi({
    description: "The scopes of the key, such as `records:read`. Null or absent: everything that its user may do.",
    example: ["records:read"],
  });

const KeyTables = z
  .object({
    document: ref.openapi({ description: "The document's id or `urlId`." }),
    tables: z.array(ref).max(1000),
  })
  .openapi("KeyTables", { example: { document: "hq7Rm2TzVk", tables: ["Orders"] } });

export const KeyRestrictions = z
  .object({
    sites: z
      .array(z.union([z.int(), ref]))
      .max(100)
      .optional()
      .openapi({ description: "Ids or domains of sites." }),
    workspaces: z.array(z.int()).max(100).optional().openapi({ description: "Ids of workspaces." }),
    documents: z.array(ref).max(100).optional().openapi({ description: "Ids or `urlId`s of documents." }),
    tables: z
      .array(KeyTables)
      .max(100)
      .optional()
      .openapi({ description: "Tables, of whose documents nothing else is reached." }),
  })
  .openapi("KeyRestrictions", {
    description: "The key reaches the union of them. Everything else answers like something that does not exist.",
  });

const networks = z
  .array(z.string().min(1).max(100))
  .max(100)
  .nullish()
  .openapi({
    description: "The networks that the key may be used from, in CIDR notation. Null or absent: all.",
    example: ["192.0.2.0/24"],
  });

export const LabelledKeyCreation = z
  .object({
    label: z
      .string()
      .min(1)
      .max(100)
      .openapi({ description: "A label that identifies the key.", example: "Stock script" }),
    scopes,
    restrictions: KeyRestrictions.nullish(),
    networks,
    expiresAt: nullishTime.openapi({ description: "When the key expires. Null or absent: never." }),
  })
  .openapi("LabelledKeyCreation");
export type LabelledKeyCreation = z.infer<typeof LabelledKeyCreation>;

export const NewLabelledKey = z
  .object({
    id: z.int(),
    label: z.string(),
    key: z.string().openapi({ description: "The API key. It cannot be retrieved later." }),
  })
  .openapi("NewLabelledKey");
export type NewLabelledKey = z.infer<typeof NewLabelledKey>;

const keyTime = z.string().nullable();

const ListedKey = z.object({
  id: z.int(),
  label: z.string().nullable().openapi({ description: "Null for the key without a label." }),
  prefix: z.string().openapi({ description: "The first characters of the key." }),
  createdAt: z.string(),
  lastUsedAt: keyTime,
  lastUsedAddress: z.string().nullable().openapi({ description: "The network address of the last use." }),
  useCount: z.int().openapi({ description: "How many requests used the key. The last minute may be missing." }),
  expiresAt: keyTime,
  scopes: z.array(z.string()).nullable().openapi({ description: "Null: everything that its user may do." }),
  restrictions: z
    .object({
      sites: z.array(z.int()),
      workspaces: z.array(z.int()),
      documents: z.array(z.string()),
      tables: z.array(z.object({ document: z.string(), tables: z.array(z.string()) })),
    })
    .nullable(),
  networks: z.array(z.string()).nullable(),
});

export const ListedKeys = z.object({ keys: z.array(ListedKey) }).openapi("ListedKeys");
export type ListedKeys = z.infer<typeof ListedKeys>;

export const OwnKey = z
  .object({
    id: z.int().nullable().openapi({ description: "Null if the request was not made with an API key." }),
    scopes: z
      .array(z.string())
      .nullable()
      .openapi({ description: "With the scopes that they include. Null: everything that its user may do." }),
    isRestricted: z
      .boolean()
      .openapi({ description: "True if the key is limited to sites, workspaces, documents or tables." }),
  })
  .openapi("OwnKey", { example: { id: 3, scopes: ["records:read", "documents:read"], isRestricted: true } });
export type OwnKey = z.infer<typeof OwnKey>;

export const KeyParams = z.object({
  keyId: z
    .string()
    .regex(/^\d{1,15}$/, "must be a number")
    .transform(Number)
    .openapi({ type: "integer", description: "The key's id." } as never),
});

export const KeyRemoved = z.object({ success: z.literal(true) }).openapi("KeyRemoved");
