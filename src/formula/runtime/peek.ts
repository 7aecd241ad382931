// Formulas run synchronously, so that one flag serves the thread, as the budget does.
let peeking = false;

/** True within PEEK: cells that are read are taken as they are, and the formula does not depend on them. */
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

/** What is computed meanwhile is no part of the formula that peeks. */
export function withoutPeek<T>(work: () => T): T {
  if (!peeking) return work();
  peeking = false;
  try {
    return work();
  } finally {
    peeking = true;
  }
}
