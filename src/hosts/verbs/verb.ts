import type { DocumentGrant, Role } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";

/** An operation on an open document. Runs synchronously, between commits. */
export interface Verb<Args, Result> {
  /** The minimum role; the executor checks it before `run`. */
  readonly needs: Role;
  /**
   * What becomes of the document's own access rules, where it has any. `kept`: the verb sees to them itself.
   * `copies`: only those may who may copy everything. `untouched`: nothing comes of the verb that rules could hide.
   * A verb that does not say is for owners only then.
   */
  readonly underRules?: "kept" | "copies" | "untouched";
  /** `batched`: a change that may share a transaction with others (group commit); it stays all or nothing. */
  readonly commits?: "together";
  run(document: OpenDocument, grant: DocumentGrant, args: Args): Result;
}

/** Declares a verb with its types inferred from `run`. */
export const verb = <Args, Result>(definition: Verb<Args, Result>): Verb<Args, Result> => definition;
