import { PyFunction } from "../runtime/values.ts";
import { withParameterAliases } from "./parameter-aliases.ts";
import { DATE_FUNCTIONS } from "./date.ts";
import { INFO_FUNCTIONS } from "./info.ts";
import { LOGICAL_FUNCTIONS } from "./logical.ts";
import { LOOKUP_FUNCTIONS } from "./lookup.ts";
import { MATH_FUNCTIONS } from "./math.ts";
import { PYTHON_FUNCTIONS } from "./python.ts";
import { STATS_FUNCTIONS } from "./stats.ts";
import { TEXT_FUNCTIONS } from "./text.ts";
import { UNIMPLEMENTED_FUNCTIONS } from "./unimplemented.ts";

/** The library of upper-case functions, by category. */
const LIBRARY_FUNCTIONS: readonly PyFunction[] = [
  ...DATE_FUNCTIONS,
  ...INFO_FUNCTIONS,
  ...LOGICAL_FUNCTIONS,
  ...LOOKUP_FUNCTIONS,
  ...MATH_FUNCTIONS,
  ...STATS_FUNCTIONS,
  ...TEXT_FUNCTIONS,
  ...UNIMPLEMENTED_FUNCTIONS,
];

/** A library function; formulas see it as a Python function rather than as a built-in one. */
class LibraryFunction extends PyFunction {
  override readonly typeName = "function";

  constructor(target: PyFunction) {
    super(target.name, target.call);
  }

  override repr(): string {
    return `<function ${this.name} at 0x7f0000000000>`;
  }
}

/** All functions that formulas can call without a qualifier. */
export const FUNCTIONS: ReadonlyMap<string, PyFunction> = new Map([
  ...PYTHON_FUNCTIONS,
  ...LIBRARY_FUNCTIONS.map((entry) => [entry.name, new LibraryFunction(withParameterAliases(entry))] as const),
]);
