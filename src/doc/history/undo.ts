import { forbidden, invalid, notFound } from "../../errors.ts";
import type { OpenDocument } from "../document.ts";
import { changesSize, readChange, type RecordedAction } from "./read-state.ts";
import { listStates } from "./states.ts";

/** A greater change is not undone in one go: reading it blocks all others, and takes fifty times as much memory. */
const MAX_BYTES = 16 * 1024 ** 2;

/**
 * What undoes the change that led to a state, to be applied from the last to the first.
 * @param userEmail e-mail address of who wants it undone
 * @throws AppError `notFound` when there is no such state any more, `forbidden` when somebody else made the change,
 *   `invalid` when it is too large or cannot be read
 */
export function undoOf(document: OpenDocument, n: number, userEmail: string): readonly RecordedAction[] {
  const { db } = document;
  const state = listStates(db).find((candidate) => candidate.n === n);
  if (!state) throw notFound(`There is no state ${n} in the history of this document`, "state.not_found");
  if (changesSize(db, [state]) > MAX_BYTES) throw invalid("The change is too large to be undone in one go");
  const { undo, user } = readChange(db, state);
  if (user?.toLowerCase() !== userEmail.toLowerCase()) throw forbidden("Only who made a change may undo it this way");
  return undo;
}
