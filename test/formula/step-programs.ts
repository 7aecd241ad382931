/** Programs whose steps are compared with their duration, each repeated endlessly. */

/** Names used by the programs, each with its definition. */
const PRELUDE: Readonly<Record<string, string>> = {
  x: "x = 1",
  y: "y = 2",
  i: "i = 5",
  s: "s = 'abc def abc'",
  L: "L = [5, 3, 4, 1, 2]",
  words: "words = ['a', 'b']",
  D: "D = {'a': 1, 'b': 2}",
  S: "S = {1, 2, 3}",
  d: "d = datetime.date(2024, 2, 29)",
  dt: "dt = datetime.datetime(2024, 2, 29, 12)",
  rx: "rx = re.compile('a+')",
  big: "big = 7 ** 20000",
  sbig: "sbig = '7' * 4000",
  s1000: "s1000 = 'ab' * 500",
  t1000: "t1000 = 'ab' * 500",
  L1000: "L1000 = list(range(1000))",
  M1000: "M1000 = list(range(1000))",
  b1000: "b1000 = bytes(1000)",
  D1000: "D1000 = {n: n for n in range(1000)}",
  S1000: "S1000 = set(range(1000))",
  f: "def f(a=1): return a",
  g: "def g(a, b=2, *c, **d): return a",
  gen: "def gen():\n  yield 1\n  yield 2",
  attempt: "def attempt():\n  try:\n    raise ValueError('a')\n  except ValueError as e:\n    return 1",
  match: "def match(v):\n  match v:\n    case {'a': 1}: return 1\n    case [1, *r]: return 2\n    case int(): return 3",
  Point: "Point = collections.namedtuple('Point', 'x y')",
  Items:
    "class Items:\n  a = 1\n  def m(self): return 1\n  @property\n  def p(self): return 1\n" +
    "  def __add__(self, other): return 1\n  def __str__(self): return 'c'\n  def __len__(self): return 1\n" +
    "  def __getitem__(self, k):\n    if k > 4: raise IndexError()\n    return k",
  Endless: "class Endless:\n  def __getitem__(self, k): return k",
  Context: "class Context:\n  def __enter__(self): return 1\n  def __exit__(self, *a): return None",
  dec1000: "dec1000 = decimal.Decimal('1.' + '3' * 1000)",
};

const MODULES = (
  "base64 bisect calendar collections copy decimal fractions functools hashlib heapq itertools json operator random " +
  "statistics string textwrap time unicodedata urllib uuid"
).split(" ");

