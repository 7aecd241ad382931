import { withDocumentSlot } from "./document-slots.ts";
import { incomingForm } from "./uploads.ts";

/** What pages use of the limits of requests. */
export const PAGE_REQUESTS = { incomingForm, withDocumentSlot } as const;
