import { describe, expect, test } from "bun:test";
import { marshal, unmarshal } from "../../src/values/marshal.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const bytes = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(" ", ""), "hex"));

/** Values with their only encoding. */
const SAME: [value: unknown, form: string][] = [
  [null, "4e"],
  [true, "54"],
  [false, "46"],
  [0, "69 00000000"],
  [-1, "69 ffffffff"],
  [2_147_483_647, "69 ffffff7f"],
  [-2_147_483_648, "69 00000080"],
  [2_147_483_648, "67 000000000000e041"],
  [0.5, "67 000000000000e03f"],
  [-0, "67 0000000000000080"],
  [Infinity, "67 000000000000f07f"],
  ["", "75 00000000"],
  ["né", "75 03000000 6ec3a9"],
  ["😀", "75 04000000 f09f9880"],
  [[], "5b 00000000"],
  [["L", 1, [true]], "5b 03000000 7501000000 4c 6901000000 5b01000000 54"],
  [{ k: null }, "7b 75010000006b 4e 30"],
  [9_007_199_254_740_993n, "49 0100000000002000"],
  [-(2n ** 70n), "6c fbffffff 0000 0000 0000 0000 0004"],
];

test.each(SAME)("%p has one form", (value, form) => {
  expect(hex(marshal(value))).toBe(form.replaceAll(" ", ""));
  expect(unmarshal(bytes(form))).toEqual(value);
});

/** Encodings that are decoded but never written. */
const READ: [form: string, value: unknown][] = [
  ["49 2a00000000000000", 42],
  ["49 ffffffffffffffff", -1],
  ["6c 01000000 0700", 7],
  ["6c ffffffff 0700", -7],
  ["6c 02000000 0100 0100", 32_769],
  ["6c 00000000", 0],
  ["66 03 322e35", 2.5],
  ["66 03 6e616e", NaN],
  ["66 04 2d696e66", -Infinity],
  ["73 02000000 6869", "hi"],
  ["73 02000000 ff00", new Uint8Array([255, 0])],
  ["28 02000000 69 01000000 4e", [1, null]],
  ["5b 03000000 74 01000000 61 74 01000000 62 52 01000000", ["a", "b", "b"]],
  ["7b 69 05000000 54 30", { 5: true }],
  ["67 000000000000f87f", NaN],
];

test.each(READ)("%s is read", (form, value) => {
  expect(unmarshal(bytes(form))).toEqual(value);
});

test("decodes integers beyond 2^53 as the nearest number on request", () => {
  expect(unmarshal(marshal([2n ** 60n, -(2n ** 100n)]), "number")).toEqual([2 ** 60, -(2 ** 100)]);
});

test("keeps __proto__ as an own key", () => {
  const value: unknown = JSON.parse('{"__proto__": {"polluted": 1}}');
  const read = unmarshal(marshal(value)) as object;
  expect(Object.keys(read)).toEqual(["__proto__"]);
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});

test("decodes a view of a larger buffer", () => {
  const whole = bytes("ffff 69 05000000 ffff");
  expect(unmarshal(whole.subarray(2, 7))).toBe(5);
});

const BROKEN: [why: string, form: string][] = [
  ["nothing at all", ""],
  ["an unknown code", "7a"],
  ["a stop outside a mapping", "30"],
  ["a stop in a list", "5b 01000000 30"],
  ["a number cut short", "69 0000"],
  ["a text longer than what follows", "75 05000000 6162"],
  ["a text of negative length", "75 ffffffff"],
  ["a list of four billion", "5b ffffffff 4e"],
  ["a long integer cut short", "6c 04000000 0100"],
  ["a long integer of two billion digits", "6c ffffff7f 0100"],
  ["the most negative count", "6c 00000080"],
  ["a mapping without an end", "7b 7501000000 6b 4e"],
  ["a mapping that ends after a key", "7b 7501000000 6b 30"],
  ["a list as a key", "7b 5b00000000 4e 30"],
  ["a reference to nothing", "52 00000000"],
  ["a negative reference", "52 ffffffff"],
  ["text that is no UTF-8", "75 01000000 ff"],
  ["a number of letters", "66 02 7878"],
  ["a value after the value", "4e 4e"],
];

test.each(BROKEN)("%s is refused", (_, form) => {
  expect(() => unmarshal(bytes(form))).toThrow(Error);
});

describe("nesting", () => {
  test("rejects deep lists without overflowing the stack", () => {
    const deep = new Uint8Array(50_000).fill(0).map((_, at) => (at % 5 === 0 ? 0x5b : at % 5 === 1 ? 1 : 0));
    expect(() => unmarshal(deep)).toThrow("nested too deeply");
  });

  test("decodes every encoded value", () => {
    let value: unknown = 1;
    for (let level = 0; level < 490; level++) value = [value];
    expect(unmarshal(marshal(value))).toEqual(value);
    for (let level = 0; level < 20; level++) value = [value];
    expect(() => marshal(value)).toThrow("nested too deeply");
  });
});

test("rejects every truncation of a value", () => {
  const whole = marshal(["O", { a: ["L", 1, 2.5, "x"], b: { c: null } }, 2n ** 80n]);
  for (let length = 0; length < whole.length; length++) {
    expect(() => unmarshal(whole.subarray(0, length))).toThrow(Error);
  }
});

test("only ever throws for random bytes", () => {
  let seed = 12_345;
  const next = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) >> 16;
  for (let round = 0; round < 2000; round++) {
    const codes = "NTFiIlgfustR[({0";
    const random = Uint8Array.from({ length: 40 }, (_, at) =>
      at % 5 === 0 ? codes.charCodeAt(next() % codes.length) : next() % 4 === 0 ? next() % 256 : 0,
    );
    try {
      unmarshal(random);
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
    }
  }
});

test("rejects functions and symbols", () => {
  expect(() => marshal(() => 1)).toThrow("cannot marshal");
  expect(() => marshal([Symbol("x")])).toThrow("cannot marshal");
});
