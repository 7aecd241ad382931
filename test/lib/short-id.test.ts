import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { shortIdOf, uuidOfShortId } from "../../src/lib/short-id.ts";

test.each([
  ["00000000-0000-0000-0000-000000000000", "1111111111111111111111"],
  ["00000000-0000-0000-0000-00000000003a", "1111111111111111111121"],
  ["a44521d0-0fb8-4ade-8002-3385545c3318", "mhvXdrZT4jP5T8vBxuvm75"],
  ["ffffffff-ffff-ffff-ffff-ffffffffffff", "xBuEXKpA6iqZQK5Kf2TnkV"],
])("%s is %s", (uuid, short) => {
  expect(shortIdOf(uuid)).toBe(short);
  expect(uuidOfShortId(short)).toBe(uuid);
});

test("any UUID survives the round trip in 22 characters", () => {
  for (let i = 0; i < 1000; i++) {
    const uuid = randomUUID();
    const short = shortIdOf(uuid);
    expect(short).toMatch(/^[1-9a-km-zA-HJ-NP-Z]{22}$/);
    expect(uuidOfShortId(short)).toBe(uuid);
  }
});

test.each([
  ["empty", ""],
  ["too short", "1".repeat(21)],
  ["too long", "1".repeat(23)],
  ["beyond 128 bits", "xBuEXKpA6iqZQK5Kf2TnkW"],
  ["the largest of 22 characters", "Z".repeat(22)],
  ["other letters", `${"1".repeat(21)}0`],
  ["other letters", `${"1".repeat(21)}l`],
  ["a dash", `${"1".repeat(21)}-`],
  ["more than one code unit", `${"1".repeat(20)}😀`],
])("returns null for invalid text: %s", (_, text) => {
  expect(uuidOfShortId(text)).toBe(null);
});
