import { expect, test } from "bun:test";
import { Recent } from "../../src/lib/recent.ts";

test("what was found for a text is not looked for again", () => {
  const recent = new Recent<{ text: string }>();
  const find = (text: string) => ({ text });
  const first = recent.get("a", find);
  expect(first).toEqual({ text: "a" });
  expect(recent.get("a", find)).toBe(first);
  expect(recent.get("b", find)).toEqual({ text: "b" });
});

test("it remembers no more than it may, and no long texts", () => {
  const recent = new Recent<number>(3);
  for (let i = 0; i < 100; i++) {
    expect(recent.get(String(i), Number)).toBe(i);
    expect(recent.size).toBeLessThanOrEqual(3);
  }
  const before = recent.size;
  expect(recent.get("x".repeat(301), (text) => text.length)).toBe(301);
  expect(recent.size).toBe(before);
});
