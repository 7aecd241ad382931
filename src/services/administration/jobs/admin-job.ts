import type { AdminJob } from "../../../wire/administration/admin-jobs.ts";

export type { AdminJob };

/** Returns the id of a job: its kind, and what identifies it there. */
export const adminJobId = (kind: AdminJob["kind"], ...rest: readonly (string | number)[]): string =>
  [kind, ...rest].join("-");

/** A job without what only some kinds have. */
export const plainJob = (job: Pick<AdminJob, "id" | "kind" | "state"> & Partial<AdminJob>): AdminJob => ({
  document: null,
  user: null,
  subject: null,
  createdAt: null,
  endedAt: null,
  attempts: null,
  nextAt: null,
  error: null,
  progress: null,
  canCancel: false,
  canRetry: false,
  ...job,
});
