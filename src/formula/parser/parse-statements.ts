import type { BinaryOperator, Branch, Expression, Handler, ImportedName, Statement, Target } from "./ast.ts";
import { Bindings } from "./bindings.ts";
import { PyError, syntaxError } from "../runtime/errors.ts";
import type { NodeParser } from "./node-parser.ts";
import { parseFunction } from "./parse-functions.ts";
import { parseMatch } from "./parse-match.ts";
import { parseTarget } from "./parse-targets.ts";
import { type SyntaxNode, childrenOf, spanOf, splitAtCommas } from "./syntax-node.ts";

/** Parses consecutive statements. Throws PyError SyntaxError or IndentationError. */
export function parseStatements(parser: NodeParser, nodes: readonly SyntaxNode[]): Statement[] {
  return nodes.flatMap((node) => {
    if (node.name !== "StatementGroup") return parser.nested(() => parseStatement(parser, node));
    return parseStatements(
      parser,
      childrenOf(node).filter((part) => part.name !== ";"),
    );
  });
}

function parseStatement(parser: NodeParser, node: SyntaxNode): Statement | Statement[] {
  if (node.type.isError) throw syntaxError("the formula is nested too deeply");
  const parts = childrenOf(node);
  const span = { from: node.from, to: node.to };
  switch (node.name) {
    case "ExpressionStatement":
      return { kind: "expression", value: parser.parseItemsOrOne(parts), ...span };
    case "YieldStatement":
      return { kind: "expression", value: parseYield(parser, node), ...span };
    case "ReturnStatement":
      if (parser.bindings.kind !== "function") throw syntaxError("'return' outside function");
      if (parts.length === 1) return { kind: "return", value: { kind: "constant", value: null, ...span }, ...span };
      return { kind: "return", value: parser.parseItemsOrOne(parts.slice(1)), ...span };
    case "AssignStatement":
      return parseAssignment(parser, parts, span);
    case "UpdateStatement":
      return parseAugmentedAssignment(parser, parts, span);
    case "DeleteStatement":
      return { kind: "delete", targets: parseDeleteTargets(parser, parts.slice(1)), ...span };
    case "PassStatement":
      return { kind: "pass", ...span };
    case "BreakStatement":
    case "ContinueStatement": {
      const kind = node.name === "BreakStatement" ? "break" : "continue";
      if (parser.bindings.loopDepth === 0) throw syntaxError(`'${kind}' outside loop`);
      return { kind, ...span };
    }
    case "IfStatement":
      return parseIf(parser, parts, span);
    case "ForStatement":
      return parseFor(parser, parts, span);
    case "WhileStatement": {
      const [branch] = parseBranches(parser, parts, true);
      if (!branch) throw syntaxError("invalid syntax");
      return { kind: "while", ...branch, orElse: parseElse(parser, parts), ...span };
    }
    case "FunctionDefinition":
      return parseDefinition(parser, parts, []);
    case "ClassDefinition":
      return parseClass(parser, parts, []);
    case "DecoratedStatement":
      return parseDecorated(parser, parts);
    case "TryStatement":
      return parseTry(parser, parts, span);
    case "RaiseStatement":
      return parseRaise(parser, parts.slice(1), span);
    case "AssertStatement": {
      const [test, , message] = parts.slice(1);
      if (!test) throw syntaxError("invalid syntax");
      return { kind: "assert", test: parser.parse(test), message: message ? parser.parse(message) : null, ...span };
    }
    case "WithStatement":
      return parseWith(parser, parts);
    case "ImportStatement":
      return parseImport(parser, parts, span);
    case "ScopeStatement":
      return parseScopeDeclaration(parser, parts, span);
    case "MatchStatement":
      return parseMatch(parser, parts, span, (body) => parseBlock(parser, body));
    default:
      return { kind: "unsupported", what: node.name, ...span };
  }
}

interface SourceRange {
  readonly from: number;
  readonly to: number;
}

