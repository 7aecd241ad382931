import { typeError } from "../errors.ts";
import { PyFunction } from "../values.ts";

const SPAN = { start: "start_date", end: "end_date" };

/** Parameters that formulas may name in a shorter way as well. */
const SHORT_NAMES: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map<string, Record<string, string>>([
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

/** The function, taking its parameters by their short names too. */
export function withShortNames(given: PyFunction): PyFunction {
  const names = SHORT_NAMES.get(given.name);
  if (!names) return given;
  return new PyFunction(given.name, (positional, keywords) => {
    if (keywords.size === 0) return given.call(positional, keywords);
    const renamed = new Map([...keywords].map(([name, value]) => [names[name] ?? name, value]));
    if (renamed.size < keywords.size) throw typeError(`${given.name}() got multiple values for an argument`);
    return given.call(positional, renamed);
  });
}
