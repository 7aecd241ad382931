import type { Expression, FunctionBody, Parameter, Parameters, Statement } from "./ast.ts";
import { Bindings } from "./bindings.ts";
import { syntaxError } from "../runtime/errors.ts";
import type { NodeParser } from "./node-parser.ts";
import { hoistedName, MAX_HOISTED } from "../compiler/hoist-yields.ts";
import { type SyntaxNode, childrenOf, splitAtCommas } from "./syntax-node.ts";

/** Parses `lambda a, b=1: value`. */
export function parseLambda(parser: NodeParser, node: SyntaxNode): Expression {
  const parts = childrenOf(node);
  const value = parts.at(-1);
  const list = parts.find((part) => part.name === "ParamList");
  if (!value) throw syntaxError("invalid syntax");
  const fn = parseFunction(parser, list ? childrenOf(list) : [], () => {
    const expression = parser.parse(value);
    return [{ kind: "return", value: expression, from: value.from, to: value.to }];
  });
  return { kind: "lambda", fn, from: node.from, to: node.to };
}

/** Parses a function, given the nodes of its parameters and a parser of its statements. */
export function parseFunction(
  parser: NodeParser,
  list: readonly SyntaxNode[],
  parseBody: () => readonly Statement[],
): FunctionBody {
  // Defaults are evaluated in the enclosing scope.
  const parameters = parseParameters(parser, list);
  const bindings = new Bindings("function", parser.bindings);
  const names = [
    ...[...parameters.names, ...parameters.keywordOnly].map((parameter) => parameter.name),
    parameters.rest,
    parameters.keywords,
  ].filter((name) => name !== null);
  for (const name of names) {
    if (bindings.names.includes(name)) throw syntaxError(`duplicate argument '${name}' in function definition`);
    bindings.bind(name);
  }
  return parser.withBindings(bindings, () => {
    const body = parseBody();
    const hoistedNames =
      bindings.isGenerator && bindings.hasYieldExpression
        ? Array.from({ length: MAX_HOISTED }, (_, at) => hoistedName(at))
        : [];
    return { parameters, body, locals: [...bindings.names, ...hoistedNames], isGenerator: bindings.isGenerator };
  });
}

function parseParameters(parser: NodeParser, list: readonly SyntaxNode[]): Parameters {
  const names: Parameter[] = [];
  const keywordOnly: Parameter[] = [];
  let positionalOnly = 0;
  let rest: string | null = null;
  let keywords: string | null = null;
  let afterStar = false;
  const groups = splitAtCommas(list).filter((group) => group.length > 0);
  for (const group of groups) {
    const [first, second] = group;
    if (!first || keywords !== null) throw syntaxError("invalid syntax");
    if (first.name === "*") {
      if (afterStar) throw syntaxError("* argument may appear only once");
      afterStar = true;
      rest = second ? nameOf(parser, second) : null;
    } else if (first.name === "**" && second) keywords = nameOf(parser, second);
    else if (parser.textOf(first) === "/") {
      if (names.length === 0 || afterStar || positionalOnly > 0) throw syntaxError("invalid syntax");
      positionalOnly = names.length;
    } else {
      const assigned = group.findIndex((node) => node.name === "AssignOp");
      const value = assigned < 0 ? undefined : group[assigned + 1];
      const parameter = { name: nameOf(parser, first), defaultValue: value ? parser.parse(value) : null };
      if (!afterStar && !value && names.at(-1)?.defaultValue) {
        throw syntaxError("parameter without a default follows parameter with a default");
      }
      (afterStar ? keywordOnly : names).push(parameter);
    }
  }
  if (afterStar && rest === null && keywordOnly.length === 0) throw syntaxError("named arguments must follow bare *");
  return { names, positionalOnly, rest, keywordOnly, keywords };
}

function nameOf(parser: NodeParser, node: SyntaxNode): string {
  if (node.name !== "VariableName") throw syntaxError("invalid syntax");
  return parser.identifier(parser.textOf(node));
}
