import type { DocumentGrant } from "../../../authorization.ts";
import { AppError } from "../../../errors.ts";
import type { Context } from "../../../services/context.ts";
import { describeHistory } from "../../../services/documents/history.ts";
import type { History } from "../../../wire/documents/history.ts";

export interface FoundState {
  readonly state: History["states"][number];
  /** The previous state is kept: changes can be shown. */
  readonly hasOlder: boolean;
}

/**
 * Returns the state with a number from an address.
 * @throws AppError `notFound`
 */
export async function findState(ctx: Context, grant: DocumentGrant, n: number): Promise<FoundState> {
  if (Number.isSafeInteger(n) && n > 0) {
    const { states, before } = await describeHistory(ctx, grant, { before: n + 1, limit: 1 });
    const [state] = states;
    if (state?.n === n) return { state, hasOlder: before !== null };
  }
  throw new AppError("state.not_found", "State not found in the history of the document");
}
