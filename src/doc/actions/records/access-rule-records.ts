import { forbidden, invalid } from "../../../errors.ts";
import { parsedFormulaText } from "../../rules/predicates/predicate-json.ts";
import type { Change } from "../change.ts";
import type { InputValues } from "./records.ts";

/** Writing the tables that hold access rules. */

const RULES = "_grist_ACLRules";

/**
 * To be asked before a metadata table is written: the tables of the rules are for owners, and what was written there is
 * checked in the end.
 * @throws AppError `forbidden`
 */
export function checkRuleTableAccess(change: Change, table: string): void {
  if (!table.startsWith("_grist_ACL")) return;
  if (change.options.user.access !== "owners")
    throw forbidden("Only owners may change access rules", "access.owner_required");
  change.writesRules = true;
}

/**
 * The values for records of rules, with the trees of their formulas, which are never taken from a request.
 * @throws AppError `invalid` when a formula cannot be read
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
  if (typeof formula !== "string") throw invalid("The formula of an access rule must be a text");
  return parsedFormulaText(formula);
}
