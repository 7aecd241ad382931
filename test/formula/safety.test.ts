import { describe, expect, test } from "bun:test";
import { outcome } from "./outcome.ts";

describe("formulas cannot access JavaScript internals", () => {
  const names = [
    "constructor",
    "prototype",
    "__proto__",
    "toString",
    "valueOf",
    "hasOwnProperty",
    "__defineGetter__",
    "__lookupGetter__",
    "caller",
    "callee",
    "arguments",
    "length",
    "apply",
    "cls",
    "payload",
    "fields",
    "members",
  ];
  const values = [
    "5",
    "1.5",
    "True",
    "None",
    "'a'",
    "b'a'",
    "[1]",
    "(1,)",
    "{'a': 1}",
    "{1}",
    "1j",
    "len",
    "int",
    "(lambda: 1)",
    "ValueError('a')",
    "ValueError",
    "range(3)",
    "datetime",
    "datetime.date(2024, 1, 1)",
    "re.match('a', 'a')",
    "re.compile('a')",
    "iter([])",
    "(i for i in [])",
    "slice(1)",
    "type('X', (), {})",
    "type('X', (), {})()",
    "math",
    "print",
    "NotImplemented",
    "...",
  ];

  test.each(names)("%s", (name) => {
    for (const value of values) {
      const direct = outcome(`x = ${value}\nx.${name}`);
      const isOwn = /^(?:"|\[|\d)/.test(direct) && name === "fields";
      expect([value, isOwn ? "AttributeError" : direct]).toEqual([value, "AttributeError"]);
      expect(outcome(`getattr(${value}, '${name}')`)).toBe("AttributeError");
      expect(outcome(`'{0.${name}}'.format(${value})`)).toBe("AttributeError");
      expect(outcome(`hasattr(${value}, '${name}')`)).toBe("false");
      expect(outcome(`import operator\noperator.attrgetter('${name}')(${value})`)).toBe("AttributeError");
    }
  });

  test.each([
    ["constructor", "NameError"],
    ["__proto__", "NameError"],
    ["globalThis", "NameError"],
    ["process", "NameError"],
    ["require('fs')", "NameError"],
    ["Bun", "NameError"],
    ["Function('return this')()", "NameError"],
    ["this", "NameError"],
    ["undefined", "NameError"],
    ["eval('globalThis')", "NameError"],
    ["eval('constructor')", "NameError"],
    ["eval('x', {'__proto__': {'x': 1}})", "NameError"],
    ["eval('__proto__', {'__proto__': 5})", "5"],
  ])("the name in %s", (text, result) => {
    expect(outcome(text)).toBe(result);
  });

  test.each([
    ["{'__proto__': 1}", '["O",{"__proto__":1}]'],
    ["{'__proto__': {'polluted': 1}}['__proto__']", '["O",{"polluted":1}]'],
    ["dict(__proto__=1, constructor=2)", '["O",{"__proto__":1,"constructor":2}]'],
    ["{}.get('__proto__')", "null"],
    ["{}['constructor']", "KeyError"],
    ["'toString' in {}", "false"],
    ["def f(**k): return k\nf(__proto__=1)", '["O",{"__proto__":1}]'],
    ["def f(__proto__): return __proto__\nf(__proto__=7)", "7"],
    ["class A:\n  __proto__ = 5\n  constructor = 6\nA().__proto__ + A().constructor", "11"],
    ["class A: pass\na = A()\na.__proto__ = 5\na.__proto__, hasattr(A(), '__proto__')", '["L",5,false]'],
    [
      'import json\njson.loads(\'{"__proto__": {"a": 1}, "constructor": 2}\')',
      '["O",{"__proto__":["O",{"a":1}],"constructor":2}]',
    ],
    ["from collections import namedtuple\nnamedtuple('P', 'constructor')(5).constructor", "5"],
    ["'{__proto__}'.format(__proto__=5)", '"5"'],
    ["'%(__proto__)s' % {'__proto__': 5}", '"5"'],
  ])("treats JavaScript property names like all other names: %s", (text, result) => {
    expect(outcome(text)).toBe(result);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("formulas cannot escape through Python's introspection", () => {
  test.each([
    "().__class__.__base__.__subclasses__()",
    "''.__class__.__mro__[1].__subclasses__()",
    "object.__subclasses__()",
    "type.__subclasses__(object)",
    "(lambda: 0).__globals__",
    "(lambda: 0).__code__",
    "(lambda: 0).__closure__",
    "len.__self__",
    "print.__self__",
    "[].append.__self__.__class__.__subclasses__()",
    "'{0.__class__.__base__.__subclasses__}'.format('')",
    "'{0.__globals__}'.format(lambda: 0)",
    "f'{(lambda: 0).__globals__}'",
    "getattr(getattr('', '__class__'), '__subclasses__')()",
    "vars(object)['__subclasses__']",
    "(i for i in []).gi_frame.f_globals",
    "def g(): yield\ng().gi_code",
    "try: 1/0\nexcept Exception as e: return e.__traceback__.tb_frame",
    "datetime.sys.modules",
    "math.__loader__",
    "re.sys",
    "import json\njson.codecs",
    "import random\nrandom._os",
    "import collections\ncollections._sys",
    "import statistics\nstatistics.sys",
    "__builtins__",
    "__builtins__['open']",
    "__import__('os').system('id')",
    "open('/etc/passwd').read()",
    "exec('import os')",
    "compile('1', '', 'exec')",
    "input()",
    "breakpoint()",
    "exit()",
    "quit()",
    "globals()['__builtins__']",
    "locals()",
    "help()",
    "memoryview(b'a')",
    "import os\nos.system('id')",
    "import sys\nsys.exit()",
    "import subprocess\nsubprocess.run(['id'])",
    "import socket\nsocket.socket()",
    "import ctypes\nctypes.CDLL(None)",
    "import pickle\npickle.loads(b'')",
    "import importlib\nimportlib.import_module('os')",
    "from os import path\npath",
    "import builtins\nbuiltins.open",
    "eval('__import__(\"os\")')",
    "eval('().__class__.__base__.__subclasses__()')",
    "class A:\n  def __reduce__(self): return (eval, ('1',))\nimport copy\ncopy.copy(A()).__reduce_ex__(2)",
    "int.__new__.__self__",
    "str.format.__globals__",
    "import urllib.request\nurllib.request.urlopen('http://127.0.0.1')",
    "REQUEST('http://127.0.0.1')",
    "type.__call__.__self__",
    "int.x = 5\nreturn 1",
    "str.upper = len\nreturn 1",
    "ValueError.x = 5\nreturn 1",
    "math.pi = 3\nreturn 1",
    "len.x = 5\nreturn 1",
    "setattr(int, '__add__', len)",
    "delattr(str, 'upper')",
    "datetime.date.today = None\nreturn 1",
  ])("%s", (text) => {
    expect(outcome(text)).toMatch(/Error$/);
  });

  test("assignments do not outlive the evaluation", () => {
    outcome("class A: pass\nA.x = 5\nglobal leaked\nleaked = 1\nleaked");
    expect(outcome("leaked")).toBe("NameError");
    outcome("import decimal\ndecimal.getcontext().prec = 3\n1");
    expect(outcome("import decimal\ndecimal.getcontext().prec")).toBe("28");
    outcome("def f(x=[]):\n  x.append(1)\n  return x\nf()\nf()");
    expect(outcome("Exception.__name__, ValueError('a').args")).toBe('["L","Exception",["L","a"]]');
  });
});
