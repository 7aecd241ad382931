import { AppError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import type { Permission } from "./access-types.ts";
import type { Memo } from "./permission-evaluator.ts";

/**
 * The refusal of whoever the rules do not let. The sentence tells which kind of rules they are; what the rules say of
 * themselves comes with it.
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
