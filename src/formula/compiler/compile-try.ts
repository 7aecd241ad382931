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

/** The compiled parts of a `try` statement. `T` is the compiled form of its blocks. */
interface CompiledTry<T> {
  readonly body: T;
  readonly handlers: readonly CompiledHandler<T>[];
  readonly orElse: T;
  readonly final: T;
}

export function compileTryParts<T>(
  compiler: Compiler,
  statement: Statement & { kind: "try" },
  compileBlock: (block: readonly Statement[]) => T,
): CompiledTry<T> {
  const body = compileBlock(statement.body);
  const handlers = statement.handlers.map((handler) => ({
    types: handler.types && compiler.compile(handler.types),
    assign: handler.name === null ? null : compiler.compileAssign(handler.name),
    body: compileBlock(handler.body),
  }));
  return { body, handlers, orElse: compileBlock(statement.orElse), final: compileBlock(statement.final) };
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
  const { body, handlers, orElse, final } = compileTryParts(compiler, statement, (block) =>
    compiler.compileBlock(block),
  );
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
    let completion: Completion;
    try {
      completion = { flow: guarded(frame), result: frame.result };
    } catch (thrown) {
      completion = completionOfError(thrown);
    }
    return resumeCompletion(frame, completion, final(frame));
  };
}

/** How the block that a `finally` follows completed: with a flow and the value of its `return`, or with an error. */
export type Completion = { readonly flow: Flow; readonly result: PyValue } | { readonly thrown: unknown };

/** Returns the completion for an error. Rethrows uncatchable errors: they end the formula without running `finally`. */
export function completionOfError(thrown: unknown): Completion {
  if (!asPyError(thrown)?.catchable) throw thrown;
  return { thrown };
}

/** Continues with a completion after `finally`, unless that completed with a flow of its own. */
export function resumeCompletion(frame: Frame, completion: Completion, finallyFlow: Flow): Flow {
  if (finallyFlow !== NEXT) return finallyFlow;
  if ("thrown" in completion) throw completion.thrown;
  frame.result = completion.result;
  return completion.flow;
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
  const enter = compileEnter(compiler, statement);
  const body = compiler.compileBlock(statement.body);
  return (frame) => {
    const exit = enter(frame);
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

/** Returns a closure that enters the context, assigns the target, and returns the context's `__exit__`. */
export function compileEnter(
  compiler: Compiler,
  { context, target }: Statement & { kind: "with" },
): (frame: Frame) => PyValue {
  const evaluate = compiler.compile(context);
  const store = target && compileTarget(compiler, target);
  return (frame) => {
    const manager = evaluate(frame);
    const exit = readAttribute(manager, "__exit__");
    const entered = callWith(readAttribute(manager, "__enter__"));
    store?.(frame, entered);
    return exit;
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
