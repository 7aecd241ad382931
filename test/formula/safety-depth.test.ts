import { describe, expect, test } from "bun:test";
import { outcome } from "./outcome.ts";
import { cpuMs } from "../helpers/cpu-time.ts";

/** Nests statements; `body` is the innermost one. */
const nested = (count: number, head: string, body: string): string =>
  [...Array.from({ length: count }, (_, at) => " ".repeat(at) + head), " ".repeat(count) + body].join("\n");

describe("depth and length are bounded", () => {
  const deep = 5000;
  test.each<[name: string, text: string]>([
    ["parentheses", `${"(".repeat(deep)}1${")".repeat(deep)}`],
    ["brackets", `${"[".repeat(deep)}${"]".repeat(deep)}`],
    ["braces", `${"{".repeat(deep)}${"}".repeat(deep)}`],
    ["dicts", `${"{1:".repeat(deep)}1${"}".repeat(deep)}`],
    ["calls", `${"abs(".repeat(deep)}1${")".repeat(deep)}`],
    ["subscripts", `x = []\nx${"[0]".repeat(deep * 4)}`],
    ["attributes", `x = 1\nx${".real".repeat(deep * 4)}`],
    ["method calls", `x = ''\nx${".strip()".repeat(deep * 4)}`],
    ["signs", `${"-".repeat(deep * 4)}1`],
    ["not", `${"not ".repeat(deep * 4)}1`],
    ["powers", `1${" ** 1".repeat(deep * 4)}`],
    ["sums", `1${" + 1".repeat(deep * 40)}`],
    ["comparisons", `1${" < 2".repeat(deep * 4)}`],
    ["and", `1${" and 1".repeat(deep * 4)}`],
    ["conditions", `${"1 if 1 else ".repeat(deep)}1`],
    ["lambdas", `${"lambda: ".repeat(deep)}1`],
    ["lambdas called", `(${"(lambda: ".repeat(deep)}1${")()".repeat(deep)})`],
    ["comprehensions", `${"[".repeat(500)}1${" for x in [1]]".repeat(500)}`],
    ["clauses", `[1${" for x in [1]".repeat(deep)}]`],
    ["blocks", nested(1500, "if 1:", "return 1")],
    ["loops", nested(300, "for x in range(3):", "pass\nreturn 1")],
    ["functions", nested(300, "def f():", "return 1\nreturn 1")],
    ["classes", nested(300, "class A:", "pass\nreturn 1")],
    ["tries", nested(300, "try:", "pass")],
    ["f-strings", `${"f'{".repeat(200)}1${"}'".repeat(200)}`],
    ["formats", `'${"{".repeat(deep)}${"}".repeat(deep)}'.format(1)`],
    ["nested fields", `f'{1:${"{1:".repeat(500)}1${"}".repeat(500)}}'`],
    ["targets", `${"(".repeat(deep)}x${")".repeat(deep)} = 1\nreturn x`],
    ["starred targets", `${"x, ".repeat(deep)} = range(${deep})\nreturn 1`],
    ["arguments", `max(${"1, ".repeat(deep * 10)})`],
    ["patterns", `match 1:\n  case ${"[".repeat(1000)}x${"]".repeat(1000)}:\n    return 1\nreturn 2`],
    ["options", `match 1:\n  case ${"2 | ".repeat(deep)}1:\n    return 1`],
    ["decorators", `${"@(lambda f: f)\n".repeat(deep)}def f(): return 1\nf()`],
    ["branches", `if 0: return 0\n${"elif 0: return 0\n".repeat(deep)}return 1`],
    ["assignments", `${"x = ".repeat(deep)}1\nreturn x`],
    ["strings side by side", "'a' ".repeat(deep * 10)],
    ["one long text", `'${"a".repeat(1_000_000)}'`],
    ["one long name", "a".repeat(1_000_000)],
    ["one long number", "1".repeat(1_000_000)],
    ["one long comment", `1 # ${"a".repeat(1_000_000)}`],
    ["many lines", `${"x = 1\n".repeat(100_000)}return x`],
    ["many blanks", `${" ".repeat(1_000_000)}1`],
    ["many line ends", `${"\n".repeat(1_000_000)}1`],
    ["escapes", `'${"\\x41".repeat(200_000)}'`],
    ["unfinished texts", "'".repeat(100_001)],
    ["unfinished brackets", "([{".repeat(50_000)],
    ["backslashes", "\\\n".repeat(100_000)],
    ["dollars", "$".repeat(100_000)],
    ["columns", "$A + ".repeat(20_000)],
    ["for without in", "for ".repeat(50_000)],
    ["a match of commas", `match ${",".repeat(200_000)}:`],
    ["colons and marks", `if ${":#".repeat(200_000)}\n`],
    ["dots after digits", "1.".repeat(200_000)],
    ["words that are masked", "yield case * for x in ".repeat(20_000)],
  ])("%s", (_name, text) => {
    expect(cpuMs(() => expect(outcome(text)).toBeString())).toBeLessThan(20_000);
  });

  test.each([
    "def f(n): return f(n + 1)\nf(0)",
    "def f(n): return [f(n + 1)]\nf(0)",
    "f = lambda: f()\nf()",
    "def a(): return b()\ndef b(): return a()\na()",
    "class A:\n  def __getattr__(self, n): return getattr(self, n + 'x')\nA().y",
    "class A:\n  def __eq__(self, o): return self == o\nA() == A()",
    "class A:\n  def __add__(self, o): return self + o\nA() + 1",
    "class A:\n  def __repr__(self): return repr(self)\nrepr(A())",
    "class A:\n  def __str__(self): return str(self)\nstr(A())",
    "class A:\n  def __hash__(self): return hash(self)\n{A(): 1}",
    "class A:\n  def __bool__(self): return bool(self)\nif A(): pass\nreturn 1",
    "class A:\n  def __len__(self): return len(self)\nlen(A())",
    "class A:\n  def __iter__(self): return iter(self)\nlist(A())",
    "class A:\n  def __call__(self): return self()\nA()()",
    "class A:\n  def __format__(self, s): return format(self, s)\nf'{A():x}'",
    "class A:\n  def __getitem__(self, i): return self[i]\nA()[0]",
    "class A:\n  def __contains__(self, i): return i in self\n1 in A()",
    "class A:\n  def __lt__(self, o): return self < o\nsorted([A(), A()])",
    "class A:\n  @property\n  def x(self): return self.x\nA().x",
    "class A:\n  def __init__(self): A()\nA()",
    "class A:\n  def __new__(cls): return A()\nA()",
    "class D(dict):\n  def __missing__(self, k): return self[k]\nD()[1]",
    "class E(Exception):\n  def __str__(self): return str(E())\nraise E()\nreturn 1",
    "def g(): yield from g()\nlist(g())",
    "def g():\n  for x in g(): yield x\nlist(g())",
    "import functools\nf = functools.partial(lambda: 1)\nfor i in range(100000): f = functools.partial(f)\nreturn f()",
    "f = lambda: 1\nfor i in range(100000): f = (lambda g: lambda: g())(f)\nreturn f()",
    "x = []\nfor i in range(100000): x = [x]\nreturn repr(x)",
    "x = []\nfor i in range(100000): x = [x]\nreturn x == [[[]]] or str(x)",
    "x = ()\nfor i in range(100000): x = (x,)\nreturn hash(x)",
    "x = []\nfor i in range(100000): x = [x]\nreturn x",
    "x = {}\nfor i in range(100000): x = {'a': x}\nreturn x",
    "import json\nx = []\nfor i in range(100000): x = [x]\nreturn json.dumps(x)",
    "import copy\nx = []\nfor i in range(100000): x = [x]\nreturn copy.deepcopy(x)",
    "x = iter([1])\nfor i in range(100000): x = map(str, x)\nreturn list(x)",
    "import itertools\nx = iter([1])\nfor i in range(100000): x = itertools.chain(x)\nreturn list(x)",
    "x = eval('lambda: eval(\"x()\")')\nreturn x()",
    "x = ValueError()\nfor i in range(100000): x = ValueError(x)\nreturn str(x)",
    "def f():\n  try: return f()\n  except RecursionError: return f()\n  finally: f()\nf()",
    "sorted([3, 1], key=lambda x: sorted([x], key=lambda y: 1 / 0))",
  ])("%s", (text) => {
    expect(cpuMs(() => expect(outcome(text)).toBeString())).toBeLessThan(20_000);
  });

  test("formulas cannot catch budget errors", () => {
    for (const handler of ["except:", "except BaseException:", "except (MemoryError, TimeoutError, Exception):"]) {
      expect(outcome(`try:\n  'x' * 10 ** 9\n${handler}\n  return 'caught'\nreturn 1`)).toBe("MemoryError");
      expect(outcome(`try:\n  while True: pass\n${handler}\n  return 'caught'\nreturn 1`)).toBe("TimeoutError");
    }
    expect(outcome("try:\n  while True: pass\nfinally:\n  return 'caught'")).toBe("TimeoutError");
    expect(
      outcome(
        "class C:\n  def __enter__(self): pass\n  def __exit__(self, *a): return True\nwith C():\n  while True: pass\nreturn 1",
      ),
    ).toBe("TimeoutError");
    expect(outcome("def g():\n  try:\n    while True: pass\n  finally:\n    yield 1\nlist(g())")).toBe("TimeoutError");
    expect(outcome("IFERROR([0] * 10 ** 9, 'caught')")).toBe("MemoryError");
    expect(outcome("ISERROR([0] * 10 ** 9)")).toBe("MemoryError");
    expect(outcome("class A:\n  def __getattr__(self, n):\n    while True: pass\nhasattr(A(), 'x')")).toBe(
      "TimeoutError",
    );
    expect(outcome("class A:\n  def __eq__(self, o):\n    while True: pass\n[A()].count(A())")).toBe("TimeoutError");
  });
});

test("budget errors have known exception classes", () => {
  for (const text of ["'x' * 10 ** 9", "while True: pass\nreturn 1", "def f(): return f()\nf()", "10 ** 10 ** 10"]) {
    expect(outcome(text)).toMatch(/^(?:TimeoutError|MemoryError|RecursionError|OverflowError)$/);
  }
  expect(outcome("open('x')")).toBe("NotImplementedError");
});
