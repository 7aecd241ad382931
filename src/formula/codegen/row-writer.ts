import { ALL, FLOAT, INT, isOnly, type Kinds, mayBe, NULL, NUMBER, OBJECT, OTHER, testOfKinds } from "./kinds.ts";
import type { HelperName } from "./helpers.ts";

/** Thrown for formulas that are left to the interpreter. */
export class NotSimple extends Error {}

/** The result of a generated expression. */
export interface Value {
  /** A JavaScript expression without side effects. */
  readonly code: string;
  readonly kinds: Kinds;
  /** True for names and literals, which can be repeated. */
  readonly isAtom: boolean;
  /** The value, if it is known from the formula. */
  readonly constant?: { readonly value: null | boolean | bigint | number | string };
}

/** Lines, with the blocks between them. */
type Lines = (string | Lines)[];

/** The code of a block, and what is known at its end. */
interface Flow {
  readonly lines: Lines;
  /** Kinds of identifiers that are more specific here than at their definition. */
  known: Map<string, Kinds>;
  /** Steps and bytes that this path costs and that are not in the code yet. */
  steps: number;
  bytes: number;
  /** True after a return. */
  isDone: boolean;
}

/** An identifier of the generated function. */
interface Identifier {
  readonly kinds: Kinds;
  /** Recognizes numbers among all stored values; needed until the kinds exclude OTHER. */
  readonly numberTest: string | undefined;
}

/** Longer functions take too long to compile. */
const MAX_LINES = 5000;

/**
 * Writes the body of a row function. The code consists of fixed words, numbered identifiers and positions in the list
 * of constants: no text of the formula becomes part of it.
 */
export class RowWriter {
  readonly constants: unknown[] = [];
  readonly helpers = new Set<HelperName>();
  readonly #identifiers = new Map<string, Identifier>();
  #count = 0;
  #lineCount = 0;
  #flow: Flow = { lines: [], known: new Map(), steps: 0, bytes: 0, isDone: false };
  /** True when the code adds to `s` or `b`, which count steps and bytes that depend on the row. */
  countsSteps = false;
  countsBytes = false;
  /** True when the function calls the interpreter's own functions, which charge the budget themselves. */
  usesBudget = false;
  /**
   * True when rows that are left to the interpreter may have numbers of another type than the static kinds tell: when a
   * column hides ints among floats, or a function ignores arguments that are not numbers.
   */
  hidesNumbers = false;
  /** True while the code of an expression is generated whose errors are caught. */
  catchesErrors = false;
  /** Kinds of all results. */
  resultKinds: Kinds = 0;

