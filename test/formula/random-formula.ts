/** Random formulas from a grammar that covers the language, its methods, modules and functions. */

/** Returns a generator of numbers in [0, 1), reproducible by its seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Some<T> = readonly [T, ...T[]];

const words = (text: string): Some<string> => text.split(" ") as unknown as Some<string>;

const ATOMS = words(
  "0 1 -3 7.5 1e308 -0.0 2147483648 99999999999999999999 True None 'a' '' 'ß😀' '\\ud800' b'ab\\xff' [] [1,2] (1,'b') {} {'a':1} {1,2} " +
    "1j range(3) ... x y _ f $Int $Num $Text $Flag $Date $Choices $Strange $Error $Missing $constructor $__proto__ rec.toString rec " +
    "len str SUM IF int list dict object type unknown constructor __proto__ toString datetime.date(2020,2,29) datetime.timedelta(1) " +
    "datetime.datetime(2020,1,1) float('nan') float('inf') NotImplemented ValueError ValueError('a') (lambda:1) iter([1]) slice(1)",
);
const SIGNS = words("+ - * / // % ** << >> & | ^ @ < <= > >= == != in is and or");
const ATTRIBUTES = words(
  "upper split year constructor __class__ __proto__ prototype length items call text append pop keys get sort add union real imag " +
    "strftime isoformat replace days group args __init__ __dict__ __len__ __add__ __eq__ __iter__ __getitem__ __new__ __mro__ mro " +
    "format encode decode hex join index count find copy update clear payload cls fields members value name",
);
const FUNCTIONS = words(
  "len str int float complex round abs min max sum sorted chr ord bool list tuple set dict repr ascii hash hex bin oct iter next reversed " +
    "enumerate zip map filter any all divmod pow isinstance getattr hasattr callable id dir vars format bytes range type slice print eval " +
    "math.sqrt math.floor math.factorial math.comb math.log math.gcd math.fsum re.match re.sub re.findall re.compile datetime.date " +
    "datetime.timedelta datetime.datetime.strptime super object frozenset issubclass setattr delattr staticmethod property",
);
const LIBRARY = words(
  "IF IFERROR SUM ROUND CONCAT LEFT RIGHT MID REPT FIND SUBSTITUTE DATE DATEADD DATEDIF WEEKNUM YEARFRAC SCHEDULE ROMAN FACT COMBIN " +
    "AVERAGE MEDIAN STDEV MAX MIN COUNT FIXED DOLLAR VALUE N T ISERR PEEK RANDBETWEEN REGEXEXTRACT TRIM PROPER CEILING FLOOR MOD LOG POWER " +
    "NETWORKDAYS EOMONTH MOONPHASE DTIME XL_TO_DATE UUID PHONE_FORMAT TASTEME EXACT NUM CONTAINS VLOOKUP RECORD PREVIOUS RANK",
);
const MODULES = words(
  "json.dumps json.loads itertools.product itertools.chain itertools.islice itertools.groupby itertools.combinations functools.reduce " +
    "functools.partial collections.Counter collections.deque collections.defaultdict collections.namedtuple decimal.Decimal " +
    "fractions.Fraction statistics.mean statistics.stdev textwrap.wrap textwrap.shorten base64.b64encode hashlib.md5 calendar.monthcalendar " +
    "operator.itemgetter bisect.bisect heapq.nlargest copy.deepcopy random.sample string.capwords unicodedata.name urllib.parse.quote " +
    "uuid.UUID enum.Enum os.system sys.exit time.strftime",
);
const TARGETS = words("x y x,y [x,*y] x.a x[0] x['k'] (x,(y,z)) *x, x[1:2] rec $Int len _");
const PATTERNS = words("1 'a' None x _ [x,*y] {'a':x} int() str(x) (1,2)|[3] x.y -1 {**x} [] type(real=1)");

/** Generates formulas and other texts from random numbers. */
export class RandomFormulas {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  pick<T>(from: Some<T>): T {
    return from[this.below(from.length)] ?? from[0];
  }

  /** Returns an expression or several statements. */
  formula(): string {
    if (this.below(3) > 0) return this.expression(1 + this.below(4));
    const lines = Array.from({ length: 1 + this.below(4) }, () => this.#statement(2, ""));
    return `${lines.join("\n")}\n${this.pick(["return x", "x", "return", this.expression(2)])}`;
  }

  expression(depth: number): string {
    if (depth <= 0) return this.pick(ATOMS);
    const inner = () => this.expression(depth - 1 - this.below(2));
    const forms: Some<() => string> = [
      () => `(${inner()} ${this.pick(SIGNS)} ${inner()})`,
      () => `${inner()} ${this.pick(SIGNS)} not ${inner()}`,
      () => `(${inner()} if ${inner()} else ${inner()})`,
      () => `(${inner()}).${this.pick(ATTRIBUTES)}(${inner()})`,
      () => `(${inner()}).${this.pick(ATTRIBUTES)}`,
      () => `(${inner()})[${inner()}]`,
      () => `(${inner()})[${inner()}:${inner()}${this.pick(["", `:${inner()}`])}]`,
      () => `f'{(${inner().replaceAll("'", '"')})!r:>${this.below(30)}}'`,
      () => `f'{${inner().replaceAll("'", '"')}:${this.#spec()}}'`,
      () => `format(${inner()}, '${this.#spec()}')`,
      () => `'${this.pick(["%d", "%s", "%5.2f", "%x", "%(a)s", "%c", "%"])}' % (${inner()},)`,
      () => `'${this.pick(["{}", "{0}", "{0.x}", "{0[a]}", "{!r}", "{:>{}}", "{a}"])}'.format(${inner()}, ${inner()})`,
      () => `${this.pick(FUNCTIONS)}(${this.#arguments(inner)})`,
      () => `${this.pick(LIBRARY)}(${this.#arguments(inner)})`,
      () => `[${inner()}, ${this.pick(["", "*"])}${inner()}]`,
      () => `{${inner()}: ${inner()}, **${inner()}}`,
      () => `{${inner()}, ${inner()}}`,
      () => `[${inner()} for ${this.pick(["x", "x, y", "x, *y", "_"])} in ${inner()} if ${inner()}]`,
      () => `(${inner()} for x in ${inner()} for y in x)`,
      () =>
        `(lambda ${this.pick(["x", "x, y=1", "*x", "x, /", "*, x", "**x", ""])}: ${inner()})(${this.#arguments(inner)})`,
      () => `(x := ${inner()})`,
      () => `(yield ${inner()})`,
      () =>
        `'ab'.${this.pick(["find", "replace", "join", "center", "count", "rsplit", "translate"])}(${inner()}, ${inner()})`,
    ];
    return this.pick(forms)();
  }

  #spec(): string {
    const one = (from: string) => this.pick(Array.from(from) as unknown as Some<string>);
    const part = (from: string) => (this.below(2) === 0 ? one(from) : "");
    return (
      part("<>^=*") +
      part("<>^=") +
      part("+- ") +
      part("#z0") +
      part("1259") +
      part(",_") +
      part(".") +
      part("0359") +
      part("bcdeEfFgGnosxX%q")
    );
  }

