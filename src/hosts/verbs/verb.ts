import type { DocumentGrant, Role } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";

/** What a verb changes for readers: rows or schema, only metadata, or nothing that they can see. */
export type VerbChange = "content" | "metadata" | "none";

interface VerbOptions<Args, Result> {
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

/** `needs` is the minimum role; the executor checks it before `run`. Verbs for viewers change nothing. */
type VerbAccess<Change extends VerbChange> =
  | { readonly needs: "viewers"; readonly changes?: never }
  | { readonly needs: Exclude<Role, "viewers">; readonly changes: Change };

/** An operation on an open document. Runs synchronously, between commits. */
export type Verb<Args, Result, Change extends VerbChange = VerbChange> = VerbOptions<Args, Result> & VerbAccess<Change>;

/** Declares a verb with its types inferred from the definition. */
export const verb = <Args, Result, const Change extends VerbChange = "none">(
  definition: Verb<Args, Result, Change>,
): Verb<Args, Result, Change> => definition;
