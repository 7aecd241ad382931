import { invalid } from "../../../errors.ts";
import type { BinaryOperator, CompareOperator, Expression } from "../../../formula/parser/ast.ts";
import { PyError } from "../../../formula/runtime/errors.ts";
import { parseFormula } from "../../../formula/parser/parse.ts";
import { prepareSource } from "../../../formula/parser/source.ts";
import type { Operator, ParsedPredicate, Predicate } from "./predicate.ts";

/**
 * Parses the condition of an access rule: a single expression in the subset of Python that rules support. `$V` is short
 * for `rec.V`.
 * @throws AppError `invalid` for anything else
 */
export function parsePredicate(formula: string): ParsedPredicate {
  try {
    return { predicate: treeOf(expressionOf(formula)), comment: commentOf(formula) };
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    throw invalid(`Invalid access rule formula ${quoted(formula)}: ${error.message}`);
  }
}

function expressionOf(formula: string): Expression {
  const source = prepareSource(formula);
  const parsed = parseFormula(source);
  if (parsed.kind !== "function") throw invalid(`The access rule formula ${quoted(formula)} is empty`);
  const [statement, ...more] = parsed.fn.body;
  const isExpression = statement?.kind === "return" && !/^return\b/.test(source.text.slice(statement.from));
  if (!isExpression || more.length > 0)
    throw invalid(`The access rule formula ${quoted(formula)} must be a single expression`);
  return statement.value;
}

const quoted = (formula: string): string =>
  JSON.stringify(formula.length > 200 ? `${formula.slice(0, 200)}…` : formula);

/** A string literal, which may contain `#`, or a comment. */
const TEXT_OR_COMMENT =
  /'''(?:\\[^]|[^\\])*?'''|"""(?:\\[^]|[^\\])*?"""|'(?:\\[^]|[^\\'\n])*'|"(?:\\[^]|[^\\"\n])*"|#(?<comment>[^\n\r]*)/g;

function commentOf(formula: string): string | null {
  for (const { groups } of formula.matchAll(TEXT_OR_COMMENT)) {
    if (groups?.["comment"] !== undefined) return groups["comment"].trim();
  }
  return null;
}

function treeOf(node: Expression): Predicate {
  switch (node.kind) {
    case "constant":
      return { kind: "constant", value: node.value };
    case "name":
      return { kind: "name", name: node.name };
    case "attribute":
      return { kind: "attribute", object: treeOf(node.object), name: node.name };
    case "list":
    case "tuple":
      return { kind: "list", items: node.items.map(treeOf) };
    case "call":
      if (node.keywords.length > 0) throw unsupported("keyword arguments");
      return { kind: "call", callee: treeOf(node.callee), args: node.positional.map(treeOf) };
    case "unary":
      if (node.operator !== "not") throw unsupported(`the unary operator ${node.operator}`);
      return operation("Not", node.operand);
    case "binary":
      return operation(operatorFor(BINARY, node.operator), node.left, node.right);
    case "compare": {
      const [comparison, ...more] = node.rest;
      if (!comparison || more.length > 0) throw unsupported("chained comparisons");
      return operation(operatorFor(COMPARE, comparison.operator), node.first, comparison.operand);
    }
    case "logic":
      return { kind: "logic", operator: LOGIC[node.operator], operands: operandsOf(node).map(treeOf) };
    case "unsupported":
      throw unsupported(node.what);
    case "bytes":
    case "comprehension":
    case "conditional":
    case "dict":
    case "format":
    case "imaginary":
    case "index":
    case "lambda":
    case "named":
    case "set":
    case "slice":
    case "sliceValue":
    case "starred":
    case "yield":
      throw unsupported(FORM_NAMES[node.kind] ?? node.kind);
    default:
      return node satisfies never;
  }
}

const operation = (operator: Operator, ...operands: Expression[]): Predicate => ({
  kind: "operation",
  operator,
  operands: operands.map(treeOf),
});

/** Returns the operands of `a and b and c`, which is one operation. */
function operandsOf({ operator, left, right }: Expression & { kind: "logic" }): Expression[] {
  const isSame = left.kind === "logic" && left.operator === operator && !left.isGrouped;
  return [...(isSame ? operandsOf(left) : [left]), right];
}

const LOGIC = { and: "And", or: "Or" } as const;

const BINARY: ReadonlyMap<BinaryOperator, Operator> = new Map([
  ["+", "Add"],
  ["-", "Sub"],
  ["*", "Mult"],
  ["/", "Div"],
  ["%", "Mod"],
]);

const COMPARE: ReadonlyMap<CompareOperator, Operator> = new Map([
  ["==", "Eq"],
  ["!=", "NotEq"],
  ["<", "Lt"],
  ["<=", "LtE"],
  [">", "Gt"],
  [">=", "GtE"],
  ["is", "Is"],
  ["is not", "IsNot"],
  ["in", "In"],
  ["not in", "NotIn"],
]);

function operatorFor<Sign extends string>(operators: ReadonlyMap<Sign, Operator>, sign: Sign): Operator {
  const operator = operators.get(sign);
  if (!operator) throw unsupported(`the operator ${sign}`);
  return operator;
}

/** Names for error messages where that of the syntax node is not clear enough. */
const FORM_NAMES: Readonly<Record<string, string>> = {
  format: "f-strings",
  index: "subscripts",
  slice: "subscripts",
  sliceValue: "subscripts",
  conditional: "conditional expressions",
  starred: "starred expressions",
  named: "assignment expressions",
};

const unsupported = (form: string) => invalid(`Access rules do not support ${form}`);
