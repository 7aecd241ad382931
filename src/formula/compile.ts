import { unreachable } from "../lib/assert.ts";
import type { Call, Comparison, Expression, FormatPart } from "./ast.ts";
import { readAttribute } from "./attributes.ts";
import { spendBytes, spendSteps } from "./budget.ts";
import { notSupported, PyError, typeError } from "./errors.ts";
import { formatValue } from "./format.ts";
import { LAZY_ARGUMENTS, Thunk } from "./functions/lazy.ts";
import { FUNCTIONS } from "./functions/registry.ts";
import { UNBUILT_NAMES } from "./known-names.ts";
import { BINARY, COMPARE, UNARY } from "./operators.ts";
import { readIndex, readSlice } from "./slices.ts";
import { quoteText } from "./text.ts";
import {
  type Keywords,
  PyFunction,
  PyList,
  PyObject,
  pyRepr,
  pyStr,
  PyTuple,
  type PyValue,
  truth,
  typeName,
} from "./values.ts";

/** What an evaluation can reach: a closure gets it as its only argument. */
export interface Frame {
  /** The value of a column in the formula's own row. Throws PyError. */
  readonly read: (colId: string) => PyValue;
}

export type Evaluate = (frame: Frame) => PyValue;

export interface Compiled {
  readonly evaluate: Evaluate;
  readonly columns: ReadonlySet<string>;
}

/**
 * Turns a tree into closures: no text of the formula ever becomes code. `isTable` tells the names of tables. Throws
 * PyError NotImplementedError (see `isNotSupported`) for what is not built.
 */
export function compileExpression(expression: Expression, isTable: (name: string) => boolean): Compiled {
  const compiler = new Compiler(isTable);
  return { evaluate: compiler.compile(expression), columns: compiler.columns };
}

class Compiler {
  readonly columns = new Set<string>();
  readonly #isTable: (name: string) => boolean;

  constructor(isTable: (name: string) => boolean) {
    this.#isTable = isTable;
  }

  compile(node: Expression): Evaluate {
    switch (node.kind) {
      case "constant": {
        const { value } = node;
        return () => value;
      }
      case "format":
        return this.#format(node.parts);
      case "name":
        return this.#name(node.name);
      case "attribute":
        return this.#attribute(node.object, node.name);
      case "index": {
        const object = this.compile(node.object);
        const index = this.compile(node.index);
        return (frame) => readIndex(object(frame), index(frame));
      }
      case "slice":
        return this.#slice(node.object, node.bounds);
      case "call":
        return this.#call(node);
      case "unary": {
        const operate = UNARY[node.operator];
        const operand = this.compile(node.operand);
        return (frame) => operate(operand(frame));
      }
      case "binary": {
        const operate = BINARY[node.operator];
        const left = this.compile(node.left);
        const right = this.compile(node.right);
        return (frame) => operate(left(frame), right(frame));
      }
      case "compare":
        return this.#compare(node.first, node.rest);
      case "logic":
        return this.#logic(node.operator, this.compile(node.left), this.compile(node.right));
      case "conditional": {
        const test = this.compile(node.test);
        const body = this.compile(node.body);
        const orElse = this.compile(node.orElse);
        return (frame) => (truth(test(frame)) ? body(frame) : orElse(frame));
      }
      case "list": {
        const items = this.#compileAll(node.items);
        return (frame) => new PyList(items.map((item) => item(frame)));
      }
      case "tuple": {
        const items = this.#compileAll(node.items);
        return (frame) => new PyTuple(items.map((item) => item(frame)));
      }
      case "unsupported":
        throw notSupported(node.what);
      default:
        return unreachable(node);
    }
  }

