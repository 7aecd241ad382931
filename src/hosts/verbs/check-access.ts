import { allows, type DocumentGrant } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { checkMayCopyEverything } from "../../doc/read/visibility-filter.ts";
import { forbidden } from "../../errors.ts";
import type { Verb } from "./verb.ts";

/**
 * Checks the caller's role and the document's access rules.
 * @throws AppError `forbidden`
 */
export function checkVerbAccess(
  document: OpenDocument,
  grant: DocumentGrant,
  { needs, underRules, overForms }: Pick<Verb<never, unknown>, "needs" | "underRules" | "overForms">,
): void {
  if (grant.formLink !== undefined && !overForms) throw forbidden();
  if (!allows(grant.role, needs)) throw forbidden();
  if (underRules === "requiresFullAccess") checkMayCopyEverything(document, grant);
  else if (underRules === undefined && grant.tables) {
    throw forbidden("The API key is limited to tables of the document", "key.restricted");
  } else if (underRules === undefined && grant.role !== "owners" && document.hasRules) {
    throw forbidden("The document has access rules: only owners can do this", "access.rules");
  }
}
