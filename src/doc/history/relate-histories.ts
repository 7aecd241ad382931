import type { State } from "./states.ts";

/** Which of two documents changed since they were one. */
export type Relation = "same" | "left" | "right" | "both" | "unrelated";

/** How the newest states of two documents relate. */
export interface Relationship {
  readonly left: State;
  readonly right: State;
  /** The newest state that both were in; null when none is known. */
  readonly parent: State | null;
  readonly summary: Relation;
}

/** Equal hashes mean the same past, so the first state of the one that the other has too is where they parted. */
export function relate(left: readonly State[], right: readonly State[]): Relationship {
  const [newestLeft = NO_STATE] = left;
  const [newestRight = NO_STATE] = right;
  const known = new Set(right.map(({ h }) => h));
  const parent = left.find(({ h }) => known.has(h)) ?? null;
  return { left: newestLeft, right: newestRight, parent, summary: relationOf(parent, newestLeft, newestRight) };
}

/** What a document without a history, which no version of the program leaves, is in. */
const NO_STATE: State = { n: 0, h: "" };

function relationOf(parent: State | null, left: State, right: State): Relation {
  if (!parent) return "unrelated";
  if (parent.h === left.h) return parent.h === right.h ? "same" : "right";
  return parent.h === right.h ? "left" : "both";
}
