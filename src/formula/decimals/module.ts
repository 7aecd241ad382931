import { readAttribute } from "../runtime/classes/attributes.ts";
import { CLASSES, PyClass } from "../runtime/classes/classes.ts";
import { PyDict } from "../runtime/collections/dicts.ts";
import { PyError, typeError, valueError } from "../runtime/errors.ts";
import { exceptionClass } from "../runtime/classes/exceptions.ts";
import { PyModule } from "../modules/module.ts";
import { makeNamedTuple } from "../modules/named-tuples.ts";
import { bindArguments, type Signature, requireIndex } from "../runtime/signature.ts";
import { PyFunction, PyObject, type PyValue, isTruthy } from "../runtime/values.ts";
import {
  copyContext,
  currentDecimalContext,
  type DecimalContext,
  roundToContext,
  newContext,
  ROUNDING_NAMES,
  setDecimalContext,
  requireRounding,
} from "./context.ts";
import { DECIMAL_CLASS, PyDecimal } from "./decimal.ts";
import { constructDecimal } from "./construct-decimal.ts";
import { CONTEXT_OPERATIONS, defineDecimals, requireDecimal } from "./methods.ts";

const CONTEXT_CLASS = new PyClass("Context", [CLASSES.object], { module: "decimal" });

defineDecimals();

const SIGNALS: ReadonlyMap<string, PyClass> = new Map([
  ["DecimalException", exceptionClass("DecimalException", ["ArithmeticError"], "decimal")],
  ["Clamped", exceptionClass("Clamped", ["DecimalException"], "decimal")],
  ["InvalidOperation", exceptionClass("InvalidOperation", ["DecimalException"], "decimal")],
  ["DivisionByZero", exceptionClass("DivisionByZero", ["DecimalException", "ZeroDivisionError"], "decimal")],
  ["Inexact", exceptionClass("Inexact", ["DecimalException"], "decimal")],
  ["Rounded", exceptionClass("Rounded", ["DecimalException"], "decimal")],
  ["Subnormal", exceptionClass("Subnormal", ["DecimalException"], "decimal")],
  ["Overflow", exceptionClass("Overflow", ["Inexact", "Rounded"], "decimal")],
  ["Underflow", exceptionClass("Underflow", ["Inexact", "Rounded", "Subnormal"], "decimal")],
  ["FloatOperation", exceptionClass("FloatOperation", ["DecimalException", "TypeError"], "decimal")],
]);

/** `context.traps`: the signals that raise errors. */
class PyTraps extends PyDict {
  readonly #context: DecimalContext;

  constructor(context: DecimalContext) {
    super();
    for (const [name, cls] of SIGNALS) if (name !== "DecimalException") super.set(cls, context.traps.has(name));
    this.#context = context;
  }

  override set(key: PyValue, value: PyValue): void {
    if (!(key instanceof PyClass) || !SIGNALS.has(key.name)) throw new PyError("KeyError", "invalid error flag");
    super.set(key, value);
    if (isTruthy(value)) this.#context.traps.add(key.name);
    else this.#context.traps.delete(key.name);
  }
}

const FIELDS = new Map<string, "precision" | "minExponent" | "maxExponent">([
  ["prec", "precision"],
  ["Emin", "minExponent"],
  ["Emax", "maxExponent"],
]);

/** `decimal.Context`: precision, rounding and traps. */
class PyContext extends PyObject {
  readonly typeName = "Context";
  readonly cls = CONTEXT_CLASS;
  readonly context: DecimalContext;

  constructor(context: DecimalContext) {
    super();
    this.context = context;
  }

  override attribute(name: string): PyValue | undefined {
    const field = FIELDS.get(name);
    if (field) return BigInt(this.context[field]);
    if (name === "rounding") return this.context.rounding;
    if (name === "capitals") return 1n;
    if (name === "clamp") return 0n;
    if (name === "traps") return new PyTraps(this.context);
    if (name === "flags") return new PyTraps({ ...this.context, traps: new Set() });
    const operation = CONTEXT_OPERATIONS.get(name);
    if (operation) {
      return new PyFunction(
        name,
        ([left, right]) => new PyDecimal(operation(requireDecimal(left), requireDecimal(right), this.context)),
      );
    }
    return this.#method(name);
  }

  #method(name: string): PyValue | undefined {
    if (name === "copy") return new PyFunction(name, () => new PyContext(copyContext(this.context)));
    if (name === "clear_flags" || name === "clear_traps") {
      return new PyFunction(name, () => {
        if (name === "clear_traps") this.context.traps.clear();
        return null;
      });
    }
    if (name === "create_decimal" || name === "create_decimal_from_float" || name === "plus") {
      return new PyFunction(
        name,
        (args) =>
          new PyDecimal(roundToContext(this.#runWithContext(() => constructDecimal(args)).number, this.context)),
      );
    }
    // All other operations are methods of decimals, which use the current context.
    if (!DECIMAL_CLASS.members.has(name)) return undefined;
    return new PyFunction(name, ([first = null, ...others], keywords) => {
      const method = readAttribute(new PyDecimal(requireDecimal(first)), name);
      return method instanceof PyFunction ? this.#runWithContext(() => method.call(others, keywords)) : method;
    });
  }

  #runWithContext<T>(work: () => T): T {
    const outer = currentDecimalContext();
    setDecimalContext(this.context);
    try {
      return work();
    } finally {
      setDecimalContext(outer);
    }
  }

