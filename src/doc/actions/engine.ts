import type { Role } from "../../access.ts";
import { translateSqliteError } from "../../sqlite/errors.ts";
import type { OpenDocument } from "../document.ts";
import { recalculate } from "../recalculate.ts";
import { Change, forgetEnds } from "./change.ts";
import type { DocAction } from "./doc-action.ts";
import { runUserAction } from "./user-actions.ts";

/** One thing to do: its name, then its arguments. */
export type UserAction = readonly unknown[];

export interface ApplyOptions {
  /** Texts are read by the types of their columns. */
  readonly parse: boolean;
  /** Of whoever asks. */
  readonly role: Role;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** What a list of actions came to. */
export interface Bundle {
  /** What was done, in order. */
  readonly stored: readonly DocAction[];
  /** What formulas made of it, in order. */
  readonly calculated: readonly DocAction[];
  /** Applied from the last to the first, these undo all of it. */
  readonly undo: readonly DocAction[];
  /** What each of the actions answers. */
  readonly retValues: readonly unknown[];
}

/**
 * Does a list of things to a document, all of them or none: each sees what those before it did.
 * @throws AppError when one is impossible; the document is then as it was before
 */
export function applyUserActions(
  document: OpenDocument,
  actions: readonly UserAction[],
  options: ApplyOptions,
): Bundle {
  const change = new Change(document, options);
  const retValues: unknown[] = [];
  try {
    document.db.transaction(() => {
      for (const action of actions) {
        retValues.push(runUserAction(change, action));
        recalculate(change, change.touched.take());
      }
      if (change.touchesSchema) change.catalog.compareWith(document.schema);
    });
  } catch (error) {
    forgetEnds(document.db);
    if (change.touchesMetadata) document.forgetSchema();
    throw translateSqliteError(error);
  }
  document.changed({ schema: change.touchesMetadata });
  const { stored, calculated, undo } = change;
  return { stored, calculated, undo, retValues };
}
