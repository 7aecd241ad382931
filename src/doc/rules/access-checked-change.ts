import type { Database } from "../../sqlite/database.ts";
import type { Catalog } from "../actions/catalog.ts";
import type { DocAction } from "../actions/doc-action.ts";
import type { Schema } from "../schema.ts";
import type { UserInfo } from "../user-info.ts";
import type { CompiledRules } from "./document-rules.ts";

/** A change of a document while it is under way, as far as its rules are concerned. */
export interface AccessCheckedChange {
  readonly db: Database;
  readonly catalog: Catalog;
  /** As it is at this moment of the change; so are the rules. */
  readonly schema: Schema;
  /** Applied from the last to the first, these undo what was done so far. */
  readonly undo: readonly DocAction[];
  readonly document: { readonly rules: CompiledRules | null };
  readonly options: { readonly user: UserInfo; readonly nowMs: number; readonly restores?: boolean };
}
