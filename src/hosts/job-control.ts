import { AppError } from "../errors.ts";
import type { SharedJob } from "../lib/concurrency/shared-job.ts";

/** Follows and cancels a job on files, or an import. */
export interface JobControl {
  /** Aborted when the job is cancelled, with the refusal as its reason. */
  readonly signal: AbortSignal;
  /** Its progress; cancelled with the signal. */
  readonly shared: SharedJob;
}

/** @throws AppError `import.cancelled`; the caller of the job gets the reason of the signal instead */
export function throwIfCancelled(job: SharedJob): void {
  if (job.isCancelled) throw new AppError("import.cancelled", "The import was cancelled");
}
