import { describe, expect, test } from "bun:test";
import { evaluate, type Row } from "../evaluate.ts";

/** Formulas by subject, each with what it gives as Python's `repr`, or the type's name of the error. */
export type Tables = Readonly<Record<string, readonly (readonly [formula: string, result: string])[]>>;

/** Tests each formula of the tables, by a row whose columns formulas may read. */
export function testTables(tables: Tables, row: Row = {}): void {
  for (const [subject, cases] of Object.entries(tables)) {
    describe(subject, () => {
      test.each([...cases])("%s", (formula, result) => {
        expect(evaluate(formula, row)).toBe(result);
      });
    });
  }
}
