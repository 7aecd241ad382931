import { forbidden, invalid } from "../../../errors.ts";
import { parsedFormulaText } from "../../rules/predicates/predicate-json.ts";
import type { Change } from "../change.ts";
import type { InputValues } from "./records.ts";

/** Validates writes to the tables of access rules. */

const RULES = "_grist_ACLRules";

/**
 * Checks a write to a metadata table: only owners may write access rules, which are validated at the end of the change.
 * Must be called before the write.
 * @throws AppError `forbidden`
 */
export function checkRuleTableAccess(change: Change, table: string): void {
  if (!table.startsWith("_grist_ACL")) return;
  if (change.options.user.access !== "owners")
    throw forbidden("Only owners may change access rules", "access.owner_required");
  change.writesRules = true;
}

/**
 * Returns the values for records of rules with the syntax trees of their formulas, which are never taken from a
 * request.
 * @throws AppError `invalid` when a formula cannot be parsed
 */
export function withParsedFormulas(table: string, values: InputValues): InputValues {
  if (table !== RULES || !(values.has("aclFormula") || values.has("aclFormulaParsed"))) return values;
  const parsed = new Map(values);
  parsed.delete("aclFormulaParsed");
  const formulas = values.get("aclFormula");
  return formulas ? parsed.set("aclFormulaParsed", formulas.map(parsedText)) : parsed;
}

function parsedText(formula: unknown): string {
  if (formula === null || formula === undefined) return "";
  if (typeof formula !== "string") throw invalid('"aclFormula" must be a string');
  return parsedFormulaText(formula);
}
