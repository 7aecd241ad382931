import { expect, test } from "bun:test";
import { evaluate } from "./evaluate.ts";

/** Results of CPython 3.11's seeded generators. */
const SEEDED: [formula: string, result: string][] = [
  ["import random\nr = random.Random(0)\nr.random()", "0.8444218515250481"],
  ["import random\nr = random.Random(0)\n[r.randint(1, 10), r.randint(-5, 5)]", "[7, 1]"],
  ["import random\nr = random.Random(0)\nr.getrandbits(8)", "216"],
  ["import random\nr = random.Random(0)\nr.getrandbits(100)", "1169245609517217401678349469645"],
  ["import random\nr = random.Random(0)\n[r.choice('abc'), r.choice([1, 2, 3])]", "['b', 2]"],
  ["import random\nr = random.Random(0)\nr.sample(range(10), 3)", "[6, 9, 0]"],
  ["import random\nr = random.Random(0)\nr.sample(range(100), 4)", "[49, 97, 53, 5]"],
  ["import random\nr = random.Random(0)\nr.sample(range(1000), 7)", "[864, 394, 776, 911, 430, 41, 265]"],
  ["import random\nr = random.Random(0)\nr.uniform(1, 2)", "1.8444218515250481"],
  ["import random\nr = random.Random(0)\nr.gauss(0, 1) + r.gauss(0, 1)", "-0.45486270002048546"],
  ["import random\nr = random.Random(0)\nr.normalvariate(5, 2)", "4.632263557813483"],
  ["import random\nr = random.Random(0)\nr.choices('abcdef', k=3)", "['f', 'e', 'c']"],
  ["import random\nr = random.Random(0)\nr.choices([1, 2, 3], weights=[5, 1, 1], k=4)", "[2, 2, 1, 1]"],
  ["import random\nr = random.Random(0)\nr.randrange(0, 100, 7)", "91"],
  ["import random\nr = random.Random(0)\nr.randrange(10 ** 30)", "198441737587687207744109680147"],
  ["import random\nr = random.Random(0)\nr.expovariate(2)", "0.9303035555326117"],
  ["import random\nr = random.Random(1)\nr.getrandbits(100)", "1017878568110080782349472477685"],
  ["import random\nr = random.Random(1)\nr.sample(range(1000), 7)", "[137, 582, 867, 821, 782, 64, 261]"],
  ["import random\nr = random.Random(1)\nr.choices('abcdef', k=3)", "['a', 'f', 'e']"],
  ["import random\nr = random.Random(1)\nr.expovariate(2)", "0.0721455320547546"],
  ["import random\nr = random.Random(42)\nr.random()", "0.6394267984578837"],
  ["import random\nr = random.Random(42)\n[r.randint(1, 10), r.randint(-5, 5)]", "[2, -5]"],
  ["import random\nr = random.Random(42)\nr.getrandbits(8)", "163"],
  ["import random\nr = random.Random(42)\nr.getrandbits(100)", "873491343714207852616756591005"],
  ["import random\nr = random.Random(42)\n[r.choice('abc'), r.choice([1, 2, 3])]", "['c', 1]"],
  ["import random\nr = random.Random(42)\nr.sample(range(10), 3)", "[1, 0, 4]"],
  ["import random\nr = random.Random(42)\nr.sample(range(100), 4)", "[81, 14, 3, 94]"],
  ["import random\nr = random.Random(42)\nr.sample(range(1000), 7)", "[654, 114, 25, 759, 281, 250, 228]"],
  ["import random\nr = random.Random(42)\nr.uniform(1, 2)", "1.6394267984578836"],
  ["import random\nr = random.Random(42)\nr.gauss(0, 1) + r.gauss(0, 1)", "-0.31699392990944764"],
  ["import random\nr = random.Random(42)\nr.normalvariate(5, 2)", "5.4906526834157265"],
  ["import random\nr = random.Random(42)\nr.choices('abcdef', k=3)", "['d', 'a', 'b']"],
  ["import random\nr = random.Random(42)\nr.choices([1, 2, 3], weights=[5, 1, 1], k=4)", "[1, 1, 1, 1]"],
  ["import random\nr = random.Random(42)\nr.randrange(0, 100, 7)", "70"],
  ["import random\nr = random.Random(42)\nr.randrange(10 ** 30)", "873491343714207852616756591005"],
  ["import random\nr = random.Random(42)\nr.expovariate(2)", "0.5100301436374005"],
  ["import random\nr = random.Random(-7)\n[r.randint(1, 10), r.randint(-5, 5)]", "[6, -3]"],
  ["import random\nr = random.Random(-7)\nr.sample(range(10), 3)", "[5, 2, 6]"],
  ["import random\nr = random.Random(-7)\nr.gauss(0, 1) + r.gauss(0, 1)", "0.25555122406891356"],
  ["import random\nr = random.Random(-7)\nr.randrange(0, 100, 7)", "35"],
  ["import random\nr = random.Random(2**70)\nr.random()", "0.2327882718301838"],
  ["import random\nr = random.Random(2**70)\n[r.choice('abc'), r.choice([1, 2, 3])]", "['a', 2]"],
  ["import random\nr = random.Random(2**70)\nr.uniform(1, 2)", "1.232788271830184"],
  ["import random\nr = random.Random(2**70)\nr.choices([1, 2, 3], weights=[5, 1, 1], k=4)", "[1, 1, 1, 2]"],
  ["import random\nr = random.Random(True)\nr.getrandbits(100)", "1017878568110080782349472477685"],
  ["import random\nr = random.Random(True)\nr.sample(range(1000), 7)", "[137, 582, 867, 821, 782, 64, 261]"],
  ["import random\nr = random.Random(True)\nr.choices('abcdef', k=3)", "['a', 'f', 'e']"],
  ["import random\nr = random.Random(True)\nr.expovariate(2)", "0.0721455320547546"],
  ["import random\nr = random.Random('abc')\nr.getrandbits(8)", "197"],
  ["import random\nr = random.Random('abc')\nr.sample(range(100), 4)", "[98, 71, 58, 90]"],
  ["import random\nr = random.Random('abc')\nr.normalvariate(5, 2)", "7.112418342800391"],
  ["import random\nr = random.Random('abc')\nr.randrange(10 ** 30)", "598819852806053506182098937855"],
  ["import random\nr = random.Random(b'x')\n[r.randint(1, 10), r.randint(-5, 5)]", "[6, 4]"],
  ["import random\nr = random.Random(b'x')\nr.sample(range(10), 3)", "[5, 7, 1]"],
  ["import random\nr = random.Random(b'x')\nr.gauss(0, 1) + r.gauss(0, 1)", "-1.9051685577349904"],
  ["import random\nr = random.Random(b'x')\nr.randrange(0, 100, 7)", "70"],
  ["import random\nr = random.Random('')\nr.random()", "0.9602256525641875"],
  ["import random\nr = random.Random('')\n[r.choice('abc'), r.choice([1, 2, 3])]", "['b', 3]"],
  ["import random\nr = random.Random('')\nr.uniform(1, 2)", "1.9602256525641875"],
  ["import random\nr = random.Random('')\nr.choices([1, 2, 3], weights=[5, 1, 1], k=4)", "[3, 1, 1, 2]"],
  ["import random\nr = random.Random(3)\nl = list(range(8))\nr.shuffle(l)\nl", "[0, 5, 7, 2, 1, 6, 4, 3]"],
];

test.each(SEEDED)("%s", (formula, result) => {
  expect(evaluate(formula)).toBe(result);
});

test("random.Random works without a seed and rejects invalid seeds", () => {
  expect(evaluate("import random\nr = random.Random()\n0 <= r.random() < 1")).toBe("True");
  expect(evaluate("import random\nrandom.Random([1])")).toBe("TypeError");
  expect(evaluate("import random\nr = random.Random(1)\nr.seed(42)\nr.random() == random.Random(42).random()")).toBe(
    "True",
  );
  expect(evaluate("import random\ntype(random.Random(1)).__name__")).toBe("'Random'");
});
