import { z } from "@hono/zod-openapi";

/** A user's own profile. */
export const Profile = z
  .object({
    id: z.int(),
    email: z.string().openapi({ example: "ann@example.org" }),
    name: z.string(),
    picture: z.string().nullable(),
    ref: z.string().openapi({ description: "Public reference of the user; never changes." }),
    locale: z.string().optional().openapi({ example: "de-CH" }),
    anonymous: z.literal(true).optional().openapi({ description: "Present for callers without a key or session." }),
    isInstallAdmin: z
      .literal(true)
      .optional()
      .openapi({ description: "Present for administrators of the installation." }),
    allowGoogleLogin: z.literal(false).openapi({ description: "Always false; present for compatibility." }),
  })
  .openapi("Profile");

export const NameChange = z.object({ name: z.string().min(1).max(1000) }).openapi("NameChange");

export const LocaleChange = z
  .object({
    locale: z
      .string()
      .max(100)
      .nullish()
      .openapi({ description: "A language tag. Null or absent: the language of the browser." }),
  })
  .openapi("LocaleChange");

export const KeyCreation = z
  .object({ force: z.boolean().optional().openapi({ description: "Replace the existing key. Default: false." }) })
  .openapi("KeyCreation");

export const LabelledKeyCreation = z
  .object({
    label: z
      .string()
      .min(1)
      .max(100)
      .openapi({ description: "A label that identifies the key.", example: "Stock script" }),
  })
  .openapi("LabelledKeyCreation");

export const NewLabelledKey = z
  .object({
    id: z.int(),
    label: z.string(),
    key: z.string().openapi({ description: "The API key. It cannot be retrieved later." }),
  })
  .openapi("NewLabelledKey");
export type NewLabelledKey = z.infer<typeof NewLabelledKey>;

const keyTime = z.string().nullable();

export const ListedKeys = z
  .object({
    keys: z.array(
      z.object({
        id: z.int(),
        label: z.string().nullable().openapi({ description: "Null for the key without a label." }),
        prefix: z.string().openapi({ description: "The first characters of the key." }),
        createdAt: z.string(),
        lastUsedAt: keyTime,
        expiresAt: keyTime,
      }),
    ),
  })
  .openapi("ListedKeys");
export type ListedKeys = z.infer<typeof ListedKeys>;

export const KeyParams = z.object({
  keyId: z
    .string()
    .regex(/^\d{1,15}$/, "must be a number")
    .transform(Number)
    .openapi({ type: "integer", description: "The key's id." } as never),
});

export const KeyRemoved = z.object({ success: z.literal(true) }).openapi("KeyRemoved");
