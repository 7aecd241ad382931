import { describe, expect, test } from "bun:test";
import { evaluate } from "./evaluate.ts";

/** Formulas, each with its result. */
const TABLES: Record<string, [formula: string, result: string][]> = {
  modules: [
    [
      "math.sqrt(2), math.floor(-2.5), math.ceil(2.1), math.log(8, 2), math.log2(8), math.log10(1000), math.gcd(12, 18), math.lcm(4, 6), math.factorial(20), math.comb(5, 2), math.perm(5, 2)",
      "(1.4142135623730951, -3, 3, 3.0, 3.0, 3.0, 6, 12, 2432902008176640000, 10, 20)",
    ],
    ["math.sqrt(-1)", "ValueError"],
    ["math.sin('x')", "TypeError"],
    [
      "math.isqrt(17), math.hypot(3, 4), math.isclose(1, 1 + 1e-12), math.prod([2, 3]), math.trunc(-2.5), math.fmod(-7, 3), math.modf(2.5), math.degrees(math.pi)",
      "(4, 5.0, True, 6, -2, -1.0, (0.5, 2.0), 180.0)",
    ],
    ["math.nope", "AttributeError"],
    [
      "math.dist([0, 0], [3, 4]), math.fsum([.1] * 10), math.frexp(8.5), math.ldexp(0.5, 3), math.copysign(2, -0.0), math.remainder(5, 3)",
      "(5.0, 1.0, (0.53125, 4), 4.0, -2.0, -1.0)",
    ],
    ["math.log(0)", "ValueError"],
    ["math.exp(1000)", "OverflowError"],
    [
      "import json\njson.dumps({'a': [1, None, True], 'b': 1.5, 'é': 'x\"y\\n'})",
      '\'{"a": [1, null, true], "b": 1.5, "\\\\u00e9": "x\\\\"y\\\\n"}\'',
    ],
    [
      "import json\njson.dumps({'b': 1, 'a': [1, {'c': []}]}, indent=2, sort_keys=True)",
      '\'{\\n  "a": [\\n    1,\\n    {\\n      "c": []\\n    }\\n  ],\\n  "b": 1\\n}\'',
    ],
    [
      'import json\njson.loads(\'{"b": [1.5, null], "c": 12345678901234567890, "d": "\\\\u00e9", "e": {"f": [true, false]}}\')',
      "{'b': [1.5, None], 'c': 12345678901234567890, 'd': 'é', 'e': {'f': [True, False]}}",
    ],
    ["import json\njson.loads('oops')", "JSONDecodeError"],
    ["import json\ntry:\n  json.loads('[1,')\nexcept json.JSONDecodeError as e:\n  return 'bad'", "'bad'"],
    [
      "import json\njson.dumps([1, 2], separators=(',', ':')), json.dumps('é', ensure_ascii=False), json.dumps((1, float('nan')))",
      "('[1,2]', '\"é\"', '[1, NaN]')",
    ],
    ["import json\njson.dumps({1: 2, None: 3}), json.dumps(set())", "TypeError"],
    [
      "from collections import Counter\nc = Counter('banana')\nc, c['z'], c.most_common(2), sorted(c.elements()), c + Counter('bc'), c - Counter('aab'), c & Counter('an'), c | Counter('bbb')",
      "(Counter({'a': 3, 'n': 2, 'b': 1}), 0, [('a', 3), ('n', 2)], ['a', 'a', 'a', 'b', 'n', 'n'], Counter({'a': 3, 'b': 2, 'n': 2, 'c': 1}), Counter({'n': 2, 'a': 1}), Counter({'a': 1, 'n': 1}), Counter({'b': 3, 'a': 3, 'n': 2}))",
    ],
    [
      "from collections import Counter\nc = Counter(a=3, b=1)\nc.update('aab')\nc.subtract({'a': 1})\nc.total(), dict(c)",
      "(6, {'a': 4, 'b': 2})",
    ],
    [
      "from collections import defaultdict\nd = defaultdict(list)\nd['a'].append(1)\nd, d['b'], len(d), d.get('zz')",
      "(defaultdict(<class 'list'>, {'a': [1], 'b': []}), [], 2, None)",
    ],
    [
      "from collections import OrderedDict\no = OrderedDict([('z', 1), ('a', 2)])\no.move_to_end('z')\no, o.popitem(last=False), o == {'z': 1}",
      "(OrderedDict([('z', 1)]), ('a', 2), True)",
    ],
    [
      "from collections import namedtuple\nP = namedtuple('P', 'x y')\np = P(1, y=2)\np, p.x, p[1], p._asdict(), p._replace(x=5), P._fields, P._make([3, 4]), p == (1, 2), len(p), isinstance(p, tuple)",
      "(P(x=1, y=2), 1, 2, {'x': 1, 'y': 2}, P(x=5, y=2), ('x', 'y'), P(x=3, y=4), True, 2, True)",
    ],
    [
      "from collections import namedtuple\nclass P(namedtuple('P', ['x', 'y'])):\n  def total(self):\n    return self.x + self.y\nP(1, 2).total(), P(1, 2)",
      "(3, P(x=1, y=2))",
    ],
    [
      "from collections import deque\nd = deque([1, 2, 3], maxlen=3)\nd.append(4)\nd.appendleft(0)\nd.rotate(1)\nd, d.pop(), d.popleft(), list(d), len(d)",
      "(deque([0], maxlen=3), 2, 3, [0], 1)",
    ],
    [
      "import itertools\nlist(itertools.chain([1], [2])), list(itertools.chain.from_iterable([[1], 'ab'])), list(itertools.combinations('abc', 2)), list(itertools.permutations([1, 2, 3], 2)), list(itertools.product('ab', [1, 2])), list(itertools.product([0, 1], repeat=2))",
      "([1, 2], [1, 'a', 'b'], [('a', 'b'), ('a', 'c'), ('b', 'c')], [(1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2)], [('a', 1), ('a', 2), ('b', 1), ('b', 2)], [(0, 0), (0, 1), (1, 0), (1, 1)])",
    ],
    [
      "from itertools import groupby, accumulate, count, cycle, islice, repeat, zip_longest, takewhile, dropwhile, starmap, compress, pairwise, filterfalse, combinations_with_replacement, tee\n[(k, len(list(g))) for k, g in groupby('aab')], list(accumulate([1, 2, 3])), list(islice(count(5, 2), 3)), list(islice(cycle('ab'), 3)), list(repeat(1, 2)), list(zip_longest([1], 'ab', fillvalue='-')), list(takewhile(lambda x: x < 2, [1, 2, 1])), list(dropwhile(lambda x: x < 2, [1, 2, 1])), list(starmap(pow, [(2, 3)])), list(compress('abc', [1, 0, 1])), list(pairwise([1, 2, 3])), list(filterfalse(None, [0, 1])), list(combinations_with_replacement('ab', 2)), [list(t) for t in tee([1, 2])], list(islice('abcdef', 1, 5, 2))",
      "([('a', 2), ('b', 1)], [1, 3, 6], [5, 7, 9], ['a', 'b', 'a'], [1, 1], [(1, 'a'), ('-', 'b')], [1], [2, 1], [8], ['a', 'c'], [(1, 2), (2, 3)], [0], [('a', 'a'), ('a', 'b'), ('b', 'b')], [[1, 2], [1, 2]], ['b', 'd'])",
    ],
    [
      "from functools import reduce, partial, lru_cache, cmp_to_key, wraps, cache\n@lru_cache(maxsize=None)\ndef fib(n):\n  return n if n < 2 else fib(n - 1) + fib(n - 2)\ndef deco(f):\n  @wraps(f)\n  def inner(*a):\n    return f(*a) + 1\n  return inner\n@deco\ndef two(): return 2\nreduce(lambda a, b: a * b, [1, 2, 3, 4]), partial(int, base=2)('101'), fib(60), sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a)), two(), reduce(lambda a, b: a + b, [], 9)",
      "(24, 5, 1548008755920, [3, 2, 1], 3, 9)",
    ],
    [
      "import operator\nfrom operator import itemgetter, attrgetter, methodcaller\noperator.add(1, 2), sorted([{'a': 2}, {'a': 1}], key=itemgetter('a')), itemgetter(0, 2)('abc'), methodcaller('upper')('a'), attrgetter('real')(5), operator.contains([1], 1)",
      "(3, [{'a': 1}, {'a': 2}], ('a', 'c'), 'A', 5, True)",
    ],
    [
      "import bisect, heapq\nl = [1, 3, 5]\nbisect.insort(l, 4)\nh = [5, 2, 8, 1]\nheapq.heapify(h)\nbisect.bisect([1, 3, 5], 4), bisect.bisect_left([1, 2, 2], 2), l, h[0], heapq.heappop(h), h, heapq.nlargest(2, [1, 5, 3]), heapq.nsmallest(2, [4, 1, 3])",
      "(2, 1, [1, 3, 4, 5], 1, 1, [2, 5, 8], [5, 3], [1, 3])",
    ],
    [
      "import copy\na = [[1], {'x': [2]}]\nb = copy.deepcopy(a)\nc = copy.copy(a)\na[0].append(9)\nb, c",
      "([[1], {'x': [2]}], [[1, 9], {'x': [2]}])",
    ],
    [
      "import base64\nbase64.b64encode(b'hi').decode(), base64.b64decode('aGk='), base64.urlsafe_b64encode(b'\\xff\\xfe'), base64.b16encode(b'a')",
      "('aGk=', b'hi', b'__4=', b'61')",
    ],
    [
      "import hashlib\nhashlib.md5(b'a').hexdigest(), hashlib.sha256('é'.encode()).hexdigest()",
      "('0cc175b9c0f1b6a831c399e269772661', '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c')",
    ],
    [
      "from urllib.parse import quote, quote_plus, unquote, urlencode, parse_qs\nquote('a b&c/é'), quote_plus('a b/'), unquote('a%20b%C3%A9+'), urlencode({'a': 1, 'b': 'x y'}), parse_qs('a=1&a=2&b=')",
      "('a%20b%26c/%C3%A9', 'a+b%2F', 'a bé+', 'a=1&b=x+y', {'a': ['1', '2']})",
    ],
    ["import urllib.parse\nurllib.parse.quote('a b')", "'a%20b'"],
    ["from math import nope\n1", "ImportError"],
    ["import math as m\nm.sqrt(16)", "4.0"],
    ["from math import pi\nround(pi, 2)", "3.14"],
  ],
  decimals: [
    [
      "from decimal import Decimal\nstr(Decimal('0.1') + Decimal('0.2')), Decimal('1.10') + Decimal('2.20'), Decimal('1.5') * 2, Decimal(1) / 3, Decimal(10) / 4, Decimal('1E+3'), Decimal('0.0000001'), Decimal('7') // 2, Decimal('-7') // 2, Decimal('7.5') % 2, Decimal('1.1') ** 3",
      "('0.3', Decimal('3.30'), Decimal('3.0'), Decimal('0.3333333333333333333333333333'), Decimal('2.5'), Decimal('1E+3'), Decimal('1E-7'), Decimal('3'), Decimal('-3'), Decimal('1.5'), Decimal('1.331'))",
    ],
    [
      "from decimal import Decimal, ROUND_HALF_UP\nDecimal('2.675').quantize(Decimal('0.01')), Decimal('2.675').quantize(Decimal('.01'), rounding=ROUND_HALF_UP), Decimal('1.005').quantize(Decimal('1')), round(Decimal('2.5')), round(Decimal('2.345'), 2), int(Decimal('3.9')), float(Decimal('0.1')), Decimal(0.1), Decimal('1.0') == 1, Decimal('0.5') == 0.5, Decimal('0.5') < 1, max(Decimal('1'), 2), sum([Decimal('1.1'), Decimal('2.2')]), -Decimal('1.5'), abs(Decimal('-2')), Decimal('1.500').normalize(), f\"{Decimal('1234.565'):,.2f}\", f\"{Decimal('2.5'):.0f}\", str(Decimal('100')), hash(Decimal('2')) == hash(2), bool(Decimal('0.0')), {Decimal('1'): 2}[1], isinstance(Decimal(1), Decimal)",
      "(Decimal('2.68'), Decimal('2.68'), Decimal('1'), 2, Decimal('2.34'), 3, 0.1, Decimal('0.1000000000000000055511151231257827021181583404541015625'), True, True, True, 2, Decimal('3.3'), Decimal('-1.5'), Decimal('2'), Decimal('1.5'), '1,234.56', '2', '100', True, False, 2, True)",
    ],
    ["from decimal import Decimal\nDecimal('x')", "InvalidOperation"],
    ["from decimal import Decimal\nDecimal(1) / 0", "DivisionByZero"],
    ["from decimal import Decimal\nDecimal(1) + 1.5", "TypeError"],
    [
      "from decimal import Decimal\nDecimal('123456789012345678901234567890') + 1, Decimal(2) / Decimal('0.3'), Decimal('9.99999999999999999999999999999') * 1",
      "(Decimal('1.234567890123456789012345679E+29'), Decimal('6.666666666666666666666666667'), Decimal('10.00000000000000000000000000'))",
    ],
  ],
  "more modules, classes and methods": [
    [
      "from fractions import Fraction\nstr(Fraction(1, 3) + Fraction(1, 6)), Fraction('3/4'), Fraction(0.5), Fraction('1.25'), Fraction(1, 3) * 2, Fraction(7, 2) // 1, Fraction(7, 2) % 1, Fraction(1, 2) == 0.5, Fraction(1, 2) + 0.5, float(Fraction(1, 4)), int(Fraction(7, 2)), round(Fraction(7, 2)), Fraction(2, 3) ** 2, -Fraction(1, 2), abs(Fraction(-1, 2)), Fraction(3.14159).limit_denominator(100), max(Fraction(1, 2), 0.3), Fraction(6, 4).numerator, sum([Fraction(1, 2), 1]), {Fraction(2, 1): 'x'}[2]",
      "('1/2', Fraction(3, 4), Fraction(1, 2), Fraction(5, 4), Fraction(2, 3), 3, Fraction(1, 2), True, 1.0, 0.25, 3, 4, Fraction(4, 9), Fraction(-1, 2), Fraction(1, 2), Fraction(311, 99), Fraction(1, 2), 3, Fraction(3, 2), 'x')",
    ],
    ["from fractions import Fraction\nFraction(1, 0)", "ZeroDivisionError"],
    [
      "import statistics\nstatistics.mean([1, 2, 4.5]), statistics.mean([1, 3]), statistics.mean([1, 2]), statistics.median([3, 1, 2, 4]), statistics.median([1, 3, 2]), statistics.mode('aab'), statistics.stdev([1, 2, 3, 4]), statistics.pstdev([1, 2, 3, 4]), statistics.variance([1, 2, 4]), statistics.pvariance([1, 2, 3]), statistics.fmean([1, 2]), statistics.median_low([1, 2]), statistics.multimode('aabb'), statistics.quantiles([1, 2, 3, 4, 5])",
      "(2.5, 2, 1.5, 2.5, 2, 'a', 1.2909944487358056, 1.118033988749895, 2.3333333333333335, 0.6666666666666666, 1.5, 1, ['a', 'b'], [1.5, 3.0, 4.5])",
    ],
    ["import statistics\nstatistics.mean([])", "StatisticsError"],
    [
      "import string\nstring.ascii_lowercase[:3] + string.digits, string.punctuation, string.capwords('hello world')",
      "('abc0123456789', '!\"#$%&\\'()*+,-./:;<=>?@[\\\\]^_`{|}~', 'Hello World')",
    ],
    [
      "import textwrap\ntextwrap.shorten('one two three', 9), textwrap.wrap('the quick brown fox jumps over the lazy dog', 12), textwrap.fill('aaa bbb ccc', 7), textwrap.dedent('  a\\n    b\\n'), textwrap.indent('a\\nb', '> ')",
      "('one [...]', ['the quick', 'brown fox', 'jumps over', 'the lazy dog'], 'aaa bbb\\nccc', 'a\\n  b\\n', '> a\\n> b')",
    ],
    [
      "import textwrap\ntextwrap.wrap('a well-known long-winded supercalifragilistic e-mail 1-2', 9), textwrap.shorten('hello world foo bar', width=12, placeholder='...'), textwrap.wrap('', 5), textwrap.wrap('x' * 25, width=10), textwrap.fill('one two three', width=8, initial_indent='* ', subsequent_indent='  ')",
      "(['a well-', 'known', 'long-', 'winded su', 'percalifr', 'agilistic', 'e-mail', '1-2'], 'hello...', [], ['xxxxxxxxxx', 'xxxxxxxxxx', 'xxxxx'], '* one\\n  two\\n  three')",
    ],
    [
      "import unicodedata\nunicodedata.normalize('NFKD', 'é')[0], unicodedata.category('a'), unicodedata.category(' '), unicodedata.normalize('NFC', 'e\\u0301')",
      "('e', 'Ll', 'Zs', 'é')",
    ],
    [
      "import random\nrandom.randint(4, 4), 0 <= random.random() < 1, random.choice([5]), sorted(random.sample([1, 2, 3], 3)), random.choices('a', k=2), random.randrange(0, 1)",
      "(4, True, 5, [1, 2, 3], ['a', 'a'], 0)",
    ],
    [
      "import uuid\nlen(str(uuid.uuid4())), uuid.UUID('12345678123456781234567812345678'), str(uuid.UUID('12345678123456781234567812345678'))",
      "(36, UUID('12345678-1234-5678-1234-567812345678'), '12345678-1234-5678-1234-567812345678')",
    ],
    [
      "from enum import Enum, auto\nclass Color(Enum):\n  RED = 1\n  GREEN = 'g'\n  ALIAS = 1\n  def low(self):\n    return self.name.lower()\n[Color.RED, Color('g'), Color['RED'], Color.RED.value, Color.RED.name, [c.name for c in Color], Color.GREEN.low(), Color.RED == Color.ALIAS, Color.RED is Color.RED, str(Color.RED), isinstance(Color.RED, Color), len(Color), Color.RED in Color]",
      "[<Color.RED: 1>, <Color.GREEN: 'g'>, <Color.RED: 1>, 1, 'RED', ['RED', 'GREEN'], 'green', True, True, 'Color.RED', True, 2, True]",
    ],
    [
      "from enum import Enum, auto\nclass C(Enum):\n  A = auto()\n  B = auto()\n[C.A.value, C.B.value, {C.A: 1}[C.A]]",
      "[1, 2, 1]",
    ],
    ["from enum import Enum\nclass C(Enum):\n  A = 1\nC(5)", "ValueError"],
    [
      "class A:\n  def __init__(self, x): self.x = x\n  def __enter__(self): return self.x\n  def __exit__(self, *a): return True\nwith A(3) as y:\n  z = y\n  1 / 0\nz",
      "3",
    ],
    [
      "class A:\n  def __getattr__(self, n): return n + '!'\n  def __setattr__(self, n, v): super().__setattr__(n, v * 2)\na = A()\na.k = 4\na.k, a.zz",
      "(8, 'zz!')",
    ],
    [
      "class It:\n  def __init__(self): self.n = 0\n  def __iter__(self): return self\n  def __next__(self):\n    self.n += 1\n    if self.n > 3: raise StopIteration\n    return self.n\nlist(It()), sum(It()), next(It())",
      "([1, 2, 3], 6, 1)",
    ],
    [
      "class A:\n  __slots__ = ('a',)\n  def __str__(self): return 'A!'\n  def __format__(self, s): return 'F' + s\n  def __hash__(self): return 5\n  def __int__(self): return 7\n  def __neg__(self): return 'neg'\n  def __rmul__(self, o): return o * 3\n  def __iadd__(self, o): return 'iadd'\na = A()\nr = [str(a), f'{a:x}', int(a), -a, 4 * a, hash(a)]\na += 1\nr + [a]",
      "['A!', 'Fx', 7, 'neg', 12, 5, 'iadd']",
    ],
    [
      "class A: pass\na = A()\na.x = 1\nsetattr(a, 'y', 2)\ndel a.x\nhasattr(a, 'x'), a.y, vars(a), a.__class__.__name__, type(a).__name__",
      "(False, 2, {'y': 2}, 'A', 'A')",
    ],
    ["class A: pass\nA().nope", "AttributeError"],
    ["class A:\n  def f(self, x): return x\nA().f()", "TypeError"],
    [
      "class Base:\n  count = 0\n  def __init__(self): Base.count += 1\nclass Sub(Base):\n  def __init__(self):\n    super().__init__()\n    self.a = [1]\nSub(); Sub()\nBase.count, Sub.count, Sub.__mro__[1] is Base",
      "(2, 2, True)",
    ],
    [
      "def gen(n):\n  for i in range(n):\n    got = yield i\n    if got:\n      yield got * 10\ng = gen(3)\n[next(g), g.send(7), next(g), list(g)]",
      "[0, 70, 1, [2]]",
    ],
    [
      "def g():\n  try:\n    yield 1\n  except ValueError as e:\n    yield 'caught ' + str(e)\nx = g()\n[next(x), x.throw(ValueError('v'))]",
      "[1, 'caught v']",
    ],
    [
      "'%s %r %5.1f %-4d| %+d %e %g %c %o %#x' % ('a', 'b', 2.25, 3, 4, 12345.678, 0.0001, 'z', 8, 255)",
      "\"a 'b'   2.2 3   | +4 1.234568e+04 0.0001 z 10 0xff\"",
    ],
    [
      "'{:,.2f} {:%} {:+d} {:e} {:b} {:>8} {:^8} {:08.3f} {!r} {!s:>4}'.format(1234.5, .25, 3, 1.5, 5, 'a', 'b', 3.14159, 'x', 'y')",
      "\"1,234.50 25.000000% +3 1.500000e+00 101        a    b     0003.142 'x'    y\"",
    ],
    [
      "'abc'.translate(str.maketrans('ab', 'xy', 'c')), 'a\\tb'.expandtabs(4), 'Straße'.casefold(), 'ab'.isprintable()",
      "('xy', 'a   b', 'strasse', True)",
    ],
    [
      "'{a.real} {b[0]} {c[k]}'.format(a=1, b=[2], c={'k': 3}), '{{}}'.format(), '{:{w}.{p}f}'.format(2.5, w=8, p=2)",
      "('1 2 3', '{}', '    2.50')",
    ],
    ["'{} {0}'.format(1)", "ValueError"],
    ["'{x}'.format(y=1)", "KeyError"],
    [
      "bytes([65, 66]), b'abc'[0], b'abc'[1:], list(b'ab'), b'a,b'.split(b','), b'x'.hex(), bytes.fromhex('4142'), bytes('é', 'utf-8'), b'a' in b'ab', len(b'abc')",
      "(b'AB', 97, b'bc', [97, 98], [b'a', b'b'], '78', b'AB', b'\\xc3\\xa9', True, 3)",
    ],
    [
      "x = [3, 1, 2]\nx.sort(reverse=True)\ny = x.copy()\ny.insert(1, 9)\ny.extend('ab')\ny.remove(9)\nx, y, y.pop(), y.count(3), y.index('a')",
      "([3, 2, 1], [3, 2, 1, 'a'], 'b', 1, 3)",
    ],
    [
      "s = {1, 2, 3}\ns.update([5]); s.remove(1)\ns.union([9]), s.intersection({2, 3}), s.difference([2]), s.symmetric_difference({2, 7}), s.issubset({2, 3, 5, 6}), s.isdisjoint([8]), frozenset([1]) | {2}",
      "({9, 2, 3, 5}, {2, 3}, {3, 5}, {3, 5, 7}, True, True, frozenset({1, 2}))",
    ],
    ["s = {1}\ns.remove(5)", "KeyError"],
    ["list({10, 5, 3, 100, 64, 33, 7, 21})", "[64, 33, 3, 100, 5, 7, 10, 21]"],
    ["d = {'a': 1}\nfor k in d:\n  d[k + 'x'] = 1\nd", "RuntimeError"],
    ["a = [1, 2, 3, 4, 5]\na[::2] = 'xyz'\ndel a[1:3]\na", "['x', 4, 'z']"],
    ["a = [1]\na.append(a)\nstr(a)", "'[1, [...]]'"],
    [
      "(1).bit_length(), (2.5).is_integer(), (0.5).as_integer_ratio(), (5).numerator, 3.0.hex()",
      "(1, False, (1, 2), 5, '0x1.8000000000000p+1')",
    ],
    [
      "slice(1, 2), [1, 2, 3][slice(0, 2)], range(5)[1:3], range(10)[-1], 5 in range(0, 10, 5), len(range(0, 10, 3)), range(3) == range(0, 3)",
      "(slice(1, 2, None), [1, 2], range(1, 3), 9, True, 4, True)",
    ],
    ["object() is None, type(object()).__name__", "(False, 'object')"],
    [
      "isinstance(5, object), isinstance(ValueError(), Exception), issubclass(bool, int), isinstance('a', list)",
      "(True, True, True, False)",
    ],
    ["[1, 2, 3].__len__()", "3"],
    ["exec('1')", "NotImplementedError"],
    ["open('x')", "NotImplementedError"],
    ["().__class__.__bases__", "(<class 'object'>,)"],
    ["(lambda: 0).__code__", "NotImplementedError"],
    ["''.__class__.__mro__", "(<class 'str'>, <class 'object'>)"],
    [
      "try:\n  raise ValueError('a') from KeyError('b')\nexcept ValueError as e:\n  return repr(e.__cause__)",
      "\"KeyError('b')\"",
    ],
    ["def f():\n  global zz\n  zz = 1\n  return zz\nf()", "1"],
    ["x = 1\ndef f():\n  print(x)\n  x = 2\nf()", "UnboundLocalError"],
  ],
  "inaccessible internals": [
    ["().__class__.__base__.__subclasses__()", "NotImplementedError"],
    ["(lambda: 0).__globals__", "NotImplementedError"],
    ["len.constructor", "AttributeError"],
    ["getattr('', 'constructor')", "AttributeError"],
    ["getattr({}, '__proto__')", "AttributeError"],
    [
      "hasattr([], 'constructor'), hasattr(len, 'call'), hasattr(1.5, 'toString'), hasattr({}, 'hasOwnProperty')",
      "(False, False, False, False)",
    ],
    ["'{0.__init__.__globals__}'.format(len)", "NotImplementedError"],
    ["'{0.constructor}'.format('')", "AttributeError"],
    ["type('X', (), {})", "<class '__main__.X'>"],
    ["__import__('os')", "NotImplementedError"],
    ["import os\nos.system('ls')", "NotImplementedError"],
    ["import subprocess\n1", "NotImplementedError"],
    ["class A: pass\nA.__proto__", "AttributeError"],
    ["class A: pass\na = A()\na.constructor = 5\na.__proto__ = 7\na.constructor, a.__proto__", "(5, 7)"],
    [
      "d = {'__proto__': 1, 'constructor': 2}\nd['toString'] = 3\nd, d.get('valueOf'), 'hasOwnProperty' in d",
      "({'__proto__': 1, 'constructor': 2, 'toString': 3}, None, False)",
    ],
    ["dict(__proto__=1)", "{'__proto__': 1}"],
    ["(lambda **k: k)(__proto__=1, constructor=2)", "{'__proto__': 1, 'constructor': 2}"],
    ["math.constructor", "AttributeError"],
    [
      "import json\njson.loads('{\"__proto__\": {\"x\": 1}}').get('x'), json.dumps(json.loads('{\"__proto__\": 1}'))",
      "(None, '{\"__proto__\": 1}')",
    ],
    ["import operator\noperator.attrgetter('constructor')('')", "AttributeError"],
    ["str.constructor", "AttributeError"],
    ["Exception.prototype", "AttributeError"],
    ["def f(): pass\nf.caller", "AttributeError"],
    ["x = [1]\nx.length = 0\nx", "AttributeError"],
    ["int.x = 5\n5", "TypeError"],
    ["'abc'.length", "AttributeError"],
    ["eval('1 + 1')", "2"],
    ["exec('x = 1')", "NotImplementedError"],
    ["open('/etc/passwd').read()", "NotImplementedError"],
    ["globals()", "NotImplementedError"],
  ],
};

for (const [name, cases] of Object.entries(TABLES)) {
  describe(name, () => {
    test.each(cases)("%s", (formula, result) => {
      expect(evaluate(formula)).toBe(result);
    });
  });
}
