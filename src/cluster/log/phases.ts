/** Measures the phases of a process, for its line in the log. */
export class Phases {
  #beganMs = performance.now();
  readonly #fields: Record<string, number> = {};

  /** Ends a phase, and begins the next one. */
  end(phase: string): void {
    const now = performance.now();
    this.#fields[`${phase}Ms`] = Math.round((now - this.#beganMs) * 10) / 10;
    this.#beganMs = now;
  }

  get fields(): Readonly<Record<string, number>> {
    return this.#fields;
  }
}
