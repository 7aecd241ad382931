import type { RandomFormulas } from "../random-formula.ts";

type Some<T> = readonly [T, ...T[]];

const words = (text: string): Some<string> => text.split(" ") as unknown as Some<string>;

const COLUMN_READS = words(
  "$Int $Num $Price $Text $Name $Choice $Flag $Any $Sum $Result $Floats $Ints $id rec.Num $Day $Ref $Missing",
);
const NUMBERS = words(
  "0 1 2 -3 10 100 7.5 0.5 -0.0 1e308 2147483648 9007199254740993 True False $Int $Num $Price $Sum $Floats $Ints $id $Any $Flag",
);
const TEXTS = words("'' 'a' 'ab' 'ß😀' '12' 'A_b' $Text $Name $Choice $Text $Any $Result");
const ARITHMETIC = words("+ - * / // % **");
const COMPARISONS = words("< <= > >= == != is in");
const NUMBER_FUNCTIONS = words(
  "ABS abs ROUNDUP ROUNDDOWN TRUNC INT EVEN ODD SIGN round int float SQRT LN math.floor math.ceil math.sqrt",
);
const NUMBER_PAIRS = words(
  "MAX MIN max min SUM PRODUCT MOD POWER ROUND round MROUND CEILING FLOOR AVERAGE QUOTIENT DATE",
);
const TEXT_FUNCTIONS = words("UPPER LOWER PROPER TRIM CLEAN T str LEFT RIGHT repr CONCAT");
const TEXT_METHODS = words(
  "upper lower title capitalize strip lstrip rstrip swapcase casefold isdigit isalpha isspace",
);
const TEXT_PAIRS = words(
  "startswith endswith removeprefix removesuffix find rfind count index zfill ljust strip replace",
);
const PREDICATES = words("ISNUMBER ISTEXT ISLOGICAL ISNONTEXT ISNA NOT AND OR bool EXACT len LEN");
const DATE_PARTS = words("YEAR MONTH DAY WEEKDAY WEEKNUM ISOWEEKNUM HOUR");
const FIELDS = words("year month day days strftime('%Y-%m') isoformat() weekday()");
const SPECS = words(".2f >10 , .0% d s x .3 05 q");
const VARIABLES = words("x y z length upper constructor __proto__ s b t0 c0 v0 F H K");

/** Generates formulas on cells of the own row: mostly well-typed ones, which can be compiled to row functions. */
export class RandomRowFormulas {
  readonly #random: RandomFormulas;
  /** Variables that have a value at this point. */
  #assigned: string[] = [];

  constructor(random: RandomFormulas) {
    this.#random = random;
  }

  formula(): string {
    this.#assigned = [];
    const { below } = this.#draw();
    if (below(3) > 0) return this.#any(1 + below(4));
    const lines = Array.from({ length: 1 + below(3) }, () => this.#statement(2, ""));
    return `${lines.join("\n")}\n${below(6) === 0 ? "return" : `return ${this.#any(2)}`}`;
  }

  #draw() {
    return { below: (count: number) => this.#random.below(count) };
  }

  #pick(from: Some<string>): string {
    return this.#random.pick(from);
  }

  #oneOf(forms: Some<() => string>): string {
    return this.#random.pick(forms)();
  }

  #any(depth: number): string {
    const chance = this.#random.below(12);
    if (chance === 0 && this.#assigned.length > 0) return this.#pick(this.#assigned as unknown as Some<string>);
    if (chance === 1) return this.#pick(COLUMN_READS);
    if (chance === 2) return "None";
    if (chance < 6) return this.#number(depth);
    return chance < 10 ? this.#text(depth) : this.#condition(depth);
  }

