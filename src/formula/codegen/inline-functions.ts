import { BINARY } from "../runtime/operators.ts";
import { costsOf } from "../runtime/budget.ts";
import { addBytesOfTexts, generateBinary, toNumber } from "./generate-arithmetic.ts";
import { toText } from "./generate-text.ts";
import { endOfText, middleOfText, startOfText, trimSpaces } from "./inline-text-parts.ts";
import { BOOL, FLOAT, INT, isOnly, type Kinds, mayBe, NULL, NUMBER, NUMERIC, TEXT, testOfKinds } from "./kinds.ts";
import type { RowGenerator } from "./row-generator.ts";
import { addCall, type InlineFunction } from "./inline-function.ts";
import type { Value } from "./row-writer.ts";

type InlineMethod = (generator: RowGenerator, self: Value, args: readonly Value[]) => Value | undefined;

/** Returns a function of one argument, which must have one of these kinds. */
const unary =
  (allowed: Kinds, generate: (generator: RowGenerator, argument: Value) => Value): InlineFunction =>
  (generator, [argument, ...others]) => {
    if (!argument || others.length > 0 || !mayBe(argument.kinds, allowed)) return undefined;
    if (!isOnly(argument.kinds, allowed | NULL)) return undefined;
    return generate(generator, generator.writer.atom(generator.writer.narrow(argument, allowed)));
  };

const lengthOfText = unary(TEXT, ({ writer }, text) => {
  addCall(writer);
  writer.addStepsOf(`${text.code}.length / 32`);
  return { code: writer.call("countCharacters", text.code), kinds: INT, isAtom: false };
});

/** Case conversions: a character becomes at most three. */
function changeCase({ writer }: RowGenerator, text: Value, method: "toUpperCase" | "toLowerCase"): Value {
  addCall(writer);
  writer.addBytesOf(`${text.code}.length * 6`);
  return { code: `${text.code}.${method}()`, kinds: TEXT, isAtom: false };
}

const absolute = unary(NUMBER, ({ writer }, number) => {
  addCall(writer);
  return { code: `Math.abs(${number.code})`, kinds: number.kinds, isAtom: false };
});

/** `AND(…)`, `OR(…)`: all arguments are evaluated. */
const combine =
  (operator: "&&" | "||"): InlineFunction =>
  ({ writer }, args) => {
    if (args.length === 0) return undefined;
    addCall(writer);
    const tests = args.map((argument) => `(${writer.truth(argument)})`);
    return { code: `(${tests.join(` ${operator} `)} ? true : false)`, kinds: BOOL, isAtom: false };
  };

const concatenate: InlineFunction = (generator, args) => {
  const { writer } = generator;
  if (args.length === 0 || args.some(({ kinds }) => !isOnly(kinds, TEXT | NULL | NUMBER | BOOL))) return undefined;
  addCall(writer);
  const texts = args.map((argument) => writer.atom(toText(generator, argument)));
  addBytesOfTexts(writer, texts);
  return { code: `("" + ${texts.map(({ code }) => code).join(" + ")})`, kinds: TEXT, isAtom: false };
};

/** The first of the best numbers. `comparesAll`: the first is compared with itself, too. */
const extreme =
  (
    name: string,
    sign: "<" | ">",
    { minCount, comparesAll }: { minCount: number; comparesAll: boolean },
  ): InlineFunction =>
  ({ writer }, args) => {
    const [first, ...others] = args;
    if (!first || args.length < minCount || args.some(({ kinds }) => !isOnly(kinds, NUMBER | NULL))) return undefined;
    if (args.some(({ kinds }) => isOnly(kinds, NULL))) return undefined;
    addCall(writer, name);
    writer.hidesNumbers = true;
    writer.addSteps(comparesAll ? args.length : others.length);
    const numbers = args.map((argument) => writer.atom(writer.narrow(argument, NUMBER)));
    const kinds = numbers.reduce((all, number) => all | number.kinds, 0);
    return numbers.slice(1).reduce(
      (best, number) => {
        return writer.store(`${number.code} ${sign} ${best.code} ? ${number.code} : ${best.code}`, kinds);
      },
      writer.store(numbers[0]?.code ?? "0", kinds),
    );
  };

/** `SUM(…)` of numbers; the sum starts with the int 0. */
const sum: InlineFunction = (generator, args) => {
  const { writer } = generator;
  if (args.length === 0 || args.some(({ kinds }) => !isOnly(kinds, NUMERIC))) return undefined;
  addCall(writer, "SUM");
  writer.hidesNumbers = true;
  const zero: Value = { code: "0", kinds: INT, isAtom: true, constant: { value: 0n } };
  return args.reduce((total, argument) => generateBinary(generator, "+", [total, argument]), zero);
};

