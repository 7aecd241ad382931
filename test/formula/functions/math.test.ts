import { describe, expect, test } from "bun:test";
import { withContext } from "../../../src/formula/runtime/evaluation-context.ts";
import { evaluate } from "../evaluate.ts";
import { testTables } from "./table.ts";

testTables({
  rounding: [
    ["ROUND(2.5)", "3.0"],
    ["ROUND(-2.5)", "-3.0"],
    ["ROUND(8.125, 2)", "8.13"],
    ["ROUND(451, -2)", "500.0"],
    ["ROUND('2')", "TypeError"],
    ["ROUNDUP(6.01)", "7"],
    ["ROUNDUP(-6.01)", "-7"],
    ["ROUNDUP(6.011, 2)", "6.0200000000000005"],
    ["ROUNDUP(612, -1)", "620"],
    ["ROUNDDOWN(7.77, 2)", "7.76"],
    ["ROUNDDOWN(-6.9)", "-6"],
    ["TRUNC(98.76, 1)", "98.7"],
    ["TRUNC(98, -1)", "90"],
    ["INT(-0.5)", "-1"],
    ["INT(float('nan'))", "ValueError"],
    ["CEILING(6.2)", "7"],
    ["CEILING(-6.2, 4)", "-4"],
    ["CEILING(-6.2, -4)", "-8"],
    ["CEILING(1, 0)", "ZeroDivisionError"],
    ["FLOOR(6.2, 4)", "4"],
    ["FLOOR(6.2, -4)", "ValueError"],
    ["MROUND(13, 5)", "15.0"],
    ["MROUND(-13, 5)", "ValueError"],
    ["EVEN(3.1)", "4"],
    ["EVEN(-3.1)", "-4"],
    ["ODD(4)", "5"],
    ["ODD(0.2)", "1"],
    ["ODD(-4)", "-5"],
  ],
  "whole numbers": [
    ["MOD(-5, 3)", "1"],
    ["MOD(5, -3)", "-1"],
    ["MOD('%d apples', 3)", "'3 apples'"],
    ["QUOTIENT(-9, 4)", "-2"],
    ["GCD(18, 0, 30)", "6"],
    ["GCD()", "TypeError"],
    ["GCD(-3)", "ValueError"],
    ["LCM(4, 6, 10)", "60"],
    ["LCM(4, 0)", "0"],
    ["FACT(6)", "720"],
    ["FACT(6.9)", "720"],
    ["FACT(-2)", "ValueError"],
    ["FACT(10 ** 9)", "MemoryError"],
    ["FACTDOUBLE(9)", "945"],
    ["FACTDOUBLE(0)", "TypeError"],
    ["COMBIN(6, 4)", "15"],
    ["COMBIN(4, 6)", "TypeError"],
    ["MULTINOMIAL(1, 2, 3)", "60"],
    ["NUM(8.0)", "8"],
    ["NUM(8.5)", "8.5"],
    ["NUM('8.0')", "'8.0'"],
    ["SIGN(-12)", "-1"],
    ["ABS(-12)", "12"],
  ],
  floats: [
    ["SQRT(16)", "4.0"],
    ["SQRT(-16)", "ValueError"],
    ["SQRT('16')", "TypeError"],
    ["POWER(3, 4)", "81.0"],
    ["POWER(-3, 0.5)", "ValueError"],
    ["POWER(10, 400)", "OverflowError"],
    ["POWER(0, -1)", "ValueError"],
    ["EXP(800)", "OverflowError"],
    ["LN(1)", "0.0"],
    ["LN(0)", "ValueError"],
    ["LN(10 ** 400)", "921.0340371976182"],
    ["LOG(8, 2)", "3.0"],
    ["LOG(8, 1)", "ZeroDivisionError"],
    ["LOG10(1000)", "3.0"],
    ["ATAN2(0, 1)", "1.5707963267948966"],
    ["ATANH(1)", "ValueError"],
    ["COSH(1000)", "OverflowError"],
    ["DEGREES(PI())", "180.0"],
    ["RADIANS(180)", "3.141592653589793"],
  ],
  "Roman numerals": [
    ["ROMAN(1994)", "'MCMXCIV'"],
    ["ROMAN(0)", "'N'"],
    ["ROMAN(5000)", "OutOfRangeError"],
    ["ROMAN('x')", "ValueError"],
    ["ARABIC('MCMXCIV')", "1994"],
    ["ARABIC('iv')", "4"],
    ["ARABIC('IIX')", "InvalidRomanNumeralError"],
    ["ARABIC(4)", "AttributeError"],
  ],
  sums: [
    ["SUM(4, [5, (6, 7)], 'x', None)", "9"],
    ["SUM(True, 2.5)", "3.5"],
    ["SUM(n * n for n in range(4))", "14"],
    ["SUM(n for n in [1, 1 / 0])", "ZeroDivisionError"],
    ["SUM()", "TypeError"],
    ["PRODUCT([2, 3], 4, True)", "24"],
    ["PRODUCT(None)", "TypeError"],
    ["SUMPRODUCT([1, 2, 3], [4, 5])", "14"],
    ["SERIESSUM(2, 1, 2, [1, 1, 1])", "42"],
    ["SUMIF([1], '>0', [2])", "NotImplementedError"],
    ["SUMIF([1])", "TypeError"],
    ["SUMSQ(1, 2)", "NotImplementedError"],
  ],
});

describe("random numbers", () => {
  const numbers = [0, 0.25, 0.999];
  const drawn = (formula: string): string[] =>
    numbers.map((number) => withContext({ nowMs: 0, timezone: "UTC", random: () => number }, () => evaluate(formula)));

  test("RAND returns the number of its source", () => {
    expect(drawn("RAND()")).toEqual(["0.0", "0.25", "0.999"]);
  });

  test("RANDBETWEEN includes both bounds", () => {
    expect(drawn("RANDBETWEEN(-1, 2)")).toEqual(["-1", "0", "2"]);
    expect(drawn("RANDBETWEEN(1.0, 1)")).toEqual(["1", "1", "1"]);
    expect(drawn("RANDBETWEEN(2, 1)")[0]).toBe("ValueError");
    expect(drawn("RANDBETWEEN(0.5, 1)")[0]).toBe("ValueError");
    expect(drawn("RANDBETWEEN(0, 10 ** 30) <= 10 ** 30")).toEqual(["True", "True", "True"]);
  });

  test("UUID returns a version 4 UUID", () => {
    for (const text of drawn("UUID()"))
      expect(text).toMatch(/^'[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}'$/);
  });
});
