import { typeError } from "../runtime/errors.ts";
import { PyFunction } from "../runtime/values.ts";

const SPAN = { start: "start_date", end: "end_date" };

/** Short aliases of parameter names. */
const PARAMETER_ALIASES: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map<
  string,
  Record<string, string>
>([
  ["DATEDIF", SPAN],
  ["DATEVALUE", { text: "date_string" }],
  ["DATE_TO_XL", { value: "date_value" }],
  ["DAYS", SPAN],
  ["NETWORKDAYS", SPAN],
  ["REPLACE", { new: "new_text" }],
  ["SUBSTITUTE", { old: "old_text", new: "new_text" }],
  ["XL_TO_DATE", { number: "value" }],
  ["YEARFRAC", SPAN],
]);

/** Wraps a function to accept its parameter aliases. */
export function withParameterAliases(target: PyFunction): PyFunction {
  const names = PARAMETER_ALIASES.get(target.name);
  if (!names) return target;
  return new PyFunction(target.name, (positional, keywords) => {
    if (keywords.size === 0) return target.call(positional, keywords);
    const renamed = new Map([...keywords].map(([name, value]) => [names[name] ?? name, value]));
    if (renamed.size < keywords.size) throw typeError(`${target.name}() got multiple values for an argument`);
    return target.call(positional, renamed);
  });
}
