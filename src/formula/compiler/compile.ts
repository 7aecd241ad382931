import { unreachable } from "../../lib/assert.ts";
import type { Comparison, Expression, FormatPart, FunctionBody, Statement } from "../parser/ast.ts";
import { readAttribute } from "../runtime/classes/attributes.ts";
import { spendBytes, spendSteps } from "../runtime/budget.ts";
import { GLOBAL_PREFIX, isGlobalName } from "../parser/bindings.ts";
import { GLOBALS } from "../builtins/registry.ts";
import { PyBytes } from "../runtime/text/bytes.ts";
import { compileCall } from "./compile-calls.ts";
import { compileComprehension } from "./compile-comprehensions.ts";
import { compileDictDisplay, compileListItems } from "./compile-displays.ts";
import { compileFunction } from "./compile-functions.ts";
import { compileBlock, compileFormulaBody, compileStatement } from "./compile-statements.ts";
import type { Compiler, Trace } from "./compiler.ts";
import { PyComplex } from "../runtime/numbers/complex.ts";
import { REPR_CONVERSIONS } from "../runtime/text/repr-conversions.ts";
import { notSupported, PyError } from "../runtime/errors.ts";
import { formatValue } from "../runtime/text/format.ts";
import type { Evaluate, Execute, Frame } from "./frame.ts";
import { UNSUPPORTED_NAMES } from "../runtime/unsupported-names.ts";
import { readGlobalVariable, writeGlobalVariable } from "./global-variables.ts";
import { BINARY, COMPARE, UNARY } from "../runtime/operators.ts";
import { ReadsCollector } from "./reads-collector.ts";
import type { FormulaReads, FormulaRow } from "../formula-row.ts";
import { Scope } from "./scope.ts";
import { PySet } from "../runtime/collections/sets.ts";
import { PySlice } from "../runtime/collections/slice-values.ts";
import { readIndex, readSlice } from "../runtime/collections/slices.ts";
import { PyList, pyStr, PyTuple, type PyValue, isTruthy } from "../runtime/values.ts";
import { readVariable, writeVariable } from "./variables.ts";

export interface CompiledTree {
  readonly evaluate: (row: FormulaRow) => PyValue;
  readonly reads: FormulaReads;
}

/**
 * Compiles a tree to closures; formula text never becomes JavaScript source. `isTable` recognizes table names. Throws
 * PyError NotImplementedError (see `isNotSupported`) for unsupported syntax.
 */
export function compileTree(fn: FunctionBody, compileContext: Omit<CompileContext, "reads">): CompiledTree {
  const reads = new ReadsCollector();
  const scope = new Scope("function", fn.locals);
  const compiler = new TreeCompiler(scope, { reads, ...compileContext });
  return { evaluate: compileFormulaBody(compiler, fn), reads };
}

interface CompileContext {
  readonly reads: ReadsCollector;
  readonly isTable: (name: string) => boolean;
  readonly trace?: Trace | undefined;
  /** True for formulas of data columns, which can use `value` and `user`. */
  readonly isTrigger: boolean;
}

/** Compiles the code of one scope. */
class TreeCompiler implements Compiler {
  readonly scope: Scope;
  readonly reads: ReadsCollector;
  readonly trace: Trace | undefined;
  readonly #compileContext: CompileContext;

  constructor(scope: Scope, compileContext: CompileContext) {
    this.scope = scope;
    this.reads = compileContext.reads;
    this.trace = compileContext.trace;
    this.#compileContext = compileContext;
  }

