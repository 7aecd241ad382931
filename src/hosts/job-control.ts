import type { SharedJob } from "../lib/concurrency/shared-job.ts";

/** Follows and cancels a job on files, or an import. */
export interface JobControl {
  /** Aborted when the job is cancelled, with the refusal as its reason. */
  readonly signal: AbortSignal;
  /** Its progress; cancelled with the signal. */
  readonly shared: SharedJob;
}
