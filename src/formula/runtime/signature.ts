import { spendSteps } from "./budget.ts";
import { extraCallSteps } from "./call-costs.ts";
import { PyDict } from "./collections/dicts.ts";
import { type PyError, typeError } from "./errors.ts";
import { intToFloat } from "./numbers/numbers.ts";
import { type Keywords, numberOf, PyFunction, PyObject, PyTuple, type PyValue, typeName } from "./values.ts";

/** The parameters of a built-in function, in order: `required`, then `optional` with their defaults. */
export interface Signature {
  readonly required?: readonly string[];
  readonly optional?: readonly (readonly [name: string, standard: PyValue])[];
  /** Accepts further positional arguments. Optional parameters are then keyword-only. */
  readonly rest?: boolean;
  /** Parameter names appear in messages only, as for most built-in functions of Python. */
  readonly positionalOnly?: boolean;
  /** Optional parameters are keyword-only. */
  readonly keywordOnly?: boolean;
  /** Accepts keywords of any name: a dict of them is the last argument. */
  readonly anyKeywords?: boolean;
}

/** The default of omitted arguments where None is a valid argument. */
export const NOT_GIVEN: PyValue = new PyTuple([]);

/**
 * Returns one value per parameter, with defaults filled in; with `rest`, all positional arguments after them. Throws
 * PyError TypeError when the arguments do not match the signature.
 */
export function bindArguments(
  name: string,
  signature: Signature,
  positional: readonly PyValue[],
  keywords: Keywords,
): PyValue[] {
  const { required = [], optional = [], rest = false, positionalOnly = false, anyKeywords = false } = signature;
  const positionalValues = rest || signature.keywordOnly ? required.length : required.length + optional.length;
  if (!rest && positional.length > positionalValues) throw wrongArgumentCount(name, signature, positional.length);
  if (keywords.size === 0 && !rest && !anyKeywords && positional.length >= required.length) {
    // Fast path without keywords: fill in defaults.
    const filled = [...positional];
    for (let index = filled.length - required.length; index < optional.length; index++) {
      const defaultValue = optional[index]?.[1];
      if (defaultValue !== undefined) filled.push(defaultValue);
    }
    return filled;
  }
  const unused = new Map(keywords);
  const bound: PyValue[] = [];
  const names = [...required, ...optional.map(([parameter]) => parameter)];
  for (const [index, parameter] of names.entries()) {
    const byKeyword = positionalOnly ? undefined : unused.get(parameter);
    const value = index < positionalValues ? positional[index] : undefined;
    if (value !== undefined && byKeyword !== undefined) {
      throw typeError(`${name}() got multiple values for argument '${parameter}'`);
    }
    const defaultValue = optional[index - required.length]?.[1];
    const argument = value ?? byKeyword ?? (value === null || byKeyword === null ? null : defaultValue);
    if (argument === undefined) throw missingArgumentsError(name, signature, positional.length, keywords);
    bound.push(argument);
    if (!positionalOnly) unused.delete(parameter);
  }
  if (anyKeywords) return [...bound, PyDict.of(unused), ...positional.slice(positionalValues)];
  const [unknown] = unused.keys();
  if (unknown !== undefined) throw typeError(`${name}() got an unexpected keyword argument '${unknown}'`);
  return rest ? [...bound, ...positional.slice(positionalValues)] : bound;
}

/** Returns the error for a wrong number of positional arguments, in the words of CPython. */
function wrongArgumentCount(name: string, signature: Signature, positionalCount: number): PyError {
  const { required = [], positionalOnly = false, keywordOnly = false } = signature;
  const minCount = required.length;
  const maxCount = minCount + (keywordOnly ? 0 : (signature.optional?.length ?? 0));
  if (positionalOnly) {
    if (maxCount === 0) return typeError(`${name}() takes no arguments (${positionalCount} given)`);
    if (maxCount === 1 && minCount === 1)
      return typeError(`${name}() takes exactly one argument (${positionalCount} given)`);
    const [limit, count] = positionalCount < minCount ? ["least ", minCount] : ["most ", maxCount];
    return typeError(
      `${name} expected ${minCount === maxCount ? "" : `at ${limit}`}${count} argument${count === 1 ? "" : "s"}, got ${positionalCount}`,
    );
  }
  const range = minCount === maxCount ? String(maxCount) : `from ${minCount} to ${maxCount}`;
  const noun = minCount === maxCount && maxCount === 1 ? "argument" : "arguments";
  return typeError(
    `${name}() takes ${range} positional ${noun} but ${positionalCount} ${positionalCount === 1 ? "was" : "were"} given`,
  );
}

function missingArgumentsError(
  name: string,
  signature: Signature,
  positionalCount: number,
  keywords: Keywords,
): PyError {
  const { required = [], rest = false } = signature;
  if (signature.positionalOnly) {
    return rest
      ? typeError(
          `${name} expected at least ${required.length} argument${required.length === 1 ? "" : "s"}, got ${positionalCount}`,
        )
      : wrongArgumentCount(name, signature, positionalCount);
  }
  const missing = required.slice(positionalCount).filter((parameter) => !keywords.has(parameter));
  const quoted = missing.map((parameter) => `'${parameter}'`);
  const last = quoted.length > 2 ? `, and ${quoted.at(-1)}` : ` and ${quoted.at(-1)}`;
  const list = quoted.length === 1 ? quoted.join("") : quoted.slice(0, -1).join(", ") + last;
  return typeError(
    `${name}() missing ${quoted.length} required positional argument${quoted.length === 1 ? "" : "s"}: ${list}`,
  );
}

/** Creates a function with a signature; `body` gets the result of `bindArguments`. */
export function defineFunction(
  name: string,
  signature: Signature,
  body: (args: readonly PyValue[]) => PyValue,
): PyFunction {
  const call: PyFunction["call"] = (positional, keywords) => body(bindArguments(name, signature, positional, keywords));
  const steps = extraCallSteps(name);
  if (steps === 0) return new PyFunction(name, call);
  return new PyFunction(name, (positional, keywords) => {
    spendSteps(steps);
    return call(positional, keywords);
  });
}

/** Returns an argument that must be a string. Throws PyError TypeError. */
export function requireText(value: PyValue | undefined): string {
  if (typeof value === "string") return value;
  const payload = value instanceof PyObject ? value.payload : undefined;
  if (typeof payload === "string") return payload;
  throw typeError(`expected str instance, ${typeName(value ?? null)} found`);
}

/**
 * Returns an argument that must be an int or bool, as a number for use as an index: beyond 2^53 it is inexact. Throws
 * PyError TypeError.
 */
export function requireIndex(value: PyValue | undefined): number {
  return Number(requireInt(value));
}

/** Returns an argument that must be a number of any type, as a float. Throws PyError TypeError. */
export function requireFloat(value: PyValue | undefined): number {
  const argument = value ?? null;
  const number = numberOf(argument);
  if (number !== undefined) return typeof number === "bigint" ? intToFloat(number) : number;
  const float = argument instanceof PyObject ? argument.toFloat() : undefined;
  if (float === undefined) throw typeError(`must be real number, not ${typeName(argument)}`);
  return float;
}

export function requireInt(value: PyValue | undefined): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "boolean") return BigInt(value);
  const index = value instanceof PyObject ? value.index() : undefined;
  if (index !== undefined) return index;
  throw typeError(`'${typeName(value ?? null)}' object cannot be interpreted as an integer`);
}