function parseYield(parser: NodeParser, node: SyntaxNode): Expression {
  parser.bindings.isGenerator = true;
  const parts = childrenOf(node).slice(1);
  const delegates = parts[0]?.name === "from";
  const value = parser.parseItemsOrOne(delegates ? parts.slice(1) : parts);
  return { kind: "yield", value, delegates, from: node.from, to: node.to };
}

/** Parses the statements of a block. Throws PyError IndentationError if their indentation differs. */
export function parseBlock(parser: NodeParser, body: SyntaxNode | undefined): Statement[] {
  if (body?.name !== "Body") throw syntaxError("invalid syntax");
  const nodes = childrenOf(body).slice(1);
  if (nodes.length === 0) throw new PyError("IndentationError", "expected an indented block");
  const columns = nodes.map((node) => parser.indentOf(node)).filter((column) => column !== undefined);
  if (columns.some((column) => column !== columns[0])) throw new PyError("IndentationError", "unexpected indent");
  return parseStatements(parser, nodes);
}

function parseAssignment(parser: NodeParser, parts: readonly SyntaxNode[], span: SourceRange): Statement {
  const groups: SyntaxNode[][] = [[]];
  let annotated = false;
  for (const part of parts) {
    if (part.name === "AssignOp") groups.push([]);
    else if (part.name === "TypeDef") annotated = true;
    else groups.at(-1)?.push(part);
  }
  const value = groups.length > 1 ? groups.pop() : undefined;
  // Parses the value before the target: no scope depends on the order, as in `x = lambda: x`, but `rec` in the value
  // must still refer to the record.
  const read = value ? parser.parseItemsOrOne(value) : undefined;
  const targets = groups.map((group) => parseTarget(parser, group));
  if (annotated && (targets.length > 1 || targets[0]?.kind === "sequence")) throw syntaxError("invalid syntax");
  return read ? { kind: "assign", targets, value: read, ...span } : { kind: "pass", ...span };
}

function parseAugmentedAssignment(parser: NodeParser, parts: readonly SyntaxNode[], span: SourceRange): Statement {
  const at = parts.findIndex((part) => part.name === "UpdateOp");
  const sign = parts[at];
  const target = parseTarget(parser, parts.slice(0, at));
  if (!sign || target.kind === "sequence") throw syntaxError("illegal expression for augmented assignment");
  const operator = parser.textOf(sign).slice(0, -1) as BinaryOperator;
  return { kind: "augment", target, operator, value: parser.parseItemsOrOne(parts.slice(at + 1)), ...span };
}

function parseDeleteTargets(parser: NodeParser, parts: readonly SyntaxNode[]): Target[] {
  return splitAtCommas(parts)
    .filter((part) => part.length > 0)
    .map((part) => parseTarget(parser, part));
}

/** Returns the conditions and their blocks. */
function parseBranches(parser: NodeParser, parts: readonly SyntaxNode[], isLoop: boolean): Branch[] {
  const branches: Branch[] = [];
  for (const [index, part] of parts.entries()) {
    const test = parts[index + 1];
    if (!test || (part.name !== "if" && part.name !== "elif" && part.name !== "while")) continue;
    const condition = parser.parse(test);
    branches.push({ test: condition, body: parseLoopBlock(parser, parts[index + 2], isLoop) });
  }
  return branches;
}

function parseLoopBlock(parser: NodeParser, body: SyntaxNode | undefined, isLoop: boolean): Statement[] {
  if (isLoop) parser.bindings.loopDepth++;
  const block = parseBlock(parser, body);
  if (isLoop) parser.bindings.loopDepth--;
  return block;
}

/** Parses the block after a keyword, if present. */
function parseElse(parser: NodeParser, parts: readonly SyntaxNode[], keyword = "else"): Statement[] {
  const at = parts.findIndex((part) => part.name === keyword);
  return at < 0 ? [] : parseBlock(parser, parts[at + 1]);
}

function parseIf(parser: NodeParser, parts: readonly SyntaxNode[], span: SourceRange): Statement {
  return { kind: "if", branches: parseBranches(parser, parts, false), orElse: parseElse(parser, parts), ...span };
}

