// Formulas run synchronously, so one flag serves the thread, like the budget.
let peeking = false;

/** Returns true within PEEK: cells are read without recomputing them, and the formula does not depend on them. */
export const isPeeking = (): boolean => peeking;

export function withPeek<T>(work: () => T): T {
  const before = peeking;
  peeking = true;
  try {
    return work();
  } finally {
    peeking = before;
  }
}

/** Runs `work`, which evaluates other formulas, outside of the PEEK of the current one. */
export function withoutPeek<T>(work: () => T): T {
  if (!peeking) return work();
  peeking = false;
  try {
    return work();
  } finally {
    peeking = true;
  }
}
