import { z } from "@hono/zod-openapi";
import { DocumentId } from "./documents.ts";
import { time } from "../common/fields.ts";

/** Earlier contents of documents. */

const snapshotId = z.string().max(100).openapi({
  description: "`current` for the document's present content.",
  example: "20260131T235959123Z-0a1b2c3d",
});

export const Snapshots = z
  .object({
    snapshots: z
      .array(
        z.object({
          snapshotId,
          lastModified: time.openapi({ description: "When the content was the document's." }),
          docId: DocumentId,
        }),
      )
      .openapi({ description: "The present content first, then snapshots, newest first." }),
  })
  .openapi("Snapshots");
export type Snapshots = z.infer<typeof Snapshots>;

export const RemoveSnapshots = z
  .object({
    snapshotIds: z.array(snapshotId).max(10_000).optional(),
    select: z.enum(["past"]).optional().openapi({ description: "`past`: all of them." }),
  })
  .openapi("RemoveSnapshots");
export type RemoveSnapshots = z.infer<typeof RemoveSnapshots>;

export const RemovedSnapshots = z
  .object({ snapshotIds: z.array(snapshotId).openapi({ description: "Those that were there." }) })
  .openapi("RemovedSnapshots");

export const RecoverDocument = z
  .object({
    recoveryMode: z.boolean().optional().openapi({ description: "Makes no difference here: see above." }),
  })
  .openapi("RecoverDocument");

export const RecoveredDocument = z.object({ recoveryMode: z.literal(false) }).openapi("RecoveredDocument");
