import { expect, test } from "bun:test";
import { fixedDigits, roundFloat, scaledDigits } from "../../src/formula/runtime/numbers/numbers.ts";
import { evaluate } from "./evaluate.ts";
import { randomNumbers } from "./random-formula.ts";

const random = randomNumbers(1);

/** Numbers with few binary or decimal places, and numbers of all magnitudes. */
function randomFloat(index: number): number {
  const whole = Math.floor(random() * 1e6);
  const magnitude = 10 ** (Math.floor(random() * 40) - 20);
  return [whole / 8, whole / 1000, whole + 0.5, random(), random() * magnitude, (whole + 0.5) / 100][index % 6] ?? 0;
}

function fixedByExactArithmetic(size: number, places: number): string {
  const digits = scaledDigits(size, places)
    .toString()
    .padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  return places > 0 ? `${whole}.${digits.slice(digits.length - places)}` : whole;
}

test("rounding with floats agrees with exact arithmetic", () => {
  for (let index = 0; index < 100_000; index++) {
    const size = randomFloat(index);
    const places = Math.floor(random() * (index % 5 === 0 ? 20 : 4));
    const expected = fixedByExactArithmetic(size, places);
    expect([size, places, fixedDigits(size, places)]).toEqual([size, places, expected]);
    expect([size, places, roundFloat(-size, places)]).toEqual([size, places, -Number(expected)]);
  }
});

test.each([
  ["round(2.675, 2)", "2.67"],
  ["round(0.125, 2)", "0.12"],
  ["round(0.375, 2)", "0.38"],
  ["round(-0.5, 0)", "-0.0"],
  ["round(1e22, 2)", "1e+22"],
  ["f'{0.125:.2f} {2.5:.0f} {1e15 + 0.3:.1f}'", "'0.12 2 1000000000000000.2'"],
  ["'  a  '.strip(' ') + '|'", "'a|'"],
  ["'😀a😀'.strip('😀')", "'a'"],
  ["'xxaxx'.lstrip('x') + 'xxaxx'.rstrip('yx')", "'axxxxa'"],
  ["TRIM('  a   b ')", "'a b'"],
])("%s", (formula, result) => {
  expect(evaluate(formula)).toBe(result);
});
