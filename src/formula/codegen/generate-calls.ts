import { costOfList } from "../runtime/call-costs.ts";
import { GLOBALS } from "../builtins/registry.ts";
import type { Call, Expression } from "../parser/ast.ts";
import { PyFunction, PyObject } from "../runtime/values.ts";
import { generateObjectMethod } from "./generate-objects.ts";
import { INLINE_FUNCTIONS, INLINE_METHODS } from "./inline-functions.ts";
import { BOOL, FLOAT, INT, isOnly, type Kinds, mayBe, NUMBER, OBJECT, TEXT } from "./kinds.ts";
import { LAZY_FUNCTIONS } from "./lazy-functions.ts";
import { FUNCTION_RESULTS, METHOD_RESULTS, MODULE_FUNCTIONS, type ResultRule } from "./pure-functions.ts";
import type { RowGenerator } from "./row-generator.ts";
import { NotSimple, type Value } from "./row-writer.ts";

/** Generates the call of a function or method that depends on its arguments only. */
export function generateCall(generator: RowGenerator, { callee, positional, keywords }: Call): Value {
  if (keywords.length > 0 || positional.some(({ kind }) => kind === "starred")) throw new NotSimple("keywords");
  if (callee.kind === "name") return callFunction(generator, callee.name, positional);
  if (callee.kind !== "attribute") throw new NotSimple("a call of a value");
  const { object, name } = callee;
  if (object.kind !== "name" || !generator.isGlobal(object.name)) {
    return callMethod(generator, generator.expression(object), { name, nodes: positional });
  }
  if (object.name === "rec") throw new NotSimple("a call of a cell");
  const { fn, rule } = moduleFunction(object.name, name);
  chargeList(generator, positional);
  return callInterpreted(generator, fn, { args: evaluate(generator, positional), rule });
}

/** Charges the list of arguments. */
const chargeList = ({ writer }: RowGenerator, nodes: readonly Expression[]): void =>
  writer.addBytes(costOfList(nodes.length));

const evaluate = (generator: RowGenerator, nodes: readonly Expression[]): Value[] =>
  nodes.map((node) => generator.writer.atom(generator.writer.usable(generator.expression(node))));

function callFunction(generator: RowGenerator, name: string, nodes: readonly Expression[]): Value {
  if (!generator.isGlobal(name)) throw new NotSimple("a call of a variable");
  const lazy = LAZY_FUNCTIONS.get(name);
  if (lazy) return lazy(generator, nodes);
  const rule = FUNCTION_RESULTS.get(name);
  const fn = GLOBALS.get(name);
  if (!rule || !(fn instanceof PyObject)) throw new NotSimple("a function that is left to the interpreter");
  if (nodes.length !== 1) chargeList(generator, nodes);
  const args = evaluate(generator, nodes);
  return INLINE_FUNCTIONS.get(name)?.(generator, args) ?? callInterpreted(generator, fn, { args, rule });
}

function moduleFunction(moduleName: string, name: string): { fn: PyFunction; rule: ResultRule } {
  const rule = MODULE_FUNCTIONS.get(`${moduleName}.${name}`);
  const module = GLOBALS.get(moduleName);
  const fn = rule && module instanceof PyObject ? module.attribute(name) : undefined;
  if (!rule || !(fn instanceof PyFunction)) throw new NotSimple("a function of a module");
  return { fn, rule };
}

/** Calls a function of the interpreter, which charges its costs. */
function callInterpreted(
  { writer }: RowGenerator,
  fn: PyObject,
  { args, rule }: { args: readonly Value[]; rule: ResultRule },
): Value {
  const [first, ...others] = args;
  if (rule.takesDate && !first) throw new NotSimple("a call without arguments");
  const values = rule.takesDate && first ? [writer.narrow(first, OBJECT), ...others] : args;
  const kinds = kindsOfResult(rule, values);
  writer.hidesNumbers = true;
  const list = `[${values.map((value) => writer.toPython(value)).join(", ")}]`;
  return writer.callCharged(callerOf(kinds), [writer.constant(fn), list], kinds);
}

function callMethod(
  generator: RowGenerator,
  object: Value,
  { name, nodes }: { name: string; nodes: readonly Expression[] },
): Value {
  const { writer } = generator;
  const rule = METHOD_RESULTS.get(name);
  if (!mayBe(object.kinds, TEXT) || !rule) {
    chargeList(generator, nodes);
    return generateObjectMethod(generator, { object, name, args: evaluate(generator, nodes) });
  }
  const self = writer.atom(writer.narrow(writer.exceptNone(object, "AttributeError"), TEXT));
  chargeList(generator, nodes);
  const args = evaluate(generator, nodes);
  const inline = INLINE_METHODS.get(name)?.(generator, self, args);
  if (inline) return inline;
  const kinds = kindsOfResult(rule, args);
  const list = `[${args.map((arg) => writer.toPython(arg)).join(", ")}]`;
  const helper = kinds === INT ? "callIntMethod" : "callPlainMethod";
  return writer.callCharged(helper, [self.code, writer.constant(name), list], kinds);
}

function kindsOfResult({ result }: ResultRule, args: readonly Value[]): Kinds {
  if (result !== "number") return result;
  const kinds = args.reduce((all, arg) => all | arg.kinds, 0);
  if (isOnly(kinds, INT | BOOL)) return INT;
  return isOnly(kinds, FLOAT) ? FLOAT : NUMBER;
}

/** Returns the helper that calls a function with such results. */
function callerOf(kinds: Kinds): "callInt" | "callNumber" | "callPlain" {
  if (kinds === INT) return "callInt";
  return mayBe(kinds, INT) ? "callNumber" : "callPlain";
}
