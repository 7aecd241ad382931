/** Page texts for API errors whose sentence addresses programs, by `details.code`. */
import type { Reason } from "../../errors.ts";

const PAGE_MESSAGES: Partial<Record<Reason, string>> = {
  "document.not_found": "This document does not exist or was deleted.",
  "access.view_denied": "You do not have access to this document.",
  "access.edit_denied": "You can view this document, but not edit it.",
  "access.owner_required": "Only owners of this document can do this.",
};

/** Returns the page text; undefined where the API's sentence is used. */
export const pageMessage = (code: string): string | undefined =>
  (PAGE_MESSAGES as Record<string, string | undefined>)[code];
