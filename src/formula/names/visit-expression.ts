import type { Comprehension, Expression, FormatPart } from "../parser/ast.ts";
import { isTypedBuiltin } from "./builtin-result-types.ts";
import { visitCall } from "./visit-call.ts";
import { firstKnown, elementType, type InferredType, listType, loopVariableType } from "./inferred-type.ts";
import { attributeSpan, spanHasName } from "./name-references.ts";
import type { WalkContext } from "./walk-context.ts";

type Kind = Expression["kind"];

type Visit<Node> = (walk: WalkContext, node: Node) => InferredType | undefined;

/** Returns the type of an expression. Adds the names in it. */
export function visitExpression(walk: WalkContext, node: Expression): InferredType | undefined {
  const visits: Readonly<Record<Kind, Visit<never>>> = VISITS;
  return visits[node.kind](walk, node as never);
}

const VISITS: { [K in Kind]: Visit<Expression & { kind: K }> } = {
  name: visitName,
  attribute: visitAttribute,
  index: visitIndex,
  slice: visitSlice,
  call: visitCall,
  logic: visitLogic,
  conditional: (walk, { test, body, orElse }) => {
    walk.visit(test);
    return firstKnown(walk.visit(body), walk.visit(orElse));
  },
  list: visitList,
  set: visitList,
  tuple: (walk, { items }) => ({ kind: "tuple", items: items.map((item) => walk.visit(item)) }),
  comprehension: visitComprehension,
  lambda: (walk, { fn }) => walk.visitFunction(fn),
  named: visitNamed,
  // The types of these values are never known.
  constant: () => undefined,
  bytes: () => undefined,
  imaginary: () => undefined,
  unsupported: () => undefined,
  format: (walk, { parts }) => visitAll(walk, replacementExpressions(parts)),
  sliceValue: (walk, { bounds }) => visitAll(walk, bounds),
  unary: (walk, { operand }) => visitAll(walk, [operand]),
  binary: (walk, { left, right }) => visitAll(walk, [left, right]),
  compare: (walk, { first, rest }) => visitAll(walk, [first, ...rest.map(({ operand }) => operand)]),
  starred: (walk, { value }) => visitAll(walk, [value]),
  yield: (walk, { value }) => visitAll(walk, [value]),
  dict: (walk, { entries }) =>
    visitAll(
      walk,
      entries.flatMap(({ key, value }) => [key, value]),
    ),
};

function visitAll(walk: WalkContext, nodes: readonly (Expression | null)[]): undefined {
  for (const node of nodes) walk.visitOptional(node);
}

const replacementExpressions = (parts: readonly FormatPart[]): Expression[] =>
  parts.flatMap((part) => (typeof part === "string" ? [] : [part.value, ...replacementExpressions(part.spec)]));

function visitLogic(walk: WalkContext, node: Expression & { kind: "logic" }): InferredType | undefined {
  const left = walk.visit(node.left);
  const right = walk.visit(node.right);
  return node.operator === "or" ? firstKnown(left, right) : firstKnown(right, left);
}

function visitList(walk: WalkContext, { items }: { items: readonly Expression[] }): InferredType | undefined {
  const [element] = items.map((item) => walk.visit(item)).filter((item) => item !== undefined);
  return element && { kind: "list", element, isDirect: true };
}

function visitNamed(walk: WalkContext, node: Expression & { kind: "named" }): InferredType | undefined {
  const value = walk.visit(node.value);
  walk.scope.assign(node.name, value);
  return value;
}

function visitName(walk: WalkContext, node: Expression & { kind: "name" }): InferredType | undefined {
  const { name } = node;
  const variable = walk.scope.find(name);
  if (variable !== null) return variable;
  const globalType = walk.globals.get(name);
  if (globalType) return globalType;
  if (walk.tables.tableById.has(name)) {
    if (spanHasName(walk.text, node, name)) walk.addTableReference(node, name);
    return { kind: "table", table: name };
  }
  return isTypedBuiltin(name) ? { kind: "builtin", name } : undefined;
}

function visitAttribute(walk: WalkContext, node: Expression & { kind: "attribute" }): InferredType | undefined {
  const object = walk.visit(node.object);
  const { name } = node;
  if (object?.kind === "object" && object.attributes.has(name)) return object.attributes.get(name);
  if (object?.kind === "table") return tableMemberType(object.table, name);
  if (object?.kind === "finder") return { kind: "function", gives: { kind: "record", table: object.table } };
  if (object?.kind === "records" && FINDERS.has(name)) return { kind: "finder", table: object.table };
  const span = attributeSpan(walk.text, node);
  if (object?.kind !== "record" && object?.kind !== "records") {
    if (span) walk.addAttributeReference(span, name);
    return undefined;
  }
  if (span) walk.addColumnReference(span, object.table, name);
  const cells = walk.cellType(object.table, name);
  return object.kind === "record" ? cells : columnTypeOfRecords(cells);
}

const FINDERS: ReadonlySet<string> = new Set(["find", "_find"]);

function tableMemberType(table: string, name: string): InferredType | undefined {
  const records: InferredType = { kind: "records", table, isDirect: true };
  switch (name) {
    case "all":
      return records;
    case "lookupRecords":
      return { kind: "function", gives: records, looksUpIn: table };
    case "lookupOne":
      return { kind: "function", gives: { kind: "record", table }, looksUpIn: table };
    default:
      return undefined;
  }
}

/** Returns the type of a column of several records, given the type for a single one. */
function columnTypeOfRecords(cells: InferredType | undefined): InferredType | undefined {
  if (cells?.kind !== "record" && cells?.kind !== "records") return undefined;
  return { kind: "records", table: cells.table, isDirect: false };
}

function visitSlice(walk: WalkContext, node: Expression & { kind: "slice" }): InferredType | undefined {
  const object = walk.visit(node.object);
  for (const bound of node.bounds) walk.visitOptional(bound);
  return object?.kind === "tuple" ? undefined : object;
}

function visitIndex(walk: WalkContext, node: Expression & { kind: "index" }): InferredType | undefined {
  const object = walk.visit(node.object);
  walk.visit(node.index);
  if (object?.kind !== "tuple") return elementType(object);
  const position = node.index.kind === "constant" ? node.index.value : null;
  return typeof position === "bigint" ? object.items.at(Number(position)) : undefined;
}

function visitComprehension(walk: WalkContext, node: Comprehension): InferredType | undefined {
  const [first, ...others] = node.clauses;
  // The first iterable is evaluated in the enclosing scope.
  const source = walk.visit(first.iterable);
  return walk.within(node, node.locals, () => {
    const clauses = [{ ...first, known: loopVariableType(source) }, ...others];
    for (const clause of clauses) {
      walk.bind(clause.target, "known" in clause ? clause.known : loopVariableType(walk.visit(clause.iterable)));
      for (const condition of clause.conditions) walk.visit(condition);
    }
    const element = walk.visit(node.element);
    walk.visitOptional(node.value);
    return node.form === "dict" ? undefined : listType(element, source);
  });
}
