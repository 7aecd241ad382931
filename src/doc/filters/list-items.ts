import type { Truth } from "./condition.ts";
import { type Comparison, typeOf } from "./filter-table.ts";
import { cellKindOf, invalidOperand } from "./operators.ts";
import { readText } from "./operands.ts";
import { referencedIds } from "./references.ts";

interface ItemTests {
  /** A test for each operand. */
  readonly tests: readonly ((item: unknown) => Truth)[];
  /** Texts of which the stored list contains one if an item passes its test; fewer than tests where not all have one. */
  readonly searched: readonly string[];
}

/** JSON writes these characters as they are, in all programs that write documents. */
export const PLAIN_TEXT = /^[ !#-.0-[\]-~]+$/;

/** More are not worth searching. */
const MAX_SEARCHED = 20;

/** Returns tests of list items by a list of operands. @throws AppError `invalid` */
export function itemTests(comparison: Comparison & { readonly operand: readonly unknown[] }): ItemTests {
  const { field, name, operand } = comparison;
  const kind = cellKindOf(typeOf(field));
  if (kind === "refs") return referenceTests(comparison);
  if (kind === "choices") {
    const texts = operand.map((one) => readText({ ...comparison, operand: one }));
    const tests = texts.map((text) => (item: unknown) => item === text);
    const plain = texts.filter((text) => PLAIN_TEXT.test(text));
    return { tests, searched: texts.length <= MAX_SEARCHED ? plain : [] };
  }
  const isPrimitive = (one: unknown) => one === null || ["number", "string", "boolean"].includes(typeof one);
  if (!operand.every(isPrimitive)) throw invalidOperand(name, "must contain numbers, texts, true or false");
  return { tests: operand.map((one) => (item: unknown) => item === one), searched: [] };
}

function referenceTests(comparison: Comparison & { readonly operand: readonly unknown[] }): ItemTests {
  const sets = comparison.operand.map((one) => referencedIds(comparison, [one]));
  const tests = sets.map(({ values, unknown }) => (item: unknown): Truth => {
    if (values.has(item as number)) return true;
    return unknown?.has(item as number) ? undefined : false;
  });
  const isFew = sets.length <= MAX_SEARCHED && sets.every(({ values, unknown }) => values.size === 1 && !unknown?.size);
  return { tests, searched: isFew ? sets.flatMap(({ values }) => [...values].map(String)) : [] };
}
