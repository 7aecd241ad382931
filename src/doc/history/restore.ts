import { invalid, notFound } from "../../errors.ts";
import type { OpenDocument } from "../document.ts";
import { changesSize, readChange, type RecordedAction } from "./read-state.ts";
import { listStates } from "./states.ts";

/**
 * How much may be undone at once, in bytes of the file: half of the limit for a single undo, so that a restore can
 * itself be undone.
 */
const MAX_BYTES = 8 * 1024 ** 2;

/**
 * Returns the actions that restore a state, to be applied from the last to the first: the undo actions of all later
 * changes. Empty for the newest state.
 * @throws AppError `notFound` when the state is no longer stored, `invalid` when there are too many later changes, or
 *   these cannot be read
 */
export function undoSince({ db }: OpenDocument, n: number, maxBytes = MAX_BYTES): RecordedAction[] {
  const states = listStates(db);
  const index = states.findIndex((candidate) => candidate.n === n);
  if (index < 0) throw notFound(`There is no state ${n} in the history of this document`, "state.not_found");
  const later = states.slice(0, index).toReversed();
  if (later.some((state, at) => state.n !== n + at + 1)) throw invalid(`The history since state ${n} is not complete`);
  if (changesSize(db, later) > maxBytes) {
    throw invalid(`Too many changes since state ${n} to be undone at once; restore a snapshot, or a later state first`);
  }
  return later.flatMap((state) => readChange(db, state).undo);
}
