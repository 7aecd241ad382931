import type { Expression } from "../parser/ast.ts";
import { CALL_STEPS } from "../runtime/call-costs.ts";
import { FLOAT, mayBe } from "./kinds.ts";
import type { RowGenerator } from "./row-generator.ts";
import { NotSimple, type Value } from "./row-writer.ts";

/** Functions that do not evaluate all of their arguments, or may catch their errors. */
export const LAZY_FUNCTIONS: ReadonlyMap<string, (generator: RowGenerator, nodes: readonly Expression[]) => Value> =
  new Map([
    ["IF", generateIf],
    ["IFERROR", generateIfError],
  ]);

/** `IF(test, value_if_true, value_if_false)` */
function generateIf(generator: RowGenerator, [test, then, orElse, ...others]: readonly Expression[]): Value {
  if (!test || !then || !orElse || others.length > 0) throw new NotSimple("a call that always fails");
  const holds = generator.truth(test);
  generator.writer.addSteps(CALL_STEPS);
  return generator.writer.select(
    holds,
    () => generator.expression(then),
    () => generator.expression(orElse),
  );
}

/** `IFERROR(value, value_if_error)`: rows in which the value is an error are left to the interpreter. */
function generateIfError(generator: RowGenerator, [node, orElse, ...others]: readonly Expression[]): Value {
  if (!node || others.length > 0) throw new NotSimple("a call that always fails");
  const { writer } = generator;
  // Evaluated in any case, and before the value.
  if (orElse) writer.usable(generator.expression(orElse));
  writer.addSteps(CALL_STEPS);
  writer.hidesNumbers = true;
  const isInner = writer.catchesErrors;
  writer.catchesErrors = true;
  const value = writer.atom(writer.usable(generator.expression(node)));
  writer.catchesErrors = isInner;
  // NaN counts as an error.
  if (mayBe(value.kinds, FLOAT)) writer.fallBackIf(`${value.code} !== ${value.code}`);
  return value;
}
