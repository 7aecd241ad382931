import { describe, expect, test } from "bun:test";
import type { LogEntry } from "../../../src/cluster/protocol/log-types.ts";
import {
  decideOpening,
  type LocalFile,
  type LogView,
  type OpeningDecision,
} from "../../../src/cluster/protocol/opening.ts";

const identity = { systemIdentifier: "1", timeline: 1, historyId: "h" };
const found = (contentEpoch: string, checksum: string): LogEntry => ({ kind: "found", contentEpoch, checksum });
const PRUNED: LogEntry = { kind: "pruned" };
const ABSENT: LogEntry = { kind: "absent" };

const local: LocalFile = {
  count: { epoch: "e", seq: 10 },
  isIntact: true,
  acknowledged: { epoch: 3, seq: 10, checksum: "c10" },
  identity,
};
const log: LogView = { head: 10, identity, atLocal: found("e", "c10"), atAcknowledged: found("e", "c10") };
const acknowledged = { epoch: 3, seq: 9, checksum: "c9" };
const FAILED_OVER = { ...identity, timeline: 2 };
const REBUILD: OpeningDecision = { kind: "rebuild", setAside: false, mayHaveLost: false };
const SET_ASIDE: OpeningDecision = { kind: "rebuild", setAside: true, mayHaveLost: false };
const WENT_BACK: OpeningDecision = { kind: "diverged", reason: "logWentBackwards" };

describe("opening a local file", () => {
  test.each<[string, Partial<LocalFile>, Partial<LogView>, OpeningDecision]>([
    ["equal to the head: used", {}, {}, { kind: "use" }],
    ["older than the head: gets the tail", {}, { head: 15 }, { kind: "applyTail", after: 10 }],
    ["equal, after a failover that lost nothing: used", {}, { identity: FAILED_OVER }, { kind: "use" }],
    ["older than all rows: rebuilt", {}, { head: 90, atLocal: PRUNED, atAcknowledged: PRUNED }, REBUILD],
    [
      "older than all rows, after a failover: rebuilt, and kept, as the log may have lost commits of it",
      {},
      { head: 90, identity: FAILED_OVER, atLocal: PRUNED, atAcknowledged: PRUNED },
      { kind: "rebuild", setAside: true, mayHaveLost: true },
    ],
    [
      "perhaps torn, after a failover that wrote over its last commit: rebuilt, and kept",
      { isIntact: false, acknowledged },
      { head: 20, identity: FAILED_OVER, atLocal: found("x", "x10"), atAcknowledged: found("e", "c9") },
      { kind: "rebuild", setAside: true, mayHaveLost: true },
    ],
    [
      "perhaps torn, after a failover that kept its last commit: rebuilt, and set aside",
      { isIntact: false, acknowledged },
      { head: 20, identity: FAILED_OVER, atAcknowledged: found("e", "c9") },
      SET_ASIDE,
    ],
    ["perhaps torn by a power cut: rebuilt, and set aside", { isIntact: false }, {}, SET_ASIDE],
    ["without a counter: rebuilt, and set aside", { count: null, acknowledged: null }, {}, SET_ASIDE],
    [
      "with commits that were never shipped: rebuilt, and set aside",
      { count: { epoch: "e", seq: 11 } },
      { atLocal: ABSENT },
      SET_ASIDE,
    ],
    [
      "with an unshipped commit in whose place another owner wrote: rebuilt, and set aside",
      { acknowledged },
      { head: 20, atLocal: found("x", "x10"), atAcknowledged: found("e", "c9") },
      SET_ASIDE,
    ],
    [
      "with a commit that was shipped but not acknowledged: used",
      { acknowledged },
      { atAcknowledged: found("e", "c9") },
      { kind: "use" },
    ],
    [
      "whose acknowledged rows the log lost: diverged",
      {},
      { head: 9, atLocal: ABSENT, atAcknowledged: ABSENT },
      WENT_BACK,
    ],
    [
      "whose acknowledged rows were lost and written over: diverged",
      {},
      { head: 20, atLocal: found("x", "x10"), atAcknowledged: found("x", "x10") },
      WENT_BACK,
    ],
    [
      "torn, with acknowledged rows that the log lost: diverged",
      { isIntact: false },
      { head: 9, atLocal: ABSENT, atAcknowledged: ABSENT },
      WENT_BACK,
    ],
    [
      "ahead of a log that failed over, as far as the note can tell: diverged",
      { isIntact: false, acknowledged: { epoch: 3, seq: 5, checksum: "c5" } },
      { head: 9, identity: FAILED_OVER, atLocal: ABSENT, atAcknowledged: found("e", "c5") },
      WENT_BACK,
    ],
    [
      "with an unshipped commit, after a failover that lost nothing: rebuilt, and set aside",
      { acknowledged },
      { head: 9, identity: FAILED_OVER, atLocal: ABSENT, atAcknowledged: found("e", "c9") },
      SET_ASIDE,
    ],
    [
      "never acknowledged, ahead of an empty log: rebuilt, and set aside",
      { acknowledged: { epoch: 1, seq: 0, checksum: "" } },
      { head: 0, atLocal: ABSENT, atAcknowledged: ABSENT },
      SET_ASIDE,
    ],
  ])("%s", (_, file, view, decision) => {
    expect(decideOpening({ ...local, ...file }, { ...log, ...view })).toEqual(decision);
  });

  test("that is missing: rebuilt", () => expect(decideOpening(null, log)).toEqual(REBUILD));

  test("of a document that the log does not know: diverged", () => {
    expect(decideOpening(local, null)).toEqual({ kind: "diverged", reason: "documentMissing" });
  });
});
