import { unreachable } from "../../lib/assert.ts";
import type { BinaryOperator, UnaryOperator } from "../parser/ast.ts";
import { BOOL, FLOAT, INT, isOnly, type Kinds, mayBe, NUMBER, NUMERIC, OBJECT, TEXT } from "./kinds.ts";
import { generateObjectOperator } from "./generate-objects.ts";
import type { RowGenerator } from "./row-generator.ts";
import { NotSimple, type Value } from "./row-writer.ts";

type Operands = readonly [left: Value, right: Value];

/** Generates an operator of two values. */
export function generateBinary(generator: RowGenerator, operator: BinaryOperator, [left, right]: Operands): Value {
  if (operator === "+" && mayBe(left.kinds, TEXT) && mayBe(right.kinds, TEXT))
    return concatenate(generator, [left, right]);
  if (mayBe(left.kinds | right.kinds, OBJECT)) return generateObjectOperator(generator, operator, [left, right]);
  const operands: Operands = [
    toNumber(generator, exceptNone(generator, left)),
    // A text is formatted by any value.
    toNumber(generator, operator === "%" && mayBe(left.kinds, TEXT) ? right : exceptNone(generator, right)),
  ];
  switch (operator) {
    case "+":
    case "-":
    case "*":
      return addOrMultiply(generator, operator, operands);
    case "/": {
      const [dividend, divisor] = withNonZeroDivisor(generator, operands);
      // Both ints are exact as floats, and the quotient of two ints is a float.
      return { code: `(${dividend.code} / ${divisor.code})`, kinds: FLOAT, isAtom: false };
    }
    case "//":
    case "%":
      return divideToFloor(generator, operator, operands);
    case "**":
      return power(generator, operands);
    case "<<":
    case ">>":
    case "&":
    case "|":
    case "^":
    case "@":
      throw new NotSimple(operator);
    default:
      return unreachable(operator);
  }
}

/** `-value`, `+value` */
export function generateUnary(generator: RowGenerator, operator: UnaryOperator, operand: Value): Value {
  const { writer } = generator;
  const value = toNumber(generator, exceptNone(generator, operand));
  if (operator === "+") return value;
  if (operator !== "-") throw new NotSimple(operator);
  if (isOnly(value.kinds, INT)) return { code: `(0 - ${value.code})`, kinds: INT, isAtom: false };
  if (isOnly(value.kinds, FLOAT)) return { code: `(-${value.code})`, kinds: FLOAT, isAtom: false };
  const atom = writer.atom(value);
  // The opposite of an int 0 is 0, that of a float -0.
  writer.fallBackIf(`${atom.code} === 0`);
  return { code: `(-${atom.code})`, kinds: NUMBER, isAtom: false };
}

/** Restricts a value to numbers; bools become ints. */
export function toNumber({ writer }: RowGenerator, value: Value): Value {
  const number = writer.narrow(value, NUMERIC);
  if (!mayBe(number.kinds, BOOL)) return number;
  const kinds: Kinds = (number.kinds & NUMBER) | INT;
  return { code: `(+${number.code})`, kinds, isAtom: false };
}

const exceptNone = ({ writer }: RowGenerator, operand: Value): Value => writer.exceptNone(operand, "TypeError");

/** Kinds of the result: a float if one operand is a float, an int if both are ints. */
function kindsOfResult([left, right]: Operands): Kinds {
  if (isOnly(left.kinds, FLOAT) || isOnly(right.kinds, FLOAT)) return FLOAT;
  return isOnly(left.kinds | right.kinds, INT) ? INT : NUMBER;
}

function addOrMultiply({ writer }: RowGenerator, operator: "+" | "-" | "*", operands: Operands): Value {
  const [left, right] = operands;
  const code = `(${left.code} ${operator} ${right.code})`;
  const kinds = kindsOfResult(operands);
  if (kinds === FLOAT) return { code, kinds, isAtom: false };
  // Adding 0 turns -0 into 0, the int. Rounding never brings a result beyond 2^53 back into the range of exact ints.
  const result = writer.store(kinds === INT && operator === "*" ? `${code} + 0` : code, kinds);
  writer.fallBackIf(`${result.code} > ${Number.MAX_SAFE_INTEGER} || ${result.code} < -${Number.MAX_SAFE_INTEGER}`);
  // A product that is zero is 0 for ints and may be -0 for floats.
  if (kinds === NUMBER && operator === "*") writer.fallBackIf(`${result.code} === 0`);
  return result;
}

function withNonZeroDivisor({ writer }: RowGenerator, [left, right]: Operands): Operands {
  if (right.constant && Number(right.constant.value) !== 0) return [left, right];
  const divisor = writer.atom(right);
  writer.raiseIf(`${divisor.code} === 0`, "ZeroDivisionError");
  return [left, divisor];
}

function divideToFloor(generator: RowGenerator, operator: "//" | "%", operands: Operands): Value {
  const { writer } = generator;
  const [left, right] = withNonZeroDivisor(generator, operands);
  const kinds = kindsOfResult(operands);
  if (kinds === NUMBER) throw new NotSimple("an int or a float");
  const name =
    kinds === INT
      ? operator === "%"
        ? "moduloInts"
        : "floorDivideInts"
      : operator === "%"
        ? "moduloFloats"
        : "floorDivideFloats";
  return writer.store(writer.call(name, left.code, right.code), kinds);
}

/** Only powers of floats; the interpreter charges powers of ints by their size. */
function power({ writer }: RowGenerator, operands: Operands): Value {
  if (kindsOfResult(operands) !== FLOAT) throw new NotSimple("a power of ints");
  const [left, right] = operands;
  const result = writer.store(writer.call("realPower", left.code, right.code), FLOAT);
  writer.fallBackIf(`${result.code} === undefined`);
  return result;
}

function concatenate({ writer }: RowGenerator, [left, right]: Operands): Value {
  if (mayBe(left.kinds & right.kinds, NUMERIC)) throw new NotSimple("a sum or a concatenation");
  const [first, second] = [writer.exceptNone(left, "TypeError"), writer.exceptNone(right, "TypeError")];
  const head = writer.atom(writer.narrow(first, TEXT));
  const tail = writer.atom(writer.narrow(second, TEXT));
  addBytesOfTexts(writer, [head, tail]);
  return { code: `(${head.code} + ${tail.code})`, kinds: TEXT, isAtom: false };
}

/** Charges the memory of texts, whose characters have two bytes. */
export function addBytesOfTexts(writer: RowGenerator["writer"], texts: readonly Value[]): void {
  for (const text of texts) {
    if (typeof text.constant?.value === "string") writer.addBytes(text.constant.value.length * 2);
    else writer.addBytesOf(`${text.code}.length * 2`);
  }
}
