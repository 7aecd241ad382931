import { unreachable } from "../../lib/assert.ts";
import type { FunctionBody, Statement } from "../parser/ast.ts";
import { spendSteps } from "../runtime/budget.ts";
import { compileClass } from "./compile-classes.ts";
import type { Compiler } from "./compiler.ts";
import { compileDefinition, compileFunctionBody } from "./compile-functions.ts";
import { compileImport } from "./compile-imports.ts";
import { compileMatch } from "./compile-match.ts";
import { compileDelete, compileTarget } from "./compile-targets.ts";
import { compileRaise, compileTry, compileWith } from "./compile-try.ts";
import { notSupported, PyError } from "../runtime/errors.ts";
import { BREAK, CONTINUE, type Execute, Frame, NEXT, RETURN } from "./frame.ts";
import { augment } from "../runtime/operators.ts";
import type { FormulaRow } from "../formula-row.ts";
import { iterate, pyStr, type PyValue, isTruthy } from "../runtime/values.ts";

/** Compiles the body of a formula. */
export function compileFormulaBody(compiler: Compiler, fn: FunctionBody): (row: FormulaRow) => PyValue {
  const result = compileFunctionBody(compiler, "formula", fn);
  if (fn.locals.length === 0) return (row) => result(new Frame(row, undefined, NO_SLOTS));
  return (row) => result(new Frame(row, undefined, []));
}

/** Shared by formulas without variables; never written to. */
const NO_SLOTS: PyValue[] = [];

/** Compiles statements that run in order until one of them returns a flow other than NEXT. */
export function compileBlock(compiler: Compiler, statements: readonly Statement[]): Execute {
  const steps = statements
    .filter((statement) => statement.kind !== "pass")
    .map((statement) => compileTracedStatement(compiler, statement));
  const [only] = steps;
  if (!only) return () => NEXT;
  if (steps.length === 1) return only;
  return (frame) => {
    for (const step of steps) {
      const flow = step(frame);
      if (flow !== NEXT) return flow;
    }
    return NEXT;
  };
}

/** Compiles a statement. When tracing, the closure first records the statement's position. */
function compileTracedStatement(compiler: Compiler, statement: Statement): Execute {
  const execute = compileStatement(compiler, statement);
  const { trace } = compiler;
  if (!trace) return execute;
  return (frame) => {
    trace.offset = statement.from;
    return execute(frame);
  };
}

export function compileStatement(compiler: Compiler, statement: Statement): Execute {
  switch (statement.kind) {
    case "expression": {
      const evaluate = compiler.compile(statement.value);
      return (frame) => {
        spendSteps(1);
        evaluate(frame);
        return NEXT;
      };
    }
    case "return": {
      const evaluate = compiler.compile(statement.value);
      return (frame) => {
        frame.result = evaluate(frame);
        return RETURN;
      };
    }
    case "assign":
      return compileAssignment(compiler, statement);
    case "augment":
      return compileAugment(compiler, statement);
    case "delete": {
      const deletes = statement.targets.map((target) => compileDelete(compiler, target));
      return (frame) => {
        for (const one of deletes) one(frame);
        return NEXT;
      };
    }
    case "if":
      return compileIf(compiler, statement);
    case "for":
      return compileFor(compiler, statement);
    case "while":
      return compileWhile(compiler, statement);
    case "break":
      return () => BREAK;
    case "continue":
      return () => CONTINUE;
    case "pass":
      return () => NEXT;
    case "function": {
      const make = compileDefinition(compiler, statement);
      const assign = compiler.compileAssign(statement.name);
      return (frame) => {
        assign(frame, make(frame));
        return NEXT;
      };
    }
    case "class":
      return compileClass(compiler, statement);
    case "try":
      return compileTry(compiler, statement);
    case "raise":
      return compileRaise(compiler, statement);
    case "assert":
      return compileAssert(compiler, statement);
    case "with":
      return compileWith(compiler, statement);
    case "import":
      return compileImport(compiler, statement);
    case "match":
      return compileMatch(compiler, statement);
    case "unsupported":
      throw notSupported(statement.what);
    default:
      return unreachable(statement);
  }
}

