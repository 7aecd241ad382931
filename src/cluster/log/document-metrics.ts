import { incrementCounter, recordDurationSince } from "../../lib/observability/measurements.ts";

/** Reports one owned document in the metrics of the process. */
export class DocumentMetrics {
  #pending = 0;

  constructor() {
    incrementCounter("documentsOwned");
    incrementCounter("ownershipsGained");
  }

  /** Sets the number of commits that are not acknowledged. */
  setPending(commits: number): void {
    if (commits !== this.#pending) incrementCounter("logCommitsPending", commits - this.#pending);
    this.#pending = commits;
  }

  /** Reports an append that was acknowledged. */
  appended({ startMs, bytes }: { readonly startMs: number; readonly bytes: number }): void {
    recordDurationSince("logAppend", startMs);
    incrementCounter("logBytesAppended", bytes);
  }

  /** @param isReleased false if the document was lost with the lease or to another node */
  stopped({ isReleased }: { readonly isReleased: boolean }): void {
    this.setPending(0);
    incrementCounter("documentsOwned", -1);
    incrementCounter(isReleased ? "ownershipsReleased" : "ownershipsLost");
  }
}
