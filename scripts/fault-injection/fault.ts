/** Shared by all faults. */

/** The result: one line of figures, and the problems. */
export interface FaultOutcome {
  readonly figures: string;
  readonly problems: readonly string[];
}

/** A fault to inject around a server. Each is a file here, listed in main.ts. */
export interface Fault {
  readonly name: string;
  /** Returns the reason why this machine cannot run it. */
  missing?(): string | undefined;
  /** True if it mostly waits, so that other faults can run concurrently. */
  readonly isWaiting?: boolean;
  run(options: { readonly isQuick: boolean }): Promise<FaultOutcome>;
}

/** Collects problems, so that one does not hide the others. */
export class Findings {
  readonly problems: string[] = [];

  /** Records `what` as a problem unless `holds`. */
  expect(holds: boolean, what: string): void {
    if (!holds) this.problems.push(what);
  }

  /** Records a problem unless the response has the status, and an error that matches. */
  expectAnswer(what: string, answer: { status: number; text: string }, [status, sentence]: [number, RegExp?]): void {
    if (answer.status === status && (sentence?.test(answer.text) ?? true)) return;
    const wanted = sentence ? `${status} ${sentence.source}` : String(status);
    this.problems.push(`${what}: ${answer.status} ${answer.text.slice(0, 200)} instead of ${wanted}`);
  }
}

/** Maximum latency of unaffected requests. `--quick` runs under additional load. */
export const maxResponseMs = (isQuick: boolean): number => (isQuick ? 10_000 : 1000);

/**
 * Polls until the condition holds.
 * @returns the duration in milliseconds; undefined on timeout
 */
export async function until(holds: () => Promise<boolean> | boolean, withinMs: number): Promise<number | undefined> {
  const start = performance.now();
  while (performance.now() - start < withinMs) {
    if (await holds()) return performance.now() - start;
    await Bun.sleep(50);
  }
  return undefined;
}

/** Returns the quantile of the values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
