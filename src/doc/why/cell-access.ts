import { allows, type DocumentGrant, hasScope } from "../../authorization.ts";
import { Catalog } from "../actions/catalog.ts";
import type { OpenDocument } from "../document.ts";
import type { CallerRules } from "../rules/document-rules.ts";
import type { Rule } from "../rules/permission-evaluator.ts";
import { readRuleRows } from "../rules/rows/read-rule-rows.ts";

/** A rule as owners see it. */
export interface ShownRule {
  /** A table, or `*` for all. */
  readonly table: string;
  /** Column ids separated by commas, or `*`. */
  readonly columns: string;
  readonly condition: string;
  readonly permissions: string;
  readonly memo: string;
}

export interface CellPermission {
  readonly allowed: boolean;
  /** The memos of the rules that contributed to a refusal. */
  readonly memos: readonly string[];
  /** The rule that decides, for owners only; null where the role does. */
  readonly rule: ShownRule | null;
}

export interface CellAccess {
  readonly read: CellPermission;
  readonly update: CellPermission;
}

/** Returns what the caller, who can read the cell, may do with it, and why. */
export function cellAccess(
  document: OpenDocument,
  grant: DocumentGrant,
  { rules, table, row, column }: { rules: CallerRules | null; table: string; row: number; column: string },
): CellAccess {
  const isComputed = document.schema.tableById.get(table)?.columnById.get(column)?.isFormula ?? false;
  const mayWrite = !isComputed && allows(grant.role, "editors") && hasScope(grant.actor, "records:write");
  const read = { allowed: true, memos: [], rule: null };
  if (!rules) return { read, update: { allowed: mayWrite, memos: [], rule: null } };
  const access = rules.table(table);
  const showsRules = grant.role === "owners" && rules.maySeeAccessRules;
  const stored = new Catalog(document.schema).table(table);
  const columns = [...stored.columns.values()].filter(({ isStored }) => isStored).map(({ id }) => id);
  const rec = readRuleRows(document.db, stored, { columns, ids: [row] }).get(row);
  const context = { ...access.context, ...(rec && { rec, newRec: rec }) };
  const shown = (permission: "read" | "update") =>
    showsRules ? shownRule(access.decidingRule(permission, { column, context })) : null;
  const isAllowed = mayWrite && access.evaluator("update", column).forRow(context) === "allow";
  const memos = isAllowed || !mayWrite ? [] : access.memos("update", { column, context }).map(({ text }) => text);
  return {
    read: { ...read, rule: shown("read") },
    update: { allowed: isAllowed, memos, rule: shown("update") },
  };
}

function shownRule(rule: Rule | undefined): ShownRule | null {
  const { stored } = rule ?? {};
  if (!stored) return null;
  return {
    table: stored.resource?.tableId ?? "",
    columns: stored.resource?.colIds ?? "",
    condition: stored.formula ?? "",
    permissions: stored.permissions ?? "",
    memo: stored.memo,
  };
}
