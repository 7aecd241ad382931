import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { Documents, NextJob } from "../../hosts/documents.ts";
import { ConcurrencyLimiter } from "../../lib/concurrency/concurrency-limiter.ts";
import type { Log } from "../../lib/observability/log.ts";
import { incrementCounter } from "../../lib/observability/measurements.ts";
import { runSoon, type Timers, yieldToEventLoop } from "../../lib/time/timers.ts";

export interface JobRunnerOptions {
  readonly documents: Pick<Documents, "call">;
  /** Returns the grant for the server's own work on a document; null when it is deleted or in the trash. */
  readonly grantOf: (uuid: string) => DocumentGrant | null;
  /** Tells whether a document exists, in the trash or not. */
  readonly exists: (uuid: string) => boolean;
  /** Returns the grant of a job's owner, as of now. @throws AppError if they may no longer write */
  readonly authorize: (uuid: string, job: NextJob) => Promise<DocumentGrant>;
  /** Marks a document as having unfinished jobs, for the time after a restart. */
  readonly markDue: (uuid: string) => void;
  /** Returns the documents that were marked before the server was started. */
  readonly due: () => readonly string[];
  /** Returns the documents that `isUnclean` is asked about when the server starts. */
  readonly candidates: () => readonly string[];
  /** Tells whether a document may have unfinished jobs although it is not marked, because of a crash. */
  readonly isUnclean: (uuid: string) => boolean;
  /** Called when a document has no unfinished jobs. */
  readonly onIdle: (uuid: string) => void;
  readonly timers: Timers;
  readonly log: Log;
}

/** Maximum number of documents whose jobs run at the same time. */
const MAX_DOCUMENTS = 4;
/** Retry interval after an internal error, or while the document is in the trash. */
const RETRY_MS = 5000;
/** How many documents are looked at before other work. */
const CANDIDATES_PER_TURN = 20;
/** After this many failures in succession that are not refusals, a job ends. */
const MAX_FAILURES = 5;

/** How many documents with ended jobs are kept. */
const MAX_ENDED_DOCUMENTS = 100;

/** A document with unfinished jobs. */
interface ActiveDocument {
  /** Jobs whose lines are being received. */
  readonly receiving: Set<string>;
  isRunning: boolean;
  /** True when there may be jobs that the run in progress has not seen. */
  isWoken: boolean;
  cancelTimer: () => void;
  /** Internal errors in succession. */
  failures: number;
}

