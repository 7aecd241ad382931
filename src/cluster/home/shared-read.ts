/**
 * Runs one read at a time for all callers. A caller gets the result of a read that began after its call: callers that
 * arrive while one is in flight share the next one.
 */
export class SharedRead<T> {
  readonly #work: () => Promise<T>;
  #running: Promise<T> | null = null;
  #next: Promise<T> | null = null;

  constructor(work: () => Promise<T>) {
    this.#work = work;
  }

  /** @throws what the read throws */
  read(): Promise<T> {
    if (!this.#running) return this.#start();
    this.#next ??= this.#running.then(
      () => this.#startNext(),
      () => this.#startNext(),
    );
    return this.#next;
  }

  #startNext(): Promise<T> {
    this.#next = null;
    // One that began meanwhile began after all of the callers.
    return this.#running ?? this.#start();
  }

  #start(): Promise<T> {
    const running = this.#work().finally(() => {
      if (this.#running === running) this.#running = null;
    });
    this.#running = running;
    return running;
  }
}