  #compileAll(nodes: readonly Expression[]): Evaluate[] {
    return nodes.map((node) => this.compile(node));
  }

  /** A table's name hides the function of the same name. */
  #name(name: string): Evaluate {
    if (this.#isTable(name)) throw notSupported(`table ${name}`);
    const known = FUNCTIONS.get(name);
    if (known) return () => known;
    if (UNBUILT_NAMES.has(name)) throw notSupported(name);
    return () => {
      throw new PyError("NameError", `name '${name}' is not defined`);
    };
  }

  #attribute(object: Expression, name: string): Evaluate {
    if (object.kind === "name" && object.name === "rec") {
      if (/^__|^_[a-z]/.test(name)) throw notSupported(`rec.${name}`);
      this.columns.add(name);
      return (frame) => frame.read(name);
    }
    const value = this.compile(object);
    return (frame) => readAttribute(value(frame), name);
  }

  #slice(object: Expression, bounds: readonly [Expression | null, Expression | null, Expression | null]): Evaluate {
    const value = this.compile(object);
    const none: Evaluate = () => null;
    const [start = none, stop = none, step = none] = bounds.map((bound) => (bound ? this.compile(bound) : none));
    return (frame) => readSlice(value(frame), start(frame), stop(frame), step(frame));
  }

  #call({ callee, positional, keywords }: Call): Evaluate {
    const lazy = callee.kind === "name" ? LAZY_ARGUMENTS.get(callee.name) : undefined;
    const called = this.compile(callee);
    const args = positional.map((argument, index) => {
      const evaluate = this.compile(argument);
      return lazy?.includes(index) ? (frame: Frame) => new Thunk(() => evaluate(frame)) : evaluate;
    });
    const named = keywords.map(({ name, value }) => [name, this.compile(value)] as const);
    if (named.length === 0)
      return (frame) =>
        callValue(
          called(frame),
          args.map((argument) => argument(frame)),
          NO_KEYWORDS,
        );
    return (frame) =>
      callValue(
        called(frame),
        args.map((argument) => argument(frame)),
        new Map(named.map(([name, value]) => [name, value(frame)] as const)),
      );
  }

  #compare(first: Expression, rest: readonly Comparison[]): Evaluate {
    const start = this.compile(first);
    const steps = rest.map(({ operator, operand }) => ({ holds: COMPARE[operator], operand: this.compile(operand) }));
    const [only] = steps;
    if (only && steps.length === 1) {
      const { holds, operand } = only;
      return (frame) => holds(start(frame), operand(frame));
    }
    return (frame) => {
      let left = start(frame);
      for (const { holds, operand } of steps) {
        const right = operand(frame);
        if (!holds(left, right)) return false;
        left = right;
      }
      return true;
    };
  }

  #logic(operator: "and" | "or", left: Evaluate, right: Evaluate): Evaluate {
    const goOn = operator === "and";
    return (frame) => {
      const value = left(frame);
      return truth(value) === goOn ? right(frame) : value;
    };
  }

  #format(parts: readonly FormatPart[]): Evaluate {
    const writers = parts.map((part) => this.#formatPart(part));
    return (frame) => {
      const texts = writers.map((write) => write(frame));
      for (const text of texts) spendBytes(text.length * 2);
      return texts.join("");
    };
  }

  #formatPart(part: FormatPart): (frame: Frame) => string {
    if (typeof part === "string") return () => part;
    const value = this.compile(part.value);
    const convert = part.conversion && CONVERSIONS.get(part.conversion);
    const spec = part.spec.length > 0 ? this.#format(part.spec) : undefined;
    return (frame) => {
      const given = value(frame);
      return formatValue(convert ? convert(given) : given, spec ? pyStr(spec(frame)) : "");
    };
  }
}

const NO_KEYWORDS: Keywords = new Map();

const CONVERSIONS: ReadonlyMap<string, (value: PyValue) => string> = new Map([
  ["r", pyRepr],
  ["s", pyStr],
  ["a", (value) => (typeof value === "string" ? quoteText(value, true) : pyRepr(value))],
]);

/** `value(…)` */
function callValue(value: PyValue, positional: readonly PyValue[], keywords: Keywords): PyValue {
  spendSteps(1);
  if (value instanceof PyFunction) return value.call(positional, keywords);
  if (value instanceof PyObject && value.hasOperators) throw notSupported(`calling ${typeName(value)} values`);
  throw typeError(`'${typeName(value)}' object is not callable`);
}
