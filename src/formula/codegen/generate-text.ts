import type { Expression, FormatPart } from "../parser/ast.ts";
import { costOfList } from "../runtime/call-costs.ts";
import { addBytesOfTexts } from "./generate-arithmetic.ts";
import { BOOL, FLOAT, INT, isOnly, mayBe, NULL, OBJECT, TEXT } from "./kinds.ts";
import type { RowGenerator } from "./row-generator.ts";
import { NotSimple, type Value } from "./row-writer.ts";

/** `f"{value}"` */
export function generateFormat(generator: RowGenerator, parts: readonly FormatPart[]): Value {
  const { writer } = generator;
  writer.addSteps(4);
  const texts = parts.map((part) => writer.atom(formatPart(generator, part)));
  addBytesOfTexts(writer, texts);
  if (texts.length === 0) return constantText(generator, "");
  return { code: `("" + ${texts.map(({ code }) => code).join(" + ")})`, kinds: TEXT, isAtom: false };
}

function formatPart(generator: RowGenerator, part: FormatPart): Value {
  if (typeof part === "string") return constantText(generator, part);
  const { writer } = generator;
  const value = generator.expression(part.value);
  if (part.conversion !== undefined && part.conversion !== "s") throw new NotSimple("a conversion");
  const plain = part.conversion === "s" ? toText(generator, value) : value;
  if (part.spec.length === 0) return toText(generator, plain);
  const spec = part.spec.map((text) => (typeof text === "string" ? text : undefined));
  if (spec.includes(undefined)) throw new NotSimple("a format that depends on the row");
  writer.addSteps(4);
  for (const text of spec) writer.addBytes((text?.length ?? 0) * 2);
  return writer.callCharged("formatValue", [writer.toPython(plain), writer.constant(spec.join(""))], TEXT);
}

/** `"%s: %d" % (first, second)` */
export function generatePercentFormat(generator: RowGenerator, left: Value, node: Expression): Value {
  const { writer } = generator;
  const format = writer.narrow(left, TEXT);
  const isTuple = node.kind === "tuple";
  const nodes = isTuple ? node.items : [node];
  if (nodes.some(({ kind }) => kind === "starred")) throw new NotSimple("unpacked values");
  if (isTuple) writer.addBytes(costOfList(nodes.length));
  const values = nodes.map((item) => writer.atom(writer.usable(generator.expression(item))));
  const inline = inlineFormat(generator, format, values);
  if (inline) return inline;
  const list = `[${values.map((value) => writer.toPython(value)).join(", ")}]`;
  return writer.callCharged("formatPercent", [format.code, list, String(isTuple)], TEXT);
}

/** Steps of a conversion; its text is measured besides. */
const CONVERSION_STEPS = 15;

/** Generates a format of `%s` and `%%` only; undefined for other formats. */
function inlineFormat(generator: RowGenerator, format: Value, values: readonly Value[]): Value | undefined {
  const text = format.constant?.value;
  if (typeof text !== "string") return undefined;
  const parts = text.split(/(%[s%])/);
  const conversions = parts.filter((_, index) => index % 2 === 1);
  if (parts.some((part, index) => index % 2 === 0 && part.includes("%"))) return undefined;
  if (conversions.filter((part) => part === "%s").length !== values.length) return undefined;
  const { writer } = generator;
  writer.addSteps(CONVERSION_STEPS * conversions.length);
  const remaining = values.map((value) => writer.atom(toText(generator, value)));
  for (const { code } of remaining) writer.addStepsOf(`${code}.length / 32`);
  const codes = parts.map((part) => {
    if (part === "%s") return remaining.shift()?.code ?? "";
    return part === "" ? "" : writer.constant(part === "%%" ? "%" : part);
  });
  return { code: `(${['""', ...codes.filter((code) => code !== "")].join(" + ")})`, kinds: TEXT, isAtom: false };
}

export function constantText({ writer }: RowGenerator, value: string): Value {
  return { code: writer.constant(value), kinds: TEXT, isAtom: true, constant: { value } };
}

/** `str(value)`, without the costs of the call. */
export function toText({ writer }: RowGenerator, source: Value): Value {
  const value = writer.exact(source);
  if (isOnly(value.kinds, TEXT)) return value;
  if (isOnly(value.kinds, FLOAT)) return { code: writer.call("writeFloat", value.code), kinds: TEXT, isAtom: false };
  if (isOnly(value.kinds, INT)) return { code: `String(${value.code})`, kinds: TEXT, isAtom: false };
  if (isOnly(value.kinds, BOOL)) return { code: `(${value.code} ? "True" : "False")`, kinds: TEXT, isAtom: false };
  if (isOnly(value.kinds, NULL)) return { code: '"None"', kinds: TEXT, isAtom: true, constant: { value: "None" } };
  if (mayBe(value.kinds, OBJECT)) return writer.callCharged("pyStr", [writer.toPython(value)], TEXT);
  return { code: writer.call("pyStr", writer.toPython(value)), kinds: TEXT, isAtom: false };
}
