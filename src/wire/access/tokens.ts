import { z } from "../common/schema.ts";
import { normaliseEmail } from "../../lib/text/email.ts";
import { time } from "../common/fields.ts";

/** Tokens for end users of a document. */

const MAX_ORIGINS = 20;
const EMAIL = /^[^\s@]+@[^\s@]+$/;
/** As browsers write it in `Origin`: without a path, in lower case. */
const ORIGIN = /^https?:\/\/([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(:[1-9][0-9]{0,4})?$/;
const SCOPES = [
  "records:read",
  "records:write",
  "schema:read",
  "schema:write",
  "history:read",
  "history:write",
] as const;
const HOUR_S = 3600;
/** The addresses that sharing and access rules use for all users and for anonymous callers. */
const PSEUDO_USERS = ["everyone@getgrist.com", "anon@getgrist.com"];

const email = z
  .string()
  .max(254)
  .regex(EMAIL, "must be an email address")
  .refine((text) => !PSEUDO_USERS.includes(normaliseEmail(text)), "must be the address of a person")
  .transform(normaliseEmail)
  .openapi({
    type: "string",
    maxLength: 254,
    pattern: EMAIL.source,
    description: "The address of the end user, as access rules and the history see it. It need not have an account.",
    example: "ann@example.org",
  } as never);

const origin = z
  .string()
  .max(200)
  .regex(ORIGIN, "must be an origin, for example https://app.example.org")
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
