import { z } from "@hono/zod-openapi";

/** `internal`: in the document's file, large ones in a folder beside it. */
export const StoreKind = z.object({ type: z.enum(["internal", "external"]) }).openapi("StoreKind");
export type StoreKind = z.infer<typeof StoreKind>;

export const StoreChoice = z
  .object({ store: z.string().max(100).optional().openapi({ description: "Name of the store; none when internal." }) })
  .openapi("StoreChoice");
export type StoreChoice = z.infer<typeof StoreChoice>;

export const ExternalStores = z
  .object({ stores: z.array(z.object({ label: z.string().max(100) })).max(10) })
  .openapi("ExternalStores");

export const TransferStatus = z
  .object({
    status: z.object({
      pendingTransferCount: z.int().openapi({ description: "Contents that are still to be moved." }),
      isRunning: z.boolean(),
      successes: z.int(),
      failures: z.int(),
    }),
    locationSummary: z.enum(["internal", "mixed", "external"]),
  })
  .openapi("TransferStatus");
export type TransferStatus = z.infer<typeof TransferStatus>;
