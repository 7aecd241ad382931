import type { Clause, Comprehension, DictEntry, Expression, Span } from "./ast.ts";
import { Bindings } from "./bindings.ts";
import { notSupported, syntaxError } from "../runtime/errors.ts";
import type { NodeParser } from "./node-parser.ts";
import { parseTarget } from "./parse-targets.ts";
import { type SyntaxNode, spanOf, splitAtCommas } from "./syntax-node.ts";

/** Parses the contents of `{key: value, **other}`. */
export function parseDict(parser: NodeParser, parts: readonly SyntaxNode[], span: Span): Expression {
  const entries = splitAtCommas(parts)
    .filter((part) => part.length > 0)
    .map(([first, second, third]): DictEntry => {
      if (first?.name === "**" && second) return { key: null, value: parser.parse(second) };
      if (!first || !third) throw syntaxError("invalid syntax");
      return { key: parser.parse(first), value: parser.parse(third) };
    });
  return { kind: "dict", entries, ...span };
}

/** Parses `element for target in iterable if condition` with any number of clauses. */
export function parseComprehension(
  parser: NodeParser,
  form: Comprehension["form"],
  parts: readonly SyntaxNode[],
): Comprehension {
  const start = parts.findIndex((part) => part.name === "for");
  if (parts.some((part) => part.name === "async")) throw syntaxError("asynchronous comprehension");
  const groups = splitClauses(parts.slice(start));
  const [firstGroup, ...others] = groups;
  if (!firstGroup) throw syntaxError("invalid syntax");
  // The first iterable is evaluated in the enclosing scope.
  for (const { iterable } of groups) rejectNamedExpressions(iterable);
  const iterable = parser.parseItemsOrOne(firstGroup.iterable);
  const bindings = new Bindings("comprehension", parser.bindings);
  return parser.withBindings(bindings, () => {
    const first = parseClause(parser, firstGroup, iterable);
    const clauses = [first, ...others.map((group) => parseClause(parser, group))] as const;
    const [element, colon, value] = parts.slice(0, start);
    if (!element || (form === "dict") !== (colon !== undefined)) throw syntaxError("invalid syntax");
    if (bindings.isGenerator) throw syntaxError("'yield' inside comprehension");
    return {
      kind: "comprehension",
      form,
      element: parser.parse(element),
      value: value ? parser.parse(value) : null,
      clauses,
      locals: bindings.names,
      ...spanOf(parts),
    };
  });
}

/** Python forbids `:=` in the iterables of comprehensions. */
function rejectNamedExpressions(nodes: readonly SyntaxNode[]): void {
  for (const node of nodes) {
    node.cursor().iterate((inner) => {
      if (inner.name === "NamedExpression") {
        throw syntaxError("assignment expression cannot be used in a comprehension iterable expression");
      }
      return inner.name !== "LambdaExpression";
    });
  }
}

interface ClauseNodes {
  readonly target: SyntaxNode[];
  readonly iterable: SyntaxNode[];
  readonly conditions: SyntaxNode[];
}

function splitClauses(parts: readonly SyntaxNode[]): ClauseNodes[] {
  const clauses: ClauseNodes[] = [];
  let nodeGroup: SyntaxNode[] | undefined;
  for (const part of parts) {
    const clause = clauses.at(-1);
    if (part.name === "for") {
      clauses.push({ target: [], iterable: [], conditions: [] });
      nodeGroup = clauses.at(-1)?.target;
    } else if (part.name === "in") nodeGroup = clause?.iterable;
    else if (part.name === "if") nodeGroup = clause?.conditions;
    else nodeGroup?.push(part);
  }
  return clauses;
}

function parseClause(parser: NodeParser, nodes: ClauseNodes, precompiledIterable?: Expression): Clause {
  const iterable = precompiledIterable ?? parser.parseItemsOrOne(nodes.iterable);
  const target = parseTarget(parser, nodes.target);
  if (target.kind !== "name" && target.kind !== "sequence") throw notSupported("assigning in comprehensions");
  return { target, iterable, conditions: nodes.conditions.map((node) => parser.parse(node)) };
}
