import type { Statement } from "../parser/ast.ts";
import { callWith } from "../runtime/calls.ts";
import { CLASSES, PyClass } from "../runtime/classes/classes.ts";
import type { Compiler } from "./compiler.ts";
import { compileListItems } from "./compile-displays.ts";
import { PyClassMethod } from "../runtime/classes/descriptors.ts";
import { notSupported, typeError } from "../runtime/errors.ts";
import { BASE_EXCEPTION } from "../runtime/classes/exceptions.ts";
import { type Execute, NEXT } from "./frame.ts";
import { type PyValue } from "../runtime/values.ts";

/**
 * Compiles a class definition, which creates a class each time it is executed. The variables of its body become
 * members.
 */
export function compileClass(compiler: Compiler, statement: Statement & { kind: "class" }): Execute {
  const bases = compileListItems(compiler, statement.bases);
  const inner = compiler.nestedCompiler("class", statement.locals);
  const body = inner.compileBlock(statement.body);
  const decorators = compiler.compileAll(statement.decorators);
  const assign = compiler.compileAssign(statement.name);
  return (frame) => {
    const callables = decorators.map((decorator) => decorator(frame));
    const parents = requireBases(bases(frame));
    const cls = new PyClass(statement.name, parents.length > 0 ? parents : [CLASSES.object], { isOwn: true });
    const classFrame = frame.inner([]);
    // `super()` in methods reads the class from here.
    classFrame.result = cls;
    body(classFrame);
    for (const [index, name] of statement.locals.entries()) {
      const value = classFrame.slots[index];
      if (value !== undefined) cls.members.set(name, value);
    }
    for (const parent of cls.mro.slice(1)) parent.onSubclass?.(cls);
    callInitSubclass(cls);
    assign(
      frame,
      callables.reduceRight<PyValue>((value, decorator) => callWith(decorator, value), cls),
    );
    return NEXT;
  };
}

/** Calls `__init_subclass__` of the base classes. */
function callInitSubclass(cls: PyClass): void {
  const [hook] = cls.mro.slice(1).flatMap((parent) => parent.members.get("__init_subclass__") ?? []);
  const target = hook instanceof PyClassMethod ? hook.target : hook;
  if (target !== undefined) callWith(target, cls);
}

function requireBases(values: readonly PyValue[]): PyClass[] {
  return values.map((value) => {
    if (!(value instanceof PyClass)) throw typeError("bases must be types");
    const isSubclassable =
      value.isUserDefined ||
      value === CLASSES.object ||
      value.isSubclassOf(BASE_EXCEPTION) ||
      value.mro.some((cls) => cls.onSubclass) ||
      value.constructDerived;
    if (!isSubclassable) throw notSupported(`classes derived from ${value.name}`);
    return value;
  });
}
