import { FUNCTIONS } from "../functions/registry.ts";
import { PRELOADED_MODULES } from "../modules/registry.ts";
import type { PyValue } from "../runtime/values.ts";
import { BUILTIN_NAMES } from "./classes.ts";

/** All names that formulas can use without a qualifier. */
export const GLOBALS: ReadonlyMap<string, PyValue> = new Map<string, PyValue>([
  ...BUILTIN_NAMES,
  ...FUNCTIONS,
  ...PRELOADED_MODULES,
]);