  get lines(): readonly string[] {
    return flatten(this.#flow.lines);
  }

  get isDone(): boolean {
    return this.#flow.isDone;
  }

  write(line: string): void {
    if (++this.#lineCount > MAX_LINES) throw new NotSimple("a long formula");
    this.#flow.lines.push(line);
  }

  /** Returns the name of a constant. */
  constant(value: unknown): string {
    const known = this.constants.findIndex((other) => Object.is(other, value));
    return `k${known < 0 ? this.constants.push(value) - 1 : known}`;
  }

  /** Declares an identifier whose value is set elsewhere. */
  define(id: string, kinds: Kinds, numberTest?: string): Value {
    this.#identifiers.set(id, { kinds, numberTest });
    return { code: id, kinds, isAtom: true };
  }

  /** Stores the value of an expression in a new identifier. */
  store(code: string, kinds: Kinds): Value {
    const id = this.#newId();
    this.write(`const ${id} = ${code};`);
    return this.define(id, kinds);
  }

  /** Returns the value as something that can be repeated. */
  atom(value: Value): Value {
    return value.isAtom ? value : this.store(value.code, value.kinds);
  }

  /** Returns the identifier with the kinds that it can have at this point. */
  read(id: string): Value {
    return { code: id, kinds: this.#kindsIn(this.#flow, id), isAtom: true };
  }

  setKinds(id: string, kinds: Kinds): void {
    this.#flow.known.set(id, kinds);
  }

  /** Charges a number of steps that does not depend on the row. */
  addSteps(count: number): void {
    this.#flow.steps += count;
  }

  /** Charges bytes, which also cost steps. */
  addBytes(count: number): void {
    this.#flow.bytes += count;
  }

  /** Charges steps given by a JavaScript expression. */
  addStepsOf(code: string): void {
    this.countsSteps = true;
    this.write(`s += ${code};`);
  }

  addBytesOf(code: string): void {
    this.countsBytes = true;
    this.write(`b += ${code};`);
  }

  /** Leaves the row to the interpreter when the condition is true. */
  fallBackIf(condition: string): void {
    this.write(`if (${condition}) return F;`);
  }

  /**
   * Ends the path with an error cell when the condition is true. Everything that the interpreter evaluates before it
   * raises the error must have been evaluated, and charged, before.
   */
  raiseIf(condition: string, error: "AttributeError" | "TypeError" | "ZeroDivisionError"): void {
    if (this.catchesErrors) return this.fallBackIf(condition);
    this.write(`if (${condition}) {`);
    this.charge();
    this.write(`return ["E", "${error}"];`);
    this.write("}");
  }

  /** Excludes None, for which an operation raises this error. */
  exceptNone(value: Value, error: "AttributeError" | "TypeError"): Value {
    const usable = this.usable(value);
    if (!mayBe(usable.kinds, NULL) || isOnly(usable.kinds, NULL)) return usable;
    const { code } = this.atom(usable);
    this.raiseIf(`${code} === null`, error);
    const kinds = usable.kinds & ~NULL;
    this.setKinds(code, kinds);
    return { code, kinds, isAtom: true };
  }

  /** Charges the costs of the path at its end. Rows that exceed a limit are left to the interpreter. */
  charge(furtherSteps = 0): void {
    const costs = this.#costs(furtherSteps);
    if (this.usesBudget) this.write(`${this.call("closeRow", costs?.steps ?? "0", costs?.bytes ?? "0")};`);
    else if (costs) this.fallBackIf(`!${this.call("charge", costs.steps, costs.bytes)}`);
  }

  /**
   * Restricts a value to these kinds; rows with other values are left to the interpreter. Throws NotSimple when no value
   * remains.
   */
  narrow(value: Value, allowed: Kinds): Value {
    if (isOnly(value.kinds, allowed)) return value;
    const kinds = value.kinds & allowed;
    if (kinds === 0) throw new NotSimple("an operation that always fails");
    // An int and a float look the same.
    const excluded = value.kinds & ~allowed;
    if (mayBe(kinds, NUMBER) && mayBe(excluded, NUMBER)) throw new NotSimple("an int or a float");
    const atom = this.atom(value);
    const numberTest = mayBe(value.kinds, OTHER) ? this.#identifiers.get(atom.code)?.numberTest : undefined;
    if (mayBe(kinds, OBJECT)) this.helpers.add("PyObject");
    this.fallBackIf(`!(${testOfKinds(atom.code, kinds, numberTest)})`);
    this.setKinds(atom.code, kinds);
    return { code: atom.code, kinds, isAtom: true };
  }

  /** Excludes values that generated code cannot use. */
  usable(value: Value): Value {
    return this.narrow(value, ALL);
  }

  /** Returns a JavaScript condition that is true for truthy values. Python's NaN is truthy. */
  truth(value: Value): string {
    const { code, kinds } = this.atom(this.usable(value));
    if (isOnly(kinds, NULL)) return "false";
    if (mayBe(kinds, OBJECT)) return this.call("isTruthy", code);
    if (isOnly(kinds, NUMBER)) return `(${code} !== 0)`;
    return mayBe(kinds, FLOAT) ? `(${code} || ${code} !== ${code})` : code;
  }

  /** Returns a call of a helper that does not charge the budget. */
  call(name: HelperName, ...args: readonly string[]): string {
    this.helpers.add(name);
    return `${name}(${args.join(", ")})`;
  }

  /**
   * Calls a helper that runs code of the interpreter, which charges the budget itself. Rows whose result is not of the
   * expected kinds are left to the interpreter.
   */
  callCharged(name: HelperName, args: readonly string[], kinds: Kinds): Value {
    this.usesBudget = true;
    return this.narrow(this.store(this.call(name, ...args), kinds | OTHER), kinds);
  }

  /** Returns an expression of the value as the interpreter represents it. */
  toPython(value: Value): string {
    if (value.constant) {
      return typeof value.constant.value === "bigint" ? this.constant(value.constant.value) : value.code;
    }
    const exact = this.exact(value);
    if (!mayBe(exact.kinds, INT)) return exact.code;
    if (isOnly(exact.kinds, INT)) return `BigInt(${exact.code})`;
    const atom = this.atom(exact);
    return `(typeof ${atom.code} === "number" ? BigInt(${atom.code}) : ${atom.code})`;
  }

  /** Leaves rows with a whole number to the interpreter, if it is not known whether that is an int or a float. */
  exact(value: Value): Value {
    const usable = this.usable(value);
    if (!mayBe(usable.kinds, INT) || !mayBe(usable.kinds, FLOAT)) return usable;
    const { code, kinds } = this.atom(usable);
    this.fallBackIf(`Number.isInteger(${code})`);
    this.hidesNumbers = true;
    return { code, kinds: kinds & ~INT, isAtom: true };
  }

  /** Writes a condition with two branches; either may return. Each is also given its kinds of the identifiers. */
  branch(test: string, then: () => void, orElse: () => void): void {
    const before = this.#flow;
    const flows = [then, orElse].map((work) => {
      this.#flow = { ...before, lines: [], known: new Map(before.known) };
      work();
      return this.#flow;
    });
    this.#flow = before;
    const live = flows.filter((flow) => !flow.isDone);
    const [first] = live;
    if (live.some((flow) => flow.steps !== first?.steps || flow.bytes !== first.bytes)) {
      for (const flow of live) this.#flush(flow);
    }
    const [thenLines, elseLines] = flows.map((flow) => flow.lines);
    this.write(`if (${test}) {`);
    if (thenLines) this.#flow.lines.push(thenLines);
    if (elseLines && elseLines.length > 0) this.#flow.lines.push("} else {", elseLines);
    this.write("}");
    this.#flow.isDone = !first;
    if (!first) return;
    this.#flow.steps = first.steps;
    this.#flow.bytes = first.bytes;
    this.#flow.known = this.#merge(live);
  }

  /** Writes a condition that selects one of two values. */
  select(test: string, then: () => Value, orElse: () => Value): Value {
    const id = this.#newId();
    this.write(`let ${id};`);
    let kinds: Kinds = 0;
    const assign = (work: () => Value) => () => {
      const value = this.usable(work());
      kinds |= value.kinds;
      this.write(`${id} = ${value.code};`);
    };
    this.branch(test, assign(then), assign(orElse));
    return this.define(id, kinds);
  }

  /** Returns JavaScript expressions of all steps and bytes of this path; undefined if it is free. */
  #costs(furtherSteps: number): { steps: string; bytes: string } | undefined {
    const { bytes } = this.#flow;
    const steps = this.#flow.steps + furtherSteps;
    if (steps === 0 && bytes === 0 && !this.countsSteps && !this.countsBytes) return undefined;
    const sum = (counts: boolean, variable: string, fixed: number) =>
      counts ? `${variable}${fixed > 0 ? ` + ${fixed}` : ""}` : String(fixed);
    return { steps: sum(this.countsSteps, "s", steps), bytes: sum(this.countsBytes, "b", bytes) };
  }

  /** Ends the path. */
  finish(): void {
    this.#flow.isDone = true;
  }

  #newId(): string {
    return `t${this.#count++}`;
  }

  #kindsIn(flow: Flow, id: string): Kinds {
    return flow.known.get(id) ?? this.#identifiers.get(id)?.kinds ?? OTHER;
  }

  #merge(flows: readonly Flow[]): Map<string, Kinds> {
    const ids = new Set(flows.flatMap((flow) => [...flow.known.keys()]));
    return new Map(
      Array.from(ids, (id) => [id, flows.reduce((kinds, flow) => kinds | this.#kindsIn(flow, id), 0)] as const),
    );
  }

  #flush(flow: Flow): void {
    if (flow.steps > 0) {
      this.countsSteps = true;
      flow.lines.push(`s += ${flow.steps};`);
    }
    if (flow.bytes > 0) {
      this.countsBytes = true;
      flow.lines.push(`b += ${flow.bytes};`);
    }
    flow.steps = 0;
    flow.bytes = 0;
  }
}

function flatten(lines: Lines, into: string[] = []): string[] {
  for (const line of lines) {
    if (typeof line === "string") into.push(line);
    else flatten(line, into);
  }
  return into;
}
