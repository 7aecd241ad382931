import { unreachable } from "../../lib/assert.ts";
import type { Expression } from "../parser/ast.ts";
import { generateBinary, generateUnary } from "./generate-arithmetic.ts";
import { generateCall } from "./generate-calls.ts";
import { generateComparison } from "./generate-comparison.ts";
import { generateAttribute } from "./generate-objects.ts";
import { generateFormat, generatePercentFormat } from "./generate-text.ts";
import { inlineIndex, inlineSlice } from "./inline-text-parts.ts";
import { BOOL, FLOAT, INT, type Kinds, mayBe, NULL, NUMERIC, TEXT } from "./kinds.ts";
import { type RowGenerator, truthy } from "./row-generator.ts";
import { NotSimple, type Value } from "./row-writer.ts";

/** Generates an expression. Throws NotSimple for expressions that are left to the interpreter. */
export function generateExpression(generator: RowGenerator, node: Expression): Value {
  const { writer } = generator;
  switch (node.kind) {
    case "constant":
      return generateConstant(generator, node.value);
    case "name":
      return generator.readVariable(node.name);
    case "attribute":
      if (node.object.kind === "name" && node.object.name === "rec" && generator.isGlobal("rec")) {
        return generator.readColumn(node.name);
      }
      return generateAttribute(generator, node.object, node.name);
    case "call":
      return generateCall(generator, node);
    case "format":
      return generateFormat(generator, node.parts);
    case "index":
      return generateIndex(generator, node);
    case "slice":
      return generateSlice(generator, node);
    case "unary":
      if (node.operator !== "not") return generateUnary(generator, node.operator, generator.expression(node.operand));
      return { code: `!${parenthesized(generator.truth(node.operand))}`, kinds: BOOL, isAtom: false };
    case "binary": {
      const left = generator.expression(node.left);
      // The numbers of a column of both take precedence.
      if (node.operator === "%" && mayBe(left.kinds, TEXT) && !mayBe(left.kinds, NUMERIC)) {
        return generatePercentFormat(generator, left, node.right);
      }
      return generateBinary(generator, node.operator, [left, generator.expression(node.right)]);
    }
    case "compare":
      return generateComparison(generator, node.first, node.rest);
    case "logic":
      return generateLogic(generator, node);
    case "conditional":
      return writer.select(
        generator.truth(node.test),
        () => generator.expression(node.body),
        () => generator.expression(node.orElse),
      );
    case "bytes":
    case "comprehension":
    case "dict":
    case "imaginary":
    case "lambda":
    case "list":
    case "named":
    case "set":
    case "sliceValue":
    case "starred":
    case "tuple":
    case "unsupported":
    case "yield":
      throw new NotSimple(node.kind);
    default:
      return unreachable(node);
  }
}

const parenthesized = (code: string): string => `(${code})`;

function generateConstant({ writer }: RowGenerator, value: null | boolean | bigint | number | string): Value {
  const constant = { value };
  if (value === null || typeof value === "boolean") {
    return { code: String(value), kinds: value === null ? NULL : BOOL, isAtom: true, constant };
  }
  if (typeof value !== "bigint") {
    return { code: writer.constant(value), kinds: kindOfPlain(value), isAtom: true, constant };
  }
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new NotSimple("a big int");
  return { code: writer.constant(number), kinds: INT, isAtom: true, constant };
}

const kindOfPlain = (value: number | string): Kinds => (typeof value === "string" ? TEXT : FLOAT);

/** `left and right`, `left or right`: the value of the operand that decides. */
function generateLogic(generator: RowGenerator, node: Expression & { kind: "logic" }): Value {
  const { writer } = generator;
  const left = writer.atom(writer.usable(generator.expression(node.left)));
  const test = writer.truth(left);
  const right = () => generator.expression(node.right);
  return node.operator === "and"
    ? writer.select(test, right, () => left)
    : writer.select(test, () => truthy(left), right);
}

/** `text[index]` */
function generateIndex(generator: RowGenerator, node: Expression & { kind: "index" }): Value {
  const { writer } = generator;
  const text = writer.narrow(generator.expression(node.object), TEXT);
  const index = writer.atom(writer.usable(generator.expression(node.index)));
  const inline = inlineIndex(generator, text, index);
  return inline ?? writer.callCharged("readIndex", [text.code, writer.toPython(index)], TEXT);
}

/** `text[start:stop:step]` */
function generateSlice(generator: RowGenerator, node: Expression & { kind: "slice" }): Value {
  const { writer } = generator;
  const text = writer.narrow(generator.expression(node.object), TEXT);
  const [start, stop, step] = node.bounds.map(
    (bound) => bound && writer.atom(writer.usable(generator.expression(bound))),
  );
  const inline = step ? undefined : inlineSlice(generator, text, [start ?? undefined, stop ?? undefined]);
  if (inline) return inline;
  const bounds = [start, stop, step].map((bound) => (bound ? writer.toPython(bound) : "null"));
  return writer.callCharged("readSlice", [text.code, ...bounds], TEXT);
}
