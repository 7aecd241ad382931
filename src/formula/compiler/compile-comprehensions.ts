import type { Clause, Comprehension } from "../parser/ast.ts";
import { spendBytes, spendSteps } from "../runtime/budget.ts";
import type { Compiler } from "./compiler.ts";
import { compileTarget, type Store } from "./compile-targets.ts";
import { PyDict } from "../runtime/collections/dicts.ts";
import type { Evaluate, Frame } from "./frame.ts";
import { PyGenerator } from "../runtime/classes/generators.ts";
import { PySet } from "../runtime/collections/sets.ts";
import { iterate, PyList, type PyValue, isTruthy } from "../runtime/values.ts";

interface Loop {
  readonly iterable: Evaluate;
  readonly store: Store;
  readonly conditions: readonly Evaluate[];
}

/**
 * Compiles a comprehension or generator expression. Its first iterable is evaluated eagerly, in the enclosing scope.
 */
export function compileComprehension(compiler: Compiler, node: Comprehension): Evaluate {
  const inner = compiler.nestedCompiler("comprehension", node.locals);
  const [first, ...others] = node.clauses;
  const source = compiler.compile(first.iterable);
  const loops = [compileLoop(inner, first, () => null), ...others.map((clause) => compileLoop(inner, clause))];
  const element = inner.compile(node.element);
  const start = (frame: Frame): [Frame, Iterator<PyValue>] => [frame.inner([]), iterate(source(frame))];
  if (node.form === "generator") {
    return (frame) => {
      const [innerFrame, values] = start(frame);
      return new PyGenerator("<genexpr>", generateElements(loops, 0, innerFrame, values, element));
    };
  }
  if (node.form === "dict") {
    const value = inner.compileOptional(node.value);
    return (frame) => {
      const dict = new PyDict();
      const [innerFrame, values] = start(frame);
      runLoops(loops, 0, innerFrame, values, (at) => {
        const key = element(at);
        dict.set(key, value(at));
      });
      return dict;
    };
  }
  const isSet = node.form === "set";
  return (frame) => {
    const items: PyValue[] = [];
    const [innerFrame, values] = start(frame);
    runLoops(loops, 0, innerFrame, values, (at) => {
      spendBytes(16);
      items.push(element(at));
    });
    return isSet ? new PySet(items) : new PyList(items);
  };
}

/**
 * Compiles one `for` clause. Its targets are variables of the comprehension; all other names belong to the enclosing
 * function.
 */
function compileLoop(compiler: Compiler, clause: Clause, iterable = compiler.compile(clause.iterable)): Loop {
  const conditions = clause.conditions.map((condition) => compiler.compile(condition));
  return { iterable, store: compileTarget(compiler, clause.target), conditions };
}

function runLoops(
  loops: readonly Loop[],
  level: number,
  frame: Frame,
  values: Iterator<PyValue>,
  emit: (frame: Frame) => void,
): void {
  const loop = loops[level];
  if (!loop) return;
  const next = loops[level + 1];
  for (let item = values.next(); !item.done; item = values.next()) {
    spendSteps(1);
    loop.store(frame, item.value);
    if (!allHold(loop.conditions, frame)) continue;
    if (next) runLoops(loops, level + 1, frame, iterate(next.iterable(frame)), emit);
    else emit(frame);
  }
}

function allHold(conditions: readonly Evaluate[], frame: Frame): boolean {
  for (const condition of conditions) if (!isTruthy(condition(frame))) return false;
  return true;
}

function* generateElements(
  loops: readonly Loop[],
  level: number,
  frame: Frame,
  values: Iterator<PyValue>,
  element: Evaluate,
): Generator<PyValue, PyValue, PyValue> {
  const loop = loops[level];
  const next = loops[level + 1];
  if (!loop) return null;
  for (let item = values.next(); !item.done; item = values.next()) {
    spendSteps(1);
    loop.store(frame, item.value);
    if (!allHold(loop.conditions, frame)) continue;
    if (next) yield* generateElements(loops, level + 1, frame, iterate(next.iterable(frame)), element);
    else yield element(frame);
  }
  return null;
}
