import { AppError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import type { Permission } from "./access-types.ts";
import type { Memo } from "./permission-evaluator.ts";

/**
 * Returns the refusal of a caller by access rules. The sentence names the kind of rules; their memos are in the
 * details.
 */
export function rulesRefusal(
  level: "table" | "row" | "column" | "full",
  permission: Permission,
  memos: readonly Memo[],
): AppError {
  return new AppError(FROZEN.blockedByRules.code, FROZEN.blockedByRules.message(level, permission), {
    details: { memos },
  });
}
