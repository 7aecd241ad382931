import { expect, test } from "bun:test";
import { namesIn, replaceNames } from "../../../src/doc/actions/formula-names.ts";

const columns: [formula: string, renamed: string][] = [
  ["$Qty * $Cost", "$N * $Cost"],
  ["rec.Qty + rec . Qty # $Qty", "rec.N + rec . N # $Qty"],
  ["'$Qty' + \"it's $Qty\" + $Qty", "'$Qty' + \"it's $Qty\" + $N"],
  ["f'{$Qty}: $Qty {{$Qty}} {$Qty!r:>{$Qty}}'", "f'{$N}: $Qty {{$Qty}} {$N!r:>{$N}}'"],
  ['"""x\n$Qty"""\n$Qty', '"""x\n$Qty"""\n$N'],
  ["'\\'$Qty' + $Qty", "'\\'$Qty' + $N"],
  ["other.rec.Qty + $QtyX + Qty + $Qty.upper()", "other.rec.Qty + $QtyX + Qty + $N.upper()"],
  ["'never closed $Qty", "'never closed $Qty"],
];
for (const [formula, renamed] of columns) {
  test(`a column in ${JSON.stringify(formula)}`, () => {
    const found = replaceNames(formula, ({ name, after, path }) =>
      name === "Qty" && (after === "$" || path?.join(".") === "rec") ? "N" : undefined,
    );
    expect(found).toBe(renamed);
  });
}

test("names are told by what stands before them", () => {
  expect(namesIn("T.all + $x + rec.y(1e5, z)").map(({ name, after }) => after + name)).toEqual([
    "T",
    ".all",
    "$x",
    "rec",
    ".y",
    "z",
  ]);
});

const paths: [formula: string, paths: Record<string, string[] | undefined>][] = [
  ["$A.b.c", { A: undefined, b: ["$A"], c: ["$A", "b"] }],
  [
    "T.lookupOne(k=1, m=x).c . d",
    { T: undefined, lookupOne: ["T"], k: ["T", "lookupOne"], c: ["T", "lookupOne", "()"] },
  ],
  ["(a + b).c", { c: undefined }],
  ["f(x == 1, y=[z])[0].w", { x: undefined, y: ["f"], w: undefined }],
  ["sum(T.all.c)", { all: ["T"], c: ["T", "all"] }],
];
for (const [formula, expected] of paths) {
  test(`what names in ${formula} are taken from`, () => {
    const found = Object.fromEntries(namesIn(formula).map(({ name, path }) => [name, path]));
    expect(found).toMatchObject(expected);
  });
}
