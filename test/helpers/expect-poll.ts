import { expect, type Matchers } from "bun:test";

/** Longer than a loaded machine takes for anything that tests wait for; shorter than the timeout of a test. */
const TIMEOUT_MS = 30_000;
const INTERVAL_MS = 20;

/**
 * Like `expect`, for a state that is reached soon: what a page shows after an action, or what the server has stored once
 * it has a request of the page. Reads the state until the assertion holds, and fails like `expect` if it never does:
 * `await expectPoll(() => names(page)).toEqual(["Twin"])`. Not for what must not change: that may be read too early.
 */
export function expectPoll<T>(read: () => T | Promise<T>, { timeoutMs = TIMEOUT_MS } = {}) {
  const poll = (check: (matchers: Matchers<T>) => void) => retry(async () => check(expect<T>(await read())), timeoutMs);
  return {
    toBe: (expected: T) => poll((found) => found.toBe(expected)),
    toBeNull: () => poll((found) => found.toBeNull()),
    toEqual: (expected: T) => poll((found) => found.toEqual(expected)),
    toMatchObject: (expected: object) => poll((found) => found.toMatchObject(expected)),
    toContain: (expected: string) => poll((found) => found.toContain<string>(expected)),
    toContainEqual: (expected: unknown) => poll((found) => found.toContainEqual<unknown>(expected)),
    toMatch: (expected: RegExp | string) => poll((found) => found.toMatch(expected)),
    toStartWith: (expected: string) => poll((found) => found.toStartWith(expected)),
    toHaveLength: (expected: number) => poll((found) => found.toHaveLength(expected)),
    toBeGreaterThan: (expected: number) => poll((found) => found.toBeGreaterThan(expected)),
    toBeLessThan: (expected: number) => poll((found) => found.toBeLessThan(expected)),
    not: { toContain: (expected: string) => poll((found) => found.not.toContain<string>(expected)) },
  };
}

/** Repeats a check until it throws nothing; throws its last error on timeout. */
async function retry(check: () => Promise<void>, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      // Also reads that fail: a navigation aborts them.
      if (performance.now() > end) throw error;
    }
    await Bun.sleep(INTERVAL_MS);
  }
}
