/** What a job does at the moment. */
export type JobStep = "reading" | "writing";

export interface JobProgress {
  readonly step: JobStep;
  readonly done: number;
  /** Null if unknown. */
  readonly total: number | null;
}

const STEPS: readonly JobStep[] = ["reading", "writing"];
const [CANCELLED, STEP, DONE, TOTAL] = [0, 1, 2, 3];
const FIELDS = 4;

/** The memory of a `SharedJob`; sent to worker threads, it stays the same memory. */
export type SharedJobMemory = SharedArrayBuffer;

/**
 * The progress and the cancellation of a job, in memory that threads share: the thread that works sends no messages, and
 * receives none while it runs synchronous code.
 */
export class SharedJob {
  readonly memory: SharedJobMemory;
  readonly #fields: Float64Array;

  constructor(memory: SharedJobMemory = new SharedArrayBuffer(FIELDS * Float64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#fields = new Float64Array(memory);
  }

  /** @param total null if unknown */
  report(step: JobStep, done: number, total: number | null): void {
    this.#fields[TOTAL] = total ?? -1;
    this.#fields[DONE] = done;
    this.#fields[STEP] = STEPS.indexOf(step) + 1;
  }

  /** Null before the first report. */
  get progress(): JobProgress | null {
    const [, number = 0, done = 0, total = -1] = this.#fields;
    const step = STEPS[number - 1];
    return step ? { step, done, total: total < 0 ? null : total } : null;
  }

  cancel(): void {
    this.#fields[CANCELLED] = 1;
  }

  get isCancelled(): boolean {
    return this.#fields[CANCELLED] === 1;
  }
}
