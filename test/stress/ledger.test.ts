import { expect, test } from "bun:test";
import { Ledger, type State } from "../../scripts/stress/load/ledger.ts";

const state = (text: string): State => new Map(text.split("").map((name) => [name, ""]));
const END = Number.POSITIVE_INFINITY;

/** A ledger of the writes a, then b (acknowledged at 10 and 20), then c and d in one request without a response. */
function written(): Ledger {
  const ledger = new Ledger();
  ledger.begin(state("a"))(10);
  ledger.begin(state("ab"))(20);
  ledger.begin(state("abcd"));
  return ledger;
}

test.each(["ab", "abcd"])("accepts the acknowledged state with and without the request in flight: %s", (found) => {
  expect(written().findContradiction(state(found), END)).toBeUndefined();
});

test.each([
  ["an acknowledged change is missing", "a", "b is missing"],
  ["a request was applied partially", "abc", "c is unexpected"],
  ["an unexpected change exists", "abx", "x is unexpected"],
])("reports a contradiction if %s", (_, found, problem) => {
  expect(written().findContradiction(state(found), END)).toContain(problem);
});

test("compares contents, too", () => {
  const found = new Map([...state("ab"), ["a", "other"]]);
  expect(written().findContradiction(found, END)).toContain("a is other for");
});

test("treats requests answered after the power cut as in flight", () => {
  expect(written().findContradiction(state("a"), 15)).toBeUndefined();
  expect(written().findContradiction(state("ab"), 15)).toBeUndefined();
  expect(written().findContradiction(state("abcd"), 15)).toContain("c is unexpected");
  expect([...written().namesUntil(15)]).toEqual(["a"]);
});

test("ignores rejected requests", () => {
  const ledger = new Ledger();
  ledger.begin(state("a"));
  ledger.cancelLast();
  expect(ledger.findContradiction(state("a"), END)).toContain("a is unexpected");
  expect(ledger.acknowledged).toBe(0);
});

test("continues from a checkpoint", () => {
  const ledger = written();
  ledger.checkpoint(state("abcd"));
  expect(ledger.state).toEqual(state("abcd"));
  expect(ledger.findContradiction(state("ab"), END)).toContain("c is missing");
});
