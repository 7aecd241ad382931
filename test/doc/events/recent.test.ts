import { expect, test } from "bun:test";
import { RecentChanges } from "../../../src/doc/events/recent-changes.ts";

const change = (n: number) => ({
  state: { actionNum: n, actionHash: `hash ${n}` },
  done: [["AddRecord", "T", n, {}]] as const,
  user: n % 2 === 0 ? "ann@example.com" : "bob@example.com",
  nowMs: n,
});

test("returns the changes since any mark, however many", () => {
  const recent = new RecentChanges({ n: 0, h: "" });
  const marks = [recent.mark];
  for (let n = 1; n <= 200; n++) {
    expect(recent.record(change(n))).toBe(true);
    marks.push(recent.mark);
  }
  for (const [from, mark] of marks.entries()) {
    const changes = recent.after(mark) ?? [];
    const added = changes.flatMap(({ summary }) => [...summary.tables.all].flatMap((table) => [...table.added]));
    // Merged changes may repeat some that were known.
    expect(added.slice(from - 200)).toEqual(
      from === 200 ? [] : Array.from({ length: 200 - from }, (_, i) => from + 1 + i),
    );
    expect(changes.length).toBeLessThanOrEqual(64);
    if (from < 200) expect(changes.at(-1)).toMatchObject({ n: 200, h: "hash 200", time: 200 });
  }
  expect(recent.after(marks[0] ?? "")?.[0]).toMatchObject({ user: null });
  expect(recent.after("another.3")).toBeNull();
});

test("drops the buffer when it stays unread", () => {
  const recent = new RecentChanges({ n: 0, h: "" });
  let n = 0;
  while (n < 999) recent.record(change(++n));
  recent.markRead();
  while (n < 1999) expect(recent.record(change(++n))).toBe(true);
  expect(recent.record(change(++n))).toBe(false);
});

test("reports a change without a state under the previous state", () => {
  const recent = new RecentChanges({ n: 7, h: "seven" });
  const { mark } = recent;
  recent.record({ state: null, done: [["UpdateRecord", "T", 1, { Now: 1 }]], user: "", nowMs: 5 });
  expect(recent.after(mark)).toMatchObject([{ n: 7, h: "seven", count: 0, user: null, time: 5 }]);
});
