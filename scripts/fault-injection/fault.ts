/** What the faults share. */

/** What came out: one line of figures, and what is wrong. */
export interface FaultOutcome {
  readonly figures: string;
  readonly problems: readonly string[];
}

/** One thing that goes wrong around a server. Each is a file here, listed in main.ts. */
export interface Fault {
  readonly name: string;
  /** Why it cannot be had on this machine. */
  missing?(): string | undefined;
  /** True when it is mostly waiting, so that others can be tried meanwhile. */
  readonly isWaiting?: boolean;
  run(options: { readonly isQuick: boolean }): Promise<FaultOutcome>;
}

/** Gathers what is not as it should be, so that one finding does not hide the others. */
export class Findings {
  readonly problems: string[] = [];

  /** Notes `what` unless it holds. */
  expect(holds: boolean, what: string): void {
    if (!holds) this.problems.push(what);
  }

  /** Notes it unless the answer has the status, and a sentence that matches. */
  expectAnswer(what: string, answer: { status: number; text: string }, [status, sentence]: [number, RegExp?]): void {
    if (answer.status === status && (sentence?.test(answer.text) ?? true)) return;
    const wanted = sentence ? `${status} ${sentence.source}` : String(status);
    this.problems.push(`${what}: ${answer.status} ${answer.text.slice(0, 200)} instead of ${wanted}`);
  }
}

/** What others may have to wait for an answer. Where `--quick` runs there is other work on the machine. */
export const maxResponseMs = (isQuick: boolean): number => (isQuick ? 10_000 : 1000);

/** Asks again and again until it holds. @returns milliseconds that it took; undefined when it does not in time */
export async function until(holds: () => Promise<boolean> | boolean, withinMs: number): Promise<number | undefined> {
  const start = performance.now();
  while (performance.now() - start < withinMs) {
    if (await holds()) return performance.now() - start;
    await Bun.sleep(50);
  }
  return undefined;
}

/** The value that so great a part of all is at most. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
