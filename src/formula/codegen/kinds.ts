/**
 * The kinds of values that an expression of a row function may have, as a set of bits. A generated function represents
 * None, bools and texts like the interpreter. Ints are JavaScript numbers within ±(2^53 − 1), never −0; all others are
 * left to the interpreter. An int and a float therefore look the same at run time and are distinguished by their
 * static kind alone.
 */
export type Kinds = number;

export const NULL = 1;
export const BOOL = 2;
export const INT = 4;
export const FLOAT = 8;
export const TEXT = 16;
/** A date or another object of the interpreter, which has no truth value or operator of its own here. */
export const OBJECT = 32;
/** Every other value: the function must not use it, but fall back to the interpreter. */
export const OTHER = 64;

/** A number that may be an int or a float. */
export const NUMBER = INT | FLOAT;
/** Values of arithmetic: a bool is an int. */
export const NUMERIC = NUMBER | BOOL;
export const ALL = NULL | BOOL | NUMBER | TEXT | OBJECT;

export const isOnly = (kinds: Kinds, allowed: Kinds): boolean => (kinds & ~allowed) === 0;
export const mayBe = (kinds: Kinds, some: Kinds): boolean => (kinds & some) !== 0;

/** Returns a JavaScript condition that is true for values of these kinds, which the identifier may hold. */
export function testOfKinds(id: string, kinds: Kinds, numberTest = `typeof ${id} === "number"`): string {
  const tests = [
    mayBe(kinds, NUMBER) ? numberTest : "",
    mayBe(kinds, TEXT) ? `typeof ${id} === "string"` : "",
    mayBe(kinds, BOOL) ? `typeof ${id} === "boolean"` : "",
    mayBe(kinds, OBJECT) ? `${id} instanceof PyObject` : "",
    mayBe(kinds, NULL) ? `${id} === null` : "",
  ].filter((test) => test !== "");
  return tests.length === 0 ? "false" : tests.join(" || ");
}
