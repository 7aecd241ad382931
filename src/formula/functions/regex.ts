import { valueError } from "../runtime/errors.ts";
import { compilePattern, type PyMatch, substitute } from "../regex/pattern.ts";
import { Subject } from "../regex/subject.ts";
import { defineFunction } from "../runtime/signature.ts";
import type { PyFunction, PyValue } from "../runtime/values.ts";

const SEARCH = { required: ["text", "regular_expression"] } as const;

/** Functions with regular expressions, in the syntax of the module `re`. */
export const REGEX_FUNCTIONS: readonly PyFunction[] = [
  /** REGEXEXTRACT(text, regular_expression): the first match, or its first group if the expression has groups. */
  defineFunction("REGEXEXTRACT", SEARCH, ([text = null, expression = null]) => {
    const match = search(text, expression);
    if (!match) throw valueError("REGEXEXTRACT text does not match");
    return match.group(match.pattern.groups > 0 ? 1n : 0n);
  }),
  /** REGEXMATCH(text, regular_expression): whether the expression matches anywhere. */
  defineFunction("REGEXMATCH", SEARCH, ([text = null, expression = null]) => search(text, expression) !== null),
  /** REGEXREPLACE(text, regular_expression, replacement): replaces all matches. */
  defineFunction(
    "REGEXREPLACE",
    { required: ["text", "regular_expression", "replacement"] },
    ([text = null, expression = null, replacement = null]) =>
      substitute(compilePattern(expression), replacement, text, 0).text,
  ),
];

function search(text: PyValue, expression: PyValue): PyMatch | null {
  const pattern = compilePattern(expression);
  const subject = new Subject(text);
  return pattern.find("search", subject, 0, subject.length);
}
