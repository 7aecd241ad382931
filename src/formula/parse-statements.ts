import type { BinaryOperator, Branch, Expression, Handler, ImportedName, Statement, Target } from "./ast.ts";
import { Bindings } from "./bindings.ts";
import { PyError, syntaxError } from "./errors.ts";
import type { Reader } from "./reader.ts";
import { readFunction } from "./parse-functions.ts";
import { readMatch } from "./parse-match.ts";
import { readTarget } from "./parse-targets.ts";
import { type SyntaxNode, childrenOf, spanOf, splitAtCommas } from "./syntax-node.ts";

/** Reads statements that stand one after the other. Throws PyError SyntaxError or IndentationError. */
export function readStatements(reader: Reader, nodes: readonly SyntaxNode[]): Statement[] {
  return nodes.flatMap((node) => {
    if (node.name !== "StatementGroup") return reader.deeper(() => readStatement(reader, node));
    return readStatements(
      reader,
      childrenOf(node).filter((part) => part.name !== ";"),
    );
  });
}

function readStatement(reader: Reader, node: SyntaxNode): Statement | Statement[] {
  if (node.type.isError) throw syntaxError("the formula is nested too deeply");
  const parts = childrenOf(node);
  const span = { from: node.from, to: node.to };
  switch (node.name) {
    case "ExpressionStatement":
      return { kind: "expression", value: reader.readItemsOrOne(parts), ...span };
    case "YieldStatement":
      return { kind: "expression", value: readYield(reader, node), ...span };
    case "ReturnStatement":
      if (reader.bindings.kind !== "function") throw syntaxError("'return' outside function");
      if (parts.length === 1) return { kind: "return", value: { kind: "constant", value: null, ...span }, ...span };
      return { kind: "return", value: reader.readItemsOrOne(parts.slice(1)), ...span };
    case "AssignStatement":
      return readAssignment(reader, parts, span);
    case "UpdateStatement":
      return readUpdate(reader, parts, span);
    case "DeleteStatement":
      return { kind: "delete", targets: readDeleted(reader, parts.slice(1)), ...span };
    case "PassStatement":
      return { kind: "pass", ...span };
    case "BreakStatement":
    case "ContinueStatement": {
      const kind = node.name === "BreakStatement" ? "break" : "continue";
      if (reader.bindings.loops === 0) throw syntaxError(`'${kind}' outside loop`);
      return { kind, ...span };
    }
    case "IfStatement":
      return readIf(reader, parts, span);
    case "ForStatement":
      return readFor(reader, parts, span);
    case "WhileStatement": {
      const [branch] = readBranches(reader, parts, true);
      if (!branch) throw syntaxError("invalid syntax");
      return { kind: "while", ...branch, orElse: readElse(reader, parts), ...span };
    }
    case "FunctionDefinition":
      return readDefinition(reader, parts, []);
    case "ClassDefinition":
      return readClass(reader, parts, []);
    case "DecoratedStatement":
      return readDecorated(reader, parts);
    case "TryStatement":
      return readTry(reader, parts, span);
    case "RaiseStatement":
      return readRaise(reader, parts.slice(1), span);
    case "AssertStatement": {
      const [test, , message] = parts.slice(1);
      if (!test) throw syntaxError("invalid syntax");
      return { kind: "assert", test: reader.read(test), message: message ? reader.read(message) : null, ...span };
    }
    case "WithStatement":
      return readWith(reader, parts);
    case "ImportStatement":
      return readImport(reader, parts, span);
    case "ScopeStatement":
      return readScope(reader, parts, span);
    case "MatchStatement":
      return readMatch(reader, parts, span, (body) => readBlock(reader, body));
    default:
      return { kind: "unsupported", what: node.name, ...span };
  }
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function readYield(reader: Reader, node: SyntaxNode): Expression {
  reader.bindings.yields = true;
  const parts = childrenOf(node).slice(1);
  const delegates = parts[0]?.name === "from";
  const value = reader.readItemsOrOne(delegates ? parts.slice(1) : parts);
  return { kind: "yield", value, delegates, from: node.from, to: node.to };
}

/** The statements of a block. Throws PyError IndentationError where they do not stand below each other. */
export function readBlock(reader: Reader, body: SyntaxNode | undefined): Statement[] {
  if (body?.name !== "Body") throw syntaxError("invalid syntax");
  const nodes = childrenOf(body).slice(1);
  if (nodes.length === 0) throw new PyError("IndentationError", "expected an indented block");
  const columns = nodes.map((node) => reader.columnOf(node)).filter((column) => column !== undefined);
  if (columns.some((column) => column !== columns[0])) throw new PyError("IndentationError", "unexpected indent");
  return readStatements(reader, nodes);
}

function readAssignment(reader: Reader, parts: readonly SyntaxNode[], span: Range): Statement {
  const groups: SyntaxNode[][] = [[]];
  let annotated = false;
  for (const part of parts) {
    if (part.name === "AssignOp") groups.push([]);
    else if (part.name === "TypeDef") annotated = true;
    else groups.at(-1)?.push(part);
  }
  const value = groups.length > 1 ? groups.pop() : undefined;
  // The value is read first: in `x = lambda: x` nothing depends on it, but `rec` in a value must stay what it is.
  const read = value ? reader.readItemsOrOne(value) : undefined;
  const targets = groups.map((group) => readTarget(reader, group));
  if (annotated && (targets.length > 1 || targets[0]?.kind === "sequence")) throw syntaxError("invalid syntax");
  return read ? { kind: "assign", targets, value: read, ...span } : { kind: "pass", ...span };
}

function readUpdate(reader: Reader, parts: readonly SyntaxNode[], span: Range): Statement {
  const at = parts.findIndex((part) => part.name === "UpdateOp");
  const sign = parts[at];
  const target = readTarget(reader, parts.slice(0, at));
  if (!sign || target.kind === "sequence") throw syntaxError("illegal expression for augmented assignment");
  const operator = reader.textOf(sign).slice(0, -1) as BinaryOperator;
  return { kind: "augment", target, operator, value: reader.readItemsOrOne(parts.slice(at + 1)), ...span };
}

function readDeleted(reader: Reader, parts: readonly SyntaxNode[]): Target[] {
  return splitAtCommas(parts)
    .filter((part) => part.length > 0)
    .map((part) => readTarget(reader, part));
}

/** The conditions before blocks, and these. */
function readBranches(reader: Reader, parts: readonly SyntaxNode[], isLoop: boolean): Branch[] {
  const branches: Branch[] = [];
  for (const [index, part] of parts.entries()) {
    const test = parts[index + 1];
    if (!test || (part.name !== "if" && part.name !== "elif" && part.name !== "while")) continue;
    const condition = reader.read(test);
    branches.push({ test: condition, body: readLoopBlock(reader, parts[index + 2], isLoop) });
  }
  return branches;
}

function readLoopBlock(reader: Reader, body: SyntaxNode | undefined, isLoop: boolean): Statement[] {
  if (isLoop) reader.bindings.loops++;
  const block = readBlock(reader, body);
  if (isLoop) reader.bindings.loops--;
  return block;
}

/** The block behind a word, if there is one. */
function readElse(reader: Reader, parts: readonly SyntaxNode[], word = "else"): Statement[] {
  const at = parts.findIndex((part) => part.name === word);
  return at < 0 ? [] : readBlock(reader, parts[at + 1]);
}

function readIf(reader: Reader, parts: readonly SyntaxNode[], span: Range): Statement {
  return { kind: "if", branches: readBranches(reader, parts, false), orElse: readElse(reader, parts), ...span };
}

function readFor(reader: Reader, parts: readonly SyntaxNode[], span: Range): Statement {
  const at = parts.findIndex((part) => part.name === "in");
  const bodyAt = parts.findIndex((part) => part.name === "Body");
  if (parts[0]?.name !== "for" || at < 0) throw syntaxError("asynchronous loops are not possible");
  const iterable = reader.readItemsOrOne(parts.slice(at + 1, bodyAt));
  const target = readTarget(reader, parts.slice(1, at));
  const body = readLoopBlock(reader, parts[bodyAt], true);
  return { kind: "for", target, iterable, body, orElse: readElse(reader, parts), ...span };
}

function readDefinition(reader: Reader, parts: readonly SyntaxNode[], decorators: readonly Expression[]): Statement {
  const [word, nameNode] = parts;
  const list = parts.find((part) => part.name === "ParamList");
  if (word?.name !== "def" || !nameNode || !list) throw syntaxError("asynchronous functions are not possible");
  const name = reader.identifier(reader.textOf(nameNode));
  reader.bindings.bind(name);
  const annotations = [...childrenOf(list), ...parts]
    .filter((part) => part.name === "TypeDef")
    .map((part) => reader.readItemsOrOne(childrenOf(part).filter((inner) => inner.name !== ":")));
  const fn = readFunction(reader, childrenOf(list).slice(1, -1), () => readBlock(reader, parts.at(-1)));
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

function readClass(reader: Reader, parts: readonly SyntaxNode[], decorators: readonly Expression[]): Statement {
  const nameNode = parts[1];
  if (!nameNode) throw syntaxError("invalid syntax");
  const name = reader.identifier(reader.textOf(nameNode));
  const list = parts.find((part) => part.name === "ArgList");
  const { positional, keywords } = reader.readArguments(list ? childrenOf(list).slice(1, -1) : []);
  if (keywords.length > 0) return { kind: "unsupported", what: "classes with keyword arguments", ...spanOf(parts) };
  reader.bindings.bind(name);
  const bindings = new Bindings("class", reader.bindings);
  const body = reader.within(bindings, () => readBlock(reader, parts.at(-1)));
  return { kind: "class", name, bases: positional, body, locals: bindings.names, decorators, ...spanOf(parts) };
}

function readDecorated(reader: Reader, parts: readonly SyntaxNode[]): Statement {
  const decorators = parts
    .filter((part) => part.name === "Decorator")
    .map((part) => readDecorator(reader, childrenOf(part).slice(1)));
  const definition = parts.at(-1);
  if (!definition) throw syntaxError("invalid syntax");
  const inside = childrenOf(definition);
  return definition.name === "ClassDefinition"
    ? readClass(reader, inside, decorators)
    : readDefinition(reader, inside, decorators);
}

/** The parser gives the names of `@a.b(c)` one by one. */
function readDecorator(reader: Reader, parts: readonly SyntaxNode[]): Expression {
  const [first, ...rest] = parts;
  if (!first) throw syntaxError("invalid syntax");
  let expression = reader.read(first);
  const span = spanOf(parts);
  for (const part of rest) {
    if (part.name === "ArgList") {
      const args = reader.readArguments(childrenOf(part).slice(1, -1));
      expression = { kind: "call", callee: expression, ...args, ...span };
    } else if (part.name !== ".") {
      expression = { kind: "attribute", object: expression, name: reader.identifier(reader.textOf(part)), ...span };
    }
  }
  return expression;
}

function readTry(reader: Reader, parts: readonly SyntaxNode[], span: Range): Statement {
  const body = readBlock(reader, parts[1]);
  const handlers: Handler[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.name !== "except") continue;
    const end = parts.findIndex((other, place) => place > index && other.name === "Body");
    const head = parts.slice(index + 1, end);
    if (head[0]?.name === "*") return { kind: "unsupported", what: "except*", ...span };
    if (handlers.at(-1)?.types === null) throw syntaxError("default 'except:' must be last");
    const as = head.findIndex((node) => node.name === "as");
    const nameNode = as < 0 ? undefined : head[as + 1];
    const types = head.slice(0, as < 0 ? head.length : as);
    if (types.length > 1) throw syntaxError("multiple exception types must be parenthesized");
    const name = nameNode ? reader.identifier(reader.textOf(nameNode)) : null;
    if (name !== null) reader.bindings.bind(name);
    const spec = types[0] ? reader.read(types[0]) : null;
    handlers.push({ types: spec, name, body: readBlock(reader, parts[end]) });
  }
  const final = readElse(reader, parts, "finally");
  return { kind: "try", body, handlers, orElse: readElse(reader, parts), final, ...span };
}

function readRaise(reader: Reader, parts: readonly SyntaxNode[], span: Range): Statement {
  const [value, , cause] = parts;
  return {
    kind: "raise",
    value: value ? reader.read(value) : null,
    cause: cause ? reader.read(cause) : null,
    ...span,
  };
}

/** Several contexts are blocks within each other. */
function readWith(reader: Reader, parts: readonly SyntaxNode[]): Statement {
  const body = parts.at(-1);
  const heads = splitAtCommas(parts.slice(1, -1)).map((head) => {
    const [context, , targetNode] = head;
    if (!context) throw syntaxError("invalid syntax");
    return {
      context: reader.read(context),
      target: targetNode ? readTarget(reader, [targetNode]) : null,
      ...spanOf(head),
    };
  });
  const [nested] = heads.reduceRight<Statement[]>(
    (inner, head): Statement[] => [{ kind: "with", ...head, body: inner }],
    readBlock(reader, body),
  );
  if (!nested) throw syntaxError("invalid syntax");
  return nested;
}

function readImport(reader: Reader, parts: readonly SyntaxNode[], span: Range): Statement[] {
  if (parts[0]?.name === "from") {
    const at = parts.findIndex((part) => part.name === "import");
    const module = parts
      .slice(1, at)
      .map((part) => reader.textOf(part))
      .join("");
    if (parts[at + 1]?.name === "*") throw syntaxError("import * only allowed at module level");
    const listed = parts.slice(at + 1).filter((part) => part.name !== "(" && part.name !== ")");
    const names = splitAtCommas(listed)
      .filter((part) => part.length > 0)
      .map(([member, , alias]): ImportedName => {
        if (!member) throw syntaxError("invalid syntax");
        const name = reader.identifier(reader.textOf(alias ?? member));
        return { member: reader.textOf(member), name };
      });
    for (const { name } of names) reader.bindings.bind(name);
    return [{ kind: "import", module, names, ...span }];
  }
  return splitAtCommas(parts.slice(1)).map((part): Statement => {
    const as = part.findIndex((node) => node.name === "as");
    const path = part.slice(0, as < 0 ? part.length : as).map((node) => reader.textOf(node));
    const alias = as < 0 ? undefined : part[as + 1];
    // `import a.b` binds a.
    const name = alias ? reader.identifier(reader.textOf(alias)) : (path[0] ?? "");
    const module = alias ? path.join("") : (path[0] ?? "");
    reader.bindings.bind(name);
    const parent: Statement = { kind: "import", module, names: [{ member: null, name }], ...span };
    return parent;
  });
}

function readScope(reader: Reader, parts: readonly SyntaxNode[], span: Range): Statement {
  const isGlobal = parts[0]?.name === "global";
  for (const part of parts.slice(1)) {
    if (part.name === ",") continue;
    const name = reader.identifier(reader.textOf(part));
    if (isGlobal) reader.bindings.declareGlobal(name);
    else reader.bindings.declareNonlocal(name);
  }
  return { kind: "pass", ...span };
}
