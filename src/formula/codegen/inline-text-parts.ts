import { addCall, type InlineFunction } from "./inline-function.ts";
import { INT, isOnly, NULL, TEXT } from "./kinds.ts";
import type { RowGenerator } from "./row-generator.ts";
import type { RowWriter, Value } from "./row-writer.ts";

/**
 * Parts of texts by position. In texts without surrogates, JavaScript's indexes equal Python's; rows with other texts
 * are left to the interpreter.
 */
function withUnitIndexes(writer: RowWriter, source: Value): Value {
  const text = writer.atom(writer.narrow(source, TEXT));
  writer.addStepsOf(`${text.code}.length / 32`);
  writer.fallBackIf(writer.call("hasSurrogates", text.code));
  return text;
}

const part = (text: Value, bounds: string): Value => ({
  code: `${text.code}.slice(${bounds})`,
  kinds: TEXT,
  isAtom: false,
});

/** `text[start:stop]` with ints or without bounds; undefined for other slices. */
export function inlineSlice(
  { writer }: RowGenerator,
  text: Value,
  [start, stop]: readonly [Value | undefined, Value | undefined],
): Value | undefined {
  for (const bound of [start, stop]) if (bound && !isOnly(bound.kinds, INT)) return undefined;
  return part(withUnitIndexes(writer, text), `${start?.code ?? "0"}${stop ? `, ${stop.code}` : ""}`);
}

/** `text[index]` with an int; undefined for other indexes. */
export function inlineIndex({ writer }: RowGenerator, source: Value, index: Value): Value | undefined {
  if (!isOnly(index.kinds, INT)) return undefined;
  const text = withUnitIndexes(writer, source);
  // `at` counts from the end for negative numbers, as in Python.
  const found = writer.store(`${text.code}.at(${index.code})`, TEXT);
  writer.fallBackIf(`${found.code} === undefined`);
  return found;
}

/** `LEFT(text, count)`, `RIGHT(text, count)`: the comparison of the count with 0 is a step. */
const sideOfText =
  (bounds: (count: string) => string, isWhole?: (count: string) => string): InlineFunction =>
  ({ writer }, [text, count, ...others]) => {
    if (!text || others.length > 0 || !isOnly(text.kinds, TEXT | NULL) || isOnly(text.kinds, NULL)) return undefined;
    if (count && !isOnly(count.kinds, INT)) return undefined;
    addCall(writer);
    writer.addSteps(1);
    const counted = writer.atom(count ?? { code: "1", kinds: INT, isAtom: true });
    writer.fallBackIf(`${counted.code} < 0`);
    const atom = withUnitIndexes(writer, text);
    const side = part(atom, bounds(counted.code));
    return isWhole ? { ...side, code: `(${isWhole(counted.code)} ? ${atom.code} : ${side.code})` } : side;
  };

export const startOfText = sideOfText((count) => `0, ${count}`);
/** `RIGHT(text, 0)` is the whole text. */
export const endOfText = sideOfText(
  (count) => `-${count}`,
  (count) => `${count} === 0`,
);

/** `MID(text, start, count)` */
export const middleOfText: InlineFunction = ({ writer }, [text, start, count, ...others]) => {
  if (!text || !start || !count || others.length > 0) return undefined;
  if (!isOnly(text.kinds, TEXT | NULL) || isOnly(text.kinds, NULL)) return undefined;
  if (!isOnly(start.kinds | count.kinds, INT)) return undefined;
  addCall(writer);
  writer.addSteps(1);
  writer.fallBackIf(`${start.code} < 1`);
  const atom = withUnitIndexes(writer, text);
  return part(atom, `${start.code} - 1, ${start.code} - 1 + ${count.code}`);
};

/** `TRIM(text)` */
export const trimSpaces: InlineFunction = ({ writer }, [text, ...others]) => {
  if (!text || others.length > 0 || !isOnly(text.kinds, TEXT | NULL) || isOnly(text.kinds, NULL)) return undefined;
  addCall(writer, "TRIM");
  const atom = writer.atom(writer.narrow(text, TEXT));
  writer.addBytesOf(`${atom.code}.length * 8`);
  return { code: writer.call("trimSpaces", atom.code), kinds: TEXT, isAtom: false };
};
