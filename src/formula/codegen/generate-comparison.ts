import { unreachable } from "../../lib/assert.ts";
import type { CompareOperator, Comparison, Expression } from "../parser/ast.ts";
import { BOOL, INT, isOnly, mayBe, NULL, NUMERIC, OBJECT, TEXT } from "./kinds.ts";
import { costOfList } from "../runtime/call-costs.ts";
import { COMPARE } from "../runtime/operators.ts";
import type { RowGenerator } from "./row-generator.ts";
import { NotSimple, type Value } from "./row-writer.ts";

type Operands = readonly [left: Value, right: Value];

/** `first < second < third`: each operand is evaluated once, and none after the first false comparison. */
export function generateComparison(generator: RowGenerator, first: Expression, rest: readonly Comparison[]): Value {
  const left = generator.expression(first);
  return compareWithRest(generator, left, rest);
}

function compareWithRest(generator: RowGenerator, first: Value, [next, ...others]: readonly Comparison[]): Value {
  if (!next) return { code: "true", kinds: BOOL, isAtom: true };
  const { writer } = generator;
  const left = writer.atom(writer.usable(first));
  const { operator, operand } = next;
  if ((operator === "in" || operator === "not in") && (operand.kind === "list" || operand.kind === "tuple")) {
    if (others.length > 0) throw new NotSimple("a comparison with a list");
    const isContained = isInList(generator, left, operand.items);
    return { code: operator === "in" ? isContained : `!${isContained}`, kinds: BOOL, isAtom: false };
  }
  const right = writer.atom(writer.usable(generator.expression(next.operand)));
  const holds = { code: `(${compare(generator, next.operator, [left, right])})`, kinds: BOOL, isAtom: false };
  if (others.length === 0) return holds;
  return writer.select(
    holds.code,
    () => compareWithRest(generator, right, others),
    () => ({ code: "false", kinds: BOOL, isAtom: true }),
  );
}

function compare(generator: RowGenerator, operator: CompareOperator, operands: Operands): string {
  switch (operator) {
    case "==":
      return equals(generator, operands);
    case "!=":
      return `!(${equals(generator, operands)})`;
    case "is":
      return isIdentical(operands);
    case "is not":
      return `!(${isIdentical(operands)})`;
    case "<":
    case "<=":
    case ">":
    case ">=":
      return order(generator, operator, operands);
    case "in":
      return contains(generator, operands);
    case "not in":
      return `!(${contains(generator, operands)})`;
    default:
      return unreachable(operator);
  }
}

function equals({ writer }: RowGenerator, [left, right]: Operands): string {
  if (mayBe(left.kinds | right.kinds, OBJECT)) {
    return writer.callCharged("equalObjects", [writer.toPython(left), writer.toPython(right)], BOOL).code;
  }
  writer.addSteps(1);
  return equalPlain(left, right);
}

/** Values of different types are unequal, but bools equal the ints 0 and 1. */
function equalPlain(left: Value, right: Value): string {
  const hasBoolAndNumber = mayBe(left.kinds | right.kinds, BOOL) && mayBe(left.kinds | right.kinds, NUMERIC & ~BOOL);
  const [a, b] = [left, right].map((value) => (hasBoolAndNumber ? numberOfBool(value) : value.code));
  return `${a} === ${b}`;
}

function numberOfBool({ code, kinds }: Value): string {
  if (!mayBe(kinds, BOOL)) return code;
  return isOnly(kinds, NUMERIC) ? `+${code}` : `(typeof ${code} === "boolean" ? +${code} : ${code})`;
}

/** Only None and bools: whether two numbers or texts are the same object depends on more than their value. */
function isIdentical([left, right]: Operands): string {
  if (!isOnly(left.kinds, NULL | BOOL) && !isOnly(right.kinds, NULL | BOOL)) throw new NotSimple("an identity");
  return `${left.code} === ${right.code}`;
}

function order(generator: RowGenerator, operator: "<" | "<=" | ">" | ">=", [left, right]: Operands): string {
  const { writer } = generator;
  if (mayBe(left.kinds, OBJECT) && mayBe(right.kinds, OBJECT)) {
    const [a, b] = [writer.narrow(left, OBJECT), writer.narrow(right, OBJECT)];
    return writer.callCharged("compareObjects", [a.code, b.code, writer.constant(COMPARE[operator])], BOOL).code;
  }
  const areTexts = mayBe(left.kinds, TEXT) && mayBe(right.kinds, TEXT);
  const areNumbers = mayBe(left.kinds, NUMERIC) && mayBe(right.kinds, NUMERIC);
  if (areTexts && areNumbers) throw new NotSimple("numbers or texts");
  writer.addSteps(1);
  // An object may define the comparison.
  const isPlain = !mayBe(left.kinds | right.kinds, OBJECT);
  const [first, second] = isPlain
    ? [writer.exceptNone(left, "TypeError"), writer.exceptNone(right, "TypeError")]
    : [left, right];
  if (areTexts) {
    const [head, tail] = [writer.narrow(first, TEXT), writer.narrow(second, TEXT)];
    writer.addStepsOf(`Math.min(${head.code}.length, ${tail.code}.length) / 8`);
    return `${writer.call("orderOfTexts", head.code, tail.code)} ${operator} 0`;
  }
  return `${writer.narrow(first, NUMERIC).code} ${operator} ${writer.narrow(second, NUMERIC).code}`;
}

/** `part in text` */
function contains({ writer }: RowGenerator, [part, text]: Operands): string {
  const [needle, whole] = [writer.narrow(part, TEXT), writer.narrow(text, TEXT)];
  writer.addStepsOf(`(${whole.code}.length + ${needle.code}.length) / 8`);
  return `${whole.code}.includes(${needle.code})`;
}

/** `value in (first, second)`: a step per item until one is equal, but none for the same object. */
function isInList(generator: RowGenerator, value: Value, nodes: readonly Expression[]): string {
  const { writer } = generator;
  if (nodes.length > MAX_LIST || nodes.some(({ kind }) => kind === "starred")) throw new NotSimple("such a list");
  writer.addBytes(costOfList(nodes.length));
  const items = nodes.map((node) => writer.atom(writer.usable(generator.expression(node))));
  if (items.some((item) => mayBe(item.kinds | value.kinds, OBJECT))) throw new NotSimple("a list of objects");
  const steps = items.map(
    (item, index) => `${equalPlain(value, item)} ? ${index + (isSameObject(value, item) ? 0 : 1)}`,
  );
  const count = writer.store([...steps, "-1"].join(" : "), INT);
  writer.addStepsOf(`(${count.code} < 0 ? ${items.length} : ${count.code})`);
  return `(${count.code} >= 0)`;
}

/** Longer lists would nest too deeply. */
const MAX_LIST = 50;

/**
 * Returns true if the values are the same object whenever they are equal; false if they never are, as an int and a
 * float.
 */
function isSameObject(left: Value, right: Value): boolean {
  const [a, b] = [left.kinds & NUMERIC, right.kinds & NUMERIC];
  const isOneType = a === b && (a & (a - 1)) === 0;
  if (a === 0 || b === 0 || isOneType) return true;
  if ((a & b) === 0 && !mayBe(left.kinds & right.kinds, NULL | TEXT)) return false;
  throw new NotSimple("an identity");
}
