import type { Expression, FunctionBody, Parameter, Parameters, Statement } from "./ast.ts";
import { Bindings } from "./bindings.ts";
import { syntaxError } from "./errors.ts";
import type { Reader } from "./reader.ts";
import { heldName, MAX_HELD } from "./yields.ts";
import { type SyntaxNode, childrenOf, splitAtCommas } from "./syntax-node.ts";

/** `lambda a, b=1: value` */
export function readLambda(reader: Reader, node: SyntaxNode): Expression {
  const parts = childrenOf(node);
  const value = parts.at(-1);
  const list = parts.find((part) => part.name === "ParamList");
  if (!value) throw syntaxError("invalid syntax");
  const fn = readFunction(reader, list ? childrenOf(list) : [], () => {
    const expression = reader.read(value);
    return [{ kind: "return", value: expression, from: value.from, to: value.to }];
  });
  return { kind: "lambda", fn, from: node.from, to: node.to };
}

/** A function by the nodes between its parentheses and what reads its statements. */
export function readFunction(
  reader: Reader,
  list: readonly SyntaxNode[],
  readBody: () => readonly Statement[],
): FunctionBody {
  // Defaults are computed outside of the function.
  const parameters = readParameters(reader, list);
  const bindings = new Bindings("function", reader.bindings);
  const names = [
    ...[...parameters.names, ...parameters.keywordOnly].map((parameter) => parameter.name),
    parameters.rest,
    parameters.keywords,
  ].filter((name) => name !== null);
  for (const name of names) {
    if (bindings.names.includes(name)) throw syntaxError(`duplicate argument '${name}' in function definition`);
    bindings.bind(name);
  }
  return reader.within(bindings, () => {
    const body = readBody();
    const held =
      bindings.yields && bindings.yieldsWithin ? Array.from({ length: MAX_HELD }, (_, at) => heldName(at)) : [];
    return { parameters, body, locals: [...bindings.names, ...held], yields: bindings.yields };
  });
}

function readParameters(reader: Reader, list: readonly SyntaxNode[]): Parameters {
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
      rest = second ? nameOf(reader, second) : null;
    } else if (first.name === "**" && second) keywords = nameOf(reader, second);
    else if (reader.textOf(first) === "/") {
      if (names.length === 0 || afterStar || positionalOnly > 0) throw syntaxError("invalid syntax");
      positionalOnly = names.length;
    } else {
      const assigned = group.findIndex((node) => node.name === "AssignOp");
      const value = assigned < 0 ? undefined : group[assigned + 1];
      const parameter = { name: nameOf(reader, first), standard: value ? reader.read(value) : null };
      if (!afterStar && !value && names.at(-1)?.standard) {
        throw syntaxError("parameter without a default follows parameter with a default");
      }
      (afterStar ? keywordOnly : names).push(parameter);
    }
  }
  if (afterStar && rest === null && keywordOnly.length === 0) throw syntaxError("named arguments must follow bare *");
  return { names, positionalOnly, rest, keywordOnly, keywords };
}

function nameOf(reader: Reader, node: SyntaxNode): string {
  if (node.name !== "VariableName") throw syntaxError("invalid syntax");
  return reader.identifier(reader.textOf(node));
}
