import { PyError } from "../runtime/errors.ts";
import { defineFunction, requireInt } from "../runtime/signature.ts";
import type { PyFunction } from "../runtime/values.ts";
import { callTextMethod } from "./text-arguments.ts";
import { toInt } from "./python.ts";

const DIGITS: readonly (readonly [text: string, value: number])[] = [
  ["M", 1000],
  ["CM", 900],
  ["D", 500],
  ["CD", 400],
  ["C", 100],
  ["XC", 90],
  ["L", 50],
  ["XL", 40],
  ["X", 10],
  ["IX", 9],
  ["V", 5],
  ["IV", 4],
  ["I", 1],
];

const ROMAN = /^M{0,4}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/;

export const ROMAN_FUNCTIONS: readonly PyFunction[] = [
  /** ARABIC(roman_numeral): the int value. */
  defineFunction("ARABIC", { required: ["roman_numeral"] }, ([text = null]) => {
    const numeral = callTextMethod(text, "upper");
    if (numeral === "N") return 0n;
    if (typeof numeral !== "string" || numeral === "" || !ROMAN.test(numeral)) {
      throw new PyError("InvalidRomanNumeralError", "not a Roman numeral");
    }
    return BigInt(readRoman(numeral));
  }),
  /** ROMAN(number, form_unused=None): a Roman numeral; 0 is N. */
  defineFunction("ROMAN", { required: ["number"], optional: [["form_unused", null]] }, ([value = null]) => {
    const number = Number(requireInt(toInt([value])));
    if (number < 0 || number > 4999) throw new PyError("OutOfRangeError", "the number must be from 0 to 4999");
    return number === 0 ? "N" : writeRoman(number);
  }),
];

function readRoman(numeral: string): number {
  let rest = numeral;
  let sum = 0;
  for (const [text, value] of DIGITS) {
    for (; rest.startsWith(text); rest = rest.slice(text.length)) sum += value;
  }
  return sum;
}

function writeRoman(number: number): string {
  let rest = number;
  let numeral = "";
  for (const [text, value] of DIGITS) {
    for (; rest >= value; rest -= value) numeral += text;
  }
  return numeral;
}
