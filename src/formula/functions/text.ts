import { readAttribute } from "../attributes.ts";
import { spendBytes } from "../budget.ts";
import { valueError } from "../errors.ts";
import { defineFunction, wantInt } from "../signature.ts";
import { readSlice } from "../slices.ts";
import { PyFunction, pyLength, pyStr, type PyValue } from "../values.ts";

const WITH_COUNT = { required: ["string"], optional: [["num_chars", 1n]] } as const;

/** The library's functions on texts. */
export const TEXT_FUNCTIONS: readonly PyFunction[] = [
  /** CONCATENATE(value, …): the values as texts, one after the other. */
  defineFunction("CONCATENATE", { required: ["string"], rest: true }, concatenate),
  defineFunction("CONCAT", { required: ["string"], rest: true }, concatenate),
  /** LEN(text): its characters; of a list, its elements. */
  defineFunction("LEN", { required: ["text"] }, ([text = null]) => BigInt(pyLength(text))),
  /** LEFT(text, num_chars=1) */
  defineFunction("LEFT", WITH_COUNT, ([text = null, count]) => readSlice(text, null, wantCount(count), null)),
  /** RIGHT(text, num_chars=1): with 0, all of the text. */
  defineFunction("RIGHT", WITH_COUNT, ([text = null, count]) => readSlice(text, -wantCount(count), null, null)),
  /** UPPER(text) */
  defineFunction("UPPER", { required: ["text"] }, ([text = null]) => callMethod(text, "upper")),
  /** LOWER(text) */
  defineFunction("LOWER", { required: ["text"] }, ([text = null]) => callMethod(text, "lower")),
];

function concatenate(args: readonly PyValue[]): PyValue {
  const texts = args.map(pyStr);
  for (const text of texts) spendBytes(text.length * 2);
  return texts.join("");
}

function wantCount(count: PyValue | undefined): bigint {
  const number = wantInt(count);
  if (number < 0n) throw valueError("num_chars invalid");
  return number;
}

/** What is no text has no such method, which is the error that formulas get. */
function callMethod(value: PyValue, name: string): PyValue {
  const method = readAttribute(value, name);
  return method instanceof PyFunction ? method.call([], new Map()) : method;
}
