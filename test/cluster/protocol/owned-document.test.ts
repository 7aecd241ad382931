import { describe, expect, test } from "bun:test";
import type { DocumentEffect, DocumentEvent } from "../../../src/cluster/protocol/document-events.ts";
import { BASE_INTERVAL_BYTES, type LogHead, MAX_APPEND_BYTES } from "../../../src/cluster/protocol/log-types.ts";
import { OwnedDocument } from "../../../src/cluster/protocol/owned-document.ts";

type Step = readonly [event: DocumentEvent, ...effects: DocumentEffect[]];

const START = { seq: 4, checksum: "c4" };
const own = (): OwnedDocument =>
  new OwnedDocument({ node: "a", epoch: 7, head: START, bytesSinceBase: 0, isLeaseValid: true });

const commit = (seq: number, bytes: number | null = 100): DocumentEvent => ({
  kind: "committed",
  commit: { seq, checksum: `c${seq}`, bytes },
});
const append = (attempt: number, after: number, last: number): DocumentEffect => ({
  kind: "append",
  attempt,
  after,
  last,
});
const appended = (attempt: number): DocumentEvent => ({ kind: "appended", attempt });
const unknown = (attempt: number): DocumentEvent => ({ kind: "appendUnknown", attempt });
const at = (seq: number) => ({ seq, checksum: `c${seq}` });
const release = (seq: number): DocumentEffect => ({ kind: "release", acknowledged: { epoch: 7, ...at(seq) } });
const readHead = (attempt: number, seq = 4): DocumentEffect => ({ kind: "readHead", attempt, acknowledged: at(seq) });
const refuse = (reason: "unresolved" | "leaseExpired" | "closing" | "stopped"): DocumentEffect => ({
  kind: "refuseWrites",
  reason,
});
const ACCEPT: DocumentEffect = { kind: "acceptWrites" };
const head = (attempt: number, fields: Partial<LogHead>): DocumentEvent => ({
  kind: "headRead",
  attempt,
  head: {
    epoch: 7,
    node: "a",
    head: 4,
    checksum: `c${fields.head ?? 4}`,
    atAcknowledged: { kind: "found", checksum: "c4", contentEpoch: "e" },
    ...fields,
  },
});
const base = (seq: number) => ({ ref: `b${seq}`, ...at(seq) });
const written = (attempt: number, seq: number): DocumentEvent => ({ kind: "baseWritten", attempt, base: base(seq) });
const point = (attempt: number, seq: number, advanceFrom: number | null): DocumentEffect => ({
  kind: "pointBase",
  attempt,
  base: base(seq),
  advanceFrom,
});
const prune = (seq: number): DocumentEffect => ({ kind: "pruneLog", base: base(seq) });
const fenced = (isAhead: boolean): DocumentEffect => ({ kind: "fenced", isAhead });
const diverged = (reason: "logWentBackwards" | "chainMismatch" | "documentMissing"): DocumentEffect => ({
  kind: "diverged",
  reason,
});

function play(steps: readonly Step[], document = own()): OwnedDocument {
  for (const [event, ...effects] of steps)
    expect({ event, effects: document.handle(event) }).toEqual({ event, effects });
  return document;
}

describe("appends", () => {
  test("one at a time, several commits in the next one", () => {
    const document = play([
      [commit(5), append(1, 4, 5)],
      [commit(6)],
      [commit(7)],
      [appended(1), release(5), append(2, 5, 7)],
      [appended(2), release(7)],
    ]);
    expect(document.acknowledged).toEqual({ epoch: 7, ...at(7) });
    expect(document.last).toEqual(at(7));
  });

  test("are limited in bytes, but hold at least one commit", () => {
    play([
      [commit(5), append(1, 4, 5)],
      [commit(6, MAX_APPEND_BYTES + 1)],
      [commit(7, MAX_APPEND_BYTES)],
      [commit(8, 1)],
      [appended(1), release(5), append(2, 5, 6)],
      [appended(2), release(6), append(3, 6, 7)],
    ]);
  });

  test("ignore late and repeated answers", () => {
    play([
      [commit(5), append(1, 4, 5)],
      [unknown(1), readHead(2), refuse("unresolved")],
      [appended(1)],
      [unknown(1)],
      [head(2, { head: 5 }), release(5), ACCEPT],
      [head(2, { head: 4 })],
    ]);
  });

  test("refuse a commit out of order", () => {
    expect(() => own().handle(commit(6))).toThrow(RangeError);
    expect(() => own().handle(commit(4, null))).toThrow(RangeError);
  });
});

