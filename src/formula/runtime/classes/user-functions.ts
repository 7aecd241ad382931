import { enterCall, leaveCall } from "../calls.ts";
import { PyDict } from "../collections/dicts.ts";
import { typeError } from "../errors.ts";
import { type Keywords, PyFunction, PyTuple, type PyValue } from "../values.ts";

/** The parameters of a user-defined function with evaluated defaults. Their order determines the slots in its frame. */
export interface BoundParameters {
  readonly names: readonly string[];
  readonly positionalOnly: number;
  /** Belong to the last of `names`. */
  readonly defaults: readonly PyValue[];
  readonly keywordOnly: readonly { readonly name: string; readonly defaultValue: PyValue | undefined }[];
  readonly hasRest: boolean;
  readonly hasKeywords: boolean;
}

/** A user-defined function. */
export class PyUserFunction extends PyFunction {
  override readonly typeName = "function";
  readonly #fields = new Map<string, PyValue>();
  readonly #doc: string | null;

  /** `run` gets the variables with bound parameters. */
  constructor(
    name: string,
    doc: string | null,
    parameters: BoundParameters,
    run: (slots: (PyValue | undefined)[]) => PyValue,
  ) {
    const { names, keywordOnly, hasRest, hasKeywords } = parameters;
    const hasPositionalOnly = keywordOnly.length === 0 && !hasRest && !hasKeywords;
    super(name, (positional, keywords) => {
      const fits = hasPositionalOnly && keywords.size === 0 && positional.length === names.length;
      const slots = fits ? [...positional] : bindParameters(name, parameters, positional, keywords);
      enterCall();
      try {
        return run(slots);
      } finally {
        leaveCall();
      }
    });
    this.#doc = doc;
  }

  override bind(self: PyValue): PyFunction {
    return new PyBoundMethod(self, this);
  }

  override attribute(name: string): PyValue | undefined {
    const field = this.#fields.get(name);
    if (field !== undefined) return field;
    return name === "__doc__" ? this.#doc : super.attribute(name);
  }

  override setAttribute(name: string, value: PyValue | undefined): boolean {
    if (value === undefined) this.#fields.delete(name);
    else this.#fields.set(name, value);
    return true;
  }

  override repr(): string {
    return `<function ${this.name} at 0x7f0000000000>`;
  }
}

/** A method bound to an instance. */
export class PyBoundMethod extends PyFunction {
  override readonly typeName = "method";
  readonly self: PyValue;
  readonly target: PyFunction;

  constructor(self: PyValue, target: PyFunction) {
    super(target.name, (positional, keywords) => target.call([self, ...positional], keywords));
    this.self = self;
    this.target = target;
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "__self__") return this.self;
    return name === "__func__" ? this.target : this.target.attribute(name);
  }

  override equals(other: PyValue): boolean {
    return other instanceof PyBoundMethod && other.self === this.self && other.target === this.target;
  }

  override repr(): string {
    return `<bound method ${this.name}>`;
  }
}

/** Returns the variables of a call: positional parameters, then keyword-only parameters, `*rest`, `**keywords`. */
function bindParameters(
  name: string,
  parameters: BoundParameters,
  positional: readonly PyValue[],
  keywords: Keywords,
): (PyValue | undefined)[] {
  const { names, positionalOnly, defaults, keywordOnly, hasRest, hasKeywords } = parameters;
  if (positional.length > names.length && !hasRest) {
    const expected = `${names.length} positional argument${names.length === 1 ? "" : "s"}`;
    throw typeError(
      `${name}() takes ${expected} but ${positional.length} ${positional.length === 1 ? "was" : "were"} given`,
    );
  }
  const unused = new Map(keywords);
  const takeKeyword = (parameter: string): PyValue | undefined => {
    const value = unused.get(parameter);
    unused.delete(parameter);
    return value;
  };
  const slots: (PyValue | undefined)[] = [];
  const missing: string[] = [];
  for (const [index, parameter] of names.entries()) {
    const keywordValue = index < positionalOnly ? undefined : takeKeyword(parameter);
    const positionalValue = positional[index];
    if (positionalValue !== undefined && keywordValue !== undefined) {
      throw typeError(`${name}() got multiple values for argument '${parameter}'`);
    }
    const defaultValue = defaults[index - (names.length - defaults.length)];
    const value =
      positionalValue !== undefined ? positionalValue : keywordValue !== undefined ? keywordValue : defaultValue;
    if (value === undefined) missing.push(`'${parameter}'`);
    slots.push(value);
  }
  for (const { name: parameter, defaultValue } of keywordOnly) {
    const keywordValue = takeKeyword(parameter);
    const value = keywordValue === undefined ? defaultValue : keywordValue;
    if (value === undefined) missing.push(`'${parameter}'`);
    slots.push(value);
  }
  if (missing.length > 0) {
    rejectUnknownKeywords(name, hasKeywords ? undefined : unused);
    const count = `${missing.length} required positional argument${missing.length === 1 ? "" : "s"}`;
    const [last = "", ...others] = missing.toReversed();
    const listed =
      others.length > 1 ? `${others.toReversed().join(", ")}, and ${last}` : [...others, last].join(" and ");
    throw typeError(`${name}() missing ${count}: ${listed}`);
  }
  if (hasRest) slots.push(new PyTuple(positional.slice(names.length)));
  if (hasKeywords) slots.push(PyDict.of(unused));
  else rejectUnknownKeywords(name, unused);
  return slots;
}

function rejectUnknownKeywords(name: string, unused: Keywords | undefined): void {
  const [unknown] = unused?.keys() ?? [];
  if (unknown !== undefined) throw typeError(`${name}() got an unexpected keyword argument '${unknown}'`);
}
