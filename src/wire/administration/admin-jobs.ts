import { time } from "../common/fields.ts";
import { z } from "../common/schema.ts";

/** Background jobs as administrators see them: without the content of documents. */

export const AdminJob = z
  .object({
    id: z.string().openapi({ example: "email-12" }),
    kind: z.enum(["lines", "import", "webhook", "email", "backup", "transfer"]).openapi({
      description:
        "`lines`: a write of many records; `import`: a file that is imported; `webhook`: the queue of a webhook; `email`: a message; `backup`: the scheduled backup; `transfer`: attachments that move between stores.",
    }),
    state: z.enum(["running", "waiting", "retrying", "failed", "cancelled"]),
    document: z.object({ uuid: z.string(), name: z.string() }).nullable(),
    user: z.string().nullable().openapi({ description: "The email address of the user that the job belongs to." }),
    subject: z
      .string()
      .nullable()
      .openapi({ description: "The host of a webhook, the recipient of a message, or the target of backups." }),
    createdAt: time.nullable(),
    endedAt: time.nullable(),
    attempts: z.int().nullable(),
    nextAt: time.nullable().openapi({ description: "When the next attempt is due." }),
    error: z.string().nullable().openapi({ description: "The last error; a code for writes of records." }),
    progress: z
      .object({ done: z.int(), total: z.int().nullable() })
      .nullable()
      .openapi({ description: "Records, bytes, pending events (`total`) or attachments." }),
    canCancel: z.boolean(),
    canRetry: z.boolean(),
  })
  .openapi("AdminJob");
export type AdminJob = z.infer<typeof AdminJob>;

export const AdminJobs = z
  .object({
    jobs: z.array(AdminJob).openapi({ description: "Failed ones first. Jobs that succeeded are left out." }),
    isPartial: z.boolean().openapi({
      description: "True in a cluster: webhooks and writes of documents that other nodes have open are left out.",
    }),
  })
  .openapi("AdminJobs");
export type AdminJobs = z.infer<typeof AdminJobs>;

export const AdminJobParams = z.object({
  jobId: z.string().min(1).max(200).openapi({ description: "The `id` of the job in the list.", example: "email-12" }),
});
