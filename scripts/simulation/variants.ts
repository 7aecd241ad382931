/**
 * Broken protocols that the checker must find. Each changes what surrounds the machines of `src/cluster/protocol` or
 * overrides one of their answers; production has no such options.
 */
export const VARIANTS = {
  "no-epoch-check": "appends require the head only",
  "answer-before-append": "answers leave after the local commit",
  "lease-by-local-clock": "the taker compares the owner's lease with its own wall clock",
  "prune-before-base": "the log is pruned when a base is begun",
  "zero-rows-means-fenced": "an append without a row is taken for refused",
  "keep-unshipped-commit": "after a restart the local file is used although its last commits are not in the log",
  "discard-diverged-file": "the local file is deleted when the log went back",
  "acquire-without-row-lock": "the taker reads the owner's lease without locking its row",
  "fenced-owner-deletes": "attachments are deleted without checking the epoch",
  // Further requirements that the machines have of their surroundings; found within some 100,000 steps.
  "no-wait-after-failover": "documents are acquired at once after a change of timeline",
  "unsynced-opening-note": "the note that a file is open is not synced before the first commit",
  "begins-again": "a process begins a second time under an epoch that names it",
  "release-by-copy": "a copied folder releases the lease of the node that it names",
} as const;

export type Variant = keyof typeof VARIANTS;

/** The ones that the design requires to be found. */
export const REQUIRED_VARIANTS: readonly Variant[] = [
  "no-epoch-check",
  "answer-before-append",
  "lease-by-local-clock",
  "prune-before-base",
  "zero-rows-means-fenced",
  "keep-unshipped-commit",
  "discard-diverged-file",
  "acquire-without-row-lock",
  "fenced-owner-deletes",
];
