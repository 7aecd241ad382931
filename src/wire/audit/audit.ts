import { z } from "../common/schema.ts";
import { time } from "../common/fields.ts";

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** An entry of the audit log. */
export const AuditEntry = z
  .object({
    number: z.number().int().openapi({ description: "Grows with each entry; numbers may be left out.", example: 1204 }),
    time,
    event: z.string().openapi({ example: "document.downloaded" }),
    actorId: z.number().int().nullable().openapi({ description: "The user; null for the server and commands." }),
    actor: z.string().nullable().openapi({
      description: "The email address of the user, `anonymous`, `server`, or `command` for a command on the machine.",
      example: "anna@example.org",
    }),
    keyId: z.number().int().nullable().openapi({ description: "The API key that the request was sent with." }),
    address: z
      .string()
      .nullable()
      .openapi({ description: "The network address; deleted after 90 days.", example: "192.0.2.1" }),
    addressDigest: z.string().nullable().openapi({ description: "The part of the address that `hash` covers." }),
    target: z
      .record(z.string(), z.object({ id: z.union([z.string(), z.number()]), name: z.string() }))
      .openapi({ description: "Ids and names of the subjects of the entry, such as `document`, `site` or `user`." }),
    details: z.record(z.string(), z.union([value, z.array(value)])),
    count: z.number().int().openapi({ description: "How many equal events the entry is for." }),
    hash: z.string().openapi({ description: "SHA-256, in hex, of the hash of the entry before and this entry." }),
  })
  .openapi("AuditEntry");
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditPage = z
  .object({
    entries: z.array(AuditEntry).openapi({ description: "The newest first." }),
    next: z.number().int().nullable().openapi({ description: "`before` of the next page; null on the last one." }),
  })
  .openapi("AuditPage");
export type AuditPage = z.infer<typeof AuditPage>;

/** Lines of JSON, one for each entry, the oldest first. */
export const AuditLines = z.string().openapi({ description: "One `AuditEntry` per line, the oldest first." });

const integer = (min: number, max: number, description: string) =>
  z
    .string()
    .regex(/^\d{1,16}$/, "must be an integer")
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`)
    .optional()
    .openapi({ type: "integer", minimum: min, maximum: max, description } as never);

const text = (description: string, example: string) =>
  z.string().min(1).max(300).optional().openapi({ description, example });
const moment = (description: string) =>
  z.iso.datetime({ offset: true }).optional().openapi({ description, example: "2026-01-31T12:00:00Z" });

export const AuditQuery = z.object({
  event: text("Only this event, or all events that begin with this and a dot.", "session"),
  actor: text("Only what this user did: an id, or an email address. Also `server`, `command` and `anonymous`.", "5"),
  user: text("Only entries about this user: an id, or an email address.", "anna@example.org"),
  document: text("Only entries about this document: its UUID.", "dfa1a9b3-5c1c-4a4d-8f8e-0d3d5f2c7b11"),
  site: integer(1, Number.MAX_SAFE_INTEGER, "Only entries about this site, or anything in it: its id."),
  since: moment("Only entries from this time on."),
  until: moment("Only entries before this time."),
  after: integer(0, Number.MAX_SAFE_INTEGER, "Only entries with a greater number."),
  before: integer(0, Number.MAX_SAFE_INTEGER, "Only entries with a smaller number: `next` of the page before."),
  limit: integer(1, 1000, "Entries on a page. Default: 100. Ignored for lines."),
});
export type AuditQuery = z.infer<typeof AuditQuery>;