describe("an unknown outcome", () => {
  const before: readonly Step[] = [
    [commit(5), append(1, 4, 5)],
    [commit(6)],
    [unknown(1), readHead(2), refuse("unresolved")],
  ];

  test.each<[string, DocumentEvent, DocumentEffect[]]>([
    ["it happened", head(2, { head: 5 }), [release(5), append(3, 5, 6), ACCEPT]],
    ["it did not happen", head(2, { head: 4 }), [append(3, 4, 6), ACCEPT]],
    [
      "the head cannot be read",
      { kind: "headUnreadable", attempt: 2 },
      [{ kind: "retryLater", attempt: 3, failures: 1 }],
    ],
    ["another node took over", head(2, { epoch: 8, node: "b", head: 9 }), [fenced(true), refuse("stopped")]],
    ["another node released it again", head(2, { epoch: 8, node: null, head: 9 }), [fenced(true), refuse("stopped")]],
    ["the same epoch is another node's", head(2, { node: "b", head: 4 }), [fenced(true), refuse("stopped")]],
    ["the log ends earlier", head(2, { head: 3 }), [diverged("logWentBackwards"), refuse("stopped")]],
    [
      "the log ends earlier under another epoch",
      head(2, { epoch: 6, node: "b", head: 3 }),
      [diverged("logWentBackwards"), refuse("stopped")],
    ],
    [
      "another owner wrote over acknowledged rows that were lost",
      head(2, {
        epoch: 8,
        node: "b",
        head: 20,
        atAcknowledged: { kind: "found", checksum: "x4", contentEpoch: "x" },
      }),
      [diverged("logWentBackwards"), refuse("stopped")],
    ],
    [
      "acknowledged rows are missing",
      head(2, { epoch: 8, node: "b", head: 20, atAcknowledged: { kind: "absent" } }),
      [diverged("logWentBackwards"), refuse("stopped")],
    ],
    [
      "acknowledged rows were pruned",
      head(2, { epoch: 8, node: "b", head: 20, atAcknowledged: { kind: "pruned" } }),
      [fenced(true), refuse("stopped")],
    ],
    ["rows that nobody sent", head(2, { head: 7 }), [diverged("chainMismatch"), refuse("stopped")]],
    ["another checksum", head(2, { head: 5, checksum: "x5" }), [diverged("chainMismatch"), refuse("stopped")]],
    ["a damaged log", head(2, { head: 5, checksum: null }), [diverged("chainMismatch"), refuse("stopped")]],
    [
      "no such document",
      { kind: "headRead", attempt: 2, head: null },
      [diverged("documentMissing"), refuse("stopped")],
    ],
  ])("when %s", (_, event, effects) => {
    play([...before, [event, ...effects]]);
  });

  test("is read again after a delay, until it is known", () => {
    play([
      ...before,
      [
        { kind: "headUnreadable", attempt: 2 },
        { kind: "retryLater", attempt: 3, failures: 1 },
      ],
      [{ kind: "retryDue", attempt: 3 }, readHead(4)],
      [
        { kind: "headUnreadable", attempt: 4 },
        { kind: "retryLater", attempt: 5, failures: 2 },
      ],
      [{ kind: "retryDue", attempt: 3 }],
      [{ kind: "retryDue", attempt: 5 }, readHead(6)],
      [head(6, { head: 4 }), append(7, 4, 6), ACCEPT],
    ]);
  });

  test("nothing is sent after the end", () => {
    const document = play([...before, [head(2, { epoch: 8, node: "b", head: 9 }), fenced(true), refuse("stopped")]]);
    expect(document.handle(commit(7))).toEqual([]);
    expect(document.refusal).toBe("stopped");
  });

  test("of an earlier append that arrives after the head was read: the next one is resolved", () => {
    play([
      ...before,
      [head(2, { head: 4 }), append(3, 4, 6), ACCEPT],
      [unknown(3), readHead(4), refuse("unresolved")],
      [head(4, { head: 5 }), release(5), append(5, 5, 6), ACCEPT],
    ]);
  });

  test("an owner that appended nothing is fenced by a database that lost only its acquisition", () => {
    play([
      [{ kind: "identityChanged" }, readHead(1), refuse("unresolved")],
      [head(1, { epoch: 6, node: "b" }), fenced(false), refuse("stopped")],
    ]);
  });

  test("a new document has no row to compare with", () => {
    const document = new OwnedDocument({
      node: "a",
      epoch: 1,
      head: { seq: 0, checksum: "" },
      bytesSinceBase: 0,
      isLeaseValid: true,
    });
    document.handle(commit(1));
    document.handle(unknown(1));
    const event = head(2, { epoch: 1, head: 0, checksum: null, atAcknowledged: { kind: "absent" } });
    expect(document.handle(event)).toEqual([append(3, 0, 1), ACCEPT]);
  });
});

