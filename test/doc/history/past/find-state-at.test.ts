import { expect, test } from "bun:test";
import { findStateAt } from "../../../../src/doc/history/past/find-state-at.ts";
import { AppError } from "../../../../src/errors.ts";
import { Scratch } from "../../actions/scratch.ts";

const T0 = Date.parse("2026-03-29T00:30:00.500Z");

/** A document in a time zone, with a state at each of these times after the first state, whose time is today. */
function documentWith(timezone: string, times: readonly number[]): Scratch {
  const scratch = new Scratch();
  const actions = [["UpdateRecord", "_grist_DocInfo", 1, { timezone }]];
  scratch.apply(actions, { nowMs: T0 - 3_600_000 });
  for (const nowMs of times) scratch.apply([["AddRecord", "Table1", null, {}]], { nowMs });
  scratch.document.db.run("delete from _gristsys_ActionHistory where actionNum = 1");
  return scratch;
}

/** Returns the number of the state, or the code of the refusal. */
function find({ document }: Scratch, at: string): number | string {
  try {
    const found = findStateAt(document, at);
    return found.kind === "found" ? found.state.n : found.kind;
  } catch (error) {
    return error instanceof AppError ? error.reason : String(error);
  }
}

test.each([
  ["2026-03-29T00:30:00.500Z", 4],
  ["2026-03-29T00:30:00.499Z", 2],
  ["2026-03-29T00:30:00Z", 2],
  ["2026-03-29T00:30Z", 2],
  ["2026-03-29T00:30:01Z", 4],
  ["2026-03-29 00:30:01z", 4],
  ["2026-03-29T00:30:10,000Z", 5],
  ["2026-03-29T00:30:09.999Z", 4],
  ["2026-03-29T02:30:01+02:00", 4],
  ["2026-03-29T02:30:01 02:00", 4],
  ["2026-03-29T02:30:01+0200", 4],
  ["2026-03-28T23:30:01-01", 4],
  ["2099-01-01T00:00:00Z", 5],
  // In the zone of the document, an hour ahead until the clock changes.
  ["2026-03-29T01:30:01", 4],
  ["2026-03-29T00:30:01", 2],
  ["2026-03-29T01:30", 2],
  ["2026-03-29T03:00", 5],
  ["2026-03-28T23:29:59Z", "pruned"],
  ["1", "pruned"],
  ["2", 2],
  ["5", 5],
  ["6", "state.not_found"],
])("at=%s is state %s", (at, expected) => {
  using scratch = documentWith("Europe/Berlin", [T0, T0, T0 + 9500]);
  expect(find(scratch, at)).toBe(expected);
});

test("after the clock was set back, it is the last state with such a time", () => {
  using scratch = documentWith("UTC", [T0, T0 + 60_000, T0 + 1000, T0 + 120_000]);
  expect(find(scratch, "2026-03-29T00:30:30Z")).toBe(5);
  expect(find(scratch, "2026-03-29T00:31:30Z")).toBe(5);
  expect(find(scratch, "2026-03-29T00:32:30Z")).toBe(6);
});

test("a time before the first state of a complete history is not found", () => {
  using scratch = new Scratch();
  scratch.apply([["AddRecord", "Table1", null, {}]], { nowMs: T0 });
  expect(find(scratch, "1999-01-01T00:00:00Z")).toBe("state.not_found");
});

test("times of entries with much before them, as other programs write them, and of damaged entries", () => {
  using scratch = documentWith("UTC", [T0]);
  const { db } = scratch.document;
  db.run("update _gristsys_ActionHistory set body = x'7b00' where actionNum = 3");
  expect(find(scratch, "2026-03-29T00:31Z")).toBe(2);
});
