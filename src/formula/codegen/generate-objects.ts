import type { BinaryOperator, Expression } from "../parser/ast.ts";
import { BINARY } from "../runtime/operators.ts";
import { FLOAT, INT, type Kinds, mayBe, OBJECT, TEXT } from "./kinds.ts";
import type { RowGenerator } from "./row-generator.ts";
import { NotSimple, type Value } from "./row-writer.ts";

/** Attributes of dates and their differences. */
const FIELDS: ReadonlySet<string> = new Set(
  "year month day hour minute second microsecond days seconds microseconds".split(" "),
);

/** Methods of dates and their differences that do not read the clock, and the kinds of their results. */
const OBJECT_METHODS: ReadonlyMap<string, Kinds> = new Map([
  ["strftime", TEXT],
  ["isoformat", TEXT],
  ["weekday", INT],
  ["isoweekday", INT],
  ["toordinal", INT],
  ["total_seconds", FLOAT],
]);

/** `$Day.year`, `($End - $Start).days` */
export function generateAttribute(generator: RowGenerator, object: Expression, name: string): Value {
  if (!FIELDS.has(name)) throw new NotSimple("an attribute");
  const { writer } = generator;
  const value = generator.expression(object);
  return writer.callCharged("readField", [writer.narrow(value, OBJECT).code, writer.constant(name)], INT);
}

/** `left - right` of dates: the interpreter's operator. */
export function generateObjectOperator(
  { writer }: RowGenerator,
  operator: BinaryOperator,
  [left, right]: readonly [left: Value, right: Value],
): Value {
  if (operator !== "-" && operator !== "+") throw new NotSimple(operator);
  const args = [writer.toPython(left), writer.toPython(right), writer.constant(BINARY[operator])];
  return writer.callCharged("operateOnObjects", args, OBJECT);
}

/** `$Day.strftime("%Y")` */
export function generateObjectMethod(
  { writer }: RowGenerator,
  { object, name, args }: { object: Value; name: string; args: readonly Value[] },
): Value {
  const kinds = OBJECT_METHODS.get(name);
  if (kinds === undefined || !mayBe(object.kinds, OBJECT)) throw new NotSimple("a method");
  const list = `[${args.map((arg) => writer.toPython(arg)).join(", ")}]`;
  const self = writer.narrow(object, OBJECT).code;
  const helper = kinds === INT ? "callIntMethod" : "callPlainMethod";
  return writer.callCharged(helper, [self, writer.constant(name), list], kinds);
}
