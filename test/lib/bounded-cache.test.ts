import { expect, test } from "bun:test";
import { BoundedCache } from "../../src/lib/bounded-cache.ts";

test("what was found for a text is not looked for again", () => {
  const recent = new BoundedCache<string, { text: string }>({ maxEntries: 1000 });
  const find = (text: string) => ({ text });
  const first = recent.get("a", find);
  expect(first).toEqual({ text: "a" });
  expect(recent.get("a", find)).toBe(first);
  expect(recent.get("b", find)).toEqual({ text: "b" });
});

test("it remembers no more than it may, and no long texts", () => {
  const recent = new BoundedCache<string, number>({ maxEntries: 3, maxKeyLength: 300 });
  for (let i = 0; i < 100; i++) {
    expect(recent.get(String(i), Number)).toBe(i);
    expect(recent.size).toBeLessThanOrEqual(3);
  }
  const before = recent.size;
  expect(recent.get("x".repeat(301), (text) => text.length)).toBe(301);
  expect(recent.size).toBe(before);
});

test("what was not found is looked for again, and so is all that was forgotten", () => {
  const recent = new BoundedCache<number, string | null | undefined>({ maxEntries: 10 });
  const asked: number[] = [];
  const find = (found: string | null | undefined) => (key: number) => {
    asked.push(key);
    return found;
  };
  expect([recent.get(1, find(undefined)), recent.get(1, find("one")), recent.get(1, find("two"))]).toEqual([
    undefined,
    "one",
    "one",
  ]);
  expect([recent.get(2, find(null)), recent.get(2, find("two"))]).toEqual([null, null]);
  recent.clear();
  expect(recent.get(1, find("other"))).toBe("other");
  expect(asked).toEqual([1, 1, 2, 1]);
});
