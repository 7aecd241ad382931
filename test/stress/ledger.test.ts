import { expect, test } from "bun:test";
import { Ledger, type State } from "../../scripts/stress/load/ledger.ts";

const state = (text: string): State => new Map(text.split("").map((name) => [name, ""]));
const END = Number.POSITIVE_INFINITY;

/** One that wrote a, then b (both acknowledged, at 10 and at 20), then c and d at once, which nobody answered. */
function written(): Ledger {
  const ledger = new Ledger();
  ledger.begin(state("a"))(10);
  ledger.begin(state("ab"))(20);
  ledger.begin(state("abcd"));
  return ledger;
}

test.each(["ab", "abcd"])("what was acknowledged may be there with the request under way or without: %s", (found) => {
  expect(written().findContradiction(state(found), END)).toBeUndefined();
});

test.each([
  ["what was acknowledged is gone", "a", "b is missing"],
  ["a request is half there", "abc", "c is unexpected"],
  ["something else is there", "abx", "x is unexpected"],
])("it is told when %s", (_, found, problem) => {
  expect(written().findContradiction(state(found), END)).toContain(problem);
});

test("what a thing holds counts as well", () => {
  const found = new Map([...state("ab"), ["a", "other"]]);
  expect(written().findContradiction(found, END)).toContain("a is other for");
});

test("what was answered after the power was cut was under way then", () => {
  expect(written().findContradiction(state("a"), 15)).toBeUndefined();
  expect(written().findContradiction(state("ab"), 15)).toBeUndefined();
  expect(written().findContradiction(state("abcd"), 15)).toContain("c is unexpected");
  expect([...written().namesUntil(15)]).toEqual(["a"]);
});

test("a request that was turned away changes nothing", () => {
  const ledger = new Ledger();
  ledger.begin(state("a"));
  ledger.cancelLast();
  expect(ledger.findContradiction(state("a"), END)).toContain("a is unexpected");
  expect(ledger.acknowledged).toBe(0);
});

test("what was found is where it goes on", () => {
  const ledger = written();
  ledger.checkpoint(state("abcd"));
  expect(ledger.state).toEqual(state("abcd"));
  expect(ledger.findContradiction(state("ab"), END)).toContain("c is missing");
});
