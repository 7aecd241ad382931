import type { Comprehension, Expression, FormatPart } from "../ast.ts";
import { isBuiltin } from "./builtins.ts";
import { visitCall } from "./calls.ts";
import { either, elementOf, type Known, listOf, looped } from "./known.ts";
import { attributeSpan, isWritten } from "./places.ts";
import type { Walk } from "./walk.ts";

type Kind = Expression["kind"];

type Visit<Node> = (walk: Walk, node: Node) => Known | undefined;

/** What is known of an expression. Notes the names in it. */
export function visitExpression(walk: Walk, node: Expression): Known | undefined {
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
    return either(walk.visit(body), walk.visit(orElse));
  },
  list: visitList,
  set: visitList,
  tuple: (walk, { items }) => ({ kind: "tuple", items: items.map((item) => walk.visit(item)) }),
  comprehension: visitComprehension,
  lambda: (walk, { fn }) => walk.visitFunction(fn),
  named: visitNamed,
  // Of the values of these nothing is known.
  constant: () => undefined,
  bytes: () => undefined,
  imaginary: () => undefined,
  unsupported: () => undefined,
  format: (walk, { parts }) => visitAll(walk, replaced(parts)),
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

function visitAll(walk: Walk, nodes: readonly (Expression | null)[]): undefined {
  for (const node of nodes) walk.visitMaybe(node);
}

const replaced = (parts: readonly FormatPart[]): Expression[] =>
  parts.flatMap((part) => (typeof part === "string" ? [] : [part.value, ...replaced(part.spec)]));

function visitLogic(walk: Walk, node: Expression & { kind: "logic" }): Known | undefined {
  const left = walk.visit(node.left);
  const right = walk.visit(node.right);
  return node.operator === "or" ? either(left, right) : either(right, left);
}

function visitList(walk: Walk, { items }: { items: readonly Expression[] }): Known | undefined {
  const [element] = items.map((item) => walk.visit(item)).filter((item) => item !== undefined);
  return element && { kind: "list", element, isDirect: true };
}

function visitNamed(walk: Walk, node: Expression & { kind: "named" }): Known | undefined {
  const value = walk.visit(node.value);
  walk.scope.assign(node.name, value);
  return value;
}

function visitName(walk: Walk, node: Expression & { kind: "name" }): Known | undefined {
  const { name } = node;
  const variable = walk.scope.find(name);
  if (variable !== null) return variable;
  const given = walk.globals.get(name);
  if (given) return given;
  if (walk.tables.tableById.has(name)) {
    if (isWritten(walk.text, node, name)) walk.noteTable(node, name);
    return { kind: "table", table: name };
  }
  return isBuiltin(name) ? { kind: "builtin", name } : undefined;
}

function visitAttribute(walk: Walk, node: Expression & { kind: "attribute" }): Known | undefined {
  const object = walk.visit(node.object);
  const { name } = node;
  if (object?.kind === "object" && object.attributes.has(name)) return object.attributes.get(name);
  if (object?.kind === "table") return memberOfTable(object.table, name);
  if (object?.kind === "finder") return { kind: "function", gives: { kind: "record", table: object.table } };
  if (object?.kind === "records" && FINDERS.has(name)) return { kind: "finder", table: object.table };
  const span = attributeSpan(walk.text, node);
  if (object?.kind !== "record" && object?.kind !== "records") {
    if (span) walk.noteAttribute(span, name);
    return undefined;
  }
  if (span) walk.noteColumn(span, object.table, name);
  const cells = walk.cellsOf(object.table, name);
  return object.kind === "record" ? cells : allOf(cells);
}

const FINDERS: ReadonlySet<string> = new Set(["find", "_find"]);

function memberOfTable(table: string, name: string): Known | undefined {
  const records: Known = { kind: "records", table, isDirect: true };
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

/** What is known of a column's cells of several records together, by what is known of a single one. */
function allOf(cells: Known | undefined): Known | undefined {
  if (cells?.kind !== "record" && cells?.kind !== "records") return undefined;
  return { kind: "records", table: cells.table, isDirect: false };
}

function visitSlice(walk: Walk, node: Expression & { kind: "slice" }): Known | undefined {
  const object = walk.visit(node.object);
  for (const bound of node.bounds) walk.visitMaybe(bound);
  return object?.kind === "tuple" ? undefined : object;
}

function visitIndex(walk: Walk, node: Expression & { kind: "index" }): Known | undefined {
  const object = walk.visit(node.object);
  walk.visit(node.index);
  if (object?.kind !== "tuple") return elementOf(object);
  const place = node.index.kind === "constant" ? node.index.value : null;
  return typeof place === "bigint" ? object.items.at(Number(place)) : undefined;
}

function visitComprehension(walk: Walk, node: Comprehension): Known | undefined {
  const [first, ...others] = node.clauses;
  // The first iterable is computed outside, where names of the comprehension are not known yet.
  const source = walk.visit(first.iterable);
  return walk.within(node, node.locals, () => {
    const clauses = [{ ...first, known: looped(source) }, ...others];
    for (const clause of clauses) {
      walk.bind(clause.target, "known" in clause ? clause.known : looped(walk.visit(clause.iterable)));
      for (const condition of clause.conditions) walk.visit(condition);
    }
    const element = walk.visit(node.element);
    walk.visitMaybe(node.value);
    return node.form === "dict" ? undefined : listOf(element, source);
  });
}
