import type { SqlValue } from "../../sqlite/database.ts";

/** An SQL condition with its arguments; empty when all rows match. */
export interface SqlCondition {
  readonly sql: string;
  readonly args: readonly SqlValue[];
}

export const MATCH_ALL: SqlCondition = { sql: "", args: [] };
export const MATCH_NONE: SqlCondition = { sql: "0", args: [] };

export function allOf(conditions: readonly SqlCondition[]): SqlCondition {
  const parts = conditions.filter(({ sql }) => sql !== "");
  if (parts.some(isNone)) return MATCH_NONE;
  return joined(parts, "and");
}

export function anyOf(conditions: readonly SqlCondition[]): SqlCondition {
  if (conditions.some(({ sql }) => sql === "")) return MATCH_ALL;
  const parts = conditions.filter((condition) => !isNone(condition));
  return parts.length === 0 ? MATCH_NONE : joined(parts, "or");
}

/** Returns the condition that is true where the given one is false or null. */
export function notOf(condition: SqlCondition): SqlCondition {
  if (condition.sql === "") return MATCH_NONE;
  return isNone(condition) ? MATCH_ALL : { sql: `(${condition.sql}) is not true`, args: condition.args };
}

/** Returns a text that is equal for equal conditions. */
export const keyOfCondition = ({ sql, args }: SqlCondition): string =>
  JSON.stringify([
    sql,
    ...args.map((arg) => (arg instanceof Uint8Array ? ["blob", arg.toHex()] : [typeof arg, String(arg)])),
  ]);

const isNone = ({ sql }: SqlCondition): boolean => sql === MATCH_NONE.sql;

const joined = (parts: readonly SqlCondition[], operator: "and" | "or"): SqlCondition => ({
  sql: parts.map(({ sql }) => `(${sql})`).join(` ${operator} `),
  args: parts.flatMap(({ args }) => args),
});
