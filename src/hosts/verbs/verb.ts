import type { DocumentGrant, Role } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";

/** An operation on an open document. Runs synchronously, between commits. */
export interface Verb<Args, Result> {
  /** The minimum role; the executor checks it before `run`. */
  readonly needs: Role;
  /**
   * How the verb treats the document's access rules, if there are any. `enforced`: the verb enforces them itself.
   * `requiresFullAccess`: only for callers who may copy the whole document. `unaffected`: the verb neither shows nor
   * changes anything that rules cover. If absent, only owners may run the verb on a document with access rules.
   */
  readonly underRules?: "enforced" | "requiresFullAccess" | "unaffected";
  /** `batched`: a change that may share a transaction with others (group commit); it stays all or nothing. */
  readonly commits?: "batched";
  run(document: OpenDocument, grant: DocumentGrant, args: Args): Result;
}

/** Declares a verb with its types inferred from `run`. */
export const verb = <Args, Result>(definition: Verb<Args, Result>): Verb<Args, Result> => definition;
