import { z } from "@hono/zod-openapi";
import { isEmail, normaliseEmail } from "../../lib/text/email.ts";
import { time } from "../common/fields.ts";

/** Tokens for end users of a document. */

const MAX_ORIGINS = 20;
const SCOPES = [
  "records:read",
  "records:write",
  "schema:read",
  "schema:write",
  "history:read",
  "history:write",
] as const;
const HOUR_S = 3600;
/** The addresses of all users and for anonymous callers in sharing and access rules. */
const PSEUDO_USERS = ["everyone@getgrist.com", "anon@getgrist.com"];

const email = z
  .string()
  .max(254)
  .refine(isEmail, "must be an email address")
  .refine((text) => !PSEUDO_USERS.includes(normaliseEmail(text)), "must be the address of a person")
  .transform(normaliseEmail)
  .openapi({
    type: "string",
    maxLength: 254,
    description: "The address of the end user, as access rules and the history see it. It need not have an account.",
    example: "ann@example.org",
  } as never);

const origin = z
  .string()
  .max(200)
  .refine(isOrigin, "must be an origin, for example https://app.example.org")
  .openapi({ example: "https://app.example.org" });

export const NewToken = z
  .strictObject({
    email,
    role: z.enum(["viewers", "editors"]).openapi({ description: "The role on the document." }),
    scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length).optional().openapi({
      description:
        "The permissions of the token, within the role. Each must be a scope of the API key. Default: all of these that the key has.",
    }),
    origins: z
      .array(origin)
      .min(1)
      .max(MAX_ORIGINS)
      .optional()
      .openapi({
        description:
          "The origins of the pages that can use the token. Requests of other pages are refused, and so are requests without " +
          "`Origin`. Default: the token is for servers, and for the origins of `QUERN_CORS_ORIGINS`.",
      }),
    expiresIn: z
      .int()
      .min(1)
      .max(24 * HOUR_S)
      .default(HOUR_S)
      .openapi({ description: "The lifetime in seconds. Default: one hour." }),
  })
  .openapi("NewToken");

export const CreatedToken = z
  .object({
    token: z.string().openapi({ description: "Send it as `Authorization: Bearer <token>`." }),
    expiresAt: time.openapi({ description: "When the token expires; not later than its key." }),
  })
  .openapi("CreatedToken");

/** True for the text that browsers send as `Origin`. */
function isOrigin(text: string): boolean {
  try {
    const url = new URL(text);
    return (url.protocol === "http:" || url.protocol === "https:") && url.origin === text;
  } catch {
    return false;
  }
}
