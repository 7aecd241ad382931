import type { Database } from "../../sqlite/database.ts";
import { AppError } from "../../errors.ts";
import { changesSize } from "../history/read-state.ts";
import { listStates, type State } from "../history/states.ts";

/** Changes are read one by one, which blocks the document, and the cells of all of them are kept meanwhile. */
const MAX_BYTES = 8 * 1024 ** 2;

/** Returns the states after one, oldest first. */
export const laterStates = (db: Database, since: number): State[] =>
  listStates(db)
    .filter(({ n }) => n > since)
    .toReversed();

interface CheckOptions {
  /** The state that the caller named. */
  readonly since: number;
  /** The number that the first of the states must have. */
  readonly first: number;
}

/**
 * Checks that states are without gaps, and not too large to be read.
 * @throws AppError `undo.too_many_changes`, `state.pruned`
 */
export function checkReadable(db: Database, states: readonly State[], { since, first }: CheckOptions): void {
  if (states.some(({ n }, at) => n !== first + at)) {
    throw new AppError("state.pruned", `The history since state ${since} is not complete`);
  }
  if (changesSize(db, states) > MAX_BYTES) {
    throw new AppError(
      "undo.too_many_changes",
      `There are too many changes since state ${since} to be examined; use a later state, or restore a snapshot`,
    );
  }
}
