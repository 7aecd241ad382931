import { z } from "../common/schema.ts";

/** The state of sending email. */
export const EmailStatus = z
  .object({
    isOn: z.boolean().openapi({ description: "Whether the server sends email." }),
    missing: z
      .enum(["QUERN_SMTP_URL", "QUERN_EMAIL_FROM", "QUERN_PUBLIC_URL"])
      .nullable()
      .openapi({ description: "The first missing setting; null when email is on." }),
    server: z.string().nullable().openapi({ example: "mail.example.org:587" }),
    from: z.string().nullable().openapi({ description: "The sender's address.", example: "quern@example.org" }),
    waiting: z.int().openapi({ description: "Number of messages in the queue." }),
    lastError: z
      .string()
      .nullable()
      .openapi({ description: "The last error of a message that is still in the queue." }),
  })
  .openapi("EmailStatus");

export const TestMessage = z
  .object({
    recipient: z.string().openapi({ description: "The caller's own address.", example: "ada@example.org" }),
    isSent: z.boolean().openapi({ description: "Whether the SMTP server accepted the message." }),
    error: z
      .string()
      .nullable()
      .openapi({ description: "Why it was not sent, as the SMTP server or the connection reported it." }),
  })
  .openapi("TestMessage");
