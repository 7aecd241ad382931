import type { Target } from "./ast.ts";
import { syntaxError } from "../runtime/errors.ts";
import type { NodeParser } from "./node-parser.ts";
import { type SyntaxNode, childrenOf, spanOf, splitAtCommas } from "./syntax-node.ts";

/**
 * Parses an assignment target and adds the names it binds. Records and their columns cannot be assigned to. Throws
 * PyError SyntaxError.
 */
export function parseTarget(parser: NodeParser, parts: readonly SyntaxNode[]): Target {
  const [first] = parts;
  if (!first) throw syntaxError("invalid syntax");
  return parts.length === 1 ? parseSingleTarget(parser, first) : parseSequenceTarget(parser, parts);
}

function parseSingleTarget(parser: NodeParser, node: SyntaxNode): Target {
  const span = { from: node.from, to: node.to };
  switch (node.name) {
    case "ParenthesizedExpression":
    case "TupleExpression": {
      const inside = childrenOf(node).slice(1, -1);
      if (node.name === "TupleExpression") return parseSequenceTarget(parser, inside);
      return parseTarget(parser, inside);
    }
    case "ArrayExpression":
      return parseSequenceTarget(parser, childrenOf(node).slice(1, -1));
    case "VariableName":
    case "MemberExpression":
      break;
    default:
      throw syntaxError("cannot assign to an expression");
  }
  const target = parser.parse(node);
  if (target.kind === "name") {
    if (target.name === "rec") throw columnAssignmentError();
    parser.bindings.bind(target.name);
    return { kind: "name", name: target.name, ...span };
  }
  if (target.kind === "attribute") {
    if (target.object.kind === "name" && target.object.name === "rec") throw columnAssignmentError();
    return { kind: "attribute", object: target.object, name: target.name, ...span };
  }
  if (target.kind === "index") return { kind: "index", object: target.object, index: target.index, ...span };
  if (target.kind !== "slice") throw syntaxError("cannot assign to an expression");
  const { from, to, bounds } = target;
  return { kind: "index", object: target.object, index: { kind: "sliceValue", bounds, from, to }, ...span };
}

const columnAssignmentError = () => syntaxError("a formula cannot change a record: rec and its columns are read only");

function parseSequenceTarget(parser: NodeParser, parts: readonly SyntaxNode[]): Target {
  let star: number | null = null;
  const items = splitAtCommas(parts)
    .filter((part) => part.length > 0)
    .map((part, index) => {
      const [first] = part;
      const hasSign = first?.name === "*";
      if (!hasSign && !(first && parser.isStarred(first))) return parseTarget(parser, part);
      if (star !== null) throw syntaxError("multiple starred expressions in assignment");
      star = index;
      return parseTarget(parser, hasSign ? part.slice(1) : part);
    });
  return { kind: "sequence", items, star, ...spanOf(parts) };
}
