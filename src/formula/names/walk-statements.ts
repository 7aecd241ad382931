import type { Expression, Pattern, Statement, Target } from "../parser/ast.ts";
import { BranchMerger, NO_ASSIGNMENTS } from "./branch-merger.ts";
import { type InferredType, loopVariableType } from "./inferred-type.ts";
import type { WalkContext } from "./walk-context.ts";

/** Adds the names in statements. Returns false when the code after them is unreachable. */
export function walkStatements(walk: WalkContext, statements: readonly Statement[]): boolean {
  let isReachable = true;
  for (const statement of statements) isReachable = walkStatement(walk, statement) && isReachable;
  return isReachable;
}

type Kind = Statement["kind"];

type Step<Node> = (walk: WalkContext, node: Node) => boolean;

function walkStatement(walk: WalkContext, node: Statement): boolean {
  const steps: Readonly<Record<Kind, Step<never>>> = STEPS;
  return steps[node.kind](walk, node as never);
}

const reachable = (): boolean => true;

/** Each visitor returns false when the code after the statement is unreachable. */
const STEPS: { [K in Kind]: Step<Statement & { kind: K }> } = {
  expression: (walk, { value }) => {
    walk.visit(value);
    return true;
  },
  return: (walk, { value }) => {
    walk.addReturnType(walk.visit(value));
    return false;
  },
  raise: (walk, { value, cause }) => {
    walk.visitOptional(value);
    walk.visitOptional(cause);
    return false;
  },
  assert: (walk, { test, message }) => {
    walk.visit(test);
    walk.visitOptional(message);
    return true;
  },
  assign: (walk, { targets, value }) => bindAll(walk, targets, walk.visit(value)),
  augment: (walk, { target, value }) => {
    walk.visit(value);
    return bindAll(walk, [target], undefined);
  },
  delete: (walk, { targets }) => bindAll(walk, targets, undefined),
  import: (walk, { names }) => {
    for (const { name } of names) walk.scope.assign(name, undefined);
    return true;
  },
  if: walkIf,
  for: walkLoop,
  while: walkLoop,
  match: walkMatch,
  try: walkTry,
  with: (walk, { context, target, body }) => {
    walk.visit(context);
    if (target) walk.bind(target, undefined);
    return walkStatements(walk, body);
  },
  function: walkFunction,
  class: walkClass,
  // `break` and `continue` are treated as reachable: both continue after the loop.
  break: reachable,
  continue: reachable,
  pass: reachable,
  unsupported: reachable,
};

function bindAll(walk: WalkContext, targets: readonly Target[], type: InferredType | undefined): boolean {
  for (const target of targets) walk.bind(target, type);
  return true;
}

/** Adds the names in an assignment target, and records their types from here on. */
export function bindTarget(walk: WalkContext, target: Target, type: InferredType | undefined): void {
  switch (target.kind) {
    case "name":
      walk.scope.assign(target.name, type);
      return;
    case "attribute":
      walk.visit(target.object);
      return;
    case "index":
      walk.visit(target.object);
      walk.visit(target.index);
      return;
    case "sequence": {
      const fits = type?.kind === "tuple" && target.star === null && type.items.length === target.items.length;
      for (const [position, item] of target.items.entries()) walk.bind(item, fits ? type.items[position] : undefined);
    }
  }
}

function walkIf(walk: WalkContext, node: Statement & { kind: "if" }): boolean {
  const fork = new BranchMerger(walk.scope);
  for (const { test, body } of node.branches) {
    walk.visit(test);
    fork.branch(() => walkStatements(walk, body));
  }
  fork.branch(() => walkStatements(walk, node.orElse));
  return fork.merge();
}

function walkLoop(walk: WalkContext, node: Statement & { kind: "for" | "while" }): boolean {
  const source = node.kind === "for" ? walk.visit(node.iterable) : undefined;
  const { scope } = walk;
  const iteration = scope.branch(() => {
    scope.merge([NO_ASSIGNMENTS, walk.previousIteration(node)]);
    if (node.kind === "for") walk.bind(node.target, loopVariableType(source));
    else walk.visit(node.test);
    walkStatements(walk, node.body);
  });
  walk.recordIteration(node, iteration);
  scope.merge([NO_ASSIGNMENTS, iteration]);
  walkStatements(walk, node.orElse);
  return true;
}

function walkFunction(walk: WalkContext, node: Statement & { kind: "function" }): boolean {
  for (const part of [...node.decorators, ...node.annotations]) walk.visit(part);
  const known = walk.visitFunction(node.fn);
  walk.scope.assign(node.name, node.decorators.length > 0 ? undefined : known);
  return true;
}

function walkClass(walk: WalkContext, node: Statement & { kind: "class" }): boolean {
  for (const base of [...node.decorators, ...node.bases]) walk.visit(base);
  walk.within(node, node.locals, () => walkStatements(walk, node.body));
  walk.scope.assign(node.name, undefined);
  return true;
}

function walkTry(walk: WalkContext, node: Statement & { kind: "try" }): boolean {
  const { scope } = walk;
  const fork = new BranchMerger(scope);
  let isReachable = false;
  const body = scope.branch(() => void (isReachable = walkStatements(walk, node.body)));
  fork.branch(() => {
    scope.merge([body]);
    return walkStatements(walk, node.orElse) && isReachable;
  });
  for (const { types, name, body: handler } of node.handlers) {
    fork.branch(() => {
      scope.merge([NO_ASSIGNMENTS, body]);
      walk.visitOptional(types);
      if (name !== null) scope.assign(name, undefined);
      return walkStatements(walk, handler);
    });
  }
  const ends = fork.merge();
  return walkStatements(walk, node.final) && ends;
}

function walkMatch(walk: WalkContext, node: Statement & { kind: "match" }): boolean {
  const subject = walk.visit(node.subject);
  const fork = new BranchMerger(walk.scope);
  fork.branch(reachable);
  for (const { pattern, guard, body } of node.cases) {
    fork.branch(() => {
      bindPattern(walk, pattern, subject);
      walk.visitOptional(guard);
      return walkStatements(walk, body);
    });
  }
  return fork.merge();
}

function bindPattern(walk: WalkContext, pattern: Pattern, type: InferredType | undefined): void {
  for (const part of valuesIn(pattern)) walk.visit(part);
  for (const inner of partsOf(pattern)) {
    bindPattern(walk, inner, pattern.kind === "or" || pattern.kind === "as" ? type : undefined);
  }
  if ((pattern.kind === "capture" || pattern.kind === "as") && pattern.name !== null) {
    walk.scope.assign(pattern.name, type);
  }
  if (pattern.kind === "mapping" && pattern.rest !== null) walk.scope.assign(pattern.rest, undefined);
}

function valuesIn(pattern: Pattern): Expression[] {
  if (pattern.kind === "value") return [pattern.value];
  if (pattern.kind === "class") return [pattern.cls];
  return pattern.kind === "mapping" ? pattern.entries.map(({ key }) => key) : [];
}

function partsOf(pattern: Pattern): readonly Pattern[] {
  if (pattern.kind === "or") return pattern.options;
  if (pattern.kind === "as") return [pattern.pattern];
  if (pattern.kind === "sequence") return pattern.items;
  if (pattern.kind === "mapping") return pattern.entries.map((entry) => entry.pattern);
  if (pattern.kind !== "class") return [];
  return [...pattern.positional, ...pattern.keywords.map((keyword) => keyword.pattern)];
}
