import { describe, expect, test } from "bun:test";
import { BackoffLimiter } from "../../src/lib/concurrency/backoff-limiter.ts";

const options = { free: 3, firstDelayMs: 1000, maxDelayMs: 8000, forgetAfterMs: 60_000 };

/** Takes as soon as allowed; returns the delays before each attempt. */
function delaysOf(limiter: BackoffLimiter, attempts: number, start = 0): number[] {
  let now = start;
  return Array.from({ length: attempts }, () => {
    const delay = limiter.take("a", now);
    now += delay;
    if (delay > 0) expect(limiter.take("a", now)).toBe(0);
    return delay;
  });
}

describe("a limiter with growing delays", () => {
  test("doubles the delay after the free attempts, up to the maximum", () => {
    expect(delaysOf(new BackoffLimiter(options), 9)).toEqual([0, 0, 0, 1000, 2000, 4000, 8000, 8000, 8000]);
  });

  test("does not count attempts that it refuses", () => {
    const limiter = new BackoffLimiter(options);
    for (let n = 0; n < 3; n++) limiter.take("a", 0);
    for (let n = 0; n < 100; n++) expect(limiter.take("a", 500)).toBe(500);
    expect(limiter.take("a", 1000)).toBe(0);
    expect(limiter.take("a", 1000)).toBe(2000);
  });

  test.each([
    ["after the time without attempts", (limiter: BackoffLimiter) => delaysOf(limiter, 4, 200_000)],
    [
      "after it is cleared",
      (limiter: BackoffLimiter) => {
        limiter.clear("a");
        return delaysOf(limiter, 4, 50_000);
      },
    ],
  ])("begins again %s", (_, after) => {
    const limiter = new BackoffLimiter(options);
    delaysOf(limiter, 6);
    expect(after(limiter)).toEqual([0, 0, 0, 1000]);
  });

  test("keeps keys apart, and evicts the least recently used", () => {
    const limiter = new BackoffLimiter({ ...options, maxKeys: 2 });
    for (let n = 0; n < 3; n++) for (const key of ["a", "b"]) expect(limiter.take(key, 0)).toBe(0);
    expect(limiter.take("a", 0)).toBe(1000);
    limiter.take("c", 0);
    expect(limiter.take("b", 0)).toBe(1000);
    expect(limiter.take("a", 0)).toBe(0);
  });
});