/** One statement per line. */
const STATEMENTS = String.raw`
x + 1
x * 1.5
x == 2
i % 7
-7 // 2
2 ** 10
pow(3, 100, 7)
1 < x < 3
s + 'a'
s[1:5]
s.upper()
s.title()
s.swapcase()
s.casefold()
s.replace('a', 'b')
s.split(' ')
s.find('b')
s.count('a')
s.center(20)
s.zfill(20)
s.splitlines()
s.expandtabs()
s.translate({97: 98})
str.maketrans('a', 'b')
s.encode()
b'abc'.decode()
b'abc'.hex()
bytes.fromhex('ff')
f'{x:.2f}'
'%d' % i
'{} {}'.format(1, 2)
format(12345, ',')
str(i)
repr(s)
ascii(s)
int('12')
float('1.5')
complex('1+2j')
round(2.567, 2)
divmod(7, 2)
min(1, 2)
sorted(L)
sum(L)
max(L)
list(L)
set(L)
dict(a=1)
L * 2
L.index(3)
{a: a for a in L}
[a for a in L]
list(a for a in L)
list(map(str, L))
list(map(f, L))
list(filter(None, L))
list(enumerate(L))
list(zip(L, L))
list(reversed(L))
list(gen())
next(gen())
list(D.items())
D.update(a=1)
D | D
D.copy()
S | S
S.union(L)
hash(s)
id(s)
dir(s)
getattr(s, 'upper')
hasattr(s, 'nope')
isinstance(x, int)
type(x)
type('X', (), {})()
range(10)
f(1)
g(1, b=3)
(lambda a, b=2, *c, **d: a)(1)
Items().m()
Items().p
Items() + 1
str(Items())
list(Items())
sum(Items())
list(Endless())
list(iter(int, 1))
[datetime.datetime.now() for _ in range(10 ** 7)]
[uuid.uuid4() for _ in range(10 ** 7)]
str(uuid.uuid4())
attempt()
match(3)
with Context(): pass
eval('1')
eval('1+' * 50 + '1')
eval('eval("1")')
x = 'IFERROR(eval(x), 1)'; eval(x)
datetime.datetime.now()
datetime.datetime.utcnow()
datetime.date.today()
datetime.datetime(2024, 1, 2).isoformat()
datetime.datetime(2024, 1, 2).timestamp()
datetime.date(2024, 1, 2) + datetime.timedelta(days=3)
datetime.date(2024, 1, 2).strftime('%Y-%m-%d')
datetime.datetime.strptime('2024-01-02', '%Y-%m-%d')
datetime.date.fromisoformat('2024-01-02')
datetime.datetime.fromtimestamp(1e9)
d.replace(year=2000)
d.isocalendar()
d - d
dt.astimezone(datetime.timezone.utc)
math.sqrt(2)
math.factorial(20)
math.comb(20, 10)
math.fsum(L)
re.match('a+', 'aaa')
re.search('b', s)
re.sub('a', 'b', s)
re.findall('a', s)
rx.match('aaa')
random.randint(1, 6)
random.sample(L, 2)
hashlib.md5(b'a').hexdigest()
hashlib.sha256(b'a').hexdigest()
base64.b64encode(b'abc')
base64.b64decode('YWJj')
json.dumps({'a': [1, 2]})
json.loads('{"a": [1, 2]}')
collections.Counter(s)
collections.defaultdict(int)
collections.OrderedDict()
collections.deque(L)
collections.namedtuple('P', 'x y')
Point(1, 2).x
list(itertools.combinations(L, 2))
list(itertools.product(L, L))
list(itertools.groupby(L))
functools.reduce(lambda a, b: a + b, L)
functools.partial(f, 1)()
operator.itemgetter(1)(L)
decimal.Decimal('1.1')
decimal.Decimal('1.1') + 1
decimal.Decimal('1.1') / 3
decimal.Decimal('1.1') ** 50
decimal.Decimal(2).sqrt()
decimal.Decimal(2).ln()
decimal.Decimal('1.15').quantize(decimal.Decimal('0.1'))
fractions.Fraction(1, 3) + 1
fractions.Fraction('0.25')
fractions.Fraction(0.1)
statistics.mean(L)
statistics.stdev(L)
statistics.quantiles(L)
string.capwords(s)
textwrap.wrap(s, 5)
textwrap.dedent(s)
time.strftime('%Y')
time.gmtime()
calendar.monthrange(2024, 2)
calendar.month(2024, 2)
unicodedata.name('a')
urllib.parse.quote(s)
urllib.parse.unquote('a%20b')
urllib.parse.urlencode({'a': 1})
bisect.bisect(L, 2)
heapq.nsmallest(2, L)
copy.deepcopy(L)
int.from_bytes(b'abc', 'big')
(5).to_bytes(2, 'big')
(2.5).as_integer_ratio()
SUM(1, 2)
AVERAGE(L)
IF(x, 1, 2)
IFERROR(1/0, 2)
UPPER(s)
PROPER(s)
SUBSTITUTE(s, 'a', 'b')
REGEXEXTRACT(s, 'a')
FIND('b', s)
TRIM(s)
NOW()
TODAY()
DATEADD(d, months=1)
DATEDIF(d, d, 'D')
DATEVALUE('2024-01-02')
DTIME('2024-01-02')
EDATE(d, 1)
NETWORKDAYS(d, d)
YEARFRAC(d, d)
MOONPHASE(d)
XL_TO_DATE(40000)
list(SCHEDULE('weekly: Mo 10am', start=d, count=5))
ROUND(2.567, 2)
MROUND(7, 3)
POWER(2, 3)
GCD(12, 18)
ROMAN(1999)
ARABIC('MCM')
UUID()
STDEV(L)
FIXED(1234.5, 2)
VALUE('1.5')
ISEMAIL('a@b.de')
ISURL('http://a.de')
TASTEME('banana')
SUMPRODUCT([1, 2], [3, 4])
big * big
big + 1
big % 7
big // 3
int(sbig)
s1000.title()
s1000.split('a')
s1000 < t1000
s1000[::-1]
list(s1000)
len(s1000)
hash(s1000)
s1000.encode()
re.sub('b', 'c', s1000)
re.findall('a', s1000)
textwrap.wrap(s1000, 50)
urllib.parse.quote(s1000)
hashlib.sha256(b1000).hexdigest()
base64.b64encode(b1000)
sum(L1000)
sorted(L1000)
str(L1000)
L1000 == M1000
set(L1000)
dict(zip(L1000, L1000))
json.dumps(L1000)
statistics.mean(L1000)
statistics.stdev(L1000)
math.fsum(L1000)
collections.Counter(L1000)
copy.deepcopy(L1000)
random.shuffle(L1000)
list(itertools.islice(L1000, 500))
D1000.copy()
S1000 | S1000
S1000 & S1000
dec1000 * dec1000
dec1000 / 3
dec1000.sqrt()
`;

/** Returns a formula that repeats a statement until its budget is exhausted. */
function repeating(statement: string): string {
  const names = new Set(statement.match(/[A-Za-z_]\w*/g));
  const prelude = Object.entries(PRELUDE).flatMap(([name, lines]) => (names.has(name) ? lines : []));
  const modules = MODULES.filter((name) => [statement, ...prelude].some((text) => text.includes(`${name}.`)));
  return [
    ...modules.map((name) => `import ${name === "urllib" ? "urllib.parse" : name}`),
    ...prelude,
    "while True:",
    ...statement.split("; ").map((line) => `  ${line}`),
    "return 1",
  ].join("\n");
}

/** Statements with the formulas that repeat them. */
export const STEP_PROGRAMS: readonly (readonly [statement: string, formula: string])[] = STATEMENTS.trim()
  .split("\n")
  .map((statement) => [statement, repeating(statement)]);
