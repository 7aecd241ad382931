import { z } from "../common/schema.ts";

/** `internal`: in the document file, large attachments in a folder next to it. */
export const StoreKind = z.object({ type: z.enum(["internal", "external"]) }).openapi("StoreKind");
export type StoreKind = z.infer<typeof StoreKind>;

export const StoreChoice = z
  .object({
    store: z.string().max(100).optional().openapi({ description: "Name of the store; absent for `internal`." }),
  })
  .openapi("StoreChoice");
export type StoreChoice = z.infer<typeof StoreChoice>;

export const ExternalStores = z
  .object({ stores: z.array(z.object({ label: z.string().max(100) })).max(10) })
  .openapi("ExternalStores");

export const TransferStatus = z
  .object({
    status: z.object({
      pendingTransferCount: z.int().openapi({ description: "Number of files that have not been transferred yet." }),
      isRunning: z.boolean(),
      successes: z.int(),
      failures: z.int(),
    }),
    locationSummary: z.enum(["internal", "mixed", "external"]),
  })
  .openapi("TransferStatus");
export type TransferStatus = z.infer<typeof TransferStatus>;