describe("after a failover", () => {
  const before: readonly Step[] = [
    [commit(5), append(1, 4, 5)],
    [{ kind: "identityChanged" }, readHead(2), refuse("unresolved")],
    [appended(1)],
  ];

  test("the document stays open when the log has everything", () => {
    play([...before, [head(2, { head: 5 }), release(5), ACCEPT], [commit(6), append(3, 5, 6)]]);
  });

  test("reads wait until the log was checked, as the acquisition may be lost", () => {
    const document = own();
    expect(document.mayRead).toBe(true);
    play(before, document);
    expect(document.mayRead).toBe(false);
    play([[head(2, { head: 5 }), release(5), ACCEPT]], document);
    expect(document.mayRead).toBe(true);
    document.handle({ kind: "leaseLost" });
    expect(document.mayRead).toBe(false);
  });

  test("reads go on while an append is unknown without a failover", () => {
    const document = play([
      [commit(5), append(1, 4, 5)],
      [unknown(1), readHead(2), refuse("unresolved")],
    ]);
    expect(document.mayRead).toBe(true);
  });

  test("a lost append is not repeated, as its attachments may be lost too", () => {
    play([...before, [commit(6)], [head(2, { head: 4 }), fenced(true), refuse("stopped")]]);
    play([...before, [commit(6)], [head(2, { head: 5 }), release(5), fenced(true), refuse("stopped")]]);
  });

  test("a base that nothing points to is written again", () => {
    const large = BASE_INTERVAL_BYTES;
    play([
      [commit(5, large), append(1, 4, 5)],
      [appended(1), release(5), { kind: "writeBase", attempt: 2, minSeq: 5 }],
      [{ kind: "identityChanged" }, readHead(3, 5), refuse("unresolved")],
      [written(2, 5)],
      [head(3, { head: 5 }), { kind: "writeBase", attempt: 4, minSeq: 5 }, ACCEPT],
    ]);
  });
});

describe("the lease", () => {
  test("writes are refused while it is expired; appends go on", () => {
    play([
      [commit(5), append(1, 4, 5)],
      [{ kind: "leaseExpired" }, refuse("leaseExpired")],
      [appended(1), release(5)],
      [{ kind: "leaseValid" }, ACCEPT],
    ]);
  });

  test("when it is lost, nothing is released any more", () => {
    play([[commit(5), append(1, 4, 5)], [{ kind: "leaseLost" }, fenced(true), refuse("stopped")], [appended(1)]]);
    play([[{ kind: "leaseLost" }, fenced(false), refuse("stopped")]]);
  });
});