  /** Returns a compiler for a nested scope. */
  nestedCompiler(kind: Scope["kind"], names: readonly string[]): Compiler {
    return new TreeCompiler(new Scope(kind, names, this.scope), this.#compileContext);
  }

  compileAll(nodes: readonly Expression[]): Evaluate[] {
    return nodes.map((node) => this.compile(node));
  }

  /** Compiles an expression; a missing one evaluates to None. */
  compileOptional(node: Expression | null): Evaluate {
    return node ? this.compile(node) : () => null;
  }

  compile(node: Expression): Evaluate {
    switch (node.kind) {
      case "constant": {
        const { value } = node;
        if (typeof value === "string") this.reads.addText(value);
        return () => value;
      }
      case "bytes": {
        const value = new PyBytes(node.bytes);
        return () => value;
      }
      case "format":
        return this.#format(node.parts);
      case "name":
        return this.compileName(node.name);
      case "attribute":
        return this.#attribute(node.object, node.name);
      case "index": {
        const object = this.compile(node.object);
        const index = this.compile(node.index);
        return (frame) => readIndex(object(frame), index(frame));
      }
      case "slice": {
        const object = this.compile(node.object);
        const [start, stop, step] = this.#bounds(node.bounds);
        return (frame) => readSlice(object(frame), start(frame), stop(frame), step(frame));
      }
      case "sliceValue": {
        const [start, stop, step] = this.#bounds(node.bounds);
        return (frame) => new PySlice(start(frame), stop(frame), step(frame));
      }
      case "call":
        return compileCall(this, node);
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
        return this.#logical(node.operator, this.compile(node.left), this.compile(node.right));
      case "conditional": {
        const test = this.compile(node.test);
        const body = this.compile(node.body);
        const orElse = this.compile(node.orElse);
        return (frame) => (isTruthy(test(frame)) ? body(frame) : orElse(frame));
      }
      case "list": {
        const items = compileListItems(this, node.items);
        return (frame) => new PyList(items(frame));
      }
      case "tuple": {
        const items = compileListItems(this, node.items);
        return (frame) => new PyTuple(items(frame));
      }
      case "set": {
        const items = compileListItems(this, node.items);
        return (frame) => new PySet(items(frame));
      }
      case "dict":
        return compileDictDisplay(this, node.entries);
      case "comprehension":
        return compileComprehension(this, node);
      case "lambda":
        return compileFunction(this, "<lambda>", node.fn);
      case "named": {
        const value = this.compile(node.value);
        const assign = this.compileAssign(node.name);
        return (frame) => {
          const assigned = value(frame);
          assign(frame, assigned);
          return assigned;
        };
      }
      case "starred":
        throw new PyError("SyntaxError", "can't use starred expression here");
      case "yield":
        throw notSupported("yield within expressions");
      case "imaginary": {
        const value = new PyComplex(0, node.value);
        return () => value;
      }
      case "unsupported":
        throw notSupported(node.what);
      default:
        return unreachable(node);
    }
  }

  /** Compiles statements that run in order. */
  compileBlock(statements: readonly Statement[]): Execute {
    return compileBlock(this, statements);
  }

  compileStatement(statement: Statement): Execute {
    return compileStatement(this, statement);
  }

  /**
   * Compiles a reference to a variable, a built-in function, or a table; a table shadows the built-in function of the
   * same name.
   */
  compileName(name: string): Evaluate {
    if (isGlobalName(name)) return this.#declared(name.slice(GLOBAL_PREFIX.length));
    const variable = this.scope.find(name);
    if (!variable) return this.#global(name);
    if (variable.scope.kind !== "class") return readVariable(name, variable);
    const outerScope = this.scope.outer;
    const outer = outerScope && new TreeCompiler(outerScope, this.#compileContext).compileName(name);
    return readVariable(name, variable, outer && ((frame) => outer(frame.parent ?? frame)));
  }

  /** Compiles an assignment to a name. Throws PyError SyntaxError for names that cannot be assigned. */
  compileAssign(name: string): (frame: Frame, value: PyValue | undefined) => void {
    if (isGlobalName(name)) return (_frame, value) => writeGlobalVariable(name.slice(GLOBAL_PREFIX.length), value);
    const variable = this.scope.find(name);
    if (!variable) throw new PyError("SyntaxError", `no binding for nonlocal '${name}' found`);
    return writeVariable(variable);
  }

  /** Returns true for names that are neither variables nor tables. */
  isGlobal(name: string): boolean {
    return this.scope.find(name) === undefined && !this.#compileContext.isTable(name);
  }

  #global(name: string): Evaluate {
    this.reads.addGlobal(name);
    if (name === "rec") return (frame) => frame.row.record();
    if (name === "table") return (frame) => frame.row.table();
    if (this.#compileContext.isTrigger && (name === "value" || name === "user"))
      return (frame) => frame.row.triggerValue(name);
    if (this.#compileContext.isTable(name)) return (frame) => frame.row.table(name);
    const known = GLOBALS.get(name);
    if (known !== undefined) return () => known;
    if (UNSUPPORTED_NAMES.has(name)) throw notSupported(name);
    return () => readGlobalVariable(name) ?? this.#undefinedName(name);
  }

  /** A name declared `global`: unresolved unless something was assigned to it. */
  #declared(name: string): Evaluate {
    const known = GLOBALS.get(name);
    return () => {
      const value = readGlobalVariable(name);
      if (value !== undefined) return value;
      return known ?? this.#undefinedName(name);
    };
  }

  /** `undefined` marks an unset variable; None is a value. */
  #undefinedName(name: string): PyValue {
    if (readGlobalVariable(name) === null) return null;
    throw new PyError("NameError", `name '${name}' is not defined`);
  }

  #attribute(object: Expression, name: string): Evaluate {
    if (object.kind === "name" && object.name === "rec" && this.isGlobal("rec")) {
      this.reads.addColumn(name);
      return (frame) => frame.row.read(name);
    }
    this.reads.addAttribute(object, name);
    const value = this.compile(object);
    return (frame) => readAttribute(value(frame), name);
  }

  #bounds(bounds: readonly (Expression | null)[]): [Evaluate, Evaluate, Evaluate] {
    const [start = null, stop = null, step = null] = bounds;
    return [this.compileOptional(start), this.compileOptional(stop), this.compileOptional(step)];
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
      let result: PyValue = true;
      for (const { holds, operand } of steps) {
        const right = operand(frame);
        result = holds(left, right);
        if (!isTruthy(result)) return result;
        left = right;
      }
      return result;
    };
  }

  #logical(operator: "and" | "or", left: Evaluate, right: Evaluate): Evaluate {
    const evaluatesRight = operator === "and";
    return (frame) => {
      const value = left(frame);
      return isTruthy(value) === evaluatesRight ? right(frame) : value;
    };
  }

  #format(parts: readonly FormatPart[]): Evaluate {
    const writers = parts.map((part) => this.#formatPart(part));
    return (frame) => {
      spendSteps(4);
      const texts = writers.map((write) => write(frame));
      for (const text of texts) spendBytes(text.length * 2);
      return texts.join("");
    };
  }

  #formatPart(part: FormatPart): (frame: Frame) => string {
    if (typeof part === "string") return () => part;
    const value = this.compile(part.value);
    const convert = part.conversion && REPR_CONVERSIONS.get(part.conversion);
    const spec = part.spec.length > 0 ? this.#format(part.spec) : undefined;
    return (frame) => {
      const formatted = value(frame);
      return formatValue(convert ? convert(formatted) : formatted, spec ? pyStr(spec(frame)) : "");
    };
  }
}