function parseFor(parser: NodeParser, parts: readonly SyntaxNode[], span: SourceRange): Statement {
  const at = parts.findIndex((part) => part.name === "in");
  const bodyAt = parts.findIndex((part) => part.name === "Body");
  if (parts[0]?.name !== "for" || at < 0) throw syntaxError("asynchronous loops are not possible");
  const iterable = parser.parseItemsOrOne(parts.slice(at + 1, bodyAt));
  const target = parseTarget(parser, parts.slice(1, at));
  const body = parseLoopBlock(parser, parts[bodyAt], true);
  return { kind: "for", target, iterable, body, orElse: parseElse(parser, parts), ...span };
}

function parseDefinition(
  parser: NodeParser,
  parts: readonly SyntaxNode[],
  decorators: readonly Expression[],
): Statement {
  const [keyword, nameNode] = parts;
  const list = parts.find((part) => part.name === "ParamList");
  if (keyword?.name !== "def" || !nameNode || !list) throw syntaxError("asynchronous functions are not possible");
  const name = parser.identifier(parser.textOf(nameNode));
  parser.bindings.bind(name);
  const annotations = [...childrenOf(list), ...parts]
    .filter((part) => part.name === "TypeDef")
    .map((part) => parser.parseItemsOrOne(childrenOf(part).filter((inner) => inner.name !== ":")));
  const fn = parseFunction(parser, childrenOf(list).slice(1, -1), () => parseBlock(parser, parts.at(-1)));
  const [first] = fn.body;
  const doc = first?.kind === "expression" && first.value.kind === "constant" ? first.value.value : null;
  return {
    kind: "function",
    name,
    fn,
    decorators,
    annotations,
    doc: typeof doc === "string" ? doc : null,
    ...spanOf(parts),
  };
}

function parseClass(parser: NodeParser, parts: readonly SyntaxNode[], decorators: readonly Expression[]): Statement {
  const nameNode = parts[1];
  if (!nameNode) throw syntaxError("invalid syntax");
  const name = parser.identifier(parser.textOf(nameNode));
  const list = parts.find((part) => part.name === "ArgList");
  const { positional, keywords } = parser.parseArguments(list ? childrenOf(list).slice(1, -1) : []);
  if (keywords.length > 0) return { kind: "unsupported", what: "classes with keyword arguments", ...spanOf(parts) };
  parser.bindings.bind(name);
  const bindings = new Bindings("class", parser.bindings);
  const body = parser.withBindings(bindings, () => parseBlock(parser, parts.at(-1)));
  return { kind: "class", name, bases: positional, body, locals: bindings.names, decorators, ...spanOf(parts) };
}

function parseDecorated(parser: NodeParser, parts: readonly SyntaxNode[]): Statement {
  const decorators = parts
    .filter((part) => part.name === "Decorator")
    .map((part) => parseDecorator(parser, childrenOf(part).slice(1)));
  const definition = parts.at(-1);
  if (!definition) throw syntaxError("invalid syntax");
  const inside = childrenOf(definition);
  return definition.name === "ClassDefinition"
    ? parseClass(parser, inside, decorators)
    : parseDefinition(parser, inside, decorators);
}

/** The Lezer parser returns the names of `@a.b(c)` one by one. */
function parseDecorator(parser: NodeParser, parts: readonly SyntaxNode[]): Expression {
  const [first, ...rest] = parts;
  if (!first) throw syntaxError("invalid syntax");
  let expression = parser.parse(first);
  const span = spanOf(parts);
  for (const part of rest) {
    if (part.name === "ArgList") {
      const args = parser.parseArguments(childrenOf(part).slice(1, -1));
      expression = { kind: "call", callee: expression, ...args, ...span };
    } else if (part.name !== ".") {
      expression = { kind: "attribute", object: expression, name: parser.identifier(parser.textOf(part)), ...span };
    }
  }
  return expression;
}

