import type { Expression, Pattern, Statement, Target } from "../ast.ts";
import { Fork, STRAIGHT } from "./fork.ts";
import { type Known, looped } from "./known.ts";
import type { Walk } from "./walk.ts";

/** Notes the names in statements. Gives false when what stands behind them is not reached. */
export function walkStatements(walk: Walk, statements: readonly Statement[]): boolean {
  let goesOn = true;
  for (const statement of statements) goesOn = walkStatement(walk, statement) && goesOn;
  return goesOn;
}

type Kind = Statement["kind"];

type Step<Node> = (walk: Walk, node: Node) => boolean;

function walkStatement(walk: Walk, node: Statement): boolean {
  const steps: Readonly<Record<Kind, Step<never>>> = STEPS;
  return steps[node.kind](walk, node as never);
}

const goOn = (): boolean => true;

/** Each gives false when what stands behind is not reached. */
const STEPS: { [K in Kind]: Step<Statement & { kind: K }> } = {
  expression: (walk, { value }) => {
    walk.visit(value);
    return true;
  },
  return: (walk, { value }) => {
    walk.give(walk.visit(value));
    return false;
  },
  raise: (walk, { value, cause }) => {
    walk.visitMaybe(value);
    walk.visitMaybe(cause);
    return false;
  },
  assert: (walk, { test, message }) => {
    walk.visit(test);
    walk.visitMaybe(message);
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
  // What jumps out of a turn of a loop is taken to go on: both ways lead behind the loop.
  break: goOn,
  continue: goOn,
  pass: goOn,
  unsupported: goOn,
};

function bindAll(walk: Walk, targets: readonly Target[], known: Known | undefined): boolean {
  for (const target of targets) walk.bind(target, known);
  return true;
}

/** Notes the names of what is assigned to, and what is known of them from now on. */
export function bindTarget(walk: Walk, target: Target, known: Known | undefined): void {
  switch (target.kind) {
    case "name":
      walk.scope.assign(target.name, known);
      return;
    case "attribute":
      walk.visit(target.object);
      return;
    case "index":
      walk.visit(target.object);
      walk.visit(target.index);
      return;
    case "sequence": {
      const fits = known?.kind === "tuple" && target.star === null && known.items.length === target.items.length;
      for (const [place, item] of target.items.entries()) walk.bind(item, fits ? known.items[place] : undefined);
    }
  }
}

function walkIf(walk: Walk, node: Statement & { kind: "if" }): boolean {
  const fork = new Fork(walk.scope);
  for (const { test, body } of node.branches) {
    walk.visit(test);
    fork.go(() => walkStatements(walk, body));
  }
  fork.go(() => walkStatements(walk, node.orElse));
  return fork.meet();
}

function walkLoop(walk: Walk, node: Statement & { kind: "for" | "while" }): boolean {
  const source = node.kind === "for" ? walk.visit(node.iterable) : undefined;
  const { scope } = walk;
  const turn = scope.branch(() => {
    scope.meet([STRAIGHT, walk.turnOf(node)]);
    if (node.kind === "for") walk.bind(node.target, looped(source));
    else walk.visit(node.test);
    walkStatements(walk, node.body);
  });
  walk.setTurn(node, turn);
  scope.meet([STRAIGHT, turn]);
  walkStatements(walk, node.orElse);
  return true;
}

function walkFunction(walk: Walk, node: Statement & { kind: "function" }): boolean {
  for (const part of [...node.decorators, ...node.annotations]) walk.visit(part);
  const known = walk.visitFunction(node.fn);
  walk.scope.assign(node.name, node.decorators.length > 0 ? undefined : known);
  return true;
}

function walkClass(walk: Walk, node: Statement & { kind: "class" }): boolean {
  for (const base of [...node.decorators, ...node.bases]) walk.visit(base);
  walk.within(node, node.locals, () => walkStatements(walk, node.body));
  walk.scope.assign(node.name, undefined);
  return true;
}

function walkTry(walk: Walk, node: Statement & { kind: "try" }): boolean {
  const { scope } = walk;
  const fork = new Fork(scope);
  let goesOn = false;
  const body = scope.branch(() => void (goesOn = walkStatements(walk, node.body)));
  fork.go(() => {
    scope.meet([body]);
    return walkStatements(walk, node.orElse) && goesOn;
  });
  for (const { types, name, body: handler } of node.handlers) {
    fork.go(() => {
      scope.meet([STRAIGHT, body]);
      walk.visitMaybe(types);
      if (name !== null) scope.assign(name, undefined);
      return walkStatements(walk, handler);
    });
  }
  const ends = fork.meet();
  return walkStatements(walk, node.final) && ends;
}

function walkMatch(walk: Walk, node: Statement & { kind: "match" }): boolean {
  const subject = walk.visit(node.subject);
  const fork = new Fork(walk.scope);
  fork.go(goOn);
  for (const { pattern, guard, body } of node.cases) {
    fork.go(() => {
      bindPattern(walk, pattern, subject);
      walk.visitMaybe(guard);
      return walkStatements(walk, body);
    });
  }
  return fork.meet();
}

function bindPattern(walk: Walk, pattern: Pattern, known: Known | undefined): void {
  for (const part of valuesIn(pattern)) walk.visit(part);
  for (const inner of partsOf(pattern)) {
    bindPattern(walk, inner, pattern.kind === "or" || pattern.kind === "as" ? known : undefined);
  }
  if ((pattern.kind === "capture" || pattern.kind === "as") && pattern.name !== null) {
    walk.scope.assign(pattern.name, known);
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
