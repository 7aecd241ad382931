import { invalid } from "../../errors.ts";
import type { Database } from "../../sqlite/database.ts";
import { mergeChanges, type DocumentChanges, emptyChanges } from "./changes.ts";
import { type StateChangeOptions, readStateChanges } from "./state-changes.ts";
import { changesSize, readChange } from "./read-state.ts";
import { findState } from "./state-refs.ts";
import { listStates, type State } from "./states.ts";

/** Two states of a document, and those between them. */
export interface StateRange {
  readonly left: State;
  readonly right: State;
  /** The states after `left` up to `right`, oldest first. */
  readonly states: readonly State[];
}

/**
 * Resolves the range between two states, each named as `findState` takes it.
 * @throws AppError `invalid` when a state does not exist, or the left one is newer
 */
export function findStateRange(db: Database, names: { left: string; right: string }): StateRange {
  const states = listStates(db);
  const from = findState(states, names.left, "left");
  const to = findState(states, names.right, "right");
  const [left, right] = [states[from], states[to]];
  if (!left || !right || from < to) throw invalid('"left" must not be newer than "right"');
  return { left, right, states: states.slice(to, from).reverse() };
}

/**
 * How much of the history one comparison reads at most, in bytes of the file. Reading blocks all other users of the
 * document, and takes fifty times as much memory.
 */
const MAX_BYTES = 16 * 1024 ** 2;

export interface CompareOptions extends StateChangeOptions {
  readonly maxBytes?: number;
}

/**
 * Returns the changes of the document within the range.
 * @throws AppError `invalid` when there are too many, or part of the history cannot be read
 */
export function changesBetween(
  db: Database,
  { states }: StateRange,
  { maxRows, maxBytes = MAX_BYTES }: CompareOptions,
): DocumentChanges {
  if (changesSize(db, states) > maxBytes) {
    throw invalid("Too many changes between the two states; compare states that are closer to each other");
  }
  const changes = emptyChanges();
  for (const state of states) mergeChanges(changes, readStateChanges(readChange(db, state), { maxRows }));
  return changes;
}