function compileAssignment(compiler: Compiler, { targets, value }: Statement & { kind: "assign" }): Execute {
  const evaluate = compiler.compile(value);
  const stores = targets.map((target) => compileTarget(compiler, target));
  const [store] = stores;
  if (store && stores.length === 1) {
    return (frame) => {
      spendSteps(1);
      store(frame, evaluate(frame));
      return NEXT;
    };
  }
  return (frame) => {
    const assigned = evaluate(frame);
    for (const one of stores) one(frame, assigned);
    return NEXT;
  };
}

/** Compiles `target += value`. The target's subexpressions are evaluated once. */
function compileAugment(
  compiler: Compiler,
  { target, operator, value, ...span }: Statement & { kind: "augment" },
): Execute {
  const evaluate = compiler.compile(value);
  const operate = augment(operator);
  if (target.kind === "name") {
    const read = compiler.compileName(target.name);
    const assign = compiler.compileAssign(target.name);
    return (frame) => {
      spendSteps(1);
      assign(frame, operate(read(frame), evaluate(frame)));
      return NEXT;
    };
  }
  if (target.kind === "sequence") throw new PyError("SyntaxError", "illegal expression for augmented assignment");
  // The subexpressions are stored in variables of an internal scope.
  const parts = target.kind === "index" ? [target.object, target.index] : [target.object];
  const [object, index = () => null] = compiler.compileAll(parts);
  const inner = compiler.nestedCompiler("comprehension", ["object", "index"]);
  const named = (name: string) => ({ kind: "name" as const, name, from: span.from, to: span.to });
  const attributeOrIndex =
    target.kind === "index"
      ? { ...target, object: named("object"), index: named("index") }
      : { ...target, object: named("object") };
  const read = inner.compile(attributeOrIndex);
  const store = compileTarget(inner, attributeOrIndex);
  return (frame) => {
    spendSteps(1);
    const operandFrame = frame.inner([object?.(frame), index(frame)]);
    store(operandFrame, operate(read(operandFrame), evaluate(frame)));
    return NEXT;
  };
}

function compileIf(compiler: Compiler, { branches, orElse }: Statement & { kind: "if" }): Execute {
  const elseBlock = compileBlock(compiler, orElse);
  return branches
    .map(({ test, body }) => ({ test: compiler.compile(test), body: compileBlock(compiler, body) }))
    .reduceRight<Execute>(
      (rest, { test, body }) =>
        (frame) =>
          isTruthy(test(frame)) ? body(frame) : rest(frame),
      elseBlock,
    );
}

function compileFor(compiler: Compiler, statement: Statement & { kind: "for" }): Execute {
  const iterable = compiler.compile(statement.iterable);
  const store = compileTarget(compiler, statement.target);
  const body = compileBlock(compiler, statement.body);
  const orElse = compileBlock(compiler, statement.orElse);
  return (frame) => {
    const values = iterate(iterable(frame));
    for (let item = values.next(); !item.done; item = values.next()) {
      spendSteps(1);
      store(frame, item.value);
      const flow = body(frame);
      if (flow === BREAK) return NEXT;
      if (flow === RETURN) return flow;
    }
    return orElse(frame);
  };
}

function compileWhile(compiler: Compiler, statement: Statement & { kind: "while" }): Execute {
  const test = compiler.compile(statement.test);
  const body = compileBlock(compiler, statement.body);
  const orElse = compileBlock(compiler, statement.orElse);
  return (frame) => {
    while (isTruthy(test(frame))) {
      spendSteps(1);
      const flow = body(frame);
      if (flow === BREAK) return NEXT;
      if (flow === RETURN) return flow;
    }
    return orElse(frame);
  };
}

function compileAssert(compiler: Compiler, { test, message }: Statement & { kind: "assert" }): Execute {
  const holds = compiler.compile(test);
  const text = message && compiler.compile(message);
  return (frame) => {
    if (isTruthy(holds(frame))) return NEXT;
    const messageValue = text?.(frame);
    throw new PyError("AssertionError", messageValue === undefined ? "" : pyStr(messageValue), {
      args: messageValue === undefined ? [] : [messageValue],
    });
  };
}
