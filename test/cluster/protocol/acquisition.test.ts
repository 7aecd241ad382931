import { describe, expect, test } from "bun:test";
import {
  type AcquisitionDecision,
  type AcquisitionView,
  decideAcquisition,
  isOrphan,
  mayReleasePredecessor,
  ORPHAN_AGE_MS,
  timelineWaitMs,
} from "../../../src/cluster/protocol/acquisition.ts";

describe("an acquisition", () => {
  const view: AcquisitionView = {
    self: { node: "a", isLeaseValid: true },
    document: { epoch: 7, node: "b" },
    ownerLease: "valid",
    begunEpoch: 0,
    timelineWaitMs: 0,
  };
  test.each<[string, Partial<AcquisitionView>, AcquisitionDecision]>([
    ["is left to an owner with a valid lease", {}, { kind: "ownedBy", node: "b" }],
    ["takes over from an expired lease", { ownerLease: "expired" }, { kind: "take", fromEpoch: 7 }],
    ["takes over from a node without a row", { ownerLease: null }, { kind: "take", fromEpoch: 7 }],
    ["takes a released document", { document: { epoch: 7, node: null } }, { kind: "take", fromEpoch: 7 }],
    [
      "takes this node's own document under a new epoch",
      { document: { epoch: 7, node: "a" }, begunEpoch: 7 },
      { kind: "take", fromEpoch: 7 },
    ],
    [
      "takes under a new epoch what a failover set back to an epoch before the last one",
      { document: { epoch: 7, node: "a" }, begunEpoch: 8 },
      { kind: "take", fromEpoch: 7 },
    ],
    [
      "begins under the epoch of a hand-over",
      { document: { epoch: 7, node: "a" }, begunEpoch: 5 },
      { kind: "begin", epoch: 7 },
    ],
    [
      "waits after a failover before it begins",
      { document: { epoch: 7, node: "a" }, timelineWaitMs: 900 },
      { kind: "wait", delayMs: 900 },
    ],
    [
      "needs a valid lease to begin",
      { self: { node: "a", isLeaseValid: false }, document: { epoch: 7, node: "a" } },
      { kind: "refuse", reason: "leaseInvalid" },
    ],
    ["waits after a failover", { ownerLease: "expired", timelineWaitMs: 900 }, { kind: "wait", delayMs: 900 }],
    [
      "needs a valid lease",
      { self: { node: "a", isLeaseValid: false }, ownerLease: "expired" },
      { kind: "refuse", reason: "leaseInvalid" },
    ],
    ["needs a row", { document: null, ownerLease: null }, { kind: "refuse", reason: "unknownDocument" }],
  ])("%s", (_, fields, decision) => {
    expect(decideAcquisition({ ...view, ...fields })).toEqual(decision);
  });
});

test("after a change of timeline acquisitions wait for one lease", () => {
  const settled = { systemIdentifier: "1", timeline: 1, historyId: "h" };
  const current = { ...settled, timeline: 2 };
  expect(timelineWaitMs({ settled, current: settled, seenForMs: 0 })).toBe(0);
  expect(timelineWaitMs({ settled, current, seenForMs: 0 })).toBe(3000);
  expect(timelineWaitMs({ settled: null, current, seenForMs: 2999 })).toBe(1);
  expect(timelineWaitMs({ settled, current, seenForMs: 5000 })).toBe(0);
});

test("a predecessor's lease is released only in the same folder of the same boot", () => {
  const place = { bootId: "b1", lockFile: "8:1234" };
  expect(mayReleasePredecessor(place, place)).toBe(true);
  expect(mayReleasePredecessor(place, { ...place, bootId: "b2" })).toBe(false);
  expect(mayReleasePredecessor(place, { ...place, lockFile: "8:99" })).toBe(false);
  expect(mayReleasePredecessor(null, place)).toBe(false);
});

test("orphans are documents that home does not know, after an hour", () => {
  const orphan = { isInHome: false, isBeingCreated: false, ageMs: ORPHAN_AGE_MS };
  expect(isOrphan(orphan)).toBe(true);
  expect(isOrphan({ ...orphan, isInHome: true })).toBe(false);
  expect(isOrphan({ ...orphan, isBeingCreated: true })).toBe(false);
  expect(isOrphan({ ...orphan, ageMs: ORPHAN_AGE_MS - 1 })).toBe(false);
});