  override setAttribute(name: string, value: PyValue | undefined): boolean {
    setField(this.context, name, value ?? null);
    return true;
  }

  repr(): string {
    const { precision, rounding, minExponent, maxExponent, traps } = this.context;
    const names = [...SIGNALS.keys()].filter((name) => traps.has(name));
    return `Context(prec=${precision}, rounding=${rounding}, Emin=${minExponent}, Emax=${maxExponent}, capitals=1, clamp=0, flags=[], traps=[${names.join(", ")}])`;
  }
}

const MAX_EXPONENT_LIMIT = 999_999_999_999_999_999n;

function setField(context: DecimalContext, name: string, value: PyValue): void {
  const field = FIELDS.get(name);
  if (field) {
    const number = requireIndex(value);
    const isValid = field === "precision" ? number >= 1 : field === "minExponent" ? number <= 0 : number >= 0;
    if (!isValid || Math.abs(number) > Number(MAX_EXPONENT_LIMIT))
      throw valueError(`valid range for ${name} is [1, MAX_PREC]`);
    context[field] = number;
  } else if (name === "rounding") context.rounding = requireRounding(value);
  else if (name === "traps") setTraps(context, value);
  else if (name !== "capitals" && name !== "clamp" && name !== "flags") throw new PyError("AttributeError", name);
}

function setTraps(context: DecimalContext, value: PyValue): void {
  const entries = value instanceof PyDict ? value.entries().flatMap(([key, on]) => (isTruthy(on) ? [key] : [])) : [];
  const trapped = value instanceof PyObject && !(value instanceof PyDict) ? (value.items() ?? []) : entries;
  context.traps.clear();
  for (const one of trapped) if (one instanceof PyClass) context.traps.add(one.name);
}

const OPTIONS: Signature = {
  optional: ["prec", "rounding", "Emin", "Emax", "capitals", "clamp", "flags", "traps"].map(
    (name) => [name, null] as const,
  ),
};

function setFields(context: DecimalContext, values: readonly PyValue[]): DecimalContext {
  for (const [index, value] of values.entries()) {
    const name = OPTIONS.optional?.[index]?.[0];
    if (value !== null && name !== undefined) setField(context, name, value);
  }
  return context;
}

CONTEXT_CLASS.define({
  defineConstructor: (positional, keywords) =>
    new PyContext(setFields(newContext(), bindArguments("Context", OPTIONS, positional, keywords))),
});

/** Implements `with localcontext() as context:`. */
class PyLocalContext extends PyObject {
  readonly typeName = "ContextManager";
  readonly #inner: PyContext;
  #outer: DecimalContext | undefined;

  constructor(inner: PyContext) {
    super();
    this.#inner = inner;
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "__enter__") {
      return new PyFunction(name, () => {
        this.#outer = currentDecimalContext();
        setDecimalContext(this.#inner.context);
        return this.#inner;
      });
    }
    if (name !== "__exit__") return undefined;
    return new PyFunction(name, () => {
      if (this.#outer) setDecimalContext(this.#outer);
      return false;
    });
  }

  repr(): string {
    return "<decimal.ContextManager object at 0x7f0000000000>";
  }
}

function makeLocalContext(positional: readonly PyValue[], keywords: ReadonlyMap<string, PyValue>): PyValue {
  const [contextArgument = null] = positional;
  if (contextArgument !== null && !(contextArgument instanceof PyContext))
    throw typeError("optional argument must be a context");
  const context = copyContext(contextArgument ? contextArgument.context : currentDecimalContext());
  return new PyLocalContext(new PyContext(setFields(context, bindArguments("localcontext", OPTIONS, [], keywords))));
}

const setContext = ([contextArgument = null]: readonly PyValue[]): null => {
  if (!(contextArgument instanceof PyContext)) throw typeError("optional argument must be a context");
  setDecimalContext(contextArgument.context);
  return null;
};

export const DECIMAL_MODULE = new PyModule(
  "decimal",
  new Map<string, PyValue>([
    ["Decimal", DECIMAL_CLASS],
    ["Context", CONTEXT_CLASS],
    ["DecimalTuple", makeNamedTuple(["DecimalTuple", "sign digits exponent"])],
    ...ROUNDING_NAMES.map((name) => [name, name] as const),
    ...SIGNALS,
    ["getcontext", new PyFunction("getcontext", () => new PyContext(currentDecimalContext()))],
    ["setcontext", new PyFunction("setcontext", setContext)],
    ["localcontext", new PyFunction("localcontext", makeLocalContext)],
    ["DefaultContext", new PyContext(newContext())],
    ["BasicContext", new PyContext({ ...newContext(), precision: 9, rounding: "ROUND_HALF_UP" })],
    ["ExtendedContext", new PyContext({ ...newContext(), precision: 9, traps: new Set() })],
    ["MAX_PREC", MAX_EXPONENT_LIMIT],
    ["MAX_EMAX", MAX_EXPONENT_LIMIT],
    ["MIN_EMIN", -MAX_EXPONENT_LIMIT],
    ["MIN_ETINY", -1_999_999_999_999_999_997n],
    ["HAVE_THREADS", true],
    ["HAVE_CONTEXTVAR", true],
  ]),
);
