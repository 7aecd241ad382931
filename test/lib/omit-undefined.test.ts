import { expect, test } from "bun:test";
import { omitUndefined } from "../../src/lib/omit-undefined.ts";

test("what is undefined is left out, what is null or empty stays", () => {
  expect(omitUndefined({ a: undefined, b: null, c: "", d: 0, e: false })).toStrictEqual({
    b: null,
    c: "",
    d: 0,
    e: false,
  });
});
