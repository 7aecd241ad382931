import type { DocumentGrant } from "../access.ts";
import type { OpenDocument } from "../doc/document.ts";
import { forbidden } from "../errors.ts";
import { verb } from "./verb.ts";

/**
 * The file, and whatever else gives away all of a document in one piece, is for those from whom nothing is hidden.
 * @throws AppError `forbidden`
 */
export function checkCopy(document: OpenDocument, { role }: DocumentGrant): void {
  if (role !== "owners" && document.hasRules) {
    throw forbidden("The document has access rules: only its owners may copy it as a whole");
  }
}

export const copyingVerbs = {
  /** Nothing when the caller may copy the document as a whole, else the refusal. */
  "document.mayCopy": verb({
    needs: "viewers",
    run: (document, grant, _args: null): null => {
      checkCopy(document, grant);
      return null;
    },
  }),
};
