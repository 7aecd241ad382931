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
