import { AppError } from "../../errors.ts";
import type { JobControl } from "../../hosts/job-control.ts";
import { guarded } from "../../lib/callbacks.ts";
import { SharedJob } from "../../lib/concurrency/shared-job.ts";

/** The import or preview of a request: its progress, and its cancellation. */
export class ImportJob implements JobControl {
  readonly shared = new SharedJob();
  readonly #controller = new AbortController();

  /** @param request aborted when the caller disconnects: the import is then cancelled */
  constructor(request: AbortSignal) {
    this.shared.report("reading", 0, null);
    const disconnect = guarded(() => this.#cancel(disconnected()));
    if (request.aborted) disconnect();
    else request.addEventListener("abort", disconnect, { once: true });
  }

  /** Aborted with an AppError. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  cancel(): void {
    this.#cancel(new AppError("import.cancelled", "The import was cancelled; nothing was imported"));
  }

  #cancel(reason: AppError): void {
    this.shared.cancel();
    this.#controller.abort(reason);
  }
}

const disconnected = (): AppError => new AppError("unavailable", "The import was cancelled");

/** Returns the refusal for an aborted request. */
export const abortReason = ({ reason }: AbortSignal): AppError =>
  reason instanceof AppError ? reason : disconnected();

/** Rejects with the reason of the signal when `work` fails because of it. */
export async function withAbortReason<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw signal?.aborted ? abortReason(signal) : error;
  }
}
