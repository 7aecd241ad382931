import type { BinaryOperator, CompareOperator, Comparison, Expression } from "./ast.ts";
import { syntaxError } from "../runtime/errors.ts";

/** Operands and operators in text order; operators as in Python, `not in` as one. */
export type Term = Expression | string;

const OR = 1;
const AND = 2;
const NOT = 3;
const COMPARISON = 4;
const UNARY = 11;
const POWER = 12;

/** The binding power of binary operators. */
const BINDING_POWER: ReadonlyMap<string, number> = new Map([
  ["or", OR],
  ["and", AND],
  ...["==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"].map((sign) => [sign, COMPARISON] as const),
  ["|", 5],
  ["^", 6],
  ["&", 7],
  ["<<", 8],
  [">>", 8],
  ["+", 9],
  ["-", 9],
  ["*", 10],
  ["/", 10],
  ["//", 10],
  ["%", 10],
  ["@", 10],
  ["**", POWER],
]);

/**
 * Builds the expression tree from operands and operators by Python's precedence. (The Lezer tree has `not a and b` as
 * `not (a and b)`, and accepts `1 + not a`.) Throws PyError SyntaxError.
 */
export function combineTerms(terms: readonly Term[]): Expression {
  let at = 0;

  const nextBindingPower = (): number => {
    const term = terms[at];
    return typeof term === "string" ? (BINDING_POWER.get(term) ?? 0) : 0;
  };

  /** Parses an operand, and all following operators with at least the given binding power. */
  const parseExpression = (minBindingPower: number): Expression => {
    let left = parseOperand(minBindingPower);
    for (let binding = nextBindingPower(); binding >= minBindingPower && binding > 0; binding = nextBindingPower()) {
      left = binding === COMPARISON ? parseComparison(left) : parseBinary(left, binding);
    }
    return left;
  };

  const parseOperand = (minBindingPower: number): Expression => {
    const term = terms[at++];
    if (term === undefined) throw syntaxError("invalid syntax");
    if (typeof term !== "string") return term;
    if (term !== "not" && term !== "-" && term !== "+" && term !== "~") throw syntaxError("invalid syntax");
    if (term === "not" && minBindingPower > NOT) throw syntaxError("invalid syntax");
    const operand = parseExpression(term === "not" ? NOT : UNARY);
    return { kind: "unary", operator: term, operand, from: operand.from, to: operand.to };
  };

  const parseComparison = (first: Expression): Expression => {
    const rest: Comparison[] = [];
    while (nextBindingPower() === COMPARISON) {
      const operator = terms[at++] as CompareOperator;
      rest.push({ operator, operand: parseExpression(COMPARISON + 1) });
    }
    return { kind: "compare", first, rest, from: first.from, to: rest.at(-1)?.operand.to ?? first.to };
  };

  const parseBinary = (left: Expression, binding: number): Expression => {
    const operator = terms[at++];
    // `**` is right-associative and allows a sign on its right side; all others are left-associative.
    const right = parseExpression(binding === POWER ? UNARY : binding + 1);
    const sides = { left, right, from: left.from, to: right.to };
    if (operator === "and" || operator === "or") return { kind: "logic", operator, ...sides };
    return { kind: "binary", operator: operator as BinaryOperator, ...sides };
  };

  const whole = parseExpression(OR);
  if (at < terms.length) throw syntaxError("invalid syntax");
  return whole;
}