/**
 * Runs the jobs of documents, those of a document one after the other. Lines and progress are in the document: any server
 * that has it continues its jobs. Each transaction begins with a check of the owner's access.
 */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #active = new Map<string, ActiveDocument>();
  readonly #limiter = new ConcurrencyLimiter(MAX_DOCUMENTS);
  readonly #running = new Set<Promise<void>>();
  /** Documents whose jobs ended, so that administrators find failed ones; the jobs themselves are in the documents. */
  readonly #ended = new Set<string>();
  #isStopped = false;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  /** Continues the jobs of the documents that have unfinished ones. */
  start(): void {
    for (const uuid of this.#options.due()) this.wake(uuid);
    this.#track(this.#wakeUnclean());
  }

  /** Tells whether a document has, or may have, unfinished jobs. */
  isActive(uuid: string): boolean {
    return this.#active.has(uuid);
  }

  /** Returns the documents with unfinished jobs, and those with jobs that ended since the server started. */
  documents(): string[] {
    return [...new Set([...this.#active.keys(), ...this.#ended])];
  }

  /** Number of documents with unfinished jobs. */
  get activeCount(): number {
    return this.#active.size;
  }

  /**
   * Call before the lines of a job are stored, and the returned function afterwards, whether or not they have been
   * stored completely.
   */
  receive(uuid: string, id: string): () => void {
    const active = this.#activate(uuid);
    active.receiving.add(id);
    return () => {
      active.receiving.delete(id);
      this.wake(uuid);
    };
  }

  /** Looks for unfinished jobs of a document, and runs them. */
  wake(uuid: string): void {
    if (this.#isStopped) return;
    const active = this.#activate(uuid);
    active.cancelTimer();
    active.isWoken = true;
    if (active.isRunning) return;
    active.isRunning = true;
    runSoon(() => this.#track(this.#limiter.run(() => this.#runJobs(uuid, active))));
  }

  /** Forgets a document that another server may get. Returns in how many milliseconds its jobs are due; null for never. */
  leave(uuid: string): number | null {
    const active = this.#active.get(uuid);
    if (!active) return null;
    active.cancelTimer();
    this.#active.delete(uuid);
    return 0;
  }

  /** Stops after the transactions in progress. Idempotent. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { cancelTimer } of this.#active.values()) cancelTimer();
    while (this.#running.size > 0) await Promise.all(this.#running);
    for (const uuid of this.#active.keys()) this.#tryToMark(uuid);
  }

  /** Waits until all jobs have ended, or wait for a retry; for tests. */
  async whenIdle(): Promise<void> {
    do {
      await new Promise<void>((resolve) => runSoon(resolve));
      await Promise.all(this.#running);
    } while (this.#running.size > 0 || [...this.#active.values()].some(({ isRunning }) => isRunning));
  }

  async #wakeUnclean(): Promise<void> {
    const { candidates, isUnclean } = this.#options;
    for (const [at, uuid] of candidates().entries()) {
      if (this.#isStopped) return;
      if (isUnclean(uuid)) this.wake(uuid);
      if ((at + 1) % CANDIDATES_PER_TURN === 0) await yieldToEventLoop();
    }
  }

  /** A failure does not matter unless the server crashes: then the document is found because of that. */
  #tryToMark(uuid: string): void {
    try {
      this.#options.markDue(uuid);
    } catch (error) {
      this.#options.log.warn("job.document_not_marked", { document: uuid, error: String(error) });
    }
  }

  #activate(uuid: string): ActiveDocument {
    let active = this.#active.get(uuid);
    if (!active) {
      active = { receiving: new Set(), isRunning: false, isWoken: false, cancelTimer: () => {}, failures: 0 };
      this.#active.set(uuid, active);
    }
    return active;
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }

  async #runJobs(uuid: string, active: ActiveDocument): Promise<void> {
    const { timers } = this.#options;
    const mayContinue = () => !this.#isStopped && this.#active.get(uuid) === active;
    let outcome: StepOutcome = "more";
    while ((outcome === "more" || (outcome === "done" && active.isWoken)) && mayContinue()) {
      active.isWoken = false;
      outcome = await this.#step(uuid, active);
    }
    active.isRunning = false;
    if (!mayContinue()) return;
    if (outcome === "retry") {
      // The document may be closed meanwhile.
      this.#tryToMark(uuid);
      active.cancelTimer = timers.after(RETRY_MS, () => this.wake(uuid));
    } else if (active.receiving.size === 0) {
      this.#active.delete(uuid);
      if (outcome === "done") this.#options.onIdle(uuid);
    }
  }

  /** Runs one transaction of a document's jobs. */
  async #step(uuid: string, active: ActiveDocument): Promise<StepOutcome> {
    const { documents, grantOf, exists, log } = this.#options;
    let job: NextJob | null = null;
    try {
      const grant = grantOf(uuid);
      if (!grant) return exists(uuid) ? "retry" : "gone";
      job = await documents.call(grant, "jobs.next", { receiving: [...active.receiving] });
      if (!job) return "done";
      await this.#stepJob(uuid, job, grant);
      active.failures = 0;
      return "more";
    } catch (error) {
      if (this.#isStopped || (error instanceof AppError && error.reason === "document.elsewhere")) return "gone";
      active.failures++;
      log.error("job.step_failed", { document: uuid, job: job?.id ?? null, error: String(error) });
      if (job && active.failures >= MAX_FAILURES && !isTemporary(error)) {
        await this.#fail(
          uuid,
          job,
          new AppError("unavailable", "The server failed to apply the next lines several times"),
        );
      }
      return "retry";
    }
  }

  async #stepJob(uuid: string, job: NextJob, grant: DocumentGrant): Promise<void> {
    const { documents, authorize, log } = this.#options;
    try {
      const isUnfinished = await documents.call(await authorize(uuid, job), "jobs.step", { id: job.id });
      if (isUnfinished) return;
      this.#noteEnd(uuid);
      incrementCounter("jobsEnded");
      log.info("job.ended", { document: uuid, job: job.id, user: userOf(job) });
    } catch (error) {
      if (!(error instanceof AppError) || isTemporary(error)) throw error;
      await documents.call(grant, "jobs.fail", { id: job.id, code: error.reason, error: error.message });
      incrementCounter("jobsEnded");
      this.#noteEnd(uuid);
      log.warn("job.refused", { document: uuid, job: job.id, user: userOf(job), code: error.reason });
    }
  }

  #noteEnd(uuid: string): void {
    this.#ended.delete(uuid);
    this.#ended.add(uuid);
    const [oldest] = this.#ended;
    if (this.#ended.size > MAX_ENDED_DOCUMENTS && oldest !== undefined) this.#ended.delete(oldest);
  }

  async #fail(uuid: string, { id }: NextJob, { reason: code, message }: AppError): Promise<void> {
    const { documents, grantOf, log } = this.#options;
    const grant = grantOf(uuid);
    if (!grant) return;
    try {
      await documents.call(grant, "jobs.fail", { id, code, error: message });
      this.#noteEnd(uuid);
      incrementCounter("jobsEnded");
    } catch (error) {
      log.error("job.step_failed", { document: uuid, job: id, error: String(error) });
    }
  }
}

/** The owner's id; null for an end user. */
const userOf = ({ owner, endUser }: NextJob): number | null => (endUser ? null : owner);

/** `gone`: the document was deleted, or another server has it. */
type StepOutcome = "more" | "done" | "retry" | "gone";

/** True for errors that pass without the caller: the disk is full, or the document is being replaced. */
const isTemporary = (error: unknown): boolean =>
  error instanceof AppError && ["storage", "unavailable", "tooMany", "damaged", "slow", "late"].includes(error.code);