  #arguments(inner: () => string): string {
    return Array.from({ length: this.below(4) }, () => this.pick(["", "", "", "*", "**", "x=", "key="]) + inner()).join(
      ", ",
    );
  }

  #statement(depth: number, indent: string): string {
    const expression = () => this.expression(1 + this.below(2));
    const block = () => `\n${this.#statement(depth - 1, `${indent}  `)}`;
    const simple: Some<() => string> = [
      () => `${this.pick(TARGETS)} = ${expression()}`,
      () => `x ${this.pick(SIGNS)}= ${expression()}`,
      () => `del ${this.pick(TARGETS)}`,
      () => expression(),
      () => `raise ${expression()}${this.pick(["", ` from ${expression()}`])}`,
      () => `assert ${expression()}, ${expression()}`,
      () => `return ${expression()}`,
      () =>
        this.pick([
          "pass",
          "break",
          "continue",
          "global x",
          "nonlocal x",
          "x: int = 5",
          "yield x",
          "x = yield",
          "raise",
        ]),
      () => {
        const name = this.pick(MODULES);
        return `import ${name.slice(0, name.lastIndexOf("."))}\n${indent}x = ${name}(${this.#arguments(expression)})`;
      },
    ];
    if (depth <= 0) return indent + this.pick(simple)();
    const compound: Some<() => string> = [
      () => `if ${expression()}:${block()}\n${indent}else:${block()}`,
      () => `for ${this.pick(TARGETS)} in ${expression()}:${block()}\n${indent}else:${block()}`,
      () => `while ${expression()}:${block()}`,
      () =>
        `try:${block()}\n${indent}except ${this.pick(["Exception as e", "ValueError", "", expression()])}:${block()}\n${indent}finally:${block()}`,
      () => `with ${expression()} as x:${block()}`,
      () => `def f(${this.pick(["x", "x, y=1", "*x, **y", "self", "x, /, *, y"])}):${block()}${block()}`,
      () =>
        `class x(${this.pick(["", "Exception", "dict", "str", "int", "list", "object", "x", expression()])}):${block()}`,
      () =>
        `@${this.pick(["staticmethod", "property", "f", "classmethod"])}\n${indent}def ${this.pick(["__init__", "__add__", "__eq__", "__len__", "__getattr__", "f", "__iter__"])}(self, *x):${block()}`,
      () =>
        `match ${expression()}:\n${indent}  case ${this.pick(PATTERNS)}:\n${this.#statement(depth - 1, `${indent}    `)}`,
    ];
    return indent + (this.below(2) === 0 ? this.pick(simple) : this.pick(compound))();
  }

  /** Returns characters that are significant in the language, and others. */
  characters(): string {
    const alphabet = Array.from(
      "$aA_19.,:;()[]{}'\"\\\n\t #+-*/%=<>!@~^&|fbrNj \u00e9\ud83d\u0000",
    ) as unknown as Some<string>;
    const length = 1 + this.below(60);
    return Array.from({ length }, () => (this.below(8) === 0 ? this.#token() : this.pick(alphabet))).join("");
  }

  #token(): string {
    const tokens = words(
      "if else for in not is lambda yield from def class match case return import as with try except finally raise global nonlocal await async " +
        "None True rf''' \"\"\" := ** // ... -> != $Int \\N{ \\x \\u12 0x 1_ 1e f'{ }' {{ !r r' b' u' \n\n \n  ",
    );
    return ` ${this.pick(tokens)} `;
  }

  /** Returns bytes decoded as text. */
  bytes(): string {
    const bytes = Uint8Array.from({ length: 1 + this.below(80) }, () => this.below(this.below(3) === 0 ? 256 : 128));
    return new TextDecoder().decode(bytes);
  }

  /** Returns a text with a part removed, inserted or replaced. */
  corrupt(text: string): string {
    const at = this.below(text.length + 1);
    const to = Math.min(text.length, at + this.below(6));
    return (
      text.slice(0, at) + this.pick(["", this.characters().slice(0, 5), text.slice(at, to).repeat(2)]) + text.slice(to)
    );
  }
}
