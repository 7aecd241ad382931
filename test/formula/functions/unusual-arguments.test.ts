import { describe, expect, test } from "bun:test";
import { AltText } from "../../../src/formula/runtime/values.ts";
import { evaluate } from "../evaluate.ts";
import table from "./unusual-arguments.json";

/**
 * Library functions with arguments of unusual types. The table holds random combinations of 37 arguments (numbers of
 * all types, texts, bytes, collections, dates, texts in a numeric column, None, a lambda), each with the `repr` of the
 * result or the type name of the error. It was generated with CPython 3.11 from definitions of the functions in Python,
 * and excludes values that depend on the clock or on memory addresses.
 */
const ROW = { Stray: new AltText("not a number", "Numeric"), StrayNumber: new AltText("2.5", "Numeric") };

for (const [name, calls] of Object.entries(table)) {
  describe(`${name} with arguments of unusual types`, () => {
    test.each(calls.map(([call = "", result = ""]) => [call, result]))("%s", (call, result) => {
      expect(evaluate(call, ROW)).toBe(result);
    });
  });
}
