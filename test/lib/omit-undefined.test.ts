import { expect, test } from "bun:test";
import { omitUndefined } from "../../src/lib/omit-undefined.ts";

test("omits undefined entries, keeps null and empty ones", () => {
  expect(omitUndefined({ a: undefined, b: null, c: "", d: 0, e: false })).toStrictEqual({
    b: null,
    c: "",
    d: 0,
    e: false,
  });
});
