import { unreachable } from "../../lib/assert.ts";
import type { Expression, Statement } from "../parser/ast.ts";
import { spendSteps } from "../runtime/budget.ts";
import { callWith } from "../runtime/calls.ts";
import type { Compiler } from "./compiler.ts";
import { compileCases } from "./compile-match.ts";
import { compileTarget } from "./compile-targets.ts";
import {
  compileEnter,
  compileTryParts,
  type Completion,
  completionOfError,
  exitWithError,
  findHandler,
  resumeCompletion,
} from "./compile-try.ts";
import { notSupported } from "../runtime/errors.ts";
import { BREAK, type Evaluate, type ExecuteGenerator, type Flow, type Frame, NEXT, RETURN } from "./frame.ts";
import { PyGenerator } from "../runtime/classes/generators.ts";
import { augment } from "../runtime/operators.ts";
import { iterate, type PyValue, isTruthy } from "../runtime/values.ts";
import { containsYield, YieldHoister } from "./hoist-yields.ts";

/**
 * Compiles the statements of a generator. Statements without a `yield` compile as usual; the others become JavaScript
 * generators, which can be suspended.
 */
export function compileGeneratorBlock(
  compiler: Compiler,
  source: readonly Statement[],
  hoister: YieldHoister = new YieldHoister(),
): ExecuteGenerator {
  const statements = source.flatMap((statement) => hoister.expand(statement));
  const steps = statements.map((statement) => compileGeneratorStep(compiler, statement, hoister));
  return function* block(frame) {
    for (const step of steps) {
      const flow = "steps" in step ? yield* step.steps(frame) : step.execute(frame);
      if (flow !== NEXT) return flow;
    }
    return NEXT;
  };
}

type Step = { readonly steps: ExecuteGenerator } | { readonly execute: (frame: Frame) => Flow };

function compileGeneratorStep(compiler: Compiler, statement: Statement, hoister: YieldHoister): Step {
  if (!hasYield(statement)) return { execute: compiler.compileStatement(statement) };
  return { steps: compileYieldingStatement(compiler, statement, hoister) };
}

function hasYield(statement: Statement): boolean {
  switch (statement.kind) {
    case "expression":
    case "return":
    case "assign":
    case "augment":
      return containsYield(statement.value);
    case "if": {
      const { branches, orElse } = statement;
      return branches.some(({ test, body }) => containsYield(test) || body.some(hasYield)) || orElse.some(hasYield);
    }
    case "for":
    case "while": {
      const head = statement.kind === "for" ? statement.iterable : statement.test;
      return containsYield(head) || statement.body.some(hasYield) || statement.orElse.some(hasYield);
    }
    case "try":
      return [statement.body, ...statement.handlers.map(({ body }) => body), statement.orElse, statement.final].some(
        (block) => block.some(hasYield),
      );
    case "with":
      return statement.body.some(hasYield);
    case "match":
      return containsYield(statement.subject) || statement.cases.some(({ body }) => body.some(hasYield));
    case "assert":
    case "break":
    case "class":
    case "continue":
    case "delete":
    case "function":
    case "import":
    case "pass":
    case "raise":
    case "unsupported":
      return false;
    default:
      return unreachable(statement);
  }
}

/** A compiled expression that consists of a single `yield`. */
type EvaluateGenerator = (frame: Frame) => Generator<PyValue, PyValue, PyValue>;

function compileYield(compiler: Compiler, node: Expression): EvaluateGenerator {
  if (node.kind !== "yield") throw notSupported("yield within expressions");
  const value = compiler.compileOptional(node.value);
  if (!node.delegates) {
    return function* one(frame) {
      return yield value(frame);
    };
  }
  return function* all(frame) {
    const source = value(frame);
    const values = iterate(source);
    let sent: PyValue = null;
    for (;;) {
      const next: PyValue | undefined = source instanceof PyGenerator ? source.send(sent) : nextValue(values);
      if (next === undefined) return source instanceof PyGenerator ? source.returned : null;
      sent = yield next;
    }
  };
}

function nextValue(values: Iterator<PyValue>): PyValue | undefined {
  const next = values.next();
  return next.done ? undefined : next.value;
}

function compileYieldingStatement(compiler: Compiler, statement: Statement, hoister: YieldHoister): ExecuteGenerator {
  if (statement.kind === "if") return compileIf(compiler, statement, hoister);
  if (statement.kind === "for") return compileFor(compiler, statement, hoister);
  if (statement.kind === "while") return compileWhile(compiler, statement, hoister);
  if (statement.kind === "try") return compileTry(compiler, statement, hoister);
  if (statement.kind === "with") return compileWith(compiler, statement, hoister);
  if (statement.kind === "match") return compileMatch(compiler, statement, hoister);
  if (!("value" in statement) || !statement.value) throw notSupported("yield in match statements");
  const value = compileYield(compiler, statement.value);
  if (statement.kind === "assign") {
    const stores = statement.targets.map((target) => compileTarget(compiler, target));
    return function* assign(frame) {
      const result = yield* value(frame);
      for (const store of stores) store(frame, result);
      return NEXT;
    };
  }
  if (statement.kind === "augment") {
    if (statement.target.kind !== "name") throw notSupported("yield within expressions");
    const read = compiler.compileName(statement.target.name);
    const assign = compiler.compileAssign(statement.target.name);
    const operate = augment(statement.operator);
    return function* change(frame) {
      const before = read(frame);
      assign(frame, operate(before, yield* value(frame)));
      return NEXT;
    };
  }
  const isReturn = statement.kind === "return";
  return function* expression(frame) {
    const result = yield* value(frame);
    if (!isReturn) return NEXT;
    frame.result = result;
    return RETURN;
  };
}

