import { expect, test } from "bun:test";
import { evaluate } from "./evaluate.ts";

/** Formulas with byte arrays, and the results of CPython 3.11. */
const BYTE_ARRAYS: [formula: string, result: string][] = [
  ["bytearray(b'abc')", "bytearray(b'abc')"],
  ["bytearray(3)", "bytearray(b'\\x00\\x00\\x00')"],
  ["bytearray('é', 'utf8')", "bytearray(b'\\xc3\\xa9')"],
  ["bytearray('é')", "TypeError"],
  ["b = bytearray(b'abc')\nb.append(100)\nb[0] = 65\nb", "bytearray(b'Abcd')"],
  ["bytes(bytearray(b'x'))", "b'x'"],
  ["bytearray([1,2]) == b'\\x01\\x02'", "True"],
  ["b = bytearray(b'abc')\nb += b'd'\nb *= 2\nb", "bytearray(b'abcdabcd')"],
  ["b = bytearray(b'abcdef')\nb[1:3] = b'XYZ'\nb", "bytearray(b'aXYZdef')"],
  ["b = bytearray(b'abcdef')\ndel b[::2]\nb", "bytearray(b'bdf')"],
  ["b = bytearray(b'abcdef')\nb[::2] = b'XYZ'\nb", "bytearray(b'XbYdZf')"],
  ["b = bytearray(b'abcdef')\nb[::2] = b'XY'\nb", "ValueError"],
  ["b = bytearray(b'abc')\nb[5]", "IndexError"],
  ["b = bytearray(b'abc')\nb[0] = 256\nb", "ValueError"],
  ["b = bytearray(b'abc')\nb[0] = 'x'\nb", "TypeError"],
  ["bytearray(b'abc').upper()", "bytearray(b'ABC')"],
  ["bytearray(b'a,b').split(b',')", "[bytearray(b'a'), bytearray(b'b')]"],
  ["bytearray(b'abc')[1:]", "bytearray(b'bc')"],
  ["bytearray(b'abc').decode()", "'abc'"],
  ["bytearray(b'abc') + b'd'", "bytearray(b'abcd')"],
  ["b'd' + bytearray(b'abc')", "b'dabc'"],
  ["hash(bytearray(b'a'))", "TypeError"],
  ["isinstance(bytearray(), bytes)", "False"],
  ["type(bytearray()).__name__", "'bytearray'"],
  ["b = bytearray(b'abc')\n[b.pop(), b.pop(0), b]", "[99, 97, bytearray(b'b')]"],
  [
    "b = bytearray(b'abc')\nb.insert(1, 120)\nb.reverse()\nb.remove(97)\nb.extend([1, 2])\nb",
    "bytearray(b'cbx\\x01\\x02')",
  ],
  ["len(bytearray(4))", "4"],
  ["list(bytearray(b'ab'))", "[97, 98]"],
  ["97 in bytearray(b'ab')", "True"],
  ["bytearray(b'ab').hex()", "'6162'"],
  ["b'x'.strip(' ')", "TypeError"],
  ["b'x'.center(5)", "b'  x  '"],
  ["b'x'.center(5, b'-')", "b'--x--'"],
  ["sorted(bytearray(b'ba'))", "[97, 98]"],
  ["bytearray(-1)", "ValueError"],
  ["bytearray(b'ab').find(b'b')", "1"],
];

test.each(BYTE_ARRAYS)("%s", (formula, result) => {
  expect(evaluate(formula)).toBe(result);
});
