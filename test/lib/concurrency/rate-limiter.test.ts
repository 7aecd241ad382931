import { expect, test } from "bun:test";
import { RateLimiter } from "../../../src/lib/concurrency/rate-limiter.ts";

test("allows a burst, then one event per refill, and returns the waiting time", () => {
  const limit = new RateLimiter({ burst: 3, refillMs: 100 });
  expect([0, 0, 0, 0].map(() => limit.take("a", 1000))).toEqual([0, 0, 0, 100]);
  expect(limit.take("a", 1060)).toBe(40);
  expect(limit.take("a", 1100)).toBe(0);
  expect(limit.take("a", 1100)).toBe(100);
});

test("counts each key separately, and refills over time", () => {
  const limit = new RateLimiter({ burst: 2, refillMs: 100 });
  limit.take("a", 0);
  limit.take("a", 0);
  expect(limit.take("b", 0)).toBe(0);
  expect([200, 200, 200].map((now) => limit.take("a", now))).toEqual([0, 0, 100]);
});

test("resets a key, and evicts the least recently used keys beyond the limit", () => {
  const limit = new RateLimiter({ burst: 1, refillMs: 100, maxKeys: 2 });
  limit.take("a", 0);
  limit.clear("a");
  expect(limit.take("a", 0)).toBe(0);
  limit.take("b", 0);
  limit.take("c", 0);
  expect(limit.take("a", 0)).toBe(0);
  expect(limit.take("c", 0)).toBe(100);
});
