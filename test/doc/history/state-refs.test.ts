import { describe, expect, test } from "bun:test";
import { relate } from "../../../src/doc/history/relate-histories.ts";
import { findState } from "../../../src/doc/history/state-refs.ts";

const states = [5, 4, 3, 2].map((n) => ({ n, h: `hash${n}` }));

describe("state references", () => {
  const good: [text: string, n: number][] = [
    ["HEAD", 5],
    ["HEAD~0", 5],
    ["HEAD~", 4],
    ["HEAD^", 4],
    ["HEAD~2", 3],
    ["HEAD^^", 3],
    ["HEAD~^~1", 2],
    ["hash4", 4],
    ["hash4~2", 2],
  ];
  test.each(good)("%s", (text, n) => expect(states[findState(states, text, "left")]?.n).toBe(n));

  const bad = [
    "",
    "~1",
    "head",
    "hash9",
    "HEAD~4",
    "hash2~",
    "HEAD~x",
    "HEAD^2",
    "HEAD~1 ",
    "HEAD~99999999999999999999",
  ];
  test.each(bad)("refuses %p", (text) => expect(() => findState(states, text, "left")).toThrow(/left/));
});

describe("relations of two documents", () => {
  const other = (...hashes: string[]) => hashes.map((h, i) => ({ n: hashes.length - i, h }));
  test.each([
    ["same", other("b", "a"), other("b", "a"), "b"],
    ["left", other("c", "b", "a"), other("b", "a"), "b"],
    ["right", other("b", "a"), other("d", "c", "b", "a"), "b"],
    ["both", other("c", "b", "a"), other("d", "b", "a"), "b"],
    ["unrelated", other("b", "a"), other("d", "c"), undefined],
  ] as const)("%s", (summary, left, right, parent) => {
    const found = relate(left, right);
    expect(found).toMatchObject({ summary, left: left[0], right: right[0] });
    expect(found.parent?.h).toBe(parent as string);
  });
});