function parseTry(parser: NodeParser, parts: readonly SyntaxNode[], span: SourceRange): Statement {
  const body = parseBlock(parser, parts[1]);
  const handlers: Handler[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.name !== "except") continue;
    const end = parts.findIndex((other, position) => position > index && other.name === "Body");
    const head = parts.slice(index + 1, end);
    if (head[0]?.name === "*") return { kind: "unsupported", what: "except*", ...span };
    if (handlers.at(-1)?.types === null) throw syntaxError("default 'except:' must be last");
    const as = head.findIndex((node) => node.name === "as");
    const nameNode = as < 0 ? undefined : head[as + 1];
    const types = head.slice(0, as < 0 ? head.length : as);
    if (types.length > 1) throw syntaxError("multiple exception types must be parenthesized");
    const name = nameNode ? parser.identifier(parser.textOf(nameNode)) : null;
    if (name !== null) parser.bindings.bind(name);
    const spec = types[0] ? parser.parse(types[0]) : null;
    handlers.push({ types: spec, name, body: parseBlock(parser, parts[end]) });
  }
  const final = parseElse(parser, parts, "finally");
  return { kind: "try", body, handlers, orElse: parseElse(parser, parts), final, ...span };
}

function parseRaise(parser: NodeParser, parts: readonly SyntaxNode[], span: SourceRange): Statement {
  const [value, , cause] = parts;
  return {
    kind: "raise",
    value: value ? parser.parse(value) : null,
    cause: cause ? parser.parse(cause) : null,
    ...span,
  };
}

/** Parses `with`; several contexts become nested blocks. */
function parseWith(parser: NodeParser, parts: readonly SyntaxNode[]): Statement {
  const body = parts.at(-1);
  const heads = splitAtCommas(parts.slice(1, -1)).map((head) => {
    const [context, , targetNode] = head;
    if (!context) throw syntaxError("invalid syntax");
    return {
      context: parser.parse(context),
      target: targetNode ? parseTarget(parser, [targetNode]) : null,
      ...spanOf(head),
    };
  });
  const [nested] = heads.reduceRight<Statement[]>(
    (inner, head): Statement[] => [{ kind: "with", ...head, body: inner }],
    parseBlock(parser, body),
  );
  if (!nested) throw syntaxError("invalid syntax");
  return nested;
}

function parseImport(parser: NodeParser, parts: readonly SyntaxNode[], span: SourceRange): Statement[] {
  if (parts[0]?.name === "from") {
    const at = parts.findIndex((part) => part.name === "import");
    const module = parts
      .slice(1, at)
      .map((part) => parser.textOf(part))
      .join("");
    if (parts[at + 1]?.name === "*") throw syntaxError("import * only allowed at module level");
    const listed = parts.slice(at + 1).filter((part) => part.name !== "(" && part.name !== ")");
    const names = splitAtCommas(listed)
      .filter((part) => part.length > 0)
      .map(([member, , alias]): ImportedName => {
        if (!member) throw syntaxError("invalid syntax");
        const name = parser.identifier(parser.textOf(alias ?? member));
        return { member: parser.textOf(member), name };
      });
    for (const { name } of names) parser.bindings.bind(name);
    return [{ kind: "import", module, names, ...span }];
  }
  return splitAtCommas(parts.slice(1)).map((part): Statement => {
    const as = part.findIndex((node) => node.name === "as");
    const path = part.slice(0, as < 0 ? part.length : as).map((node) => parser.textOf(node));
    const alias = as < 0 ? undefined : part[as + 1];
    // `import a.b` binds a.
    const name = alias ? parser.identifier(parser.textOf(alias)) : (path[0] ?? "");
    const module = alias ? path.join("") : (path[0] ?? "");
    parser.bindings.bind(name);
    const parent: Statement = { kind: "import", module, names: [{ member: null, name }], ...span };
    return parent;
  });
}

function parseScopeDeclaration(parser: NodeParser, parts: readonly SyntaxNode[], span: SourceRange): Statement {
  const isGlobal = parts[0]?.name === "global";
  for (const part of parts.slice(1)) {
    if (part.name === ",") continue;
    const name = parser.identifier(parser.textOf(part));
    if (isGlobal) parser.bindings.declareGlobal(name);
    else parser.bindings.declareNonlocal(name);
  }
  return { kind: "pass", ...span };
}