  #number(depth: number): string {
    if (depth <= 0) return this.#pick(NUMBERS);
    const number = () => this.#operand(depth, () => this.#number(depth - 1));
    return this.#oneOf([
      () => `(${number()} ${this.#pick(ARITHMETIC)} ${number()})`,
      () => `(${number()} ${this.#pick(ARITHMETIC)} ${number()})`,
      () => `(${this.#pick(["-", "+", "not "])}${number()})`,
      () => `(${number()} if ${this.#condition(depth - 1)} else ${number()})`,
      () => `(${number()} ${this.#pick(["or", "and"])} ${number()})`,
      () => `(z := ${number()})`,
      () => `${this.#pick(NUMBER_FUNCTIONS)}(${number()})`,
      () => `${this.#pick(NUMBER_PAIRS)}(${number()}, ${number()})`,
      () => `ROUND(${number()}, ${this.#pick(["0", "1", "2", "5", "-1", "$Int"])})`,
      () => `${this.#pick(["MAX", "SUM", "min", "AVERAGE"])}(${number()}, ${number()}, ${number()})`,
      () => `IF(${this.#condition(depth - 1)}, ${number()}, ${number()})`,
      () => `IFERROR(${number()}, ${number()})`,
      () => `len(${this.#text(depth - 1)})`,
      () => `(${this.#text(depth - 1)}).${this.#pick(TEXT_PAIRS)}(${this.#text(0)})`,
      () => `${this.#pick(DATE_PARTS)}($Day)`,
      () => `$Day.${this.#pick(FIELDS)}`,
      () => `($Day - DATE($Int, 2, ${number()})).days`,
    ]);
  }

  #text(depth: number): string {
    if (depth <= 0) return this.#pick(TEXTS);
    const text = () => this.#operand(depth, () => this.#text(depth - 1));
    return this.#oneOf([
      () => `(${text()} + ${text()})`,
      () => `(${text()} if ${this.#condition(depth - 1)} else ${text()})`,
      () => `(${text()} ${this.#pick(["or", "and"])} ${text()})`,
      () => `${this.#pick(TEXT_FUNCTIONS)}(${text()})`,
      () => `(${text()}).${this.#pick(TEXT_METHODS)}()`,
      () => `(${text()}).${this.#pick(TEXT_PAIRS)}(${text()})`,
      () => `(${text()}).replace(${text()}, ${text()})`,
      () => `CONCAT(${text()}, ${this.#any(depth - 1)})`,
      () => `str(${this.#any(depth - 1)})`,
      () => `${this.#pick(["LEFT", "RIGHT", "REPT"])}(${text()}, ${this.#number(0)})`,
      () => `MID(${text()}, ${this.#number(0)}, ${this.#pick(["0", "1", "3", "-1", "$Int"])})`,
      () => `SUBSTITUTE(${text()}, ${text()}, ${text()})`,
      () => `(${text()})[${this.#pick(["0", "-1", "2", "$Int"])}]`,
      () => `(${text()})[${this.#pick(["", "1", "-2", "$Int"])}:${this.#pick(["", "3", "-1", "None"])}]`,
      () =>
        `f'{${this.#any(depth - 1).replaceAll("'", '"')}} x {${this.#pick(COLUMN_READS)}${this.#pick(["", "!s", "!r"])}}'`,
      () => `f'{${this.#number(depth - 1).replaceAll("'", '"')}:${this.#pick(SPECS)}}'`,
      () =>
        `${this.#pick(["'%s: %s'", "'%s%%%s'", "'%d %5.2f'", "'%s'", "$Text"])} % (${this.#any(0)}, ${this.#any(0)})`,
      () => `${this.#pick(["'<%s>'", "'%r'", "'%03d'", "$Name"])} % ${this.#any(0)}`,
      () => `FIXED(${this.#number(depth - 1)}, 2)`,
      () => `$Day.${this.#pick(FIELDS)}`,
    ]);
  }

  #condition(depth: number): string {
    if (depth <= 0) return this.#pick(COLUMN_READS);
    const any = () => this.#any(depth - 1);
    return this.#oneOf([
      () => `(${this.#number(depth - 1)} ${this.#pick(COMPARISONS)} ${this.#number(depth - 1)})`,
      () => `(${this.#text(depth - 1)} ${this.#pick(COMPARISONS)} ${this.#text(depth - 1)})`,
      () => `(${any()} ${this.#pick(["==", "!="])} ${any()})`,
      () => `(${any()} ${this.#pick(["is", "is not"])} ${this.#pick(["None", "True", "0"])})`,
      () => `(${this.#number(0)} < ${this.#number(depth - 1)} <= ${this.#number(0)})`,
      () => `(${any()} ${this.#pick(["or", "and"])} ${any()})`,
      () => `(not ${any()})`,
      () => `${this.#pick(PREDICATES)}(${any()})`,
      () => `${this.#pick(["AND", "OR", "EXACT"])}(${any()}, ${any()})`,
      () => `(${this.#text(depth - 1)}).${this.#pick(["startswith", "endswith"])}(${this.#text(0)})`,
      () => `($Day ${this.#pick(COMPARISONS)} DATE(2020, 1, $Int))`,
      () => `(${any()} ${this.#pick(["in", "not in"])} (${this.#any(0)}, ${this.#any(0)}))`,
      () => `(${any()} in [${this.#any(0)}, ${this.#number(0)}, ${this.#text(0)}])`,
    ]);
  }

  /** Returns an operand of any type now and then. */
  #operand(depth: number, usual: () => string): string {
    return this.#random.below(25) === 0 ? this.#any(depth - 1) : usual();
  }

  #statement(depth: number, indent: string): string {
    const inner = `${indent}  `;
    return this.#oneOf([
      () => this.#assignment(indent),
      () => this.#assignment(indent),
      () => `${indent}return ${this.#any(2)}`,
      () => `${indent}${this.#any(1)}`,
      () => `${indent}pass`,
      () => (depth > 0 ? this.#ifStatement(depth, indent, inner) : this.#assignment(indent)),
    ]);
  }

  #ifStatement(depth: number, indent: string, inner: string): string {
    const before = [...this.#assigned];
    const block = () => {
      const text = this.#statement(depth - 1, inner);
      this.#assigned = [...before, ...(this.#random.below(4) === 0 ? this.#assigned : [])];
      return text;
    };
    const elif = this.#random.below(2) === 0 ? `${indent}elif ${this.#condition(1)}:\n${block()}\n` : "";
    return `${indent}if ${this.#condition(1)}:\n${block()}\n${elif}${indent}else:\n${block()}`;
  }

  #assignment(indent: string): string {
    const name = this.#pick(VARIABLES);
    const value = this.#any(2);
    const augmented = this.#assigned.includes(name) && this.#random.below(2) === 0;
    this.#assigned.push(name);
    if (augmented) return `${indent}${name} ${this.#pick(["+", "-", "*", "/"])}= ${value}`;
    return `${indent}${name} = ${this.#random.below(8) === 0 ? `${this.#pick(VARIABLES)} = ` : ""}${value}`;
  }
}
