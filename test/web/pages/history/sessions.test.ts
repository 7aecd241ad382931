import { expect, test } from "bun:test";
import { groupIntoSessions } from "../../../../src/web/pages/history/sessions.ts";

type State = Parameters<typeof groupIntoSessions>[0][number];

const state = (n: number, { at = "10:00", email = "ada@example.com", key = null as number | null } = {}): State => ({
  n,
  h: `h${n}`,
  time: at === "" ? null : `2026-01-31T${at}:00.000Z`,
  user: { id: 1, email, name: null },
  key: key === null ? null : { id: key, label: null },
  note: null,
  isRead: true,
  tables: [],
});

const numbers = (states: readonly State[]) => groupIntoSessions(states).map((session) => session.map(({ n }) => n));

test("changes with pauses under ten minutes form a session", () => {
  const states = [
    state(4, { at: "10:20" }),
    state(3, { at: "10:11" }),
    state(2, { at: "10:02" }),
    state(1, { at: "09:50" }),
  ];
  expect(numbers(states)).toEqual([[4, 3, 2], [1]]);
});

test("of one user, with one key", () => {
  const states = [state(4), state(3, { email: "ben@example.com" }), state(2), state(1, { key: 7 })];
  expect(numbers(states)).toEqual([[4], [3], [2], [1]]);
});

test("without gaps in a filtered list, and without changes at unknown times", () => {
  expect(numbers([state(5), state(3), state(2, { at: "" }), state(1)])).toEqual([[5], [3], [2], [1]]);
  expect(numbers([])).toEqual([]);
});
