import { z } from "../common/schema.ts";

const email = z.string().min(1).max(254).openapi({ example: "bob@example.org" });
const expiresAt = z
  .string()
  .openapi({ description: "When the link expires (ISO 8601).", example: "2026-01-08T12:00:00.000Z" });

export const NewInvitation = z
  .object({
    email: email.openapi({ description: "The address of the new user." }),
    name: z
      .string()
      .max(200)
      .optional()
      .openapi({ description: "The name that the form of the link suggests.", example: "Bob Ortiz" }),
    isAdmin: z
      .boolean()
      .optional()
      .openapi({ description: "Makes the user an administrator of the installation. Not with an API key." }),
    site: z
      .object({
        id: z.int().openapi({ description: "A site that the caller owns.", example: 2 }),
        role: z.enum(["owners", "editors", "viewers", "members"]),
      })
      .optional()
      .openapi({ description: "A role on a site." }),
  })
  .openapi("NewInvitation");

/** A link that makes an account; shown once. */
export const InvitationLink = z
  .object({
    userId: z.int().openapi({ example: 7 }),
    email,
    link: z.string().openapi({
      description: "The link with which the user makes their account. It works once and is not shown again.",
      example: "https://quern.example.org/invitation?token=…",
    }),
    expiresAt,
    isSent: z.boolean().openapi({ description: "Whether a link is also sent to the address by email." }),
  })
  .openapi("InvitationLink");

/** The users who have not signed in yet. */
export const Invitations = z
  .object({
    invitations: z.array(
      z.object({
        userId: z.int(),
        email,
        invitedBy: z.string().nullable().openapi({ description: "The name of the user who invited them, if known." }),
        invitedAt: z.string().nullable(),
        expiresAt: z.string().nullable().openapi({ description: "Null for users without a link." }),
        isExpired: z.boolean(),
      }),
    ),
  })
  .openapi("Invitations");
