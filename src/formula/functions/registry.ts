import type { PyFunction } from "../values.ts";
import { LOGICAL_FUNCTIONS } from "./logical.ts";
import { MATH_FUNCTIONS } from "./math.ts";
import { PYTHON_FUNCTIONS } from "./python.ts";
import { TEXT_FUNCTIONS } from "./text.ts";

/** All functions that formulas can call by plain name. */
export const FUNCTIONS: ReadonlyMap<string, PyFunction> = new Map([
  ...PYTHON_FUNCTIONS,
  ...[...LOGICAL_FUNCTIONS, ...MATH_FUNCTIONS, ...TEXT_FUNCTIONS].map((entry) => [entry.name, entry] as const),
]);
