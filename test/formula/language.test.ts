import { describe, expect, test } from "bun:test";
import { evaluate } from "./evaluate.ts";

const TABLES: Record<string, [formula: string, result: string][]> = {
  "complex numbers": [
    ["(2+3j) * 1j", "(-3+2j)"],
    ["abs(5+12j), (1-2j).conjugate(), (4j).real", "(13.0, (1+2j), 0.0)"],
    ["complex('1.5-2j'), complex(1, 2), complex(0, -1)", "((1.5-2j), (1+2j), -1j)"],
    ["f'{1.5+2j:.1f}', f'{2j:>6}'", "('1.5+2.0j', '    2j')"],
    ["1j < 2j", "TypeError"],
    ["(1+0j) == 1, {1: 'a'}[1+0j]", "(True, 'a')"],
    ["1 / 0j", "ZeroDivisionError"],
    ["int(1j)", "TypeError"],
  ],
  "classes derived from Python's own": [
    ["class D(dict):\n  def __missing__(self, key): return key * 2\nD(a=1)['bc'], D(a=1)['a']", "('bcbc', 1)"],
    [
      "class L(list):\n  def last(self): return self[-1]\nx = L('abc')\nx.append('d')\nx.last(), len(x), x + ['e']",
      "('d', 4, ['a', 'b', 'c', 'd', 'e'])",
    ],
    [
      "class S(str): pass\nS('ab') + 'c', S('ab').upper(), {S('k'): 1}['k'], isinstance(S(), str)",
      "('abc', 'AB', 1, True)",
    ],
    [
      "class I(int):\n  def half(self): return self // 2\nI(9).half(), I(3) * 2, [7, 8][I(1)], f'{I(5):03}'",
      "(4, 6, 8, '005')",
    ],
    [
      "class T(tuple):\n  def __new__(cls, *items): return super().__new__(cls, sorted(items))\nT(3, 1, 2), T(2, 1) == (1, 2)",
      "((1, 2, 3), True)",
    ],
    ["class C:\n  def __init_subclass__(cls): cls.label = cls.__name__ + '!'\nclass D(C): pass\nD.label", "'D!'"],
    ["(5).__add__(2), 'ab'.__len__(), [1].__contains__(1), int.__mul__(3, 4)", "(7, 2, True, 12)"],
    ["hasattr([], '__iter__'), hasattr(5, '__len__'), type('X', (), {'y': 3}).y", "(True, False, 3)"],
  ],
  "yield within expressions": [
    [
      "def g():\n  x = (yield 1) + (yield 2)\n  return [x, (yield x)]\nit = g()\nseen = [next(it), it.send(5), it.send(6)]\n" +
        "try: it.send('end')\nexcept StopIteration as stop: seen.append(stop.value)\nseen",
      "[1, 2, 11, [11, 'end']]",
    ],
    ["def g():\n  a = (yield 'a') and (yield 'b')\n  yield a\nit = g()\nnext(it), it.send(0)", "('a', 0)"],
    [
      "def g():\n  while (yield 'more'): pass\n  yield 'end'\nit = g()\nnext(it), it.send(1), it.send(0)",
      "('more', 'more', 'end')",
    ],
    [
      "def g():\n  match (yield):\n    case int(): yield 'int'\n    case _: yield 'other'\nit = g()\nnext(it), it.send(3)",
      "(None, 'int')",
    ],
  ],
  "global names": [
    ["def add():\n  global total\n  total = total + 1\nglobal total\ntotal = 5\nadd()\nadd()\ntotal", "7"],
    ["def f():\n  global x\n  x = None\nf()\ndef g(): return x\ng()", "None"],
    ["def f():\n  global x\nx", "NameError"],
  ],
  "eval()": [
    ["eval('1 + 2 * 3'), eval(' 5 ')", "(7, 5)"],
    ["def f(n): return eval('[i * n for i in range(3)]')\nf(4)", "[0, 4, 8]"],
    ["eval('a + b', {'a': 1}, {'b': 2}), eval('n', {'n': None})", "(3, None)"],
    ["eval('1 +')", "SyntaxError"],
    ["eval('x = 1')", "SyntaxError"],
    ["eval('return 1')", "SyntaxError"],
    ["eval(5)", "TypeError"],
    ["eval('no_such_name')", "NameError"],
    ["eval('eval(\"1\")')", "1"],
  ],
  "characters by name": [
    ["'\\N{BULLET}\\N{greek small letter alpha}\\N{CJK UNIFIED IDEOGRAPH-4E2D}\\N{HANGUL SYLLABLE GAG}'", "'•α中각'"],
    ["'\\N{NO SUCH CHARACTER}'", "SyntaxError"],
    [
      "import unicodedata\nunicodedata.name('é'), unicodedata.lookup('EURO SIGN')",
      "('LATIN SMALL LETTER E WITH ACUTE', '€')",
    ],
    [
      "import unicodedata\n''.join(c for c in unicodedata.normalize('NFD', 'čéñ') if not unicodedata.combining(c))",
      "'cen'",
    ],
  ],
  decimals: [
    [
      "from decimal import Decimal, DivisionByZero, getcontext, localcontext\ngetcontext().prec = 5\nDecimal(2) / 3",
      "Decimal('0.66667')",
    ],
    [
      "from decimal import Decimal, DivisionByZero, getcontext, localcontext\nDecimal(2) / 3",
      "Decimal('0.6666666666666666666666666667')",
    ],
    [
      "from decimal import Decimal, DivisionByZero, getcontext, localcontext\nwith localcontext() as c:\n  c.prec = 3\n  x = Decimal(1) / 7\nx, Decimal(1) / 7",
      "(Decimal('0.143'), Decimal('0.1428571428571428571428571429'))",
    ],
    [
      "from decimal import Decimal, DivisionByZero, getcontext, localcontext\nDecimal(2).sqrt(), Decimal(1).exp(), Decimal(10).ln()",
      "(Decimal('1.414213562373095048801688724'), Decimal('2.718281828459045235360287471'), Decimal('2.302585092994045684017991455'))",
    ],
    [
      "from decimal import Decimal, DivisionByZero, getcontext, localcontext\nDecimal('-0') * 5, -Decimal(0), Decimal('NaN') == 1, Decimal('Infinity') > 5",
      "(Decimal('-0'), Decimal('0'), False, True)",
    ],
    [
      "from decimal import Decimal, DivisionByZero, getcontext, localcontext\nf\"{Decimal('1234.565'):,.2f} {Decimal('0.5'):.0%} {Decimal('1E+3')}\"",
      "'1,234.56 50% 1E+3'",
    ],
    [
      "from decimal import Decimal, DivisionByZero, getcontext, localcontext\nDecimal('1.25').as_tuple()",
      "DecimalTuple(sign=0, digits=(1, 2, 5), exponent=-2)",
    ],
    ["from decimal import Decimal, DivisionByZero, getcontext, localcontext\nDecimal(1) / 0", "DivisionByZero"],
    [
      "from decimal import Decimal, DivisionByZero, getcontext, localcontext\ngetcontext().traps[DivisionByZero] = False\nDecimal(1) / 0",
      "Decimal('Infinity')",
    ],
  ],
  modules: [
    [
      "import enum\nclass C(enum.IntEnum):\n  A = 1\n  B = enum.auto()\nC.A + 1, C.B == 2, str(C.B), [7, 8][C.A], C(2).name",
      "(2, True, '2', 8, 'B')",
    ],
    [
      "import enum\nclass S(enum.StrEnum):\n  X = enum.auto()\nS.X == 'x', S.X.upper(), repr(S.X)",
      "(True, 'X', \"<S.X: 'x'>\")",
    ],
    ["import enum\n@enum.unique\nclass C(enum.Enum):\n  A = 1\n  B = 1\nreturn C", "ValueError"],
    [
      "import functools\n@functools.total_ordering\nclass V:\n  def __init__(self, x): self.x = x\n  def __eq__(self, o): return self.x == o.x\n  def __lt__(self, o): return self.x < o.x\nV(1) <= V(1), V(1) > V(2), V(2) >= V(1)",
      "(True, False, True)",
    ],
    [
      "import functools\ndef outer(f):\n  @functools.wraps(f)\n  def inner(): return f()\n  return inner\n@outer\ndef g(): return 5\ng.__name__, g()",
      "('g', 5)",
    ],
    [
      "from collections import deque\nd = deque([1, 2], maxlen=4)\nd.insert(1, 9)\nd[0] = 7\nlist(d), d.index(2), d.maxlen",
      "([7, 9, 2], 2, 4)",
    ],
    [
      "import json\njson.loads('[1.50, 2]', parse_float=str), json.loads(b'{\"a\": 1}', object_pairs_hook=list)",
      "(['1.50', 2], [('a', 1)])",
    ],
    ["import heapq\nlist(heapq.merge([1, 4], [2, 3]))", "[1, 2, 3, 4]"],
    [
      "import base64\nbase64.b32encode(b'hi'), base64.b32decode('NBUQ===='), base64.b16decode('6869')",
      "(b'NBUQ====', b'hi', b'hi')",
    ],
    [
      "import hashlib\nhashlib.new('md5', b'a').hexdigest(), hashlib.sha512().block_size",
      "('0cc175b9c0f1b6a831c399e269772661', 128)",
    ],
    ["slice(1, 10, 2).indices(5), math.ulp(1.0) == 2 ** -52", "((1, 5, 2), True)"],
  ],
  bytes: [
    [
      "'é€'.encode('utf-16-le').hex(' ', 2), b'ab cd'.title(), b'a,b'.partition(b',')",
      "('e900 ac20', b'Ab Cd', (b'a', b',', b'b'))",
    ],
    [
      "int.from_bytes(b'\\x01\\x00', 'big'), (1024).to_bytes(2, 'little'), (-2).to_bytes(1, 'big', signed=True)",
      "(256, b'\\x00\\x04', b'\\xfe')",
    ],
    ["(300).to_bytes(1, 'big')", "OverflowError"],
    ["b'\\xff'.upper(), b'\\xff'.decode('cp1252'), bytes('ä', 'latin-1')", "(b'\\xff', 'ÿ', b'\\xe4')"],
  ],
};

for (const [name, cases] of Object.entries(TABLES)) {
  describe(name, () => {
    test.each(cases)("%s", (formula, result) => {
      expect(evaluate(formula)).toBe(result);
    });
  });
}

describe("error messages", () => {
  test.each([
    ["'a' + 1", 'can only concatenate str (not "int") to str'],
    ["[1].index(2)", "2 is not in list"],
    ["math.nothing", "module 'math' has no attribute 'nothing'"],
    ["(lambda x: x)()", "<lambda>() missing 1 required positional argument: 'x'"],
    ["b'a\\xff'.decode()", "'utf-8' codec can't decode byte 0xff in position 1: invalid start byte"],
    ["'%y' % 1", "unsupported format character 'y' (0x79) at index 1"],
  ])("%s", (formula, message) => {
    expect(
      evaluate(`try:\n  ${formula}\nexcept Exception as error:\n  return str(error) == ${JSON.stringify(message)}`),
    ).toBe("True");
  });
});