/** `ROUND(value, places)` of a float to a fixed number of places: half away from zero. */
const roundFloat: InlineFunction = ({ writer }, [value, places, ...others]) => {
  const placesValue = places ? places.constant?.value : 0n;
  if (!value || others.length > 0 || typeof placesValue !== "bigint" || placesValue < 0n || placesValue > 15n)
    return undefined;
  if (!isOnly(value.kinds, FLOAT | NULL) || !mayBe(value.kinds, FLOAT)) return undefined;
  addCall(writer);
  const { steps, bytes } = costsOf(() => BINARY["**"](10n, placesValue));
  // The comparison that determines the sign.
  writer.addSteps(1 + steps);
  writer.addBytes(bytes);
  const number = writer.atom(writer.narrow(value, FLOAT));
  const unit = writer.constant(10 ** Number(placesValue));
  const rounded = writer.store(writer.call("roundHalfAway", number.code, unit), FLOAT);
  writer.fallBackIf(`${rounded.code} === undefined`);
  return rounded;
};

const toInt = unary(NUMERIC, (generator, value) => {
  const { writer } = generator;
  addCall(writer, "int");
  const number = toNumber(generator, value);
  if (isOnly(number.kinds, INT)) return number;
  const whole = writer.store(`Math.trunc(${number.code}) + 0`, INT);
  // Also NaN.
  writer.fallBackIf(`!Number.isSafeInteger(${whole.code})`);
  return whole;
});

/** Tests of the type of a value. */
const isKind =
  (kinds: Kinds): InlineFunction =>
  ({ writer }, [argument, ...others]) => {
    if (!argument || others.length > 0) return undefined;
    addCall(writer);
    const { code } = writer.atom(writer.usable(argument));
    return { code: `(${testOfKinds(code, kinds)})`, kinds: BOOL, isAtom: false };
  };

export const INLINE_FUNCTIONS: ReadonlyMap<string, InlineFunction> = new Map<string, InlineFunction>([
  ["LEN", lengthOfText],
  ["len", lengthOfText],
  ["UPPER", unary(TEXT, (generator, text) => changeCase(generator, text, "toUpperCase"))],
  ["LOWER", unary(TEXT, (generator, text) => changeCase(generator, text, "toLowerCase"))],
  ["ABS", absolute],
  ["abs", absolute],
  ["AND", combine("&&")],
  ["OR", combine("||")],
  [
    "NOT",
    ({ writer }, [argument, ...others]) => {
      if (!argument || others.length > 0) return undefined;
      addCall(writer);
      return { code: `!(${writer.truth(argument)})`, kinds: BOOL, isAtom: false };
    },
  ],
  ["CONCAT", concatenate],
  ["CONCATENATE", concatenate],
  ["MIN", extreme("MIN", "<", { minCount: 1, comparesAll: true })],
  ["MAX", extreme("MAX", ">", { minCount: 1, comparesAll: true })],
  ["min", extreme("min", "<", { minCount: 2, comparesAll: false })],
  ["max", extreme("max", ">", { minCount: 2, comparesAll: false })],
  ["SUM", sum],
  ["LEFT", startOfText],
  ["RIGHT", endOfText],
  ["MID", middleOfText],
  ["TRIM", trimSpaces],
  ["ROUND", roundFloat],
  ["int", toInt],
  [
    "float",
    unary(NUMERIC, (generator, value) => {
      addCall(generator.writer, "float");
      const { code, isAtom } = toNumber(generator, value);
      return { code, kinds: FLOAT, isAtom };
    }),
  ],
  [
    "str",
    (generator, [argument, ...others]) => {
      if (!argument || others.length > 0) return undefined;
      addCall(generator.writer, "str");
      return toText(generator, argument);
    },
  ],
  ["ISNUMBER", isKind(NUMERIC)],
  ["ISTEXT", isKind(TEXT)],
]);

export const INLINE_METHODS: ReadonlyMap<string, InlineMethod> = new Map<string, InlineMethod>([
  ["upper", (generator, self, args) => (args.length > 0 ? undefined : changeCase(generator, self, "toUpperCase"))],
  ["lower", (generator, self, args) => (args.length > 0 ? undefined : changeCase(generator, self, "toLowerCase"))],
  [
    "strip",
    ({ writer }, self, args) => {
      if (args.length > 0) return undefined;
      addCall(writer);
      return { code: writer.call("trimText", self.code), kinds: TEXT, isAtom: false };
    },
  ],
  ["startswith", (generator, self, args) => startsOrEnds(generator, [self, ...args], "startsWith")],
  ["endswith", (generator, self, args) => startsOrEnds(generator, [self, ...args], "endsWith")],
]);

function startsOrEnds(
  { writer }: RowGenerator,
  [self, affix, ...others]: readonly Value[],
  method: "startsWith" | "endsWith",
): Value | undefined {
  if (!self || !affix || others.length > 0 || !isOnly(affix.kinds, TEXT)) return undefined;
  addCall(writer);
  return { code: `${self.code}.${method}(${affix.code})`, kinds: BOOL, isAtom: false };
}
