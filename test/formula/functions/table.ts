import { describe, expect, test } from "bun:test";
import { evaluate, type Row } from "../evaluate.ts";

/** Formulas by subject, each with Python's `repr` of the result, or the type name of the error. */
export type Tables = Readonly<Record<string, readonly (readonly [formula: string, result: string])[]>>;

/** Tests each formula of the tables for a row. */
export function testTables(tables: Tables, row: Row = {}): void {
  for (const [subject, cases] of Object.entries(tables)) {
    describe(subject, () => {
      test.each([...cases])("%s", (formula, result) => {
        expect(evaluate(formula, row)).toBe(result);
      });
    });
  }
}
