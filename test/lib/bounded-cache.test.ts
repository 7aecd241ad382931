import { expect, test } from "bun:test";
import { BoundedCache } from "../../src/lib/bounded-cache.ts";

test("returns the cached value without computing it again", () => {
  const cache = new BoundedCache<string, { text: string }>({ maxEntries: 1000 });
  const find = (text: string) => ({ text });
  const first = cache.get("a", find);
  expect(first).toEqual({ text: "a" });
  expect(cache.get("a", find)).toBe(first);
  expect(cache.get("b", find)).toEqual({ text: "b" });
});

test("limits the number of entries, and does not cache long keys", () => {
  const cache = new BoundedCache<string, number>({ maxEntries: 3, maxKeyLength: 300 });
  for (let i = 0; i < 100; i++) {
    expect(cache.get(String(i), Number)).toBe(i);
    expect(cache.size).toBeLessThanOrEqual(3);
  }
  const before = cache.size;
  expect(cache.get("x".repeat(301), (text) => text.length)).toBe(301);
  expect(cache.size).toBe(before);
});

test("computes undefined values again, and all values after clear", () => {
  const cache = new BoundedCache<number, string | null | undefined>({ maxEntries: 10 });
  const asked: number[] = [];
  const find = (found: string | null | undefined) => (key: number) => {
    asked.push(key);
    return found;
  };
  expect([cache.get(1, find(undefined)), cache.get(1, find("one")), cache.get(1, find("two"))]).toEqual([
    undefined,
    "one",
    "one",
  ]);
  expect([cache.get(2, find(null)), cache.get(2, find("two"))]).toEqual([null, null]);
  cache.clear();
  expect(cache.get(1, find("other"))).toBe("other");
  expect(asked).toEqual([1, 1, 2, 1]);
});
