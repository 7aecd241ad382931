import { forbidden, invalid, notFound } from "../../errors.ts";
import type { OpenDocument } from "../document.ts";
import { isEndUser, type UserInfo } from "../user-info.ts";
import { changeCredentialsOf, isSameUser } from "./change-keys.ts";
import { changesSize, readChange, type RecordedAction } from "./read-state.ts";
import { listStates } from "./states.ts";

/**
 * Larger changes cannot be undone: reading one blocks all other users of the document, and takes fifty times as much
 * memory.
 */
const MAX_BYTES = 16 * 1024 ** 2;

/**
 * Returns the actions that undo the change that led to a state, to be applied from the last to the first.
 * @param user the user who requests the undo
 * @throws AppError `notFound` when the state is no longer stored, `forbidden` when another user made the change,
 *   `invalid` when it is too large or cannot be read
 */
export function undoOf(document: OpenDocument, n: number, user: UserInfo): readonly RecordedAction[] {
  const { db } = document;
  const state = listStates(db).find((candidate) => candidate.n === n);
  if (!state) throw notFound(`There is no state ${n} in the history of this document`, "state.not_found");
  if (changesSize(db, [state]) > MAX_BYTES) throw invalid("The change is too large to be undone");
  const { undo, user: email } = readChange(db, state);
  const author = { email, isEndUser: changeCredentialsOf(db)(n).isEndUser };
  if (!isSameUser(author, { email: user.email, isEndUser: isEndUser(user) })) {
    throw forbidden("Only the user who made a change can undo it");
  }
  return undo;
}