function compileIf(
  compiler: Compiler,
  { branches, orElse }: Statement & { kind: "if" },
  hoister: YieldHoister,
): ExecuteGenerator {
  const tests: { test: Evaluate; body: ExecuteGenerator }[] = branches.map(({ test, body }) => ({
    test: compiler.compile(test),
    body: compileGeneratorBlock(compiler, body, hoister),
  }));
  const elseBlock = compileGeneratorBlock(compiler, orElse, hoister);
  return function* choose(frame) {
    for (const { test, body } of tests) if (isTruthy(test(frame))) return yield* body(frame);
    return yield* elseBlock(frame);
  };
}

/** Compiles a `match` with a `yield` in one of its blocks. */
function compileMatch(
  compiler: Compiler,
  statement: Statement & { kind: "match" },
  hoister: YieldHoister,
): ExecuteGenerator {
  const select = compileCases(compiler, statement, (block) => compileGeneratorBlock(compiler, block, hoister));
  return function* choose(frame) {
    const body = select(frame);
    return body ? yield* body(frame) : NEXT;
  };
}

function compileFor(
  compiler: Compiler,
  statement: Statement & { kind: "for" },
  hoister: YieldHoister,
): ExecuteGenerator {
  const iterable = compiler.compile(statement.iterable);
  const store = compileTarget(compiler, statement.target);
  const body = compileGeneratorBlock(compiler, statement.body, hoister);
  const orElse = compileGeneratorBlock(compiler, statement.orElse, hoister);
  return function* loop(frame) {
    const values = iterate(iterable(frame));
    for (let item = values.next(); !item.done; item = values.next()) {
      // JavaScript generators cost more than plain statements.
      spendSteps(4);
      store(frame, item.value);
      const flow = yield* body(frame);
      if (flow === BREAK) return NEXT;
      if (flow === RETURN) return flow;
    }
    return yield* orElse(frame);
  };
}

function compileWhile(
  compiler: Compiler,
  statement: Statement & { kind: "while" },
  hoister: YieldHoister,
): ExecuteGenerator {
  const test = compiler.compile(statement.test);
  const body = compileGeneratorBlock(compiler, statement.body, hoister);
  const orElse = compileGeneratorBlock(compiler, statement.orElse, hoister);
  return function* loop(frame) {
    while (isTruthy(test(frame))) {
      // JavaScript generators cost more than plain statements.
      spendSteps(4);
      const flow = yield* body(frame);
      if (flow === BREAK) return NEXT;
      if (flow === RETURN) return flow;
    }
    return yield* orElse(frame);
  };
}

function compileTry(
  compiler: Compiler,
  statement: Statement & { kind: "try" },
  hoister: YieldHoister,
): ExecuteGenerator {
  const { body, handlers, orElse, final } = compileTryParts(compiler, statement, (block) =>
    compileGeneratorBlock(compiler, block, hoister),
  );
  const guarded: ExecuteGenerator = function* guard(frame) {
    let flow: Flow;
    try {
      flow = yield* body(frame);
    } catch (thrown) {
      const outer = frame.handling;
      const handler = findHandler(handlers, frame, thrown);
      try {
        return yield* handler.body(frame);
      } finally {
        frame.handling = outer;
        handler.assign?.(frame, undefined);
      }
    }
    return flow === NEXT ? yield* orElse(frame) : flow;
  };
  if (statement.final.length === 0) return guarded;
  return function* finish(frame) {
    let completion: Completion;
    let isClosed = true;
    try {
      const flow = yield* guarded(frame);
      isClosed = false;
      completion = { flow, result: frame.result };
    } catch (thrown) {
      isClosed = false;
      completion = completionOfError(thrown);
    } finally {
      // `finally` also runs when the generator is closed while suspended.
      if (isClosed) yield* final(frame);
    }
    return resumeCompletion(frame, completion, yield* final(frame));
  };
}

function compileWith(
  compiler: Compiler,
  statement: Statement & { kind: "with" },
  hoister: YieldHoister,
): ExecuteGenerator {
  const enter = compileEnter(compiler, statement);
  const body = compileGeneratorBlock(compiler, statement.body, hoister);
  return function* inContext(frame) {
    const exit = enter(frame);
    let flow: Flow;
    try {
      flow = yield* body(frame);
    } catch (thrown) {
      exitWithError(exit, thrown);
      return NEXT;
    }
    callWith(exit, null, null, null);
    return flow;
  };
}
