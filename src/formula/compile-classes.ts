import type { Statement } from "./ast.ts";
import { callWith } from "./calls.ts";
import { CLASSES, PyClass } from "./classes.ts";
import type { Compiler } from "./compiler.ts";
import { compileItems } from "./compile-displays.ts";
import { PyClassMethod } from "./descriptors.ts";
import { notSupported, typeError } from "./errors.ts";
import { BASE_EXCEPTION } from "./exceptions.ts";
import { type Execute, NEXT } from "./frame.ts";
import { type PyValue } from "./values.ts";

/** Makes the class each time it is executed. What its body sets becomes its members. */
export function compileClass(compiler: Compiler, statement: Statement & { kind: "class" }): Execute {
  const bases = compileItems(compiler, statement.bases);
  const inner = compiler.within("class", statement.locals);
  const body = inner.compileBlock(statement.body);
  const decorators = compiler.compileAll(statement.decorators);
  const assign = compiler.compileAssign(statement.name);
  return (frame) => {
    const callables = decorators.map((decorator) => decorator(frame));
    const parents = wantBases(bases(frame));
    const cls = new PyClass(statement.name, parents.length > 0 ? parents : [CLASSES.object], { isOwn: true });
    const own = frame.inner([]);
    // Methods find their class here, for super().
    own.result = cls;
    body(own);
    for (const [index, name] of statement.locals.entries()) {
      const value = own.slots[index];
      if (value !== undefined) cls.members.set(name, value);
    }
    for (const parent of cls.order.slice(1)) parent.extended?.(cls);
    callHook(cls);
    assign(
      frame,
      callables.reduceRight<PyValue>((value, decorator) => callWith(decorator, value), cls),
    );
    return NEXT;
  };
}

/** Tells the classes that it derives from, as they ask for with `__init_subclass__`. */
function callHook(cls: PyClass): void {
  const [hook] = cls.order.slice(1).flatMap((parent) => parent.members.get("__init_subclass__") ?? []);
  const target = hook instanceof PyClassMethod ? hook.target : hook;
  if (target !== undefined) callWith(target, cls);
}

function wantBases(values: readonly PyValue[]): PyClass[] {
  return values.map((value) => {
    if (!(value instanceof PyClass)) throw typeError("bases must be types");
    const fits =
      value.isOwn ||
      value === CLASSES.object ||
      value.isSubclassOf(BASE_EXCEPTION) ||
      value.order.some((cls) => cls.extended) ||
      value.derive;
    if (!fits) throw notSupported(`classes derived from ${value.name}`);
    return value;
  });
}
