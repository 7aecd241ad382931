import { z } from "../common/schema.ts";

const bytes = z.int().openapi({ description: "Size in bytes.", example: 16384 });

/** What a document's file consists of. */
export const DocumentUsage = z
  .object({
    bytes: z.int().openapi({ description: "Size of the document's file, in bytes; the sum of its parts." }),
    tables: z
      .array(z.object({ table: z.string(), rows: z.int(), bytes }))
      .openapi({ description: "Tables, the largest first." }),
    indexes: z.object({ bytes }).openapi({ description: "Indexes of tables." }),
    history: z
      .object({ bytes, states: z.int().openapi({ description: "Number of kept states." }) })
      .openapi({ description: "History of changes." }),
    attachments: z
      .object({
        bytes,
        count: z.int(),
        totalBytes: z.int().openapi({ description: "Size of all contents, also of those outside the file." }),
      })
      .openapi({ description: "Attachments within the file." }),
    other: z
      .object({ bytes })
      .openapi({ description: "Descriptions of tables, columns and pages, and queues of webhooks and jobs." }),
    free: z.object({ bytes }).openapi({ description: "Space of deleted data, which later changes use again." }),
  })
  .openapi("DocumentUsage");
export type DocumentUsage = z.infer<typeof DocumentUsage>;
