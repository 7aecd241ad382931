import type { DocumentGrant, Role } from "../access.ts";
import type { OpenDocument } from "../doc/document.ts";

/** One thing that can be asked of an open document. Runs synchronously, between the commits of others. */
export interface Verb<Args, Result> {
  /** The role it takes; the host checks it before `run`. */
  readonly needs: Role;
  run(document: OpenDocument, grant: DocumentGrant, args: Args): Result;
}

/** Declares a verb with its types inferred from `run`. */
export const verb = <Args, Result>(definition: Verb<Args, Result>): Verb<Args, Result> => definition;
