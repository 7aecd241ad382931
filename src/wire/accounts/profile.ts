import { z } from "../common/schema.ts";

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
