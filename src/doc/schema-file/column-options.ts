import type { FileColumn } from "../../exchange/schema-file/model.ts";
import { AppError } from "../../errors.ts";
import { parsedFormulaText } from "../rules/predicates/predicate-json.ts";
import { isObject } from "./describe-column.ts";

/** Returns the options of a column of a file as documents store them. */
export function optionsText({ options = {}, choices, choiceStyles, conditionalStyles = [] }: FileColumn): string {
  const { dropdownCondition, ...rest } = options;
  const all = {
    ...rest,
    ...(dropdownCondition !== undefined && { dropdownCondition: parsedCondition(dropdownCondition) }),
    ...(choices && { choices }),
    ...(choiceStyles && { choiceOptions: choiceStyles }),
    ...(conditionalStyles.length > 0 && { rulesOptions: conditionalStyles.map(({ style = {} }) => style) }),
  };
  return Object.keys(all).length > 0 ? JSON.stringify(all) : "";
}

/** Documents have conditions as text and as syntax tree. */
function parsedCondition(condition: unknown): unknown {
  if (!isObject(condition) || typeof condition["text"] !== "string") return condition;
  try {
    return { ...condition, parsed: parsedFormulaText(condition["text"]) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return condition;
  }
}
