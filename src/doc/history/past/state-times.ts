import type { Database } from "../../../sqlite/database.ts";
import { readParentHash, readTime } from "../read-state.ts";
import { listStates, type State } from "../states.ts";

/** A state with its time in milliseconds since the epoch; null where the file does not record it. */
export interface TimedState extends State {
  readonly time: number | null;
}

/** The states of a file, and the hash of the one before the oldest, which connects it with earlier files. */
export interface StateList {
  /** Newest first. */
  readonly states: readonly TimedState[];
  /** Null for a complete history. */
  readonly parentHash: string | null;
}

/** Times by hash, which never change: finding them loads the recorded changes, up to 100 MB. */
const TIMES = new WeakMap<Database, Map<string, number | null>>();

/** Returns the time of a state. */
export function timeOf(db: Database, state: State): number | null {
  let times = TIMES.get(db);
  if (!times) TIMES.set(db, (times = new Map()));
  let time = times.get(state.h);
  if (time === undefined) times.set(state.h, (time = readTime(db, state)));
  return time;
}

/** Returns the hash of the state before the oldest stored one; null if there was none. */
export function parentHashOf(db: Database): string | null {
  const oldest = listStates(db).at(-1);
  return oldest ? readParentHash(db, oldest) : null;
}

/** Lists the states of a file with their times. */
export const listTimedStates = (db: Database): StateList => ({
  states: listStates(db).map((state) => ({ ...state, time: timeOf(db, state) })),
  parentHash: parentHashOf(db),
});
