import type { DocumentGrant, Role } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";

/** One thing that can be asked of an open document. Runs synchronously, between the commits of others. */
export interface Verb<Args, Result> {
  /** The role it takes; the host checks it before `run`. */
  readonly needs: Role;
  /**
   * What becomes of the document's own access rules, where it has any. `kept`: the verb sees to them itself.
   * `copies`: only those may who may copy everything. `untouched`: nothing comes of the verb that rules could hide.
   * A verb that does not say is for owners only then.
   */
  readonly underRules?: "kept" | "copies" | "untouched";
  /** A change that may share a transaction with others; it is one itself, all or nothing. */
  readonly commits?: "together";
  run(document: OpenDocument, grant: DocumentGrant, args: Args): Result;
}

/** Declares a verb with its types inferred from `run`. */
export const verb = <Args, Result>(definition: Verb<Args, Result>): Verb<Args, Result> => definition;
