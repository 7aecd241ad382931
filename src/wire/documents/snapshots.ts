import { z } from "../common/schema.ts";
import { DocumentId } from "./documents.ts";
import { time } from "../common/fields.ts";

/** Snapshots of documents. */

const snapshotId = z.string().max(100).openapi({
  description: "The snapshot's id; `current` for the current content.",
  example: "20260131T235959123Z-0a1b2c3d",
});

export const Snapshots = z
  .object({
    snapshots: z
      .array(
        z.object({
          snapshotId,
          lastModified: time.openapi({ description: "Time of the last change to the content." }),
          docId: DocumentId,
        }),
      )
      .openapi({ description: "The current content first, then snapshots, newest first." }),
  })
  .openapi("Snapshots");
export type Snapshots = z.infer<typeof Snapshots>;

export const CreatedSnapshot = z
  .object({
    snapshotId,
    state: z
      .object({ n: z.int(), h: z.string() })
      .openapi({ description: "The number and the hash of the state that the snapshot has." }),
  })
  .openapi("CreatedSnapshot");
export type CreatedSnapshot = z.infer<typeof CreatedSnapshot>;

export const RemoveSnapshots = z
  .object({
    snapshotIds: z.array(snapshotId).max(10_000).optional(),
    select: z.enum(["past"]).optional().openapi({ description: "`past`: deletes all snapshots." }),
  })
  .openapi("RemoveSnapshots");
export type RemoveSnapshots = z.infer<typeof RemoveSnapshots>;

export const RemovedSnapshots = z
  .object({ snapshotIds: z.array(snapshotId).openapi({ description: "The deleted snapshots." }) })
  .openapi("RemovedSnapshots");

export const RecoverDocument = z
  .object({
    recoveryMode: z.boolean().optional().openapi({ description: "Ignored; see above." }),
  })
  .openapi("RecoverDocument");

export const RecoveredDocument = z.object({ recoveryMode: z.literal(false) }).openapi("RecoveredDocument");
