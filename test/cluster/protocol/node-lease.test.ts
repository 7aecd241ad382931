import { expect, test } from "bun:test";
import { type LeaseEffect, NodeLease } from "../../../src/cluster/protocol/node-lease.ts";

/** Clocks that all show the same time since registration; each can be shifted. */
const clocks = (ms: number, shift: { wallMs?: number; uptimeMs?: number } = {}) => ({
  monotonicMs: 5000 + ms,
  wallMs: 1_700_000_000_000 + ms + (shift.wallMs ?? 0),
  uptimeMs: 90_000 + ms + (shift.uptimeMs ?? 0),
});

/** Ticks every 100 ms up to `untilMs`, and answers renewals. */
function run(lease: NodeLease, [fromMs, untilMs]: [number, number], answer: "renewed" | "unknown" | null) {
  const effects: (readonly [number, LeaseEffect])[] = [];
  for (let ms = fromMs; ms <= untilMs; ms += 100) {
    for (const effect of lease.handle({ kind: "tick", clocks: clocks(ms) })) {
      effects.push([ms, effect]);
      if (effect.kind === "renew" && answer) lease.handle({ kind: answer, renewal: effect.renewal });
    }
  }
  return effects;
}

test("renews every second", () => {
  const lease = new NodeLease(clocks(0));
  const renewals = run(lease, [100, 4000], "renewed");
  expect(renewals.map(([ms]) => ms)).toEqual([1000, 2000, 3000, 4000]);
  expect(lease.isValid(clocks(4050))).toBe(true);
});

test("expires 500 ms before the end, and is lost at the end", () => {
  const lease = new NodeLease(clocks(0));
  expect(run(lease, [100, 3000], null)).toEqual([
    [1000, { kind: "renew", renewal: 1 }],
    [2500, { kind: "expired" }],
    [3000, { kind: "lost", reason: "ended" }],
  ]);
  expect(lease.isValid(clocks(3000))).toBe(false);
});

test("counts from before the renewal was sent, not from its answer", () => {
  const lease = new NodeLease(clocks(0));
  run(lease, [100, 2400], null);
  lease.handle({ kind: "renewed", renewal: 1 });
  expect(lease.isValid(clocks(3300))).toBe(true);
  expect(lease.isValid(clocks(3500))).toBe(false);
});

test("retries a renewal with an unknown outcome, and becomes valid again", () => {
  const lease = new NodeLease(clocks(0));
  const effects = run(lease, [100, 2500], "unknown");
  expect(effects.map(([ms, { kind }]) => `${ms} ${kind}`)).toEqual(
    ["1000", "1200", "1400", "1600", "1800", "2000", "2200", "2400"].map((ms) => `${ms} renew`).concat("2500 expired"),
  );
  const [, renewal] = run(lease, [2600, 2700], "renewed");
  expect(renewal).toEqual([2700, { kind: "valid" }]);
});

test("ignores answers to earlier renewals and repeated answers", () => {
  const lease = new NodeLease(clocks(0));
  run(lease, [100, 1200], "unknown");
  expect(lease.handle({ kind: "refused", renewal: 1 })).toEqual([]);
  expect(lease.handle({ kind: "renewed", renewal: 2 })).toEqual([]);
  expect(lease.loss).toBeNull();
});

test.each([
  ["the row is no longer valid", (lease: NodeLease) => lease.handle({ kind: "refused", renewal: 1 }), "refused"],
  ["ticks pause", (lease: NodeLease) => lease.handle({ kind: "tick", clocks: clocks(2050) }), "paused"],
  [
    "the wall clock jumps forwards",
    (lease: NodeLease) => lease.handle({ kind: "tick", clocks: clocks(1100, { wallMs: 1001 }) }),
    "clockJumped",
  ],
  [
    "the wall clock jumps back",
    (lease: NodeLease) => lease.handle({ kind: "tick", clocks: clocks(1100, { wallMs: -3_600_000 }) }),
    "clockJumped",
  ],
  [
    "the machine was suspended",
    (lease: NodeLease) => lease.handle({ kind: "tick", clocks: clocks(1100, { uptimeMs: 1001 }) }),
    "clockJumped",
  ],
])("is lost for good when %s", (_, happen, reason) => {
  const lease = new NodeLease(clocks(0));
  run(lease, [100, 1000], null);
  expect(happen(lease)).toEqual([{ kind: "lost", reason: reason as "paused" }]);
  expect(lease.isValid(clocks(1000))).toBe(false);
  expect(lease.handle({ kind: "renewed", renewal: 1 })).toEqual([]);
  expect(lease.handle({ kind: "tick", clocks: clocks(1100) })).toEqual([]);
});

test("a read after a pause finds the lease invalid before any tick", () => {
  const lease = new NodeLease(clocks(0));
  run(lease, [100, 1000], "renewed");
  expect(lease.isValid(clocks(2000))).toBe(true);
  expect(lease.isValid(clocks(2001))).toBe(false);
  expect(lease.isValid(clocks(1100, { wallMs: 1001 }))).toBe(false);
});

test("short suspensions count, although monotonic time stops", () => {
  const lease = new NodeLease(clocks(0));
  const suspended = (ms: number, uptimeMs: number) => ({ ...clocks(ms), uptimeMs: 90_000 + ms + uptimeMs });
  lease.handle({ kind: "tick", clocks: suspended(100, 900) });
  lease.handle({ kind: "tick", clocks: suspended(200, 1800) });
  expect(lease.isValid(suspended(300, 1800))).toBe(true);
  expect(lease.isValid(suspended(400, 2200))).toBe(false);
});
