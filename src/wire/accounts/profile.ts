import { z } from "@hono/zod-openapi";

/** A user as he sees himself. */
export const Profile = z
  .object({
    id: z.int(),
    email: z.string().openapi({ example: "ann@example.org" }),
    name: z.string(),
    picture: z.string().nullable(),
    ref: z.string().openapi({ description: "Public reference of the user, stable for life." }),
    locale: z.string().optional().openapi({ example: "de-CH" }),
    anonymous: z.literal(true).optional().openapi({ description: "For callers without key and session." }),
    isInstallAdmin: z.literal(true).optional().openapi({ description: "For administrators of the installation." }),
    allowGoogleLogin: z.literal(false).openapi({ description: "Clients expect it." }),
  })
  .openapi("Profile");

export const NameChange = z.object({ name: z.string().min(1).max(1000) }).openapi("NameChange");

export const LocaleChange = z
  .object({ locale: z.string().max(100).nullish().openapi({ description: "Null or absent: the browser's." }) })
  .openapi("LocaleChange");

export const KeyCreation = z
  .object({ force: z.boolean().optional().openapi({ description: "Replaces the key there is." }) })
  .openapi("KeyCreation");

export const LabelledKeyCreation = z
  .object({
    label: z
      .string()
      .min(1)
      .max(100)
      .openapi({ description: "Tells the key apart from the others.", example: "Stock script" }),
  })
  .openapi("LabelledKeyCreation");

export const NewLabelledKey = z
  .object({
    id: z.int(),
    label: z.string(),
    key: z.string().openapi({ description: "Shown now, and never again." }),
  })
  .openapi("NewLabelledKey");
export type NewLabelledKey = z.infer<typeof NewLabelledKey>;

const keyTime = z.string().nullable();

export const ListedKeys = z
  .object({
    keys: z.array(
      z.object({
        id: z.int(),
        label: z.string().nullable().openapi({ description: "Null for the profile's own key." }),
        prefix: z.string().openapi({ description: "The first characters." }),
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
