import type { Database } from "../../sqlite/database.ts";
import type { Catalog } from "../actions/catalog.ts";
import type { DocAction } from "../actions/doc-action.ts";
import type { Schema } from "../schema.ts";
import type { UserInfo } from "../user-info.ts";
import type { CallerRules, CompiledRules } from "./document-rules.ts";

/** A change in progress, as the evaluation of access rules needs it. */
export interface AccessCheckedChange {
  readonly db: Database;
  readonly catalog: Catalog;
  /** The schema at this point of the change; `rules` is of the same state. */
  readonly schema: Schema;
  /** Actions that undo the change so far when applied from the last to the first. */
  readonly undo: readonly DocAction[];
  readonly document: { readonly rules: CompiledRules | null; accessOf(user: UserInfo): CallerRules | null };
  readonly options: { readonly user: UserInfo; readonly nowMs: number; readonly restores?: boolean };
}
