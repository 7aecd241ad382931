import type { DocAction } from "../actions/doc-action.ts";
import { dryRunOf } from "../dry-run/dry-run.ts";
import type { OpenDocument } from "../document.ts";

/** Counts changes of access rules, for the audit log. */

const counts = new WeakMap<OpenDocument, number>();
const RULE_TABLES: ReadonlySet<unknown> = new Set(["_grist_ACLRules", "_grist_ACLResources"]);

/** Returns the number of rows of access rules that were changed since the document was opened, including rollbacks. */
export const ruleChangesOf = (document: OpenDocument): number => counts.get(document) ?? 0;

/** Counts the rows of access rules in the actions of a change. */
export function countRuleChanges(document: OpenDocument, actions: readonly DocAction[]): void {
  let count = 0;
  for (const [, table, rows] of actions) {
    if (RULE_TABLES.has(table)) count += Array.isArray(rows) ? rows.length : 1;
  }
  if (count > 0 && !dryRunOf(document.db)) counts.set(document, ruleChangesOf(document) + count);
}
