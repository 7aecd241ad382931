import type { State } from "./states.ts";

/** Which of two documents changed since their common state. */
export type Relation = "same" | "left" | "right" | "both" | "unrelated";

/** The relationship between the newest states of two documents. */
export interface Relationship {
  readonly left: State;
  readonly right: State;
  /** The newest common state; null when none is known. */
  readonly parent: State | null;
  readonly summary: Relation;
}

/**
 * Finds where two histories diverged: equal hashes mean the same history, so it is the newest state of one that the
 * other has too.
 */
export function relate(left: readonly State[], right: readonly State[]): Relationship {
  const [newestLeft = NO_STATE] = left;
  const [newestRight = NO_STATE] = right;
  const known = new Set(right.map(({ h }) => h));
  const parent = left.find(({ h }) => known.has(h)) ?? null;
  return { left: newestLeft, right: newestRight, parent, summary: relationOf(parent, newestLeft, newestRight) };
}

/** The state of a document without a history, which no version of the server writes. */
const NO_STATE: State = { n: 0, h: "" };

function relationOf(parent: State | null, left: State, right: State): Relation {
  if (!parent) return "unrelated";
  if (parent.h === left.h) return parent.h === right.h ? "same" : "right";
  return parent.h === right.h ? "left" : "both";
}
