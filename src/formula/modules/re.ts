import { spendBytes } from "../runtime/budget.ts";
import { exceptionClass } from "../runtime/classes/exceptions.ts";
import { FLAG_BITS } from "../regex/flags.ts";
import { compilePattern, PATTERN_METHODS, PyMatch, PyPattern } from "../regex/pattern.ts";
import { defineFunction, type Signature, requireInt, requireText } from "../runtime/signature.ts";
import { PyType } from "../runtime/classes/types.ts";
import { PyFunction, type PyValue } from "../runtime/values.ts";
import { PyModule } from "./module.ts";

const FLAGS = ["flags", 0n] as const;

/** Functions that are also methods of a compiled pattern: the pattern comes first, flags last. */
const SIGNATURES: Readonly<Record<string, Signature>> = {
  search: { required: ["pattern", "string"], optional: [FLAGS] },
  match: { required: ["pattern", "string"], optional: [FLAGS] },
  fullmatch: { required: ["pattern", "string"], optional: [FLAGS] },
  findall: { required: ["pattern", "string"], optional: [FLAGS] },
  finditer: { required: ["pattern", "string"], optional: [FLAGS] },
  split: { required: ["pattern", "string"], optional: [["maxsplit", 0n], FLAGS] },
  sub: { required: ["pattern", "repl", "string"], optional: [["count", 0n], FLAGS] },
  subn: { required: ["pattern", "repl", "string"], optional: [["count", 0n], FLAGS] },
};

function asFunction([name, signature]: [string, Signature]): [string, PyValue] {
  const method = PATTERN_METHODS.get(name);
  const make = defineFunction(name, signature, (args) => {
    const [pattern = null, ...rest] = args.slice(0, -1);
    const compiled = compilePattern(pattern, requireInt(args.at(-1)));
    return method?.body(compiled, rest) ?? null;
  });
  return [name, make];
}

const NAMES = {
  I: FLAG_BITS.i,
  IGNORECASE: FLAG_BITS.i,
  M: FLAG_BITS.m,
  MULTILINE: FLAG_BITS.m,
  S: FLAG_BITS.s,
  DOTALL: FLAG_BITS.s,
  X: FLAG_BITS.x,
  VERBOSE: FLAG_BITS.x,
  A: FLAG_BITS.a,
  ASCII: FLAG_BITS.a,
  U: 32n,
  UNICODE: 32n,
  NOFLAG: 0n,
} as const;

const typeOfKind = (name: string, isInstance: (value: PyValue) => boolean): PyType =>
  new PyType("re", new PyFunction(name, () => null), { isInstance });

/** The module `re`. It uses its own matcher, which charges steps for the work. */
export const RE_MODULE = new PyModule(
  "re",
  new Map<string, PyValue>([
    ...Object.entries(SIGNATURES).map(asFunction),
    ...Object.entries(NAMES),
    [
      "compile",
      defineFunction("compile", { required: ["pattern"], optional: [FLAGS] }, ([pattern = null, flags]) =>
        compilePattern(pattern, requireInt(flags)),
      ),
    ],
    ["escape", defineFunction("escape", { required: ["pattern"] }, ([text]) => escape(requireText(text)))],
    ["purge", defineFunction("purge", {}, () => null)],
    ["error", exceptionClass("error", ["Exception"], "re")],
    ["Pattern", typeOfKind("Pattern", (value) => value instanceof PyPattern)],
    ["Match", typeOfKind("Match", (value) => value instanceof PyMatch)],
  ]),
  "template Scanner RegexFlag LOCALE L DEBUG",
);

function escape(text: string): string {
  spendBytes(text.length * 4);
  return text.replace(/[\t\n\v\f\r !"#$%&'()*+,./:;<=>?@[\\\]^`{|}~-]/g, (character) =>
    /[!"%',/:;<=>@`]/.test(character) ? character : `\\${character}`,
  );
}
