import type { DocumentGrant, Role } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";

/** What a verb changes for readers: rows or schema, only metadata, or nothing that they can see. */
export type VerbChange = "content" | "metadata" | "none";

/**
 * `snapshot`: the verb only reads the file. It may run on a read-only connection in another thread, beside a change of
 * the same document. `memory`: it changes the document, or needs what its thread has in memory about it.
 */
export type VerbSource = "snapshot" | "memory";

interface VerbOptions<Args, Result, Source extends VerbSource> {
  readonly reads?: Source;
  /**
   * How the verb treats the document's access rules, if there are any. `enforced`: the verb enforces them itself.
   * `requiresFullAccess`: only for callers who may copy the whole document. `unaffected`: the verb neither shows nor
   * changes anything that rules cover. If absent, only owners may run the verb on a document with access rules.
   */
  readonly underRules?: "enforced" | "requiresFullAccess" | "unaffected";
  /** True for verbs that callers may use who have the link of a published form; they use no others. */
  readonly overForms?: true;
  /** `batched`: a change that may share a transaction with others (group commit); it stays all or nothing. */
  readonly commits?: "batched";
  /** False for results of calls that did nothing: these are not kept for an `Idempotency-Key`. Default: true. */
  isApplied?(result: Result): boolean;
  run(document: OpenDocument, grant: DocumentGrant, args: Args): Result;
}

/** `needs` is the minimum role; the executor checks it before `run`. Verbs for viewers change nothing. */
type VerbAccess<Change extends VerbChange> =
  | { readonly needs: "viewers"; readonly changes?: never }
  | { readonly needs: Exclude<Role, "viewers">; readonly changes: Change };

/** An operation on an open document. Runs synchronously, between commits. */
export type Verb<
  Args,
  Result,
  Change extends VerbChange = VerbChange,
  Source extends VerbSource = VerbSource,
> = VerbOptions<Args, Result, Source> & VerbAccess<Change>;

/** Declares a verb with its types inferred from the definition. */
export const verb = <
  Args,
  Result,
  const Change extends VerbChange = "none",
  const Source extends VerbSource = "memory",
>(
  definition: Verb<Args, Result, Change, Source>,
): Verb<Args, Result, Change, Source> => definition;
