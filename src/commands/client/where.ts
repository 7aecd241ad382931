/** Conditions on the command line, as filters of the API. */
import { usageError } from "../command.ts";

/** The longer operators first, since the shorter ones are a part of them. */
const OPERATORS = [
  ["!=", "ne"],
  [">=", "gte"],
  ["<=", "lte"],
  ["=", "eq"],
  [">", "gt"],
  ["<", "lt"],
  ["~", "contains"],
] as const;

const CONDITION = /^([^=!<>~]+)(!=|>=|<=|=|>|<|~)(.*)$/s;

type Filter = Record<string, unknown>;

/**
 * Returns the filter that all conditions and the given one make; null without any.
 * @param booleans the columns of truth values, asked for only when a value can be one
 * @throws CommandFailure for a condition without operator, and a filter that is not a JSON object
 */
export async function filterOf(
  conditions: readonly string[],
  json: string | undefined,
  booleans: () => Promise<ReadonlySet<string>>,
): Promise<Filter | null> {
  const parsed = conditions.map(parseCondition);
  const isAsked = parsed.some(({ value }) => value === "true" || value === "false");
  const truths: ReadonlySet<string> = isAsked ? await booleans() : new Set();
  const filters = parsed.map((condition) => toFilter(condition, truths));
  const all = json === undefined ? filters : [parseFilter(json), ...filters];
  return all.length > 1 ? { and: all } : (all[0] ?? null);
}

interface Condition {
  readonly column: string;
  readonly operator: (typeof OPERATORS)[number][1];
  readonly value: string;
}

function parseCondition(text: string): Condition {
  const [, column = "", sign, value = ""] = CONDITION.exec(text) ?? [];
  const operator = OPERATORS.find(([each]) => each === sign)?.[1];
  if (!operator) throw usageError(`--where must be like 'Status=open'; the operators are = != > >= < <= ~`);
  return { column: column.trim(), operator, value: value.trim() };
}

function toFilter({ column, operator, value }: Condition, truths: ReadonlySet<string>): Filter {
  if (value === "" && (operator === "eq" || operator === "ne")) return { [column]: { empty: operator === "eq" } };
  // Values are texts: the server reads numbers, dates and references in them.
  const isTruth = truths.has(column) && (value === "true" || value === "false");
  return { [column]: { [operator]: isTruth ? value === "true" : value } };
}

function parseFilter(json: string): Filter {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Filter;
  } catch {
    // Reported below.
  }
  throw usageError(`--filter must be a JSON object, such as '{"Status": {"eq": "open"}}'`);
}