describe("bases", () => {
  const large: readonly Step[] = [
    [commit(5), append(1, 4, 5)],
    [commit(6, null)],
    [commit(7)],
    [appended(1), release(5), { kind: "writeBase", attempt: 2, minSeq: 6 }],
    [written(2, 7), point(3, 7, 5)],
  ];

  test("replace the rows of a commit without content, and of those after it", () => {
    play([...large, [commit(8)], [{ kind: "basePointed", attempt: 3 }, release(7), prune(7), append(4, 7, 8)]]);
  });

  test("with an unknown outcome are resolved like appends", () => {
    const before: readonly Step[] = [
      ...large,
      [{ kind: "basePointUnknown", attempt: 3 }, readHead(4, 5), refuse("unresolved")],
    ];
    play([...before, [head(4, { head: 5 }), point(5, 7, 5), ACCEPT]]);
    // It happened: pointing to it again changes nothing, and confirms that older ones can be pruned.
    play([
      ...before,
      [head(4, { head: 7 }), release(7), point(5, 7, null), ACCEPT],
      [{ kind: "basePointed", attempt: 5 }, prune(7)],
    ]);
  });

  test("that cannot be written are tried again later when they are required", () => {
    play([
      [commit(5, null), { kind: "writeBase", attempt: 1, minSeq: 5 }],
      [{ kind: "baseFailed", attempt: 1 }, { kind: "retryLater", attempt: 2, failures: 1 }, refuse("unresolved")],
      [{ kind: "retryDue", attempt: 2 }, readHead(3)],
      [head(3, { head: 4 }), { kind: "writeBase", attempt: 4, minSeq: 5 }, ACCEPT],
      [written(1, 5)],
      [written(4, 5), point(5, 5, 4)],
    ]);
  });

  test("are published after enough log, beside appends, once all their commits are in the log", () => {
    play([
      [commit(5, BASE_INTERVAL_BYTES), append(1, 4, 5)],
      [appended(1), release(5), { kind: "writeBase", attempt: 2, minSeq: 5 }],
      [commit(6), append(3, 5, 6)],
      [written(2, 6)],
      [appended(3), release(6), point(4, 6, null)],
      [commit(7), append(5, 6, 7)],
      [{ kind: "basePointed", attempt: 4 }, prune(6)],
      [appended(5), release(7)],
    ]);
  });

  test("may be older than the head", () => {
    play([
      [commit(5, BASE_INTERVAL_BYTES), append(1, 4, 5)],
      [appended(1), release(5), { kind: "writeBase", attempt: 2, minSeq: 5 }],
      [commit(6), append(3, 5, 6)],
      [appended(3), release(6)],
      [written(2, 5), point(4, 5, null)],
      [{ kind: "basePointUnknown", attempt: 4 }, readHead(5, 6), refuse("unresolved")],
      [head(5, { head: 6 }), point(6, 5, null), ACCEPT],
    ]);
  });

  test("of an imported file may skip seqs", () => {
    play([
      [commit(57, null), { kind: "writeBase", attempt: 1, minSeq: 57 }],
      [written(1, 57), point(2, 57, 4)],
      [{ kind: "basePointed", attempt: 2 }, release(57), prune(57)],
      [commit(58), append(3, 57, 58)],
    ]);
  });

  test("of a content that the log never had are not published", () => {
    play([
      [commit(5, null), { kind: "writeBase", attempt: 1, minSeq: 5 }],
      [written(1, 6), { kind: "retryLater", attempt: 2, failures: 1 }, refuse("unresolved")],
    ]);
  });
});

describe("closing", () => {
  test("appends what is pending first", () => {
    play([
      [commit(5), append(1, 4, 5)],
      [{ kind: "closeRequested" }, refuse("closing")],
      [unknown(1), readHead(2)],
      [head(2, { head: 4 }), append(3, 4, 5)],
      [appended(3), release(5), { kind: "closed", acknowledged: at(5) }, refuse("stopped")],
    ]);
  });

  test("is immediate without pending commits", () => {
    play([[{ kind: "closeRequested" }, { kind: "closed", acknowledged: at(4) }, refuse("stopped")]]);
  });
});
