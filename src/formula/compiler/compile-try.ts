import type { Statement } from "../parser/ast.ts";
import { readAttribute } from "../runtime/classes/attributes.ts";
import { spendSteps } from "../runtime/budget.ts";
import { callWith } from "../runtime/calls.ts";
import { classOf } from "../runtime/classes/classes.ts";
import type { Compiler } from "./compiler.ts";
import { compileTarget } from "./compile-targets.ts";
import { CATCH_STEPS, PyError } from "../runtime/errors.ts";
import { errorOf, exceptionOf, matchesSpec, PyException } from "../runtime/classes/exceptions.ts";
import type { Evaluate, Execute, Flow, Frame } from "./frame.ts";
import { NEXT } from "./frame.ts";
import { type PyValue, isTruthy } from "../runtime/values.ts";
import type { Assign } from "./variables.ts";

/** A compiled handler. `T` is the compiled form of its body. */
export interface CompiledHandler<T> {
  readonly types: Evaluate | null;
  readonly assign: Assign | null;
  readonly body: T;
}

export function compileHandlers<T>(
  compiler: Compiler,
  handlers: (Statement & { kind: "try" })["handlers"],
  compileBody: (body: readonly Statement[]) => T,
): CompiledHandler<T>[] {
  return handlers.map(({ types, name, body }) => ({
    types: types && compiler.compile(types),
    assign: name === null ? null : compiler.compileAssign(name),
    body: compileBody(body),
  }));
}

/** Returns the handler that catches the error and assigns its name. Rethrows the error if no handler matches. */
export function findHandler<T>(
  handlers: readonly CompiledHandler<T>[],
  frame: Frame,
  thrown: unknown,
): CompiledHandler<T> {
  const error = asPyError(thrown);
  if (!error?.catchable) throw thrown;
  spendSteps(CATCH_STEPS);
  const exception = exceptionOf(error);
  const handler = handlers.find(({ types }) => types === null || matchesSpec(exception, types(frame)));
  if (!handler) throw thrown;
  frame.handling = error.exception ? error : errorOf(exception);
  handler.assign?.(frame, exception);
  return handler;
}

/** Converts an error to a PyError. A stack overflow of the JavaScript engine becomes a Python exception. */
function asPyError(thrown: unknown): PyError | undefined {
  if (thrown instanceof PyError) return thrown;
  const isStack = thrown instanceof RangeError && /stack/i.test(thrown.message);
  return isStack ? new PyError("RecursionError", "maximum recursion depth exceeded") : undefined;
}

export function compileTry(compiler: Compiler, statement: Statement & { kind: "try" }): Execute {
  const body = compiler.compileBlock(statement.body);
  const handlers = compileHandlers(compiler, statement.handlers, (block) => compiler.compileBlock(block));
  const orElse = compiler.compileBlock(statement.orElse);
  const final = compiler.compileBlock(statement.final);
  const guarded: Execute = (frame) => {
    let flow: Flow;
    try {
      flow = body(frame);
    } catch (thrown) {
      return runHandler(handlers, frame, thrown);
    }
    return flow === NEXT ? orElse(frame) : flow;
  };
  if (statement.final.length === 0) return guarded;
  return (frame) => {
    let flow: Flow = NEXT;
    let thrown: unknown;
    let failed = false;
    try {
      flow = guarded(frame);
    } catch (error) {
      // Uncatchable errors end the formula without running `finally`.
      if (!asPyError(error)?.catchable) throw error;
      failed = true;
      thrown = error;
    }
    const { result } = frame;
    const finallyFlow = final(frame);
    if (finallyFlow !== NEXT) return finallyFlow;
    if (failed) throw thrown;
    frame.result = result;
    return flow;
  };
}

function runHandler(handlers: readonly CompiledHandler<Execute>[], frame: Frame, thrown: unknown): Flow {
  const outer = frame.handling;
  const handler = findHandler(handlers, frame, thrown);
  try {
    return handler.body(frame);
  } finally {
    frame.handling = outer;
    handler.assign?.(frame, undefined);
  }
}

export function compileRaise(compiler: Compiler, { value, cause }: Statement & { kind: "raise" }): Execute {
  if (!value) {
    return (frame) => {
      throw frame.handling ?? new PyError("RuntimeError", "No active exception to reraise");
    };
  }
  const raised = compiler.compile(value);
  const causeValue = cause && compiler.compile(cause);
  return (frame) => {
    const error = errorOf(raised(frame));
    if (causeValue && error.exception instanceof PyException) error.exception.cause = causeValue(frame);
    throw error;
  };
}

/** Compiles `with context as target`. */
export function compileWith(compiler: Compiler, statement: Statement & { kind: "with" }): Execute {
  const context = compiler.compile(statement.context);
  const store = statement.target && compileTarget(compiler, statement.target);
  const body = compiler.compileBlock(statement.body);
  return (frame) => {
    const manager = context(frame);
    const exit = readAttribute(manager, "__exit__");
    const entered = callWith(readAttribute(manager, "__enter__"));
    store?.(frame, entered);
    let flow: Flow;
    try {
      flow = body(frame);
    } catch (thrown) {
      exitWithError(exit, thrown);
      return NEXT;
    }
    callWith(exit, null, null, null);
    return flow;
  };
}

/** Calls `__exit__` with an error. Rethrows the error unless the context manager suppresses it. */
export function exitWithError(exit: PyValue, thrown: unknown): void {
  const error = asPyError(thrown);
  if (!error?.catchable) throw thrown;
  spendSteps(CATCH_STEPS);
  const exception = exceptionOf(error);
  if (!isTruthy(callWith(exit, classOf(exception), exception, null))) throw thrown;
}
