import { isMetadataTable } from "../actions/doc-action.ts";
import type { Permission } from "./access-types.ts";

type RowPermission = Exclude<Permission, "structure">;

/** The permission that an action requires, as far as its name and table tell before it is applied. */
export type ActionRequirement =
  | { readonly kind: "nothing" }
  /** Rows of a user table. Which rows, and whether the caller may write them, is checked per row. */
  | { readonly kind: "rows"; readonly table: string; readonly permissions: readonly RowPermission[] }
  /**
   * Rows of a user table, looked up by the values of these columns: the caller must be able to read all of these
   * columns.
   */
  | { readonly kind: "upsert"; readonly table: string; readonly columns: readonly string[] }
  /** `full` where the action may contain formulas, which can read everything. */
  | { readonly kind: "structure"; readonly extent: "table" | "full" }
  /** A new table with the rows of another one. */
  | { readonly kind: "duplicate"; readonly table: string; readonly withData: boolean }
  /** Actions of importers and other tools that have not been examined for what they disclose. Owners only. */
  | { readonly kind: "ownerOnly" }
  /** Steps of a history; `rename` when they change names. */
  | { readonly kind: "steps"; readonly steps: readonly (readonly unknown[])[]; readonly rename: boolean };

const NO_REQUIREMENT: ActionRequirement = { kind: "nothing" };
const STRUCTURE_REQUIREMENT: ActionRequirement = { kind: "structure", extent: "table" };
const FULL_REQUIREMENT: ActionRequirement = { kind: "structure", extent: "full" };

const ROW_PERMISSIONS: ReadonlyMap<string, readonly RowPermission[]> = new Map([
  ["AddRecord", ["create"]],
  ["BulkAddRecord", ["create"]],
  ["UpdateRecord", ["update"]],
  ["BulkUpdateRecord", ["update"]],
  ["RemoveRecord", ["delete"]],
  ["BulkRemoveRecord", ["delete"]],
  ["ReplaceTableData", ["create", "delete"]],
]);

const UPSERT_ACTIONS: ReadonlySet<string> = new Set(["AddOrUpdateRecord", "BulkAddOrUpdateRecord"]);

const FORMULA_ACTIONS: ReadonlySet<string> = new Set([
  "ModifyColumn",
  "SetDisplayFormula",
  "CopyFromColumn",
  "ConvertFromColumn",
]);

const OWNER_ONLY_ACTIONS: ReadonlySet<string> = new Set([
  "AddHiddenColumn",
  "AddView",
  "DetachSummaryViewSection",
  "EvalCode",
  "GenImporterView",
  "InitNewDoc",
  "TransformAndFinishImport",
  "UpdateSummaryViewSection",
]);

/** True for actions that only tools send, whether this server knows them or not. */
export const isOwnerOnlyAction = (name: unknown): boolean => typeof name === "string" && OWNER_ONLY_ACTIONS.has(name);

/**
 * Returns the requirement of a user action or a history step. Actions that are not listed here change tables or
 * columns, or might.
 */
export function requirementOf([name, table, details, withData]: readonly unknown[]): ActionRequirement {
  if (typeof name !== "string" || name === "Calculate" || name === "UpdateCurrentTime") return NO_REQUIREMENT;
  if (name === "ApplyDocActions" || name === "ApplyUndoActions") {
    const steps = (Array.isArray(table) ? table : []).filter((step) => Array.isArray(step));
    return { kind: "steps", steps, rename: steps.some(([step]) => step === "RenameTable" || step === "RenameColumn") };
  }
  if (isOwnerOnlyAction(name)) return { kind: "ownerOnly" };
  const permissions = ROW_PERMISSIONS.get(name);
  if (permissions || UPSERT_ACTIONS.has(name)) {
    if (typeof table !== "string") return NO_REQUIREMENT;
    if (isMetadataTable(table)) return metadataRequirement(table);
    return permissions ? { kind: "rows", table, permissions } : { kind: "upsert", table, columns: keysOf(details) };
  }
  if (name === "DuplicateTable" && typeof table === "string") {
    return { kind: "duplicate", table, withData: Boolean(withData) };
  }
  return FORMULA_ACTIONS.has(name) || [withData, ...asList(details)].some(hasFormula)
    ? FULL_REQUIREMENT
    : STRUCTURE_REQUIREMENT;
}

const keysOf = (value: unknown): string[] => (typeof value === "object" && value !== null ? Object.keys(value) : []);

/** The details are a list of columns for `AddTable` and irrelevant for the other actions. */
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const hasFormula = (column: unknown): boolean => Boolean((column as { formula?: unknown } | null | undefined)?.formula);

/** Only owners write the rule tables, whatever the rules say. */
function metadataRequirement(table: string): ActionRequirement {
  if (table.startsWith("_grist_ACL")) return NO_REQUIREMENT;
  return table === "_grist_Tables_column" ? FULL_REQUIREMENT : STRUCTURE_REQUIREMENT;
}
