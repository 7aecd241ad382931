import { describe, expect, test } from "bun:test";
import { evaluate } from "./evaluate.ts";

/** Formula, then what it gives. */
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
};

for (const [name, cases] of Object.entries(TABLES)) {
  describe(name, () => {
    test.each(cases)("%s", (formula, result) => {
      expect(evaluate(formula)).toBe(result);
    });
  });
}
