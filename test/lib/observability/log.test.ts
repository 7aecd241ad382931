import { describe, expect, test } from "bun:test";
import { createLog, silentLog, type LogLevel } from "../../../src/lib/observability/log.ts";

/** A log that collects its lines. */
function collectedLog(level: LogLevel = "debug") {
  let text = "";
  const log = createLog({ level, now: () => 1_700_000_000_000, write: (more) => void (text += more) });
  const lines = () => {
    log.flush();
    const all = text.split("\n");
    expect(all.pop()).toBe("");
    return all.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  return { log, lines, written: () => text };
}

test("each line is one JSON object with time, level and event first", () => {
  const { log, lines, written } = collectedLog();
  log.info("first", { a: 'x\n"y"', missing: undefined, none: null });
  log.debug("second");
  expect(lines()).toEqual([
    { time: "2023-11-14T22:13:20.000Z", level: "info", event: "first", a: 'x\n"y"', none: null },
    { time: "2023-11-14T22:13:20.000Z", level: "debug", event: "second" },
  ]);
  expect(written()).toStartWith('{"time":"2023-11-14T22:13:20.000Z","level":"info","event":"first"');
});

test("in a terminal each line is readable text, and fields cannot imitate lines or control the terminal", () => {
  let text = "";
  const log = createLog({ format: "text", now: () => 1_700_000_000_000, write: (more) => void (text += more) });
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  log.info("http.request", { method: "GET", route: "/api/docs/{docId}", status: 200, ms: 1.5, user: null });
  log.warn("event", { why: "a b\n2026-01-01 error \u001b[2J\u009b2J", list: [1, "x"], loop });
  log.flush();
  expect(text.split("\n")).toEqual([
    "2023-11-14T22:13:20Z info  http.request method=GET route=/api/docs/{docId} status=200 ms=1.5",
    String.raw`2023-11-14T22:13:20Z warn  event why="a b\n2026-01-01 error \u001b[2J\u009b2J" list=[1,"x"] loop=(unreadable)`,
    "",
  ]);
});

const LEVELS = ["debug", "info", "warn", "error"] as const;

test.each(LEVELS)("level %s drops lower levels", (level) => {
  const { log, lines } = collectedLog(level);
  for (const at of LEVELS) log[at]("event");
  const expected = LEVELS.slice(LEVELS.indexOf(level));
  expect(lines().map((line) => line["level"])).toEqual(expected);
  expect(LEVELS.filter((at) => log.isEnabled(at))).toEqual([...expected]);
});

test("lines are buffered, errors are flushed", () => {
  const { log, written } = collectedLog();
  log.info("held");
  expect(written()).toBe("");
  log.error("now");
  expect(written().trimEnd().split("\n")).toHaveLength(2);
});

test("unserializable fields do not make it fail", () => {
  const { log, lines } = collectedLog();
  const round: Record<string, unknown> = {};
  round["self"] = round;
  log.warn("round", { round, other: 1 });
  log.warn("big", { big: 1n });
  expect(lines().map(({ event, unreadable }) => [event, unreadable])).toEqual([
    ["round", ["round", "other"]],
    ["big", ["big"]],
  ]);
});

describe("the most recent warnings and errors stay in memory", () => {
  test("in order, with their fields, including unwritten ones", () => {
    const { log } = collectedLog("error");
    log.info("fine", { a: 0 });
    log.warn("odd", { a: 1 });
    log.error("bad", { a: 2 });
    const at = 1_700_000_000_000;
    expect(log.recentProblems()).toEqual([
      { at, level: "warn", event: "odd", fields: { a: 1 } },
      { at, level: "error", event: "bad", fields: { a: 2 } },
    ]);
  });

  test("200 of them", () => {
    const { log } = collectedLog("error");
    for (let n = 0; n < 250; n++) log.warn("odd", { n });
    const numbers = log.recentProblems().map(({ fields }) => fields["n"]);
    expect(numbers).toEqual(Array.from({ length: 200 }, (_, i) => i + 50));
  });

  test("none in a log that drops everything", () => {
    silentLog.error("bad");
    expect(silentLog.recentProblems()).toEqual([]);
  });
});
